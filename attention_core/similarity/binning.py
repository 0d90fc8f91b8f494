"""Scores into equal bins, with the two most extreme pairs: what every count of pairs shares.

A score becomes a position (score − low) / width + 1, truncated to an integer: bins 1 … m are equal, bins 0 and m + 1
take what lies below and above. The range comes from the scores of a few pairs drawn at random, twice as wide as they
reach, so that no second pass over all pairs is needed; what lies outside even of that is counted in the two outer bins,
whose other ends are the lowest and the highest score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.measures.base import Floats

Rows: TypeAlias = NDArray[np.intp]
Scorer: TypeAlias = Callable[[Rows, Rows], Floats]
"""(m,) rows, (m,) rows -> (m,) float64 scores of these pairs by the measure itself."""
Pairs: TypeAlias = Callable[[Rows], tuple[Rows, Rows]]
"""Places in a block -> the rows of both words of the pairs there."""

REACH = 16
"""The range ends at so many interquartile ranges from the median, 21 deviations of a normal distribution: a vector of
huge length would else leave all other pairs in one bin."""


class Extreme(NamedTuple):
    """A pair of words, given by their rows, and its float64 score."""

    score: float
    first: int
    second: int


@dataclass(frozen=True)
class Grid:
    """`bins` equal bins from `low` on, each `width` wide."""

    low: float
    width: float
    bins: int

    @classmethod
    def around(cls, scores: Floats, bins: int) -> Grid:
        """The grid for a population from which these scores were drawn."""
        low, high = float(scores.min()), float(scores.max())
        start, middle, end = (float(x) for x in np.quantile(scores, [0.25, 0.5, 0.75]))
        margin = (high - low) / 2
        if margin <= 1e-9 * max(abs(low), abs(high)):  # one value, or as good as
            margin = 1e-6 * max(abs(low), abs(high)) or 1.0
            return cls(low - margin, (high - low + 2 * margin) / bins, bins)
        reach = REACH * (end - start) or np.inf
        low, high = max(low - margin, middle - reach), min(high + margin, middle + reach)
        return cls(low, (high - low) / bins, bins)

    @property
    def edges(self) -> Floats:
        """(bins + 1,) the ends of the equal bins."""
        return self.low + self.width * np.arange(self.bins + 1, dtype=np.float64)

    def places(self, scores: Tensor, out: Tensor | None = None) -> Tensor:
        """The bin of each score, int16; `out` is of the scores' size and precision, and is written over."""
        first = torch.tensor(1 - self.low / self.width, dtype=scores.dtype)
        placed = torch.add(first, scores, alpha=1 / self.width, out=out)
        return placed.clamp_(0, self.bins + 1).to(torch.int16)

    def largest(self) -> float:
        """The size of what is rounded when a score is placed."""
        return max(abs(self.low), abs(self.low + self.width * self.bins))


def counts_of(grid: Grid, scores: Floats) -> NDArray[np.int64]:
    """(bins + 2,) how many scores lie in each bin."""
    counts: NDArray[np.int64] = torch.bincount(grid.places(torch.from_numpy(scores)), minlength=grid.bins + 2).numpy()
    return counts


@dataclass(frozen=True, eq=False)
class Counted:
    """Pairs by bin.

    Attributes:
        counts: (bins + 2,) int64.
        lowest: the pair with the lowest score; None without any pair.
        highest: that with the highest.
    """

    counts: NDArray[np.int64]
    lowest: Extreme | None = None
    highest: Extreme | None = None

    def __add__(self, other: Counted) -> Counted:
        lows = [found for found in (self.lowest, other.lowest) if found]
        highs = [found for found in (self.highest, other.highest) if found]
        # the first pair found stays where two are alike
        return Counted(
            self.counts + other.counts,
            min(lows, key=lambda extreme: extreme.score, default=None),
            max(highs, key=lambda extreme: extreme.score, default=None),
        )


class Record:
    """The outermost bins that any block has reached, so that others look for an extreme pair only where one can be."""

    def __init__(self) -> None:
        self.first, self.last = 1 << 15, -1

    def reached(self, counts: NDArray[np.int64]) -> tuple[bool, bool]:
        """Whether these counts, of which one is not 0, reach as low and as high as any before."""
        used = counts != 0
        first, last = int(used.argmax()), len(used) - 1 - int(used[::-1].argmax())
        low, high = first <= self.first, last >= self.last
        self.first, self.last = min(first, self.first), max(last, self.last)
        return low, high


class Tally:
    """Counts scores that come block by block.

    Args:
        grid: the bins.
        exact: scores pairs in float64.
        record: of all blocks, whoever counts them.
        near: scores in bins up to this one are too inexact as they come, and are computed anew.
    """

    def __init__(self, grid: Grid, exact: Scorer, record: Record, near: int = -1) -> None:
        self.grid, self.exact, self.record, self.near = grid, exact, record, near
        self.found = Counted(np.zeros(grid.bins + 2, dtype=np.int64))

    def add(self, scores: Tensor, rows: Pairs, scratch: Tensor | None = None) -> None:
        """Counts a block of scores.

        Args:
            scores: (m,) of one pair or more.
            rows: which pairs stand at given places.
            scratch: (m,) of the same precision, written over.
        """
        places = self.grid.places(scores, scratch)
        counts = self._counts(places)
        if self.near >= 0 and counts[: self.near + 1].any():
            where = torch.nonzero(places <= self.near)[:, 0]
            again = torch.from_numpy(self.exact(*rows(where.numpy())))
            scores = scores.double().index_put_((where,), again)
            places[where] = self.grid.places(again)
            counts = self._counts(places)
        low, high = self.record.reached(counts)
        self.found = self.found + Counted(
            counts,
            self._extreme(int(scores.argmin()), rows) if low else None,
            self._extreme(int(scores.argmax()), rows) if high else None,
        )

    def _counts(self, places: Tensor) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = torch.bincount(places, minlength=self.grid.bins + 2).numpy()
        return counts

    def _extreme(self, place: int, rows: Pairs) -> Extreme:
        first, second = rows(np.array([place]))
        return Extreme(float(self.exact(first, second)[0]), int(first[0]), int(second[0]))
