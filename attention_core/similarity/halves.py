"""A corpus in bfloat16, whose products some processors form several times faster than float32 ones.

Rounding costs accuracy, about 0.2 % of ‖k‖, and is measured: a pass over these keys proposes a few more candidates.
Making them takes about as long as a float32 pass for `WORTH` queries, so they are made once that many were asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings

WORTH = 256
"""Queries asked of a corpus before its keys are rounded."""
DIMENSION = 128
"""Components from which a quicker product outweighs more candidates."""
LARGEST = 1 << 26
"""Values of a corpus at most: 128 MiB in bfloat16."""
BLOCK = 1 << 20
"""Values rounded at a time."""


@dataclass(frozen=True, eq=False)
class Halves:
    """What is kept of a corpus.

    Attributes:
        keys: (n, d) bfloat16.
        lost: the largest ‖k − k̂‖/‖k‖ of a key k and what is kept of it.
        coarse: measures for which most queries were left to a finer pass: too many words are about equally close.
    """

    keys: Tensor
    lost: float
    coarse: set[str] = field(default_factory=set)


_KEPT: WeakKeyDictionary[Embeddings, Halves] = WeakKeyDictionary()
_ASKED: WeakKeyDictionary[Embeddings, int] = WeakKeyDictionary()


def halves_of(embeddings: Embeddings, queries: int, compute: Compute) -> Halves | None:
    """The rounded keys for so many more queries; None where a float32 pass is as fast, or they are not worth it yet."""
    if not compute.multiplies_bfloat16 or embeddings.dimension < DIMENSION or embeddings.matrix.size > LARGEST:
        return None
    _ASKED[embeddings] = _ASKED.get(embeddings, 0) + queries
    if embeddings not in _KEPT and _ASKED[embeddings] >= WORTH:
        _KEPT[embeddings] = _rounded(embeddings, compute)
    return _KEPT.get(embeddings)


def half(values: Tensor) -> Tensor:
    """The values in bfloat16; what is too small for a normal number becomes 0, as a processor may make it."""
    rounded = values.to(torch.bfloat16)
    return torch.where(rounded.abs() < torch.finfo(torch.bfloat16).tiny, torch.zeros_like(rounded), rounded)


def _rounded(embeddings: Embeddings, compute: Compute) -> Halves:
    keys = torch.empty(embeddings.matrix.shape, dtype=torch.bfloat16)
    lost = 0.0
    step = max(1, BLOCK // embeddings.dimension)
    for start in range(0, len(embeddings), step):
        exact = compute.tensor(embeddings.matrix[start : start + step], "float32")
        keys[start : start + step] = half(exact)
        differences = (exact - keys[start : start + step]).double().norm(dim=1)
        norms = compute.tensor(embeddings.norms[start : start + step], "float64")
        lost = max(lost, float((differences / norms).nan_to_num(0.0, posinf=torch.inf).max()))
    return Halves(keys, lost)
