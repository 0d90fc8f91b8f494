"""A corpus with its vectors in order of length: what depends on a length is nearly the same for all in a group.

Formats narrower than float32 hold the vectors, for processors that multiply them many times faster (see `halves` and
`fixed_point`); `enclosures` reads every measure off their products.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures.base import Floats
from attention_core.similarity.candidates import buffer

BLOCK = 64
"""Vectors in a block, up to whole ones of which a corpus is filled up."""
WORTH = 256
"""Queries asked of a corpus before a format is made of it: that takes about as long as a float32 pass for them."""
DIMENSION = 128
"""Components from which a quicker product outweighs its other costs."""
LARGEST = 1 << 26
"""Values of a corpus at most: 128 MiB in either format."""
EXTREME = 1e30
"""Longer vectors, and those shorter than one over it, but for zero, are left to float64."""
QUERIES = 64
"""Queries in one product: wider products are slower for each."""
WORDS = 1 << 12
"""Words in one product: its result stays in a processor's caches."""
ROUNDED = 1 << 17
"""Values put into another format at a time."""


@dataclass(frozen=True, eq=False)
class Ordered:
    """The order of n words; n' is n rounded up to whole blocks.

    Attributes:
        count: n.
        order: (n',) rows of the corpus, the shortest vectors first; −1 for what was added.
        norms: (n',) float64 their lengths, ascending.
        longest: (n',) the largest of them in the block.
    """

    count: int
    order: NDArray[np.intp]
    norms: Floats
    longest: Floats

    def vectors(self, embeddings: Embeddings, block: slice) -> Tensor:
        """(rows, d) float32 of these words; zero for what was added."""
        rows = self.order[block.start : min(block.stop, self.count)]
        vectors = torch.zeros(block.stop - block.start, embeddings.dimension)
        vectors[: len(rows)] = torch.from_numpy(embeddings.matrix[rows])
        return vectors

    def blocks(self, values: int, each: int = 1) -> list[slice]:
        """All words in whole blocks that hold about so many values together, each word so many."""
        padded, size = len(self.order), max(1, values // (BLOCK * each)) * BLOCK
        return [slice(start, min(start + size, padded)) for start in range(0, padded, size)]


@dataclass(frozen=True, eq=False)
class Products:
    """q·k of all words and a few queries, nearly unit·step·value.

    Attributes:
        values: (n', q); the lowest number of its type for what was added.
        maxima: (n' / group, q) the largest in each group of words.
        unit: (q,) float64.
        step: (n',) float64, the same for all words of a block.
        error: (q,) bounds |q·k − unit·step·value|/longest; infinite where a value might overflow.
    """

    values: Tensor
    maxima: Tensor
    unit: Floats
    step: Floats
    error: Floats


@dataclass(frozen=True, eq=False)
class Format(ABC):
    """A corpus in a narrow format.

    Attributes:
        words: their order.
        lost: the largest ‖k − k̂‖/longest.
        coarse: measures for which most queries were left to a finer pass: too many words are about equally close.
    """

    words: Ordered
    lost: float
    coarse: set[str] = field(default_factory=set, init=False)

    @staticmethod
    @abstractmethod
    def pays(compute: Compute) -> bool:
        """Whether its products are exact enough, and that much faster, on this processor."""

    @classmethod
    @abstractmethod
    def of(cls, embeddings: Embeddings, words: Ordered) -> Self:
        """Made of vectors of ordinary lengths."""

    @abstractmethod
    def products(self, vectors: Floats, norms: Floats, group: int) -> Products:
        """Of at most `QUERIES` vectors (q, d), whose lengths are given and not 0."""


F = TypeVar("F", bound=Format)
_ORDERED: WeakKeyDictionary[Embeddings, Ordered] = WeakKeyDictionary()
_ASKED: WeakKeyDictionary[Embeddings, Counter[type[Format]]] = WeakKeyDictionary()
_MADE: WeakKeyDictionary[Embeddings, dict[type[Format], Any]] = WeakKeyDictionary()


def ordered(embeddings: Embeddings) -> Ordered:
    """The words by length, kept with the embeddings."""
    if embeddings not in _ORDERED:
        n = len(embeddings)
        padded = -(-n // BLOCK) * BLOCK
        order = np.full(padded, -1, dtype=np.intp)
        order[:n] = np.argsort(embeddings.norms, kind="stable")
        norms = embeddings.norms[order[np.minimum(np.arange(padded), n - 1)]]
        _ORDERED[embeddings] = Ordered(n, order, norms, norms[BLOCK - 1 :: BLOCK].repeat(BLOCK))
    return _ORDERED[embeddings]


def made(kind: type[F], embeddings: Embeddings, queries: int, compute: Compute) -> F | None:
    """The corpus in that format for so many more queries; None where it does not pay, or not yet."""
    if not kind.pays(compute) or embeddings.dimension < DIMENSION or embeddings.matrix.size > LARGEST:
        return None
    asked, kept = _ASKED.setdefault(embeddings, Counter()), _MADE.setdefault(embeddings, {})
    asked[kind] += queries
    if kind not in kept and asked[kind] >= WORTH:
        lengths = embeddings.norms[embeddings.norms > 0]
        ordinary = len(lengths) and lengths.min() > 1 / EXTREME and lengths.max() < EXTREME
        kept[kind] = kind.of(embeddings, ordered(embeddings)) if ordinary else None
    found: F | None = kept.get(kind)
    return found


def multiplied(
    words: Ordered, queries: int, group: int, dtype: torch.dtype, multiply: Callable[[slice, Tensor], object]
) -> tuple[Tensor, Tensor]:
    """`values` and `maxima` of products that `multiply` writes for a block of words."""
    n = len(words.order)
    values = buffer("values", n * queries, dtype, "cpu").view(n, queries)
    maxima = torch.empty(n // group, queries, dtype=dtype)
    lowest = torch.finfo(dtype).min if dtype.is_floating_point else torch.iinfo(dtype).min
    for block in words.blocks(WORDS):
        multiply(block, values[block])
        values[max(block.start, words.count) : block.stop] = lowest
        torch.amax(values[block].view(-1, group, queries), 1, out=maxima[block.start // group : block.stop // group])
    return values, maxima
