"""Which words can be among the k closest, read off an approximate matrix product, with proof.

Let z be the closeness of a query and a word (higher is closer), ẑ what a pass computes for it, m a bound on |ẑ − z|,
and s = m + τ·(|ẑ| + m) that bound plus room for ties: ẑ − s > ẑ' + s' makes the float64 scores differ after rounding
to 12 significant digits, in the right order. With words in groups g, M_g the largest ẑ in a group and s_g made from the
largest m in it:

1. The word that attains M_g has ẑ − s >= M_g − s_g. So with the k-th largest M_g − s_g as the *floor*, k different
   words have ẑ − s >= floor.
2. A word with ẑ + s < floor loses to all these k words even after rounding, so it is not among the k closest.
3. A group with M_g + s_g < floor holds only such words, and is never opened.

**What is left, ẑ + s >= floor, holds the k closest words, in whatever order the product was summed.** It is nearly
always k or a few more; where it is not, or a value might overflow, nothing is claimed and `proved` says so.

The maxima are taken while a block of the product is still in a processor's cache.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.similarity.workers import each

BLOCK = 1 << 17
"""Elements of one block of the product: it stays in a processor's caches together with its transformed copy."""
TIE = 2e-11
"""τ: scores equal to 12 significant digits lie within 1e-11 of each other, squared distances within 2e-11; half of
the distance is granted to each of the two words, the rest covers the rounding of the float64 scores."""
BLOCKS = 8
"""Blocks at least, so that every thread has as much to do."""
KEPT = 1 << 23
"""Elements of a product buffer that a thread keeps for its next search: fresh memory costs a fifth of a product."""
OPENED = 1 << 16
"""Groups opened, and words kept, for all queries of a pass together (beyond 4k each): a query that asks for more than
its share is left to a slower pass."""


def gamma(terms: int, dtype: torch.dtype) -> float:
    """γ_n = n·u/(1 − n·u): the relative error of n roundings, whatever their order (Higham 2002, lemma 3.1).

    Example:
        >>> f"{gamma(300, torch.float32):.2e}"
        '1.79e-05'
    """
    unit = terms * torch.finfo(dtype).eps / 2
    return unit / (1 - unit) if unit < 1 else float("inf")


@dataclass(frozen=True)
class Closer:
    """A finer closeness, computed word by word.

    Attributes:
        closeness: (positions of queries (m,), rows of words (m,)) -> (m,) float64.
        margin: (q,) m for it.
    """

    closeness: Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.float64]]
    margin: NDArray[np.float64]


@dataclass(frozen=True)
class Lane:
    """How one measure reads its closeness off a product p: ẑ = scale·p + shift + centre, and how far off that is.

    Attributes:
        scale: (n', 1) positive, or None for 1; n' is n rounded up to whole groups.
        shift: (n', 1), or None for 0; −inf marks a word whose score is undefined.
        centre: (q, 1), what does not depend on the word.
        margin: (q, groups or 1), m: bounds |ẑ − z| within each group, with the rounding of everything done here.
        fits: (q,) whether nothing can overflow.
        closer: a second look at the words that this leaves; None where they are few anyway.
    """

    scale: Tensor | None
    shift: Tensor | None
    centre: Tensor
    margin: Tensor
    fits: Tensor
    closer: Closer | None = None

    def read(self, product: Tensor, words: slice | Tensor, out: Tensor | None = None) -> Tensor:
        """scale·p + shift for products (words, q) or (..., words, 1); `out` may hold the result."""
        if self.scale is not None:
            product = torch.mul(product, self.scale[words], out=out)
        if self.shift is not None:
            product = torch.add(product, self.shift[words], out=out)
        return product


