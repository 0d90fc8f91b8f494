"""What each head adds to the output of one token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from attention_core.errors import AttentionError


@dataclass(frozen=True, eq=False)
class HeadContributions:
    """The vectors that add up to one token's output.

    Attributes:
        vectors: (heads, out), what each head adds; with `bias`, their sum is the output.
        bias: (out,), that of W_O; None without one.
        output: (out,).
    """

    vectors: NDArray[np.float64]
    bias: NDArray[np.float64] | None
    output: NDArray[np.float64]

    @property
    def norms(self) -> NDArray[np.float64]:
        """(heads,), the length of each."""
        return np.asarray(np.linalg.norm(self.vectors, axis=-1))

    @property
    def along(self) -> NDArray[np.float64] | None:
        """(heads,), cᵢ·o/‖o‖: how far each takes the output its way; None where the output is 0.

        Negative where a head works against the others. With that of the bias they sum to ‖o‖.
        """
        length = float(np.linalg.norm(self.output))
        return self.vectors @ self.output / length if length else None

    @property
    def bias_along(self) -> float:
        """The same of the bias; 0 without one, and where the output is 0."""
        length = float(np.linalg.norm(self.output))
        return float(self.bias @ self.output) / length if length and self.bias is not None else 0.0

    @property
    def shares(self) -> NDArray[np.float64] | None:
        """(heads,), cᵢ·o/‖o‖², which sum to 1 with that of the bias; None where the output is 0."""
        along = self.along
        return None if along is None else along / np.linalg.norm(self.output)

    @property
    def cosines(self) -> list[float | None]:
        """The cosine of each with the output; None where either is 0."""
        along = self.along
        if along is None:
            return [None] * len(self.vectors)
        pairs = zip(along.tolist(), self.norms.tolist(), strict=True)
        return [min(1.0, max(-1.0, projected / norm)) if norm else None for projected, norm in pairs]


def head_contributions(contributions: Tensor, token: int, bias: Tensor | None = None) -> HeadContributions:
    """The contributions of the heads to the output of one token, in float64.

    Concat(head₁, …, head_h)·W_Oᵀ = Σᵢ headᵢ·W_O,ᵢᵀ, where W_O,ᵢ are the columns of W_O that head i meets (Elhage et
    al. 2021): attention adds its heads.

    Args:
        contributions: (heads, token, out), of `MultiHead.contributions`.
        token: which one, from 0.
        bias: (out,), o_bias of the projections.

    Raises:
        AttentionError: another number of axes, a token that is not there, or a bias of another size.

    Example:
        >>> import torch
        >>> found = head_contributions(torch.tensor([[[3.0, 0.0]], [[0.0, 4.0]]]), token=0)
        >>> found.output.tolist(), found.norms.tolist(), found.shares.tolist(), found.cosines
        ([3.0, 4.0], [3.0, 4.0], [0.36, 0.64], [0.6, 0.8])
    """
    shape = tuple(contributions.shape)
    if len(shape) != 3 or not 0 <= token < shape[1] or (bias is not None and tuple(bias.shape) != shape[2:]):
        of_bias = "no bias" if bias is None else f"a bias {tuple(bias.shape)}"
        raise AttentionError(
            f"Contributions (heads, token, out), the number of a token and a bias (out,) are expected, found {shape}, "
            f"token {token} and {of_bias}. Count tokens from 0."
        )
    vectors = contributions[:, token].detach().double().cpu().numpy()
    added = None if bias is None else bias.detach().double().cpu().numpy()
    return HeadContributions(vectors, added, vectors.sum(axis=0) + (0.0 if added is None else added))
