"""The scores of a tile of products, counted while the tile is in a processor's cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.compiled import compiled
from attention_core.measures.base import Floats
from attention_core.similarity.binning import Counted, Extreme, Rows
from attention_core.similarity.lanes import Lane

TABLES = 4
"""Counts of each bin, added up in the end: one that has just been stored cannot be read again at once."""


class Tally(NamedTuple):
    """What the tiles of one measure are counted into.

    Attributes:
        counts: (bins + 3, TABLES) uint32 pairs by bin; last, those that are to be scored anew.
        best: (2,) the lowest and the highest score so far.
        ends: (2, 3) int64 the bin, the row and the column of these two; no row is −1.
        anew: row and column of the pairs of a tile that are to be scored anew.
        waiting: (1,) how many these are.
    """

    counts: NDArray[np.uint32]
    best: Floats
    ends: NDArray[np.int64]
    anew: NDArray[np.int64]
    waiting: NDArray[np.int64]

    @classmethod
    def of(cls, bins: int, pairs: int) -> Tally:
        """Nothing counted, with room for tiles of so many pairs."""
        counts, ends = np.zeros((bins + 3, TABLES), dtype=np.uint32), np.array([[bins + 2, -1, -1], [-1, -1, -1]])
        anew = np.empty((pairs, 2), dtype=np.int64)  # memory that is not written to is not taken
        return cls(counts, np.array([np.inf, -np.inf]), ends, anew, np.zeros(1, dtype=np.int64))

    def taken(self) -> NDArray[np.int64]:
        """(2, m) rows and columns of the pairs that are to be scored anew, which no longer wait for it."""
        pairs = self.anew[: self.waiting[0]].T
        self.waiting[0] = 0
        return pairs

    def counted(self, order: Rows) -> Counted:
        """What was counted of words that came in this order."""
        extremes = [
            Extreme(float(score), int(order[row]), int(order[column])) if row >= 0 else None
            for score, (_, row, column) in zip(self.best, self.ends, strict=True)
        ]
        return Counted(np.einsum("bt->b", self.counts[:-1], dtype=np.int64), *extremes)


@compiled
def count_tile(product: NDArray[Any], top: int, left: int, lane: Lane, tally: Tally) -> None:
    """Counts the pairs of a tile that lie above the diagonal and have a score.

    Args:
        product: (h, w) of the words from `top` on with those from `left` on.
        top: the word of the first row.
        left: the word of the first column.
        lane: how the score is read off the product; words that have none come last.
        tally: where to count; pairs that are left to be scored anew are put after those waiting there.
    """
    room = np.empty(product.shape[1], dtype=np.int32)
    end = min(product.shape[1], lane.words - left)
    for i in range(min(len(product), lane.words - top)):
        row, begin = top + i, max(0, top + i + 1 - left)
        if begin < end:
            products, column, places = product[i, begin:end], left + begin, room[begin:end]
            lowest, highest = _place(products, row, column, lane, places)
            if lowest <= max(lane.near, tally.ends[0, 0]) or highest >= tally.ends[1, 0]:
                _look_at(products, row, column, lane, places, tally)
            _count(places, tally.counts)


@compiled
def _place(products: NDArray[Any], row: int, column: int, lane: Lane, places: NDArray[np.int32]) -> Any:
    """The bins of some pairs of a word; returns the lowest and the highest."""
    scale, shift = lane.scale[column : column + len(places)], lane.shift[column : column + len(places)]
    own_scale, own_shift = lane.scale[row], lane.shift[row]
    kind: Any = products.dtype.type
    step, offset, first, last = kind(lane.step), kind(lane.offset), kind(0), kind(lane.bins + 1)
    lowest, highest = np.int32(lane.bins + 1), np.int32(0)
    for j in range(len(places)):
        position = _score(products[j], scale[j], shift[j], own_scale, own_shift, lane.root) * step + offset
        position = position if position > first else first  # nor is it NaN from here on
        place = np.int32(position if position < last else last)
        places[j] = place
        lowest, highest = min(lowest, place), max(highest, place)
    return lowest, highest


@compiled
def _score(product: Any, scale: Any, shift: Any, own_scale: Any, own_shift: Any, root: bool) -> Any:
    closeness = product * scale * own_scale + shift + own_shift
    return np.sqrt(np.abs(closeness + closeness)) if root else closeness


@compiled
def _look_at(
    products: NDArray[Any], row: int, column: int, lane: Lane, places: NDArray[np.int32], tally: Tally
) -> None:
    """Sets pairs aside that are to be scored anew, and notes the extreme ones of the others."""
    for j in range(len(places)):
        if places[j] <= lane.near:
            places[j] = lane.bins + 2
            tally.anew[tally.waiting[0], 0], tally.anew[tally.waiting[0], 1] = row, column + j
            tally.waiting[0] += 1
            continue
        own, other = (lane.scale[row], lane.shift[row]), (lane.scale[column + j], lane.shift[column + j])
        score = _score(products[j], *other, *own, lane.root)
        if score < tally.best[0]:
            _note(tally, 0, score, places[j], row, column + j)
        if score > tally.best[1]:
            _note(tally, 1, score, places[j], row, column + j)


@compiled
def _note(tally: Tally, end: int, score: float, place: int, row: int, column: int) -> None:
    tally.best[end] = score
    tally.ends[end, 0], tally.ends[end, 1], tally.ends[end, 2] = place, row, column


@compiled
def _count(places: NDArray[np.int32], counts: NDArray[np.uint32]) -> None:
    for j in range(len(places)):
        counts[np.uint32(places[j]), j & (TABLES - 1)] += np.uint32(1)  # unsigned, so that no sign is looked at
