"""Which words can be among the k closest, read off an approximate matrix product, with proof.

Let z be the closeness of a query and a word (higher is closer), ẑ what a pass computes for it, m a bound on |ẑ − z|,
and s = m + τ·(|ẑ| + m) that bound plus room for ties: ẑ − s > ẑ' + s' makes the float64 scores differ after rounding
to 12 significant digits, in the right order. ẑ − s and ẑ + s grow with ẑ. With words in groups, each of which has a
largest ẑ:

1. The k groups with the highest maxima hold k different words that attain them. With the least of these ẑ − s as the
   *floor*, k words have ẑ − s >= floor; where a query is itself one of the words, k + 1 have, and k others.
2. A word with ẑ + s < floor loses to all these k words even after rounding, so it is not among the k closest.
3. A group whose maximum is such a word holds only such words, and is never opened.

**What is left, ẑ + s >= floor, holds the k closest words, in whatever order the product was summed.** It is nearly
always k or a few more; where it is not, or a value might overflow, nothing is claimed and `proved` says so.

The maxima are taken while a block of the product is still in a processor's cache.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.similarity.parallel import mapped

BLOCK = 1 << 18
"""Elements of one block of the product: it stays in a processor's caches together with its transformed copy."""
TIE = 2e-11
"""τ: scores equal to 12 significant digits lie within 1e-11 of each other, squared distances within 2e-11; half of
the distance is granted to each of the two words, the rest covers the rounding of the float64 scores."""
ROW = 64
"""Numbers in a row, at least about, over which maxima are taken: where fewer queries are asked, several groups share a
stripe of words in turn, since torch takes short rows ten times slower."""
MULTIPLIED = 4
"""Blocks in one product."""
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
        scale: (n', 1) positive, or None for 1; n' is n rounded up, to whole stripes at least.
        shift: (n', 1), or None for 0; −inf marks a word whose score is undefined.
        centre: (q,), what does not depend on the word.
        margin: (q,) m: bounds |ẑ − z| for every word, with the rounding of everything done here.
        fits: (q,) whether nothing can overflow.
        closer: a second look at the words that this leaves; None where they are few anyway.
    """

    scale: Tensor | None
    shift: Tensor | None
    centre: Tensor
    margin: Tensor
    fits: Tensor
    closer: Closer | None = None

    def read(self, product: Tensor, words: slice, out: Tensor) -> Tensor:
        """scale·p + shift for products (words, q); `out` may hold the result."""
        if self.scale is not None:
            product = torch.mul(product, self.scale[words], out=out)
        if self.shift is not None:
            product = torch.add(product, self.shift[words], out=out)
        return product

    def opened(self, products: Tensor, stripe: Tensor, column: Tensor, beside: int) -> Tensor:
        """The same for the products (m, group) of the words in m groups: the `column`th of `beside` in a stripe."""
        for operation, terms in ((torch.mul, self.scale), (torch.add, self.shift)):
            if terms is not None:
                products = operation(products, terms.view(-1, products.shape[1], beside)[stripe, :, column])
        return products


@dataclass(frozen=True)
class Pass:
    """One product for some queries, and the measures that can be read off it.

    Attributes:
        multiply: (first word, out (rows, q)) fills `out` with the products of the words from there on.
        lanes: by measure.
        dtype: of the product as it is kept; a lane reads it in its own.
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
    q = len(search.own)
    beside = 1 << (max(1, ROW // q).bit_length() - 1)  # groups in a stripe
    stripe = group * beside
    count = -(-search.count // stripe) * stripe
    product = buffer("product", q * count, search.dtype, device).view(count, q)
    maxima = {
        name: torch.empty(count // stripe, beside * q, dtype=lane.margin.dtype, device=device)
        for name, lane in search.lanes.items()
    }
    step = max(1, BLOCK // q // stripe) * stripe  # words in a block
    for start in range(0, count, MULTIPLIED * step):
        block = product[start : start + MULTIPLIED * step]
        search.multiply(start, block[: search.count - start])
        block[search.count - start :] = -torch.inf
        for first in range(start, start + len(block), step):
            _scan(product, slice(first, min(first + step, count)), group, search, maxima)
    striped = product.view(-1, group, beside, q)

    def select(name: str) -> Candidates:
        return _select(striped, maxima[name].view(-1, q), search, search.lanes[name], k)

    with mapped(select, search.lanes) as selected:
        return dict(zip(search.lanes, selected, strict=True))


def _scan(product: Tensor, words: slice, group: int, search: Pass, maxima: dict[str, Tensor]) -> None:
    """The maxima of the groups of these words."""
    block = product[words]
    row = next(iter(maxima.values()))
    if block.dtype != row.dtype:
        block = buffer("wide", block.numel(), row.dtype, str(block.device)).view(block.shape).copy_(block)
    spare = buffer("spare", block.numel(), row.dtype, str(block.device)).view(block.shape)
    stripe = group * row.shape[1] // product.shape[1]
    for name, lane in search.lanes.items():
        values = lane.read(block, words, spare).view(-1, group, row.shape[1])
        torch.amax(values, 1, out=maxima[name][words.start // stripe : words.stop // stripe])


_KEPT = threading.local()


def buffer(use: str, elements: int, dtype: torch.dtype, device: str) -> Tensor:
    """(elements,) of anything: this thread's own for that use, kept while it is not large."""
    kept = getattr(_KEPT, use, None)
    if kept is None or (kept.dtype, kept.device) != (dtype, torch.device(device)) or len(kept) < elements:
        kept = torch.empty(elements, dtype=dtype, device=device)
        if elements <= KEPT:
            setattr(_KEPT, use, kept)
    found: Tensor = kept[:elements]
    return found


def _select(product: Tensor, maxima: Tensor, search: Pass, lane: Lane, k: int) -> Candidates:
    """`product` (stripes, group, beside, q), `maxima` (stripes·beside, q); numpy selects faster than torch sorts."""
    _, group, beside, q = product.shape
    best = _array((maxima + lane.centre).mT.contiguous())
    margin, proved = _array(lane.margin), _array(lane.fits).copy()
    kth = best.shape[1] - k - bool((search.own >= 0).any())
    least = np.partition(best, kth, axis=1)[:, kth]
    with np.errstate(invalid="ignore", over="ignore"):
        floor = least - margin - TIE * (np.abs(least) + margin)
        needed = _needed(floor, margin)
    proved &= np.isfinite(floor)
    needed[~proved] = np.inf
    query, opened = divmod(np.flatnonzero(best >= needed[:, None]), best.shape[1])
    proved &= few(query, k, q)
    query, opened = query[proved[query]], opened[proved[query]]
    stripe, column = divmod(opened, beside)
    values = _opened(product, stripe, column, query, lane)
    row, place = divmod(np.flatnonzero(values >= needed[query, None]), group)
    query, words = query[row], (stripe[row] * group + place) * beside + column[row]
    proved &= few(query, k, q)
    kept = proved[query] & (words != search.own[query])
    query, words = divmod(np.sort(query[kept] * search.count + words[kept]), search.count)
    result = Candidates(proved, query, words)
    return result if lane.closer is None else _narrow(result, lane.closer, k)


def _opened(
    product: Tensor, stripe: NDArray[np.intp], column: NDArray[np.intp], query: NDArray[np.intp], lane: Lane
) -> NDArray[Any]:
    """(m, group) ẑ of the words in m groups, each for one query."""
    asked, rows, columns = (torch.from_numpy(x).to(product.device) for x in (query, stripe, column))
    values = product[rows, :, columns, asked].to(lane.margin.dtype)
    return _array(lane.opened(values, rows, columns, product.shape[2]) + lane.centre[asked, None])


def _array(values: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = values.cpu().numpy()
    return array


def few(query: NDArray[np.intp], k: int, q: int) -> NDArray[np.bool_]:
    """(q,) whether a query has few enough of what `query` counts."""
    counts: NDArray[np.intp] = np.bincount(query, minlength=q)
    return counts <= OPENED // q + 4 * k


def _needed(floor: NDArray[Any], margin: NDArray[Any]) -> NDArray[Any]:
    """The least ẑ with ẑ + s >= floor, or less: such a ẑ below the floor has |ẑ| <= 1.01·(|floor| + m)."""
    needed: NDArray[Any] = floor - margin - 2 * TIE * (np.abs(floor) + margin)
    return needed


def _narrow(found: Candidates, closer: Closer, k: int) -> Candidates:
    """The same selection once more, with a finer closeness of the few words that are left."""
    closeness = closer.closeness(found.queries, found.words)
    margin = closer.margin[found.queries]
    slack = margin + TIE * (np.abs(closeness) + margin)
    return closest(found, closeness - slack, closeness + slack, k)


def closest(found: Candidates, low: NDArray[np.float64], high: NDArray[np.float64], k: int) -> Candidates:
    """Those that can be among the k closest of their query, given the ends (m,) between which each closeness lies."""
    columns, width = found.columns()
    sure = np.full((len(found.proved), max(k, width)), -np.inf)
    sure[found.queries, columns] = low
    floor = np.partition(sure, -k, axis=1)[:, -k]
    kept = high >= floor[found.queries]
    return Candidates(found.proved, found.queries[kept], found.words[kept])
