"""Scores into equal bins, with the two most extreme pairs: what every count of pairs shares.

A score becomes a position (score − low) / width + 1, truncated to an integer: bins 1 … m are equal, bins 0 and m + 1
take what lies below and above. The range comes from the scores of a few pairs drawn at random, twice as wide as they
reach, so that no second pass over all pairs is needed; what lies outside even of that is counted in the two outer bins,
whose other ends are the lowest and the highest score.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attention_core.measures.base import Floats

Rows: TypeAlias = NDArray[np.intp]
Scorer: TypeAlias = Callable[[Rows, Rows], Floats]
"""(m,) rows, (m,) rows -> (m,) float64 scores of these pairs by the measure itself."""

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

    def places(self, scores: Floats) -> Rows:
        """The bin of each score."""
        places = scores / self.width + (1 - self.low / self.width)
        return np.clip(places, 0, self.bins + 1).astype(np.intp)

    def largest(self) -> float:
        """The size of what is rounded when a score is placed."""
        return max(abs(self.low), abs(self.low + self.width * self.bins))


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

    @classmethod
    def nothing(cls, grid: Grid) -> Counted:
        """No pair."""
        return cls(np.zeros(grid.bins + 2, dtype=np.int64))

    def __add__(self, other: Counted) -> Counted:
        lows = [found for found in (self.lowest, other.lowest) if found]
        highs = [found for found in (self.highest, other.highest) if found]
        # the first pair found stays where two are alike
        return Counted(
            self.counts + other.counts,
            min(lows, key=lambda extreme: extreme.score, default=None),
            max(highs, key=lambda extreme: extreme.score, default=None),
        )

    def settled(self, exact: Scorer) -> Counted:
        """The same, its extreme pairs scored by the measure itself."""
        if self.lowest is None or self.highest is None:
            return self
        first, second = np.array([self.lowest[1:], self.highest[1:]]).T
        scores = exact(first, second).tolist()
        lowest, highest = sorted(map(Extreme, scores, first.tolist(), second.tolist()))
        return replace(self, lowest=lowest, highest=highest)


def counted(grid: Grid, scores: Floats, first: Rows, second: Rows) -> Counted:
    """Pairs with these (m,) scores by bin.

    Example:
        >>> found = counted(Grid(0.0, 0.5, 2), np.array([0.1, 0.9, 7.0]), np.array([0, 0, 1]), np.array([1, 2, 2]))
        >>> found.counts.tolist(), found.highest
        ([0, 1, 1, 1], Extreme(score=7.0, first=1, second=2))
    """
    counts = np.bincount(grid.places(scores), minlength=grid.bins + 2)
    if not len(scores):
        return Counted(counts)
    ends = (int(scores.argmin()), int(scores.argmax()))
    return Counted(counts, *(Extreme(float(scores[end]), int(first[end]), int(second[end])) for end in ends))