@dataclass(frozen=True)
class Pass:
    """One product for some queries, and the measures that can be read off it.

    Attributes:
        multiply: (first word, out (rows, q)) fills `out` with the products of the words from there on.
        lanes: by measure.
        dtype: of the product as it is kept.
        count: n, the number of words.
        own: (q,) the row that a query may not find, or −1.
    """

    multiply: Callable[[int, Tensor], None]
    lanes: dict[str, Lane]
    dtype: torch.dtype
    count: int
    own: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Words that can be among the k closest, for one measure.

    Attributes:
        proved: (q,) for which queries that is certain; the others have no candidates here.
        queries: (m,) positions of queries, ascending.
        words: (m,) rows of words, ascending for each query.
    """

    proved: NDArray[np.bool_]
    queries: NDArray[np.intp]
    words: NDArray[np.intp]

    def columns(self) -> tuple[NDArray[np.intp], int]:
        """(m,) the place of each among the candidates of its query, and how many the largest number of them is."""
        counts = np.bincount(self.queries, minlength=len(self.proved))
        return np.arange(len(self.queries)) - (np.cumsum(counts) - counts)[self.queries], int(counts.max(initial=0))


def candidates(search: Pass, k: int, group: int, device: str) -> dict[str, Candidates]:
    """The candidates for every measure of a pass.

    Args:
        search: n words, q queries.
        k: how many closest words each query asks for, fewer than n / group.
        group: words in a group, a power of 2.
        device: where the product is kept: q·n elements.
    """
    groups, q = -(-search.count // group), len(search.own)
    product = _buffer("product", q * groups * group, search.dtype, device).view(
        -1, q
    )  # maxima then run along the queries
    lanes = list(search.lanes.values())
    maxima = [torch.empty(groups, q, dtype=search.dtype, device=device) for _ in lanes]
    step = max(1, min(BLOCK // q // group, -(-groups // BLOCKS)))  # groups in a block

    def scan(first: int) -> None:
        words = slice(first * group, min(first + step, groups) * group)
        block = product[words]
        _fill(block, words.start, search)
        spare = _buffer("spare", block.numel(), search.dtype, device).view(block.shape)
        for lane, best in zip(lanes, maxima, strict=True):
            values = lane.read(block, words, spare)
            torch.amax(values.view(-1, group, q), 1, out=best[first : first + step])

    each(scan, range(0, groups, step), device)
    found = each(lambda lane: _select(product, lane[0], lane[1], k), zip(maxima, lanes, strict=True), device)
    return dict(zip(search.lanes, found, strict=True))


_KEPT = threading.local()


def _buffer(use: str, elements: int, dtype: torch.dtype, device: str) -> Tensor:
    """(elements,) of anything: this thread's own for that use, kept while it is not large."""
    kept = getattr(_KEPT, use, None)
    if kept is None or (kept.dtype, kept.device) != (dtype, torch.device(device)) or len(kept) < elements:
        kept = torch.empty(elements, dtype=dtype, device=device)
        if elements <= KEPT:
            setattr(_KEPT, use, kept)
    found: Tensor = kept[:elements]
    return found


def _fill(block: Tensor, start: int, search: Pass) -> None:
    real = min(len(block), search.count - start)
    search.multiply(start, block[:real])
    block[real:] = -torch.inf
    inside = np.flatnonzero((search.own >= start) & (search.own < start + real))
    if inside.size:
        block[torch.from_numpy(search.own[inside] - start), torch.from_numpy(inside)] = -torch.inf


def _select(product: Tensor, maxima: Tensor, lane: Lane, k: int) -> Candidates:
    groups, q = maxima.shape
    best = maxima.mT + lane.centre
    slack = (best.abs() + lane.margin).mul_(TIE).add_(lane.margin)
    floor = torch.topk(best - slack, k).values[:, -1]  # (q,)
    proved = lane.fits & floor.isfinite()
    needed = _needed(floor.where(proved, torch.inf)[:, None], lane.margin)  # (q, groups or 1)
    query, opened = (best >= needed).nonzero(as_tuple=True)
    proved &= _few(query, k, q)
    query, opened = query[proved[query]], opened[proved[query]]
    group = len(product) // groups
    words = opened[:, None] * group + torch.arange(group, device=opened.device)  # (opened, group)
    values = lane.read(product[words, query[:, None]][:, :, None], words)[:, :, 0] + lane.centre[query]
    row, column = (values >= needed.expand_as(best)[query, opened, None]).nonzero(as_tuple=True)
    query, words = query[row], words[row, column]  # in order of queries, then words
    proved &= _few(query, k, q)
    certain = proved[query]
    found = Candidates(*(x.cpu().numpy() for x in (proved, query[certain], words[certain])))
    return found if lane.closer is None else _narrow(found, lane.closer, k)


def _few(query: Tensor, k: int, q: int) -> Tensor:
    return torch.bincount(query, minlength=q) <= OPENED // q + 4 * k


def _needed(floor: Tensor, margin: Tensor) -> Tensor:
    """The least ẑ with ẑ + s >= floor, or less: such a ẑ below the floor has |ẑ| <= 1.01·(|floor| + m)."""
    return floor - margin - (floor.abs() + margin).mul_(2 * TIE)


def _narrow(found: Candidates, closer: Closer, k: int) -> Candidates:
    """The same selection once more, with a finer closeness of the few words that are left."""
    closeness = closer.closeness(found.queries, found.words)
    margin = closer.margin[found.queries]
    slack = margin + TIE * (np.abs(closeness) + margin)
    columns, width = found.columns()
    sure = np.full((len(found.proved), max(k, width)), -np.inf)
    sure[found.queries, columns] = closeness - slack
    floor = np.partition(sure, -k, axis=1)[:, -k]
    kept = closeness + slack >= floor[found.queries]
    return Candidates(found.proved, found.queries[kept], found.words[kept])


def group_maxima(values: NDArray[np.float64], group: int) -> NDArray[np.float64]:
    """(groups,) largest of each `group` of n values that are not negative.

    Example:
        >>> group_maxima(np.array([1.0, 3.0, 2.0]), 2).tolist()
        [3.0, 2.0]
    """
    largest: NDArray[np.float64] = np.maximum.reduceat(values, np.arange(0, len(values), group))
    return largest
