"""A row of scores that a reader gives."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from attention_core.errors import ScoringError

MOST = 64
"""Scores in a row."""
LARGEST = 1e6
"""How far from 0 a score may lie."""


def row(scores: Sequence[float]) -> Tensor:
    """The scores as (n,) float64.

    Raises:
        ScoringError: no score, more than 64, or one that is not a number between −10⁶ and 10⁶.

    Example:
        >>> row([1, 2, 3])
        tensor([1., 2., 3.], dtype=torch.float64)
    """
    if not 1 <= len(scores) <= MOST:
        raise ScoringError(
            f"A row of 1 to {MOST} scores is expected, and {len(scores):,} were given. "
            "Give numbers separated by commas or spaces."
        )
    for position, score in enumerate(scores, 1):
        if not abs(score) <= LARGEST:  # NaN is not either
            raise ScoringError(
                f"Score {position} is {score:g}, and scores from −1,000,000 to 1,000,000 are expected. Change that one."
            )
    return torch.tensor(scores, dtype=torch.float64)
