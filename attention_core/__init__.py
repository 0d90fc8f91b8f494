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
    from attention_core.similarity.invariance import invariances
    from attention_core.similarity.levels import levels
    from attention_core.similarity.pair import Move, Pair, pair
    from attention_core.similarity.ranking import Comparison, Ranking, compare
    from attention_core.similarity.scoring import score
    from attention_core.similarity.search import rank
    from attention_core.similarity.sweeps import sweeps

_LATER = {
    "Compute": "compute",
    "MEASURES": "measures",
    "Measure": "measures",
    "AdditiveWeights": "measures.additive",
    "Agreement": "similarity.agreement",
    "agreement": "similarity.agreement",
    "Pair": "similarity.pair",
    "Move": "similarity.pair",
    "pair": "similarity.pair",
    "invariances": "similarity.invariance",
    "levels": "similarity.levels",
    "Comparison": "similarity.ranking",
    "Ranking": "similarity.ranking",
    "compare": "similarity.ranking",
    "score": "similarity.scoring",
    "rank": "similarity.search",
    "sweeps": "similarity.sweeps",
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
    "Embeddings",
    "EmbeddingsError",
    "Limits",
    "Measure",
    "Move",
    "Pair",
    "Ranking",
    "Sample",
    "ScoringError",
    "UnknownWordError",
    "agreement",
    "compare",
    "invariances",
    "levels",
    "load",
    "pair",
    "rank",
    "sample",
    "score",
    "sweeps",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
