"""A corpus in fixed point, for processors that multiply 8-bit integers many times faster than float32 numbers.

A vector becomes two digits of 8 bits for each component, k ≈ s·(k₁ + k₂/254), with one step s for a block of vectors.
Of a product the three larger of four parts are computed, exactly, as integers:

    254·q·k ≈ s_q·s_k·(254·q₁·k₁ + q₁·k₂ + q₂·k₁)

Vectors lie in order of their length: those of a block share a step well, and what depends on a vector's length is
nearly the same for all of them (see `enclosures`). What rounding and the part left out cost, about 1e-4·‖q‖‖k‖, is
measured. Making it takes about as long as a float32 pass for `WORTH` queries: it is made once that many were asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures.base import Floats
from attention_core.similarity.candidates import buffer
from attention_core.similarity.parallel import mapped

WORTH = 256
"""Queries asked of a corpus before it is put into fixed point."""
DIMENSION = 128
"""Components from which that product is so much faster that it outweighs its other costs."""
LARGEST = 1 << 26
"""Values of a corpus at most: 128 MiB of digits."""
STEPS = 64
"""Vectors that share a step."""
QUERIES = 64
"""Queries in one product: integer products of more columns are slower for each."""
BLOCK = 1 << 12
"""Vectors in one product: its result stays in a processor's caches."""
LOWEST = -(1 << 31)
"""The product with what was added to fill a block up."""
ROUNDED = 1 << 17
"""Values put into fixed point at a time."""
EXTREME = 1e30
"""Longer vectors, and those shorter than one over it, but for zero, are left to float64."""
BASE = 254
"""Second digits in a first one: digits are −127 … 127."""


@dataclass(frozen=True)
class Digits:
    """Vectors in fixed point, and how far they are from those given; lengths are in steps.

    Attributes:
        first, second: (n, d) int8.
        step: (n,).
        lost: (n,) bounds ‖k − k̂‖.
        below: (n,) the length of what the second digits stand for.
        size: (n,) the length of the first digits.
    """

    first: Tensor
    second: Tensor
    step: Tensor
    lost: Tensor
    below: Tensor
    size: Tensor


def digits_of(vectors: Tensor, together: int = 1) -> Digits:
    """Of vectors (n, d), `together` of which share a step; n is a multiple of it. Steps must be normal numbers or 0."""
    largest = vectors.view(-1, together * vectors.shape[1]).abs().amax(1)
    step = torch.where(largest > 0, largest / 127, 1.0).repeat_interleave(together)
    rest = vectors / step[:, None]
    first = rest.round()
    rest -= first
    second = (rest * BASE).round_()
    below = second.norm(dim=1) / BASE
    rounded = 256 * torch.finfo(vectors.dtype).eps * vectors.shape[1] ** 0.5  # of `rest`, whose terms are at most 127
    lost = rest.sub_(second, alpha=1 / BASE).norm(dim=1) + rounded
    return Digits(first.to(torch.int8), second.to(torch.int8), step, lost, below, first.norm(dim=1))


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """What is kept of a corpus of n words; n' is n rounded up to whole blocks that share a step.

    Attributes:
        count: n.
        order: (n',) rows of the corpus, the shortest vectors first; −1 for what was added.
        norms: (n',) float64 their lengths, ascending.
        longest: (n',) the largest ‖k‖ among those that share a step.
        digits: (n', 2d) int8: the first digits, then the second.
        step: (n',) float64.
        lost: the largest ‖k − k̂‖/longest.
        below: the largest length of what second digits stand for, over longest.
        size: the largest length of first digits.
        coarse: measures for which most queries were left to a finer pass: too many words are about equally close.
    """

    count: int
    order: NDArray[np.intp]
    norms: Floats
    longest: Floats
    digits: Tensor
    step: Floats
    lost: float
    below: float
    size: float
    coarse: set[str] = field(default_factory=set)


@dataclass(frozen=True, eq=False)
class Products:
    """q·k of all words and some queries, in units of step_q·step_k/254.

    Attributes:
        values: (n', q) int32.
        maxima: (n' / group, q) their largest in each group of words.
        unit: (q,) float64 step_q/254.
        error: (q,) bounds |q·k − unit·step_k·value|/longest_k; infinite where a value might overflow.
    """

    values: Tensor
    maxima: Tensor
    unit: Floats
    error: Floats


