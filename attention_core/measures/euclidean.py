"""Euclidean distance."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from attention_core.measures.base import Measure, ProductForm


def score(queries: Tensor, keys: Tensor) -> Tensor:
    """‖q − k‖, the length of the difference, computed from differences.

    Its matrix form ‖q − k‖² = ‖q‖² + ‖k‖² − 2 q·k needs one product for all pairs, and cancels: with norms near R the
    rounding of R² (about ε·R²) swamps squared distances of that size. It finds candidates and is never shown.

    Args:
        queries: (..., q, d).
        keys: (..., n, d).

    Returns:
        (..., q, n), in the unit of the vectors; lower is closer.

    Example:
        >>> score(torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 0.0], [3.0, 4.0]]))
        tensor([[5., 0.]])
    """
    return torch.cdist(queries, keys, compute_mode="donot_use_mm_for_euclid_dist")


def logits(queries: Tensor, keys: Tensor) -> Tensor:
    """−‖q − k‖²/2: higher is closer, smooth at distance 0.

    Equal under a softmax over keys to q·k − ‖k‖²/2, since ‖q‖²/2 shifts a whole row.

    Example:
        >>> logits(torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 0.0], [3.0, 2.0]]))
        tensor([[-12.5000,  -2.0000]])
    """
    return score(queries, keys).square() / -2


MEASURE = Measure(
    name="euclidean",
    label="Euclidean distance",
    place=3,
    formula=r"\lVert q - k \rVert = \sqrt{\sum_i (q_i - k_i)^2}",
    meaning="How far apart the two points lie: short and long vectors are far from each other, even on one ray.",
    best="lowest",
    properties=frozenset({"symmetric", "rotation invariant", "shift invariant", "self is closest"}),
    score=score,
    logits=logits,
    product_form=ProductForm(
        shift=lambda norms: norms * norms / -2,
        score=lambda closeness: np.sqrt((-2 * closeness).clip(min=0)),
        squared_distance=True,
    ),
)
