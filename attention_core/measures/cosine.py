"""Cosine similarity."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from attention_core.measures.base import Measure, ProductForm


def score(queries: Tensor, keys: Tensor) -> Tensor:
    """The cosine of the angle, cos θ = q·k / (‖q‖‖k‖), clipped to [-1, 1].

    Rounding alone can carry the quotient past 1; it is clipped, so that its arc cosine exists. Vectors are divided by
    their largest component first, so that squares neither overflow nor vanish.

    Args:
        queries: (..., q, d).
        keys: (..., n, d).

    Returns:
        (..., q, n), dimensionless; higher is closer. NaN where either vector is zero: it has no direction.

    Example:
        >>> score(torch.tensor([[3.0, 4.0]]), torch.tensor([[6.0, 8.0], [-4.0, 3.0], [0.0, 0.0]]))
        tensor([[1., 0., nan]])
    """
    q, k = (vectors / vectors.abs().amax(dim=-1, keepdim=True) for vectors in (queries, keys))
    lengths = [torch.linalg.vector_norm(vectors, dim=-1) for vectors in (q, k)]
    cosines: Tensor = (q @ k.mT) / lengths[0].unsqueeze(-1) / lengths[1].unsqueeze(-2)
    return cosines.clamp(-1, 1)


MEASURE = Measure(
    name="cosine",
    label="cosine",
    place=2,
    formula=r"\cos\theta = \frac{q \cdot k}{\lVert q \rVert \lVert k \rVert}",
    meaning="The angle between the two vectors alone, whatever their lengths.",
    best="highest",
    properties=frozenset(
        {"symmetric", "scale invariant", "rotation invariant", "bounded", "self is closest", "undefined at zero"}
    ),
    score=score,
    logits=score,
    product_form=ProductForm(scale=np.reciprocal, score=lambda closeness: closeness.clip(-1, 1)),
    zero_below=lambda _query_norm, key_norms: np.full_like(key_norms, 1e-12),
)
