"""How widely each head spreads its weights, and how far it looks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.attention.base import check_weights, positions
from attention_core.errors import AttentionError


@dataclass(frozen=True, eq=False)
class PerQuery:
    """One figure for each query of each head, and its mean over the queries that count.

    A query counts where it has an allowed key in every head. The mean is over all of them, so it has no sampling error;
    `low` and `high` say how much they differ.

    Attributes:
        values: (heads, query); NaN in a row without an allowed key.
        even: (query,), the same of even weights over the allowed keys; NaN without one.
    """

    values: NDArray[np.float64]
    even: NDArray[np.float64]

    def joined(self, other: PerQuery) -> PerQuery:
        """With the queries of another after those of this."""
        values = np.concatenate([self.values, other.values], axis=1)
        return PerQuery(values, np.concatenate([self.even, other.even]))

    @property
    def counts(self) -> NDArray[np.bool_]:
        """(query,), whether each counts."""
        return np.isfinite(self.values).all(axis=0) & np.isfinite(self.even)

    @property
    def mean(self) -> NDArray[np.float64] | None:
        """(heads,); None where no query counts."""
        return self._kept.mean(axis=1) if self.counts.any() else None

    @property
    def low(self) -> NDArray[np.float64] | None:
        """(heads,), the lowest of the queries; None where none counts."""
        return self._kept.min(axis=1) if self.counts.any() else None

    @property
    def high(self) -> NDArray[np.float64] | None:
        """(heads,), the highest of the queries; None where none counts."""
        return self._kept.max(axis=1) if self.counts.any() else None

    @property
    def even_mean(self) -> float | None:
        """What the mean would be with even weights; None where no query counts."""
        return float(self.even[self.counts].mean()) if self.counts.any() else None

    @property
    def _kept(self) -> NDArray[np.float64]:
        return self.values[:, self.counts]


@dataclass(frozen=True, eq=False)
class HeadProfile:
    """What the weights of each head are like.

    Attributes:
        entropy: −Σⱼ w ln w in nats: 0 on one key, ln(n) spread evenly over n.
        distance: Σⱼ w·|i − j|, the mean distance in tokens from query i to what it attends to.
    """

    entropy: PerQuery
    distance: PerQuery


def head_profile(weights: Tensor, mask: Tensor | None = None, places: Tensor | None = None) -> HeadProfile:
    """Entropy and mean attended distance of every query of every head (Clark et al. 2019; Vig and Belinkov 2019).

    Rows are scaled to sum to 1, which changes only those beside an attention sink.

    Args:
        weights: (heads, query, key).
        mask: broadcasts to (query, key), True = may attend; None for all. It says which keys even weights would go to.
        places: (query,), where each query stands among the keys; None for the last positions.

    Raises:
        AttentionError: no such weights, or a mask that does not broadcast.

    Example:
        >>> found = head_profile(torch.tensor([[[1.0, 0.0], [0.5, 0.5]]]), torch.tensor([[True, False], [True, True]]))
        >>> found.entropy.values.round(3).tolist(), found.distance.mean.tolist(), found.distance.even_mean
        ([[0.0, 0.693]], [0.25], 0.25)
    """
    _heads, queries, keys = check_weights(weights)
    may = torch.ones(1, 1) if mask is None else mask
    pairs = zip(reversed(may.shape), (keys, queries), strict=False)
    if may.ndim > 2 or any(given not in (1, size) for given, size in pairs):
        raise AttentionError(
            f"A mask that broadcasts to {(queries, keys)}, (query, key), is expected, found {tuple(may.shape)}. "
            "Give the mask that all heads share."
        )
    places = positions(queries, keys) if places is None else places
    apart = (places.cpu().unsqueeze(-1) - torch.arange(keys)).abs().double().to(weights.device)
    given, even = _scaled(weights), _scaled(may.to(weights.device).expand(queries, keys))
    return HeadProfile(
        PerQuery(_array(torch.special.entr(given).sum(dim=-1)), _array(torch.special.entr(even).sum(dim=-1))),
        PerQuery(_array((given * apart).sum(dim=-1)), _array((even * apart).sum(dim=-1))),
    )


def _scaled(rows: Tensor) -> Tensor:
    """Rows that sum to 1, in float64; NaN where nothing is to be scaled."""
    rows = rows.detach().double()
    return rows / rows.sum(dim=-1, keepdim=True)


def _array(given: Tensor) -> NDArray[np.float64]:
    found: NDArray[np.float64] = given.cpu().numpy()
    return found
