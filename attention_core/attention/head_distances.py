"""How differently two heads spread their weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import jensenshannon
from torch import Tensor

from attention_core.attention.base import check_weights


@dataclass(frozen=True, eq=False)
class HeadDistances:
    """The distance between every two heads, as sums over query rows, so that those of more rows can be added.

    Attributes:
        sums: (heads, heads), over the rows that have an allowed key in both heads.
        squares: (heads, heads), of the squared distances.
        queries: (heads, heads), how many rows these are.
        total: rows there are, of which these may be a sample.
    """

    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    queries: NDArray[np.int64]
    total: int

    def __add__(self, other: HeadDistances) -> HeadDistances:
        """Of both sets of rows."""
        sums, squares, queries = self.sums + other.sums, self.squares + other.squares, self.queries + other.queries
        return HeadDistances(sums, squares, queries, self.total + other.total)

    @property
    def values(self) -> NDArray[np.float64]:
        """(heads, heads), the means: 0 is the same weights, 1 no key in common; NaN where no row counts."""
        means = np.full(self.sums.shape, np.nan)
        np.divide(self.sums, self.queries, out=means, where=self.queries > 0)
        return means

    @property
    def errors(self) -> NDArray[np.float64]:
        """(heads, heads), the standard errors of the means: 0 where all rows were taken, NaN of fewer than 2 rows.

        Of a sample without replacement (Cochran 1977, equation 2.20).
        """
        n = self.queries
        variances = np.maximum(self.squares - n * np.nan_to_num(self.values) ** 2, 0) / np.maximum(n - 1, 1)
        errors = np.sqrt(variances / np.maximum(n, 1) * np.clip(1 - n / max(1, self.total), 0, 1))
        return np.where((n > 1) | (n == self.total), errors, np.nan)

    def pair(self, farthest: bool) -> tuple[int, int] | None:
        """The two heads that are farthest from each other, or closest to each other; None where there are no two.

        Example:
            >>> import torch
            >>> found = head_distances(torch.tensor([[[1.0, 0.0]], [[0.0, 1.0]], [[0.5, 0.5]]]))
            >>> found.pair(farthest=True), found.pair(farthest=False)
            ((0, 1), (0, 2))
        """
        first, second = np.triu_indices(len(self.sums), 1)
        pairs = self.values[first, second]
        if not np.isfinite(pairs).any():
            return None
        place = int(np.nanargmax(pairs) if farthest else np.nanargmin(pairs))
        return int(first[place]), int(second[place])


def head_distances(weights: Tensor) -> HeadDistances:
    """The mean over the queries of the Jensen-Shannon distance between the weights of two heads.

    For two rows p and q of weights and m = (p + q)/2 it is √((KL(p‖m) + KL(q‖m))/2), with logarithms to base 2: a
    metric (Endres and Schindelin 2003) from 0 to 1, finite where one head gives a key nothing at all. It is taken on
    rows scaled to sum to 1, which changes only rows beside an attention sink. Rows without an allowed key are left
    out.

    Args:
        weights: (heads, query, key).

    Raises:
        AttentionError: another number of axes, negative weights, or some that are not finite.

    Example:
        >>> import torch
        >>> heads = torch.tensor([[[1.0, 0.0]], [[0.0, 1.0]], [[0.5, 0.5]]])
        >>> head_distances(heads).values.round(3).tolist()
        [[0.0, 1.0, 0.558], [1.0, 0.0, 0.558], [0.558, 0.558, 0.0]]
    """
    heads, total, _keys = check_weights(weights)
    rows = weights.detach().cpu().double().numpy()
    some = rows.sum(axis=-1) > 0  # (heads, query)
    rows = np.where(some[..., None], rows, 1.0)
    sums, squares, queries = np.zeros((heads, heads)), np.zeros((heads, heads)), np.zeros((heads, heads), np.int64)
    for head in range(heads):
        both = some[head] & some[head:]
        with np.errstate(invalid="ignore"):  # what equal rows diverge by may round to less than 0
            found = both * np.nan_to_num(jensenshannon(rows[head], rows[head:], base=2, axis=-1))
        for target, values in ((sums, found), (squares, found**2), (queries, both)):
            target[head, head:] = target[head:, head] = values.sum(axis=-1)
    return HeadDistances(sums, squares, queries, total)
