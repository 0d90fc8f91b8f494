"""Rows of embeddings as a population that vectors are drawn from, in units of the spread of their numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError

MOST = 1 << 22
"""Numbers that a population holds at most."""


@dataclass(frozen=True, eq=False)
class Population:
    """Vectors whose numbers, taken all together, have mean 0 and variance 1.

    Attributes:
        source: where they come from.
        rows: (n, d) float32.
        total: rows that the source has, of which n were drawn.
        fourth: E[x⁴]/σ⁴ of all numbers.
    """

    source: str
    rows: Tensor
    total: int
    fourth: float

    @property
    def dimension(self) -> int:
        """d, the number of components of each vector."""
        return int(self.rows.shape[1])

    def part(self, d: int, seed: int = 0) -> Population:
        """The same vectors with the first d of their components in the order that the seed gives."""
        chosen = torch.randperm(self.dimension, generator=torch.Generator().manual_seed(seed))[:d]
        return Population(self.source, self.rows[:, chosen].contiguous(), self.total, self.fourth)

    def mean_product(self) -> float:
        """E[q·k] of two rows drawn independently: μ·μ, with μ the mean row."""
        return float(self.rows.double().mean(dim=0).square().sum())

    def variance_product(self) -> float:
        """Var[q·k] of two rows drawn independently: tr(Σ²) + 2 μᵀΣμ, with Σ the covariance of the components.

        It is d only if the components are uncorrelated, vary alike and have mean 0.
        """
        wide = self.rows.double()
        mean, n = wide.mean(dim=0), len(wide)
        centred = wide - mean
        products = centred @ centred.mT if n < self.dimension else centred.mT @ centred  # of one trace, squared
        return float(products.square().sum() / n**2 + 2 * (centred @ mean).square().sum() / n)


def population(embeddings: Embeddings, seed: int = 0) -> Population:
    """The rows, or so many drawn at random that they hold 2²² numbers, less the mean of all numbers, over their spread.

    One number is subtracted from all and all are divided by one number, so that correlations, means that differ from
    component to component, and differing lengths stay as they are.

    Raises:
        ScoringError: all numbers are equal.

    Example:
        >>> e = Embeddings(["a", "b"], [[1.0, 3.0], [3.0, 1.0]], "two words")
        >>> population(e).rows, population(e).variance_product()
        (tensor([[-1.,  1.],
                [ 1., -1.]]), 4.0)
    """
    total, kept = len(embeddings), max(2, MOST // embeddings.dimension)
    rows = embeddings.matrix
    if total > kept:
        rows = rows[np.sort(np.random.default_rng(seed).choice(total, kept, replace=False))]
    wide = rows.astype(np.float64)
    wide -= wide.mean()
    spread = float(np.abs(wide).max())
    if spread == 0:
        raise ScoringError(
            f"All numbers of {embeddings.source} are equal, so that they have no variance. Choose other vectors."
        )
    wide /= spread  # first, so that no square overflows
    wide /= np.sqrt(np.square(wide).mean())
    fourth = float((wide**4).mean())
    return Population(embeddings.source, torch.from_numpy(wide.astype(np.float32)), total, fourth)
