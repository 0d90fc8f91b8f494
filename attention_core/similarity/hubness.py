"""How often each word is among the k closest of others: N_k, its skewness, hubs and anti-hubs.

With fewer query words than words, N_k of a word is what was counted over those queries. Its skewness over all queries
is estimated without bias in the moments: of N queries of which q were drawn without replacement, a word in N_k of all
lists is in x of the drawn ones, and E[x(x − 1)…(x − r + 1)] = N_k(N_k − 1)…(N_k − r + 1) · q(q − 1)… / (N(N − 1)…), the
factorial moments of the hypergeometric distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

GROUPS = 20
"""Groups of queries that the jackknife leaves out in turn."""
NAMED = 20
"""Hubs that are named."""
LEVEL = 0.95


class Hub(NamedTuple):
    """A word and the number of lists that it is in."""

    word: str
    lists: int


class Interval(NamedTuple):
    """A 95 % interval."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Hubness:
    """N_k of every word under one measure (Radovanović, Nanopoulos and Ivanović 2010).

    Attributes:
        measure: its key in `MEASURES`.
        vocabulary: (n,) the words.
        k: the length of a list.
        counts: (n,) how many of the lists each word is in.
        lists: how many lists were counted; a list whose scores are undefined or all tie is left out.
        left_out: how many were.
        asked: how many query words were asked for their lists.
        skewness: of N_k over all query words: the standardised third moment, estimated where not all were asked; None
            where undefined.
        interval: of the skewness; None where all words were asked, and so nothing is estimated.
        norm_correlation: Spearman's rho of N_k and norm; None where undefined.
        why: why the skewness is undefined, or "".
    """

    measure: str
    vocabulary: Sequence[str] = field(repr=False)
    k: int
    counts: NDArray[np.int64] = field(repr=False)
    lists: int
    left_out: int
    asked: int
    skewness: float | None
    interval: Interval | None
    norm_correlation: float | None
    why: str = ""

    @property
    def sampled(self) -> bool:
        """Whether only some words were asked."""
        return self.asked < len(self.counts)

    @cached_property
    def hubs(self) -> tuple[Hub, ...]:
        """The twenty words in the most lists, those in most first; ties in the order of the file."""
        rows = np.argsort(-self.counts, kind="stable")[:NAMED].tolist()
        return tuple(Hub(self.vocabulary[row], int(self.counts[row])) for row in rows if self.counts[row])

    @cached_property
    def antihubs(self) -> tuple[str, ...]:
        """The words in none of the lists, in the order of the file."""
        return tuple(self.vocabulary[row] for row in np.flatnonzero(self.counts == 0).tolist())

    @property
    def antihub_share(self) -> float | None:
        """The part of all words that is in none of the lists: at least that of those in nobody's list if sampled."""
        return float((self.counts == 0).mean()) if self.lists else None

    def share_interval(self, count: int) -> Interval | None:
        """Wilson's interval of the share of lists that a word is in `count` of; None where nothing is estimated."""
        if not self.sampled or not self.lists:
            return None
        found: Any = stats.binomtest(count, self.lists).proportion_ci(LEVEL, "wilson")
        return Interval(float(found.low), float(found.high))


def hubness_of(
    measure: str,
    vocabulary: Sequence[str],
    lists: NDArray[np.intp],
    telling: NDArray[np.bool_],
    norms: NDArray[np.float64],
) -> Hubness:
    """N_k and its skewness.

    Args:
        measure: its key.
        vocabulary: (n,) words.
        lists: (q, k) rows, −1 where undefined.
        telling: (q,) which lists count.
        norms: (n,) of all words.

    Example:
        >>> found = hubness_of("dot", "abcd", np.array([[1], [0], [0], [0]]), np.ones(4, bool), np.ones(4))
        >>> found.counts.tolist(), found.hubs[0], found.antihubs, round(found.skewness, 3)
        ([3, 1, 0, 0], Hub(word='a', lists=3), ('c', 'd'), 0.816)
    """
    n, asked = len(vocabulary), len(lists)
    counted = lists[telling]
    counts = _counts(counted, n)
    population = round(len(counted) * n / asked) if asked else 0
    skewness = _skewness(counts, len(counted), population)
    interval = _jackknife(counted, n, population, skewness) if asked < n and skewness is not None else None
    rho: Any = None
    if np.ptp(counts) > 0 and np.ptp(norms) > 1e-6 * norms.max():
        rho = float(stats.spearmanr(counts, norms).statistic)
    why = "" if skewness is not None else _reason(counted, lists.shape[1], n)
    left_out = asked - len(counted)
    return Hubness(
        measure, vocabulary, lists.shape[1], counts, len(counted), left_out, asked, skewness, interval, rho, why
    )


def _counts(lists: NDArray[np.intp], n: int) -> NDArray[np.int64]:
    rows = lists.ravel()
    return np.bincount(rows[rows >= 0], minlength=n)


def _reason(counted: NDArray[np.intp], k: int, n: int) -> str:
    if n < 2:
        return "there is no other word"
    if not len(counted):
        return "in every list all scores tie or are undefined"
    return "every list holds all other words" if k >= n - 1 else "all words are in equally many lists"


def _skewness(counts: NDArray[np.int64], drawn: int, population: int) -> float | None:
    """The skewness of N_k over the population of lists, from counts over those drawn."""
    if drawn < 3 and population > drawn:
        return None
    x = counts.astype(np.float64)
    falling, moments = np.ones_like(x), []
    scale = 1.0
    for r in range(3):
        falling = falling * (x - r)
        scale *= (population - r) / (drawn - r) if population > drawn else 1.0
        moments.append(float(falling.mean()) * scale)
    first, second, third = moments[0], moments[1] + moments[0], moments[2] + 3 * moments[1] + moments[0]
    variance = second - first**2
    if np.ptp(counts) == 0 or variance <= 0:
        return None
    return float((third - 3 * first * second + 2 * first**3) / variance**1.5)


def _jackknife(lists: NDArray[np.intp], n: int, population: int, estimate: float) -> Interval | None:
    """Delete-a-group jackknife (Wolter 2007, section 4.2), with the correction for drawing from finitely many."""
    total, values = _counts(lists, n), []
    for group in range(GROUPS):
        left = lists[group::GROUPS]
        value = _skewness(total - _counts(left, n), len(lists) - len(left), population)
        if value is None:
            return None
        values.append(value)
    spread = np.sum((np.array(values) - np.mean(values)) ** 2) * (GROUPS - 1) / GROUPS
    half = float(stats.t.ppf((1 + LEVEL) / 2, GROUPS - 1) * np.sqrt(spread * (1 - len(lists) / population)))
    return Interval(estimate - half, estimate + half)
