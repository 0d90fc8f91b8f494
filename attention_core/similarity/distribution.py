"""How the scores of all pairs of words are distributed under a measure."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from attention_core.errors import ScoringError
from attention_core.measures import MEASURES
from attention_core.measures.base import Floats
from attention_core.similarity.binning import Extreme

LEVEL = 0.95
"""How often an interval of a sample holds the value of all pairs."""


class Estimate(NamedTuple):
    """A number and the interval that holds it: by the width of the bins, and by chance where pairs were drawn."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Distribution:
    """The scores of pairs of two different words, counted into fine bins.

    Attributes:
        measure: a key of `MEASURES`.
        edges: (m + 1,) float64, from the lowest score to the highest, in equal steps but for the first and the last.
        counts: (m,) int64 pairs of each bin. A score within `rounding` of an edge may be counted on its other side.
        population: how many pairs with a score there are: n(n − 1)/2, or n(n − 1) where (a, b) and (b, a) differ.
        undefined: how many further pairs have no score, since a zero vector is in them.
        seed: of the pairs drawn; None where all pairs were counted.
        lowest: the pair with the lowest score of those counted, rescored in float64; None without any.
        highest: that with the highest.
        rounding: how far a counted score may lie from the true one.
        why: why there is no distribution, or "".

    Every estimate of a sample has its 95 % interval (Clopper and Pearson 1934); the counts of its bins have binomial
    standard errors. Where all pairs were counted, the interval is that of the bin.
    """

    measure: str
    edges: Floats = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    population: int
    undefined: int
    seed: int | None
    lowest: Extreme | None
    highest: Extreme | None
    rounding: float
    why: str = ""

    @property
    def sampled(self) -> bool:
        """Whether the pairs are a sample."""
        return self.seed is not None

    @cached_property
    def pairs(self) -> int:
        """How many pairs were counted."""
        return int(self.counts.sum())

    @property
    def constant(self) -> bool:
        """Whether all pairs counted have the same score, as far as rounding lets it be seen."""
        spread = self.edges[-1] - self.edges[0]
        return bool(spread <= 1e-12 * np.abs(self.edges).max())

    @cached_property
    def _middles(self) -> Floats:
        middles: Floats = (self.edges[1:] + self.edges[:-1]) / 2
        return middles

    @cached_property
    def mean(self) -> Estimate:
        """The mean score: each counts as the middle of its bin; with 1.96 standard errors where pairs were drawn."""
        self._must_exist()
        value = float(np.average(self._middles, weights=self.counts))
        error = float(np.average(np.diff(self.edges), weights=self.counts)) / 2 + self.rounding
        if self.sampled:
            error += special.ndtri((1 + LEVEL) / 2) * self.deviation / np.sqrt(self.pairs)
        return Estimate(value, value - error, value + error)

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the scores; the bins' width moves it by at most half of that."""
        self._must_exist()
        mean = np.average(self._middles, weights=self.counts)
        return float(np.sqrt(np.average((self._middles - mean) ** 2, weights=self.counts)))

    @property
    def variance(self) -> float:
        """The square of the standard deviation."""
        return self.deviation**2

    @cached_property
    def _cumulated(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.counts)])

    def below(self, score: float) -> Estimate:
        """The share of pairs that score lower; pairs of the score's own bin count in part, and make the interval."""
        self._must_exist()
        if self.constant:  # its bin has no width
            share = float(score > self.edges[-1])
            return Estimate(share, share, share)
        place = int(np.clip(np.searchsorted(self.edges, score, side="right") - 1, 0, len(self.counts) - 1))
        part = float(np.interp(score, self.edges[place : place + 2], [0, 1]))
        before, within = int(self._cumulated[place]), int(self.counts[place])
        outside = part in (0.0, 1.0) and not self.edges[0] < score < self.edges[-1]
        low, high = (before + part * within,) * 2 if outside else (before, before + within)
        return Estimate((before + part * within) / self.pairs, *self._interval(low, high))

    def percentile(self, score: float) -> Estimate:
        """The share of pairs that lie farther apart than this score says: it is closer than so many.

        Args:
            score: in the unit of the measure.

        Raises:
            ScoringError: there is no distribution, or the score is not a number.
        """
        if not np.isfinite(score):
            raise ScoringError(f"A score is a number, and {score} was given. Give the score of a pair.")
        below = self.below(score)
        if MEASURES[self.measure].best == "highest":
            return below
        return Estimate(1 - below.value, 1 - below.high, 1 - below.low)

    def quantile(self, share: float) -> Estimate:
        """The score that a share of the pairs lies below.

        Args:
            share: from 0 to 1.
        """
        self._must_exist()
        low, high = self._interval(share * self.pairs, share * self.pairs) if self.sampled else (share, share)
        return Estimate(self._score_at(share), self._edge_at(low, 0), self._edge_at(high, 1))

    def _score_at(self, share: float) -> float:
        kept = np.concatenate([[True], self.counts > 0])  # np.interp needs increasing shares
        return float(np.interp(share * self.pairs, self._cumulated[kept], self.edges[kept]))

    def _edge_at(self, share: float, upper: int) -> float:
        """An end of the bin in which a share of the pairs is reached."""
        place = np.searchsorted(self._cumulated[1:], share * self.pairs, side="left")
        return float(self.edges[min(int(place), len(self.counts) - 1) + upper])

    def _interval(self, low: float, high: float) -> tuple[float, float]:
        """Of a share, known to lie between two counts of `pairs`."""
        n = self.pairs
        if not self.sampled:
            return low / n, high / n
        tail = (1 - LEVEL) / 2
        return (
            float(special.betaincinv(low, n - low + 1, tail)) if low > 0 else 0.0,
            float(special.betaincinv(high + 1, n - high, 1 - tail)) if high < n else 1.0,
        )

    def _must_exist(self) -> None:
        if not self.pairs:
            raise ScoringError(f"There is no distribution here: {self.why}. Choose other vectors or another measure.")


def _inner(edges: Floats) -> tuple[int, int]:
    """From which fine bin to which one (not included) all are about equally wide."""
    widths = np.diff(edges)
    usual = 1.5 * float(np.median(widths))
    first, last = int(widths[0] > usual), len(widths) - int(widths[-1] > usual)
    return (first, last) if first < last else (0, len(widths))


class Histogram(NamedTuple):
    """Display bins.

    Attributes:
        edges: (m + 1,) increasing.
        counts: (m,) pairs of each.
        errors: (m,) binomial standard errors of the counts; 0 where all pairs were counted.
    """

    edges: Floats
    counts: NDArray[np.int64]
    errors: Floats


def histogram(distribution: Distribution, bins: int = 80) -> Histogram:
    """The distribution in about `bins` bins, each made of whole fine bins, so that no count is divided.

    An outer bin that is wider than the others stays by itself.
    """
    found = distribution
    if not found.pairs or found.constant:
        return Histogram(found.edges, found.counts, np.zeros(len(found.counts)))
    first, last = _inner(found.edges)
    inner = range(first, last, -(-(last - first) // bins))
    starts = [*range(first), *inner, *range(last, len(found.counts))]
    counts = np.add.reduceat(found.counts, starts)
    shares = counts / found.pairs
    errors = np.sqrt(found.pairs * shares * (1 - shares)) if found.sampled else np.zeros(len(counts))
    return Histogram(found.edges[[*starts, len(found.counts)]], counts, errors)
