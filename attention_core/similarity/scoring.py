"""Scores of queries against keys, in numpy or torch."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.errors import ScoringError
from attention_core.measures import MEASURES, Measure


@overload
def score(queries: Tensor, keys: Tensor, measure: str = ..., weights: object = ...) -> Tensor: ...
@overload
def score(
    queries: NDArray[Any], keys: NDArray[Any], measure: str = ..., weights: object = ...
) -> NDArray[np.float64]: ...
def score(
    queries: NDArray[Any] | Tensor, keys: NDArray[Any] | Tensor, measure: str = "cosine", weights: object = None
) -> NDArray[np.float64] | Tensor:
    """The score that a measure gives each query with each key.

    Args:
        queries: (..., q, d_q), numpy or torch.
        keys: (..., n, d_k), of the same kind.
        measure: a key of `MEASURES`.
        weights: for a measure that needs them; the others refuse any.

    Returns:
        (..., q, n). Numpy: computed and returned in float64. Torch: on the given device, in the wider of the two
        dtypes and at least float32, differentiable. Euclidean is a distance (lower is closer), the others are higher
        where closer. Cosine with a zero vector is NaN: it is undefined.

    Raises:
        ScoringError: an unknown measure, sizes that do not fit, or weights missing or not wanted.

    Example:
        >>> float(score(np.array([[1.0, 2, 3, 4]]), np.array([[2.0, 0, 1, 3]]), "dot")[0, 0])
        17.0
    """
    chosen = named(measure)
    if isinstance(queries, Tensor) and isinstance(keys, Tensor):
        width = torch.promote_types(torch.promote_types(queries.dtype, keys.dtype), torch.float32)
        return chosen(queries.to(width), keys.to(width), weights)
    q, k = (torch.tensor(np.asarray(values, dtype=np.float64)) for values in (queries, keys))
    return chosen(q, k, weights).numpy()


def named(measure: str) -> Measure:
    """The measure of that name; ScoringError, with the names there are, when there is none."""
    if measure not in MEASURES:
        raise ScoringError(f"There is no measure “{measure}”. Choose one of {', '.join(MEASURES)}.")
    return MEASURES[measure]
