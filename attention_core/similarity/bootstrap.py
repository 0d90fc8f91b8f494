"""Intervals by the bootstrap (Efron 1979): what an estimate would have been on other samples of the same size.

The judged items are drawn again with replacement, all measures on the same draws, so that differences between
measures are paired. A draw is kept as counts (how often each item was drawn), which turns ranks into sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Interval: TypeAlias = tuple[float, float]
Progress: TypeAlias = Callable[[int, int], None]

RESAMPLES = 2_000
LEVEL = 0.95
BLOCK = 1 << 19
"""Counts kept at a time."""


@dataclass(frozen=True)
class Margin:
    """How much more one measure has than another.

    Attributes:
        first, second: the measures.
        value: the estimate of the first minus that of the second.
        interval: the central 95 % of the differences on the same resamples.
    """

    first: str
    second: str
    value: float
    interval: Interval

    @property
    def told(self) -> bool:
        """Whether the interval excludes 0: else no difference can be told."""
        return self.interval[0] > 0 or self.interval[1] < 0


def drawn(n: int, seed: int, progress: Progress | None = None) -> Iterator[Floats]:
    """Blocks (n, b) of how often each of n items is drawn; `RESAMPLES` columns in all.

    Example:
        >>> blocks = list(drawn(5, seed=0))
        >>> sum(block.shape[1] for block in blocks), set(np.concatenate(blocks, axis=1).sum(axis=0).tolist())
        (2000, {5.0})
    """
    rng = np.random.default_rng(seed)
    step = max(1, BLOCK // n)
    for done in range(0, RESAMPLES, step):
        width = min(step, RESAMPLES - done)
        places = rng.integers(0, n, (width, n)) * width + np.arange(width)[:, None]
        yield np.bincount(places.ravel(), minlength=width * n).reshape(n, width).astype(np.float64)
        if progress is not None:
            progress(done + width, RESAMPLES)


def spearman(target: Floats, estimates: Floats, seed: int, progress: Progress | None = None) -> Floats:
    """Spearman's rho of each estimate (m, n) with the target (n,) on every resample: (`RESAMPLES`, m).

    Average ranks for ties; NaN where all drawn values of one of the two are equal.

    Example:
        >>> found = spearman(np.array([1.0, 2, 3]), np.array([[1.0, 2, 3], [3.0, 2, 1]]), seed=0)
        >>> found.shape, bool(np.nanmin(found[:, 0]) == 1), bool(np.nanmax(found[:, 1]) == -1)
        ((2000, 2), True, True)
    """
    rank_target, *rank_each = [_ranks(values) for values in (target, *estimates)]
    centre = (len(target) + 1) / 2
    found = []
    for counts in drawn(len(target), seed, progress):
        wanted = rank_target(counts) - centre
        weighted = counts * wanted
        size = np.einsum("nb,nb->b", weighted, wanted)
        columns = []
        for ranks in rank_each:
            other = ranks(counts) - centre
            shared = np.einsum("nb,nb->b", weighted, other)
            with np.errstate(invalid="ignore", divide="ignore"):
                columns.append(shared / np.sqrt(size * np.einsum("nb,nb->b", counts * other, other)))
        found.append(np.stack(columns, axis=1))
    return np.concatenate(found).clip(-1, 1)


def _ranks(values: Floats) -> Callable[[Floats], Floats]:
    """Counts (n, b) -> each item's average rank (n, b) among all that were drawn; of no meaning where it was not."""
    order = np.argsort(values, kind="stable")
    new = np.diff(values[order], prepend=np.nan) != 0  # NaN is not 0: the first begins a group
    starts = np.flatnonzero(new)
    group = np.empty(len(values), dtype=np.intp)
    group[order] = np.cumsum(new) - 1

    def ranks(counts: Floats) -> Floats:
        totals = counts[order]
        if len(starts) < len(order):
            totals = np.add.reduceat(totals, starts, axis=0)
        average: Floats = np.cumsum(totals, axis=0) - (totals - 1) / 2
        return average[group]

    return ranks


def means(values: Floats, seed: int) -> Floats:
    """The mean of each row of values (m, n) on every resample: (`RESAMPLES`, m).

    Example:
        >>> means(np.array([[1.0, 1.0, 1.0]]), seed=0).mean(axis=0)
        array([1.])
    """
    n = values.shape[1]
    return np.concatenate([(values @ counts).T / n for counts in drawn(n, seed)])


def interval(resampled: Floats) -> Interval | None:
    """The central 95 % of resampled estimates (r,), undefined ones left out; None where all are."""
    defined = resampled[~np.isnan(resampled)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def margins(names: Sequence[str], values: Sequence[float | None], resampled: Floats) -> tuple[Margin, ...]:
    """Every pair of estimates that are defined, the larger first.

    Args:
        names: m measures.
        values: their estimates.
        resampled: (r, m) the same on every resample.
    """
    found = []
    for i, j in combinations(range(len(names)), 2):
        one, other = values[i], values[j]
        if one is None or other is None:
            continue
        (i, one), (j, other) = ((i, one), (j, other)) if one >= other else ((j, other), (i, one))
        spread = interval(resampled[:, i] - resampled[:, j])
        if spread is not None:
            found.append(Margin(names[i], names[j], one - other, spread))
    return tuple(found)
