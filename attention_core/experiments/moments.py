"""Mean, variance and kurtosis of a sample, each with its standard error, and its histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BINS = 61


class Measured(NamedTuple):
    """An estimate and its standard error."""

    value: float
    error: float


@dataclass(frozen=True, eq=False)
class Moments:
    """What a sample of n numbers says of where it comes from.

    The standard errors are those of the delta method: the spread of what each number adds to the estimate, over √n.

    Attributes:
        size: n.
        mean: the mean.
        variance: over n − 1.
        kurtosis: the excess kurtosis, 0 for a normal distribution; None where all numbers are equal.
        counts: numbers in each bin.
        edges: of the bins, from the smallest number to the largest; of whole numbers, halfway between them.
    """

    size: int
    mean: Measured
    variance: Measured
    kurtosis: Measured | None
    counts: NDArray[np.int64]
    edges: Floats


def moments(values: Floats) -> Moments:
    """The moments of (n,) finite numbers, n ≥ 2.

    Example:
        >>> found = moments(np.array([1.0, 2.0, 3.0, 4.0]))
        >>> found.mean.value, round(found.variance.value, 3), round(found.kurtosis.value, 2)
        (2.5, 1.667, -1.36)
    """
    mean = float(values.mean())
    x = values - mean
    second, third, fourth = (float((x**power).mean()) for power in (2, 3, 4))
    kurtosis = None
    if second > 0:
        influence = (x**4 - fourth) / second**2 - 2 * fourth * (x**2 - second) / second**3 - 4 * third * x / second**2
        kurtosis = _estimate(fourth / second**2 - 3, influence)
    n = len(values)
    variance = _estimate(second * n / (n - 1), x**2 - second)
    counts, edges = _histogram(values)
    return Moments(n, _estimate(mean, x), variance, kurtosis, counts, edges)


def _estimate(value: float, influence: Floats) -> Measured:
    return Measured(value, float(np.sqrt(np.square(influence).mean() / len(influence))))


def _histogram(values: Floats) -> tuple[NDArray[np.int64], Floats]:
    low, high = float(values.min()), float(values.max())
    step = (high - low) / BINS or 1.0
    if (values == np.rint(values)).all():  # steps of 2, as sums of as many numbers of ±1 go
        step = 2.0 * max(1, math.ceil(step / 2))
        low -= step / 2
    bins = max(1, math.ceil((high - low) / step - 1e-9))
    edges: Floats = low + step * np.arange(bins + 1, dtype=np.float64)
    edges[-1] = max(edges[-1], high)
    counts, _ = np.histogram(values, edges)
    return counts.astype(np.int64), edges
