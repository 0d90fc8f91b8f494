"""Which words can be among the k closest, read off an approximate matrix product, with proof.

Let z be the closeness of a query and a word (higher is closer), ẑ what a pass computes for it, m a bound on |ẑ − z|,
and s = m + τ·(|ẑ| + m) that bound plus room for ties: z > z' + s + s' makes the float64 scores differ after rounding to
12 significant digits, in the right order. With words in groups g, M_g the largest ẑ in a group and s_g made from the
largest m in it:

1. The word that attains M_g has z + s >= ... >= M_g − s_g, so the k-th largest M_g − s_g, the *floor*, is a value
   below which k words do not fall: each of those k has ẑ − s >= floor.
2. A word with ẑ + s < floor loses to all these k words even after rounding, so it is not among the k closest.
3. A group with M_g + s_g < floor holds only such words, and is never opened.

**What is left, ẑ + s >= floor, holds the k closest words, in whatever order the product was summed.** It is nearly
always k or a few more; where it is not, or a value might overflow, nothing is claimed and `proved` says so.

The maxima are taken while a block of the product is still in a processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

BLOCK = 1 << 18
"""Elements of one block of the product: it stays in a second-level cache together with its transformed copy."""
TIE = 2e-11
"""τ: scores equal to 12 significant digits lie within 1e-11 of each other, squared distances within 2e-11; half of
the distance is granted to each of the two words, the rest covers the rounding of the float64 scores."""
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
class Lane:
    """How one measure reads its closeness off a product p: ẑ = scale·p + shift + centre, and how far off that is.

    Attributes:
        scale: (n', 1) positive, or None for 1; n' is n rounded up to whole groups.
        shift: (n', 1), or None for 0; −inf marks a word whose score is undefined.
        centre: (1, q), what does not depend on the word.
        margin: (groups or 1, q), m: bounds |ẑ − z| within each group, with the rounding of everything done here.
        fits: (q,) whether nothing can overflow.
    """

    scale: Tensor | None
    shift: Tensor | None
    centre: Tensor
    margin: Tensor
    fits: Tensor

    def read(self, product: Tensor, words: slice | Tensor, out: Tensor | None = None) -> Tensor:
        """scale·p + shift for the products (rows, q) of these words; `out` may hold the result."""
        if self.scale is not None:
            product = torch.mul(product, self.scale[words].view(len(product), -1), out=out)
        if self.shift is not None:
            product = torch.add(product, self.shift[words].view(len(product), -1), out=out)
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


def candidates(search: Pass, k: int, group: int, device: str) -> dict[str, Candidates]:
    """The candidates for every measure of a pass.

    Args:
        search: n words, q queries.
        k: how many closest words each query asks for, fewer than n / group.
        group: words in a group.
        device: where the product is kept: q·n elements.
    """
    groups, q = -(-search.count // group), len(search.own)
    product = torch.empty(groups * group, q, dtype=search.dtype, device=device)
    lanes = list(search.lanes.values())
    maxima = [torch.empty(groups, q, dtype=search.dtype, device=device) for _ in lanes]
    step = max(1, BLOCK // q // group)
    spare = torch.empty(min(step, groups) * group, q, dtype=search.dtype, device=device)
    for first in range(0, groups, step):
        rows = slice(first * group, min(first + step, groups) * group)
        block = product[rows]
        _fill(block, rows.start, search)
        for lane, best in zip(lanes, maxima, strict=True):
            values = lane.read(block, rows, spare[: len(block)])
            torch.amax(values.view(-1, group, q), 1, out=best[first : first + step])
    found = [_select(product, best, lane, k) for best, lane in zip(maxima, lanes, strict=True)]
    return dict(zip(search.lanes, found, strict=True))


def _fill(block: Tensor, start: int, search: Pass) -> None:
    real = min(len(block), search.count - start)
    search.multiply(start, block[:real])
    block[real:] = -torch.inf
    inside = np.flatnonzero((search.own >= start) & (search.own < start + real))
    if inside.size:
        block[torch.from_numpy(search.own[inside] - start), torch.from_numpy(inside)] = -torch.inf


def _select(product: Tensor, maxima: Tensor, lane: Lane, k: int) -> Candidates:
    group = len(product) // len(maxima)
    best = maxima + lane.centre
    slack = _slack(best, lane.margin)
    floor = torch.topk(best - slack, k, dim=0).values[-1]  # (q,)
    reaching = (best + slack >= floor) & lane.fits
    most = OPENED // len(floor) + 4 * k
    proved = lane.fits & floor.isfinite() & (reaching.sum(0) <= most)
    opened, query = (reaching & proved).nonzero(as_tuple=True)
    words = opened[:, None] * group + torch.arange(group, device=opened.device)  # (opened groups, group)
    values = lane.read(product[words, query[:, None]], words) + lane.centre[0, query, None]
    margin = lane.margin.expand_as(best)[opened, query, None]
    kept = values + _slack(values, margin) >= floor[query, None]
    query, words = query[:, None].expand_as(words)[kept], words[kept]
    proved &= torch.bincount(query, minlength=len(proved)) <= most
    certain = proved[query]
    queries, rows = (positions[certain].cpu().numpy() for positions in (query, words))
    order = np.lexsort((rows, queries))
    return Candidates(proved.cpu().numpy(), queries[order], rows[order])


def _slack(closeness: Tensor, margin: Tensor) -> Tensor:
    return margin + TIE * (closeness.abs() + margin)


def group_maxima(values: NDArray[np.float64], group: int) -> NDArray[np.float64]:
    """(groups, 1) largest of each `group` of n values that are not negative.

    Example:
        >>> group_maxima(np.array([1.0, 3.0, 2.0]), 2).tolist()
        [[3.0], [2.0]]
    """
    return np.maximum.reduceat(values, np.arange(0, len(values), group))[:, None]
