"""How far two rankings agree; what is undefined is None, with the reason."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from attention_core.errors import ScoringError

if TYPE_CHECKING:
    from attention_core.similarity.ranking import Ranking


@dataclass(frozen=True)
class Agreement:
    """Five answers to one question, each None where it is undefined.

    Attributes:
        rbo: extrapolated rank-biased overlap over the full lists (Webber, Moffat and Zobel 2010, eq. 32), in [0, 1].
        overlap: shared items of the two top k, divided by k.
        average_overlap: the mean of the overlap at depths 1 to k.
        k: the depth of the last two.
        p: the persistence of `rbo`: at 0.9 the first 10 ranks carry 86 % of the weight.
        why: why a statistic is undefined or leaves items out, or "".
        ranks: (2, n) each item's rank in the two rankings, ties sharing one; None where correlation is undefined.
    """

    rbo: float | None
    overlap: float | None
    average_overlap: float | None
    k: int
    p: float
    why: str = ""
    ranks: NDArray[Any] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def kendall_tau(self) -> float | None:
        """Tau-b over all items (Kendall 1945), in [-1, 1]; ties counted as such."""
        if self.ranks is None:
            return None
        found: Any = stats.kendalltau(*self.ranks)
        return float(found.statistic)

    @cached_property
    def spearman(self) -> float | None:
        """Rho over all items, average ranks for ties, in [-1, 1]."""
        if self.ranks is None:
            return None
        found: Any = stats.spearmanr(*self.ranks)
        return float(found.statistic)


def agreement(a: Sequence[Hashable], b: Sequence[Hashable], k: int | None = None, p: float = 0.9) -> Agreement:
    """How far two rankings agree, given as sequences of distinct items, best first.

    Args:
        a: the first ranking.
        b: the second; it may hold other items and have another length.
        k: the depth of overlap and average overlap; None for the length of the shorter list.
        p: the persistence of RBO, in (0, 1).

    Returns:
        Tau and Spearman are None unless both hold the same items, at least two; all are None for an empty list.

    Raises:
        ScoringError: an item twice in one list, k < 1, or p outside (0, 1).

    Example:
        >>> found = agreement(["a", "b", "c"], ["a", "c", "b"], k=2)
        >>> round(found.kendall_tau, 4), found.overlap, found.average_overlap
        (0.3333, 0.5, 0.75)
    """
    _check(a, b, k, p)
    if len(a) == 0 or len(b) == 0:
        return Agreement(None, None, None, k or 0, p, "a ranking is empty")
    numbers = {item: i for i, item in enumerate(dict.fromkeys([*a, *b]))}
    first, second = (np.array([numbers[item] for item in items]) for items in (a, b))
    depth = min(k or len(a), len(a), len(b))
    if len(numbers) != len(a) or len(a) != len(b):
        why = "the rankings hold different items, so tau and Spearman are undefined"
        return _agreement(first, second, depth, p, None, why)
    ranks = np.stack([np.argsort(first), np.argsort(second)])
    return _agreement(first, second, depth, p, ranks, "")


def agreement_of(first: Ranking, second: Ranking, k: int, p: float = 0.9) -> Agreement:
    """`agreement` of two rankings of the same words: ties count in tau and Spearman, file order in the others."""
    if len(first.order) == 0 or len(second.order) == 0:
        return Agreement(None, None, None, k, p, first.why or second.why)
    scored = np.isfinite(first.all_scores) & np.isfinite(second.all_scores) & (first.all_ranks > 0)
    left_out = len(first.order) - int(scored.sum())
    why = f"{left_out:,} words with an undefined score are left out of tau and Spearman" if left_out else ""
    ranks = np.stack([first.all_ranks[scored], second.all_ranks[scored]])
    return _agreement(first.order, second.order, k, p, ranks, why)


def _agreement(
    first: NDArray[Any], second: NDArray[Any], k: int, p: float, ranks: NDArray[Any] | None, why: str
) -> Agreement:
    """Of two orders of items numbered from 0, and their ranks where both rank the same items."""
    if ranks is not None and ranks.shape[1] < 2:
        ranks, why = None, "tau and Spearman need at least two items"
    elif ranks is not None and (np.ptp(ranks, axis=1) == 0).any():
        ranks, why = None, "all items tie in one ranking, so tau and Spearman are undefined"
    overlaps = _overlaps(first, second)
    shares = overlaps[:k] / np.arange(1, k + 1)
    rbo = _rbo(overlaps, min(len(first), len(second)), p)
    return Agreement(rbo, float(shares[-1]), float(shares.mean()), k, p, why, ranks)


def _overlaps(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """X_d of Webber et al. for d = 1 … max(len): how many items the two first d share."""
    depth, items = max(len(a), len(b)), int(max(a.max(), b.max())) + 1
    absent = depth  # an item outside a list is never shared
    place_a, place_b = np.full(items, absent), np.full(items, absent)
    place_a[a], place_b[b] = np.arange(len(a)), np.arange(len(b))
    shared_from = np.maximum(place_a, place_b)
    return np.cumsum(np.bincount(shared_from, minlength=depth + 1)[:depth]).astype(np.float64)


def _rbo(overlaps: NDArray[np.float64], short: int, p: float) -> float:
    """Equation 32 of Webber et al.: the overlap seen, extrapolated to infinite depth."""
    long = len(overlaps)
    depths = np.arange(1, long + 1)
    weights = p**depths
    at_short, at_long = overlaps[short - 1], overlaps[-1]
    seen = np.sum(overlaps / depths * weights)
    missing = np.sum((at_short * (depths - short) / (short * depths) * weights)[short:])
    extrapolated = ((at_long - at_short) / long + at_short / short) * p**long
    return float((1 - p) / p * (seen + missing) + extrapolated)


def _check(a: Sequence[Hashable], b: Sequence[Hashable], k: int | None, p: float) -> None:
    for items in (a, b):
        if len(set(items)) != len(items):
            twice = next(item for i, item in enumerate(items) if item in items[:i])
            raise ScoringError(f"A ranking holds “{twice}” twice. Give each item one place.")
    if k is not None and k < 1:
        raise ScoringError(f"k is the depth of the overlap, and {k} was given. Choose 1 or more.")
    if not 0 < p < 1:
        raise ScoringError(
            f"p of rank-biased overlap lies between 0 and 1, and {p} was given. Choose for instance 0.9."
        )
