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
    ComputeError,
    EmbeddingsError,
    ScoringError,
    UnknownWordError,
)
from attention_core.loaders import LOADERS, Choices, Limits, load
from attention_core.samples import SAMPLES, Sample, sample

if TYPE_CHECKING:
    from attention_core import attention
    from attention_core.compute import Compute
    from attention_core.measures import MEASURES, Measure
    from attention_core.measures.additive import AdditiveWeights
    from attention_core.similarity.agreement import Agreement, agreement
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
    "Comparison": "similarity.ranking",
    "Ranking": "similarity.ranking",
    "compare": "similarity.ranking",
    "score": "similarity.scoring",
    "rank": "similarity.search",
}
"""Names whose modules import torch or scipy: fetched at first use."""

_PACKAGES = ("attention",)
"""Packages that import torch, whose names are their own: `ac.attention.scaled`."""

__all__ = [
    "LOADERS",
    "MEASURES",
    "SAMPLES",
    "AdditiveWeights",
    "Agreement",
    "AttentionCoreError",
    "AttentionError",
    "Choices",
    "Comparison",
    "Compute",
    "ComputeError",
    "Embeddings",
    "EmbeddingsError",
    "Limits",
    "Measure",
    "Ranking",
    "Sample",
    "ScoringError",
    "UnknownWordError",
    "agreement",
    "attention",
    "compare",
    "load",
    "rank",
    "sample",
    "score",
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
