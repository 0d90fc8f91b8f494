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
from attention_core.errors import AttentionCoreError, ComputeError, EmbeddingsError, ScoringError, UnknownWordError
from attention_core.loaders import LOADERS, Choices, Limits, load
from attention_core.samples import SAMPLES, Sample, sample

if TYPE_CHECKING:
    from attention_core.compute import Compute
    from attention_core.measures import MEASURES, Measure
    from attention_core.measures.additive import AdditiveWeights
    from attention_core.similarity.agreement import Agreement, agreement
    from attention_core.similarity.distribution import Distribution
    from attention_core.similarity.groups import GroupScores, group_scores, word_groups
    from attention_core.similarity.pairwise import Sampling, distribution, distributions, families
    from attention_core.similarity.random_directions import random_directions
    from attention_core.similarity.ranking import Comparison, Ranking, compare
    from attention_core.similarity.scoring import score
    from attention_core.similarity.search import rank

_LATER = {
    "Compute": "compute",
    "MEASURES": "measures",
    "Measure": "measures",
    "AdditiveWeights": "measures.additive",
    "Agreement": "similarity.agreement",
    "agreement": "similarity.agreement",
    "Distribution": "similarity.distribution",
    "Sampling": "similarity.pairwise",
    "distribution": "similarity.pairwise",
    "distributions": "similarity.pairwise",
    "GroupScores": "similarity.groups",
    "families": "similarity.pairwise",
    "group_scores": "similarity.groups",
    "word_groups": "similarity.groups",
    "random_directions": "similarity.random_directions",
    "Comparison": "similarity.ranking",
    "Ranking": "similarity.ranking",
    "compare": "similarity.ranking",
    "score": "similarity.scoring",
    "rank": "similarity.search",
}
"""Names whose modules import torch or scipy: fetched at first use."""

__all__ = [
    "LOADERS",
    "MEASURES",
    "SAMPLES",
    "AdditiveWeights",
    "Agreement",
    "AttentionCoreError",
    "Choices",
    "Comparison",
    "Compute",
    "ComputeError",
    "Distribution",
    "Embeddings",
    "EmbeddingsError",
    "GroupScores",
    "Limits",
    "Measure",
    "Ranking",
    "Sample",
    "Sampling",
    "ScoringError",
    "UnknownWordError",
    "agreement",
    "compare",
    "distribution",
    "distributions",
    "families",
    "group_scores",
    "load",
    "random_directions",
    "rank",
    "sample",
    "score",
    "word_groups",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
