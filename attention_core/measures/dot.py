"""Dot product."""

from __future__ import annotations

from torch import Tensor

from attention_core.measures.base import Measure, ProductForm


def score(queries: Tensor, keys: Tensor) -> Tensor:
    """q·k, the sum of the products of components.

    Grows with both norms, so long vectors (often those of frequent words) score high whatever they mean. Relative
    error is unbounded where the terms cancel: a result below 1e-12·‖q‖‖k‖ in float64 stands for 0.

    Args:
        queries: (..., q, d).
        keys: (..., n, d).

    Returns:
        (..., q, n), in the squared unit of the vectors; higher is closer.

    Example:
        >>> import torch
        >>> score(torch.tensor([[1.0, 2, 3, 4]]), torch.tensor([[2.0, 0, 1, 3]]))
        tensor([[17.]])
    """
    return queries @ keys.mT


MEASURE = Measure(
    name="dot",
    label="dot product",
    place=1,
    formula=r"q \cdot k = \sum_i q_i k_i = \lVert q \rVert \lVert k \rVert \cos\theta",
    meaning="How far the two vectors point the same way, times both lengths: long vectors score high.",
    best="highest",
    properties=frozenset({"symmetric", "rotation invariant"}),
    score=score,
    logits=score,
    product_form=ProductForm(),
    zero_below=lambda query_norm, key_norms: 1e-12 * query_norm * key_norms,
)