_KEPT: WeakKeyDictionary[Embeddings, FixedPoint | None] = WeakKeyDictionary()
_ASKED: WeakKeyDictionary[Embeddings, int] = WeakKeyDictionary()


def fixed_point(embeddings: Embeddings, queries: int, compute: Compute) -> FixedPoint | None:
    """The corpus for so many more queries; None where float32 is as fast, or it is not worth making yet."""
    if not compute.multiplies_int8 or embeddings.dimension < DIMENSION or embeddings.matrix.size > LARGEST:
        return None
    _ASKED[embeddings] = _ASKED.get(embeddings, 0) + queries
    if embeddings not in _KEPT and _ASKED[embeddings] >= WORTH:
        lengths = embeddings.norms[embeddings.norms > 0]
        ordinary = len(lengths) and lengths.min() > 1 / EXTREME and lengths.max() < EXTREME
        _KEPT[embeddings] = _made(embeddings, compute) if ordinary else None
    return _KEPT.get(embeddings)


def _made(embeddings: Embeddings, compute: Compute) -> FixedPoint:
    n, d = embeddings.matrix.shape
    padded = -(-n // STEPS) * STEPS
    order = np.full(padded, -1, dtype=np.intp)
    order[:n] = np.argsort(embeddings.norms, kind="stable")
    norms = embeddings.norms[order[np.minimum(np.arange(padded), n - 1)]]
    longest = norms[STEPS - 1 :: STEPS].repeat(STEPS)
    digits, step = torch.empty(padded, 2 * d, dtype=torch.int8), np.empty(padded)
    rows = max(1, ROUNDED // (STEPS * d)) * STEPS

    def largest(start: int) -> Tensor:
        """Fills in these words; the largest of what is lost, below and in the first digits."""
        block = slice(start, min(start + rows, padded))
        vectors = torch.zeros(block.stop - start, d)
        vectors[: n - start] = compute.tensor(embeddings.matrix[order[start : min(block.stop, n)]])
        made = digits_of(vectors, STEPS)
        digits[block, :d], digits[block, d:], step[block] = made.first, made.second, made.step
        share = made.step / torch.from_numpy(longest[block])  # infinite where all are zero
        return torch.stack([made.lost * share, made.below * share, made.size]).nan_to_num(0.0, 0.0).amax(1)

    with mapped(largest, range(0, padded, rows)) as found:
        lost, below, size = torch.stack(list(found)).amax(0).tolist()
    return FixedPoint(n, order, norms, longest, digits, step, 1.01 * lost, 1.01 * below, 1.01 * size)


def products(corpus: FixedPoint, vectors: Floats, norms: Floats, group: int) -> Products:
    """Of at most `QUERIES` vectors (q, d), whose lengths are given, and the maxima of groups of words."""
    q, d = vectors.shape
    asked = digits_of(torch.from_numpy(vectors))
    above = torch.cat([asked.first, torch.zeros_like(asked.first)], 1)  # q₁·k₁
    columns = torch.cat([above, torch.cat([asked.second, asked.first], 1)]).mT.contiguous()  # (2d, 2q)
    n = len(corpus.order)
    values = buffer("values", n * q, torch.int32, "cpu").view(n, q)
    maxima = torch.empty(n // group, q, dtype=torch.int32)
    parts = torch.empty(min(n, BLOCK), 2 * q, dtype=torch.int32)
    for start in range(0, n, BLOCK):
        block = slice(start, min(start + BLOCK, n))
        found = torch._int_mm(corpus.digits[block], columns, out=parts[: block.stop - start])
        torch.add(found[:, q:], found[:, :q], alpha=BASE, out=values[block])
        if block.stop == n:
            values[corpus.count :] = LOWEST
        torch.amax(values[block].view(-1, group, q), 1, out=maxima[start // group : block.stop // group])
    step, lost, below, size = (x.numpy() for x in (asked.step, asked.lost, asked.below, asked.size))
    error = norms * corpus.lost + step * (lost * (1 + corpus.lost) + below * corpus.below)
    widest = 127 * np.sqrt(d)  # of any digits
    reach = BASE * size * corpus.size + widest * (size + corpus.size)
    return Products(values, maxima, step / BASE, np.where(reach < 2**31, 1.01 * error, np.inf))
