"""Similarity measures and attention on embeddings, as one Python API.

Importing this package is light: torch is imported when something is scored, and each name when it is first used.

Example:
    >>> import attention_core as ac
    >>> e = ac.sample("glove-en")
    >>> ac.compare(e, "king", k=3)["cosine"].words
    ('prince', 'queen', 'ii')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attention_core.embeddings import Embeddings
from attention_core.errors import (
    AttentionCoreError,
    AttentionError,
    CacheError,
    ComputeError,
    EmbeddingsError,
    ScoringError,
    UnknownWordError,
)
from attention_core.loaders import LOADERS, Choices, Limits, load
from attention_core.samples import SAMPLES, Sample, Training, sample

if TYPE_CHECKING:
    from attention_core import attention, experiments, kv_cache
    from attention_core.compute import Compute
    from attention_core.export.stores import STORES, Setting
    from attention_core.measures import MEASURES, Measure
    from attention_core.measures.additive import AdditiveWeights
    from attention_core.similarity.advice import Advice, advice
    from attention_core.similarity.agreement import Agreement, agreement
    from attention_core.similarity.analogies import Answered, analogies, analogy
    from attention_core.similarity.anisotropy import Cosines, cosines
    from attention_core.similarity.bundled import JUDGEMENTS
    from attention_core.similarity.diagnostics import Diagnostics, diagnostics
    from attention_core.similarity.distribution import Distribution
    from attention_core.similarity.duplicates import Duplicates, duplicates
    from attention_core.similarity.faithfulness import Faithfulness, faithfulness
    from attention_core.similarity.geometry import Geometry, geometry
    from attention_core.similarity.groups import GroupScores, group_scores, word_groups
    from attention_core.similarity.hubness import Hubness
    from attention_core.similarity.invariance import invariances
    from attention_core.similarity.judgements import Judgements, judge
    from attention_core.similarity.levels import levels
    from attention_core.similarity.map_rows import map_rows
    from attention_core.similarity.neighbourhoods import Budget, Neighbourhoods, Overlap, neighbourhoods
    from attention_core.similarity.pair import Move, Pair, pair
    from attention_core.similarity.pairwise import Sampling, distribution, distributions, families
    from attention_core.similarity.projection import Projection, project
    from attention_core.similarity.random_directions import random_directions
    from attention_core.similarity.ranking import Comparison, Ranking, compare
    from attention_core.similarity.retrieval import Retrieval, retrieval
    from attention_core.similarity.scoring import score
    from attention_core.similarity.search import rank
    from attention_core.similarity.spectrum import Spectrum, spectrum
    from attention_core.similarity.sweeps import sweeps
    from attention_core.similarity.tsne import TsneOptions

_LATER = {
    "Compute": "compute",
    "MEASURES": "measures",
    "Measure": "measures",
    "AdditiveWeights": "measures.additive",
    "Agreement": "similarity.agreement",
    "agreement": "similarity.agreement",
    "Answered": "similarity.analogies",
    "analogies": "similarity.analogies",
    "analogy": "similarity.analogies",
    "JUDGEMENTS": "similarity.bundled",
    "Judgements": "similarity.judgements",
    "judge": "similarity.judgements",
    "Distribution": "similarity.distribution",
    "Sampling": "similarity.pairwise",
    "distribution": "similarity.pairwise",
    "distributions": "similarity.pairwise",
    "GroupScores": "similarity.groups",
    "families": "similarity.pairwise",
    "group_scores": "similarity.groups",
    "word_groups": "similarity.groups",
    "random_directions": "similarity.random_directions",
    "Pair": "similarity.pair",
    "Move": "similarity.pair",
    "pair": "similarity.pair",
    "invariances": "similarity.invariance",
    "levels": "similarity.levels",
    "Comparison": "similarity.ranking",
    "Ranking": "similarity.ranking",
    "compare": "similarity.ranking",
    "Retrieval": "similarity.retrieval",
    "retrieval": "similarity.retrieval",
    "score": "similarity.scoring",
    "rank": "similarity.search",
    "Advice": "similarity.advice",
    "advice": "similarity.advice",
    "Cosines": "similarity.anisotropy",
    "cosines": "similarity.anisotropy",
    "Diagnostics": "similarity.diagnostics",
    "diagnostics": "similarity.diagnostics",
    "Duplicates": "similarity.duplicates",
    "duplicates": "similarity.duplicates",
    "Geometry": "similarity.geometry",
    "geometry": "similarity.geometry",
    "Hubness": "similarity.hubness",
    "Budget": "similarity.neighbourhoods",
    "Overlap": "similarity.neighbourhoods",
    "Neighbourhoods": "similarity.neighbourhoods",
    "neighbourhoods": "similarity.neighbourhoods",
    "STORES": "export.stores",
    "Setting": "export.stores",
    "Spectrum": "similarity.spectrum",
    "spectrum": "similarity.spectrum",
    "Faithfulness": "similarity.faithfulness",
    "faithfulness": "similarity.faithfulness",
    "map_rows": "similarity.map_rows",
    "Projection": "similarity.projection",
    "project": "similarity.projection",
    "TsneOptions": "similarity.tsne",
    "sweeps": "similarity.sweeps",
}
"""Names whose modules import torch or scipy: fetched at first use."""

_PACKAGES = ("attention", "experiments", "kv_cache")
"""Packages that are imported at first use, whose names are their own: `ac.attention.scaled`."""

__all__ = [
    "JUDGEMENTS",
    "LOADERS",
    "MEASURES",
    "SAMPLES",
    "STORES",
    "AdditiveWeights",
    "Advice",
    "Agreement",
    "Answered",
    "AttentionCoreError",
    "AttentionError",
    "Budget",
    "CacheError",
    "Choices",
    "Comparison",
    "Compute",
    "ComputeError",
    "Cosines",
    "Diagnostics",
    "Distribution",
    "Duplicates",
    "Embeddings",
    "EmbeddingsError",
    "Faithfulness",
    "Geometry",
    "GroupScores",
    "Hubness",
    "Judgements",
    "Limits",
    "Measure",
    "Move",
    "Neighbourhoods",
    "Overlap",
    "Pair",
    "Projection",
    "Ranking",
    "Retrieval",
    "Sample",
    "Sampling",
    "ScoringError",
    "Setting",
    "Spectrum",
    "Training",
    "TsneOptions",
    "UnknownWordError",
    "advice",
    "agreement",
    "analogies",
    "analogy",
    "attention",
    "compare",
    "cosines",
    "diagnostics",
    "distribution",
    "distributions",
    "duplicates",
    "experiments",
    "faithfulness",
    "families",
    "geometry",
    "group_scores",
    "invariances",
    "judge",
    "kv_cache",
    "levels",
    "load",
    "map_rows",
    "neighbourhoods",
    "pair",
    "project",
    "random_directions",
    "rank",
    "retrieval",
    "sample",
    "score",
    "spectrum",
    "sweeps",
    "word_groups",
]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
