"""What a softmax makes of scores that are multiplied or shifted: how sharp it is, and what gradient is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.attention import scaled
from attention_core.errors import ScoringError
from attention_core.experiments.scores import row

Floats = NDArray[np.float64]
FACTORS = tuple(10 ** (exponent / 40) for exponent in range(-80, 81))
"""From 0.01 to 100, in steps of 6 %."""


@dataclass(frozen=True, eq=False)
class Saturation:
    """The softmax of one row of n scores, each multiplied by a factor, for several factors.

    Attributes:
        scores: (n,) as given.
        factors: (m,).
        weights: (m, n), softmax(factor · scores).
        entropy: (m,), −Σ p ln p in nats: ln(n) spread evenly, 0 on one score.
        jacobian: (m,), the Frobenius norm of ∂softmax/∂z = diag(p) − ppᵀ at z = factor · scores: what is left of a
            gradient on its way through the softmax. Multiplied by the factor, that with respect to the scores.
    """

    scores: Floats
    factors: Floats
    weights: Floats
    entropy: Floats
    jacobian: Floats

    @property
    def largest(self) -> Floats:
        """(m,), the largest weight."""
        largest: Floats = self.weights.max(axis=1)
        return largest


def saturation(scores: Sequence[float], factors: Sequence[float] = FACTORS, shift: float = 0.0) -> Saturation:
    """softmax(factor · scores + shift) and what it lets through, in float64.

    A shift changes nothing, since e^shift cancels; a factor above 1 sharpens.

    Args:
        scores: 1 to 64 numbers.
        factors: what all scores are multiplied by.
        shift: what is added to all scores after that.

    Raises:
        ScoringError: scores that are not possible, or a factor or shift that is not finite.

    Example:
        >>> saturation([1, 2, 3], factors=[1, 10]).weights.round(4).tolist()
        [[0.09, 0.2447, 0.6652], [0.0, 0.0, 1.0]]
        >>> saturation([10, 20, 30], factors=[1]).jacobian
        array([9.07926457e-05])
    """
    z = row(scores)
    if not all(map(math.isfinite, (*factors, shift))):
        raise ScoringError("A factor or shift that is not finite was given. Give finite numbers.")
    multiplied = torch.tensor(factors, dtype=torch.float64).unsqueeze(1) * z + shift
    unit = torch.eye(len(z), dtype=torch.float64)
    found = scaled(multiplied, unit, unit, scale=1.0)  # keys that are unit vectors make scores of the queries' numbers
    weights, entropy = found.weights.numpy(), found.entropy().numpy()
    return Saturation(z.numpy(), np.array(factors, dtype=np.float64), weights, entropy, jacobian_norm(found.weights))


@dataclass(frozen=True, eq=False)
class Changes:
    """A row of scores as given, with a number added to each, and with each multiplied; each for one factor.

    Attributes:
        given: the scores themselves.
        shifted: with `shift` added.
        multiplied: times `factor`.
        shift: what was added.
        factor: what was multiplied by.
    """

    given: Saturation
    shifted: Saturation
    multiplied: Saturation
    shift: float
    factor: float

    @property
    def moved(self) -> float:
        """The largest change of a weight by the shift: what rounding does to z + shift, and nothing else."""
        return float(np.abs(self.shifted.weights - self.given.weights).max())


def changes(scores: Sequence[float], shift: float, factor: float) -> Changes:
    """What a shift and a factor each do to the softmax of a row of scores; raises as `saturation` does.

    Example:
        >>> found = changes([1, 2, 3], shift=9, factor=10)
        >>> found.moved, found.multiplied.weights[0, 2].round(5)
        (0.0, np.float64(0.99995))
    """
    given, multiplied = (saturation(scores, [by]) for by in (1.0, factor))
    return Changes(given, saturation(scores, [1.0], shift), multiplied, shift, factor)


def jacobian_norm(weights: Tensor) -> Floats:
    """(...,) the Frobenius norm of diag(p) − ppᵀ, for rows p that sum to 1: (..., n).

    Its diagonal pᵢ(1 − pᵢ) is computed as Σⱼ pᵢpⱼ over the others: 1 − pᵢ would lose all digits near 1.

    Example:
        >>> jacobian_norm(torch.tensor([0.5, 0.5], dtype=torch.float64))
        array(0.5)
    """
    others = weights.unsqueeze(-1) * weights.unsqueeze(-2)
    others.diagonal(dim1=-2, dim2=-1).zero_()
    squares = others.square().sum(dim=(-2, -1)) + others.sum(dim=-1).square().sum(dim=-1)
    norms: Floats = squares.sqrt().numpy()
    return norms
