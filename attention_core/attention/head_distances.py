"""How differently two heads spread their weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import jensenshannon
from torch import Tensor

from attention_core.attention.base import check_weights, wide

BLOCK = 1 << 20
"""Weights of all heads that are compared at a time."""


@dataclass(frozen=True, eq=False)
class HeadDistances:
    """The distance between every two heads.

    Attributes:
        values: (heads, heads), from 0, the same weights, to 1, no key in common; NaN where no query counts.
        queries: (heads, heads), how many query rows each is the mean of: those that have an allowed key in both heads.
    """

    values: NDArray[np.float64]
    queries: NDArray[np.int64]

    def pair(self, farthest: bool) -> tuple[int, int] | None:
        """The two heads that are farthest from each other, or closest to each other; None where there are no two.

        Example:
            >>> values = np.array([[0.0, 0.2, 0.5], [0.2, 0.0, np.nan], [0.5, np.nan, 0.0]])
            >>> found = HeadDistances(values, np.ones((3, 3), dtype=np.int64))
            >>> found.pair(farthest=True), found.pair(farthest=False)
            ((0, 2), (0, 1))
        """
        first, second = np.triu_indices(len(self.values), 1)
        pairs = self.values[first, second]
        if not np.isfinite(pairs).any():
            return None
        place = int(np.nanargmax(pairs) if farthest else np.nanargmin(pairs))
        return int(first[place]), int(second[place])


def head_distances(weights: Tensor, progress: Callable[[int, int], None] | None = None) -> HeadDistances:
    """The mean over the queries of the Jensen-Shannon distance between the weights of two heads.

    For two rows p and q of weights and m = (p + q)/2 it is √((KL(p‖m) + KL(q‖m))/2), with logarithms to base 2: a
    metric (Endres and Schindelin 2003) from 0 to 1, finite where one head gives a key nothing at all. It is taken on
    rows scaled to sum to 1, which changes only rows beside an attention sink. Rows without an allowed key are left
    out.

    Args:
        weights: (heads, query, key), none negative.
        progress: called with (done, total) rows; may raise to stop.

    Raises:
        AttentionError: another number of axes, negative weights, or some that are not finite.

    Example:
        >>> import torch
        >>> heads = torch.tensor([[[1.0, 0.0]], [[0.0, 1.0]], [[0.5, 0.5]]])
        >>> head_distances(heads).values.round(3).tolist()
        [[0.0, 1.0, 0.558], [1.0, 0.0, 0.558], [0.558, 0.558, 0.0]]
    """
    heads, queries, keys = check_weights(weights)
    sums, counts = np.zeros((heads, heads)), np.zeros((heads, heads), dtype=np.int64)
    step = max(1, BLOCK // max(1, heads * keys))
    for start in range(0, queries, step):
        rows = wide(weights[:, start : start + step]).detach().cpu().double().numpy()
        some = rows.sum(axis=-1) > 0  # (heads, row)
        rows = np.where(some[..., None], rows, 1.0)
        for head in range(heads):
            both = some[head] & some[head:]
            with np.errstate(invalid="ignore"):  # equal rows may come out below 0 by rounding
                found = np.nan_to_num(jensenshannon(rows[head], rows[head:], base=2, axis=-1))
            sums[head, head:] += (found * both).sum(axis=-1)
            counts[head, head:] += both.sum(axis=-1)
        if progress:
            progress(min(start + step, queries), queries)
    values = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return HeadDistances(np.triu(values) + np.triu(values, 1).T, np.triu(counts) + np.triu(counts, 1).T)
