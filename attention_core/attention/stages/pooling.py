"""Large matrices made small enough to be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from attention_core.errors import AttentionError

Pooling = Literal["max", "mean"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)


@dataclass(frozen=True, eq=False)
class Pooled:
    """A matrix in blocks.

    Attributes:
        values: (rows, columns), one for each block; NaN where all of it is undefined, −inf where masked.
        shape: of the matrix.
        block: rows and columns of a block; the last ones may be smaller. (1, 1) for the matrix itself.
    """

    values: Tensor
    shape: tuple[int, int]
    block: tuple[int, int]

    @property
    def is_whole(self) -> bool:
        """Whether nothing was pooled."""
        return self.block == (1, 1)


def pooled(matrix: Tensor, most: int = 500, how: Pooling = "max") -> Pooled:
    """The matrix with at most so many rows and columns, each value the largest or the mean of a block.

    Masked (−inf) and undefined (NaN) entries count only where a block holds nothing else.

    Args:
        matrix: (rows, columns).
        most: of either.
        how: “max” keeps single large entries visible, “mean” the sum.

    Raises:
        AttentionError: another way.

    Example:
        >>> pooled(torch.tensor([[1.0, 2.0, 3.0]]), most=2, how="mean").values.tolist()
        [[1.5, 3.0]]
    """
    if how not in POOLINGS:
        raise AttentionError(f"There is no pooling “{how}”. Choose {', '.join(POOLINGS)}.")
    m, n = matrix.shape
    block = (max(1, -(-m // most)), max(1, -(-n // most)))
    if block == (1, 1):
        return Pooled(matrix, (m, n), block)
    down, across = -(-m // block[0]), -(-n // block[1])
    padded = matrix.new_full((down * block[0], across * block[1]), torch.nan)
    padded[:m, :n] = matrix
    blocks = padded.view(down, block[0], across, block[1])
    masked = blocks.isneginf().any(dim=3).any(dim=1)
    if how == "max":
        values = blocks.nan_to_num_(nan=-torch.inf, neginf=-torch.inf).amax(dim=(1, 3))
        empty = values.isneginf()
    else:
        counts = blocks.isfinite().sum(dim=(1, 3))
        values = blocks.nan_to_num_(nan=0, neginf=0).sum(dim=(1, 3)) / counts
        empty = counts == 0
    return Pooled(values.masked_fill(empty, torch.nan).masked_fill(empty & masked, -torch.inf), (m, n), block)
