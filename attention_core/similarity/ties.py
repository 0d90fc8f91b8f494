"""When two scores are equal, and the order that follows.

Mathematically equal scores differ in their last bits once they are computed: parallel vectors get cosines of 1 and
1 − 1e-16. Scores tie when they agree to 12 significant digits, and a tie keeps the order of the file.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.measures import Measure

DIGITS = 12


def tie_keys(scores: NDArray[np.float64], zero_below: ArrayLike = 0.0) -> NDArray[np.float64]:
    """The scores rounded so that two are equal exactly when they tie.

    Args:
        scores: any shape, float64; NaN (undefined) stays NaN.
        zero_below: broadcastable to `scores`: sizes below it count as 0.

    Returns:
        The scores to 12 significant digits.

    Example:
        >>> keys = tie_keys(np.array([1.0, 1 - 1e-16, 0.1 + 0.2, 0.3, 1e-17]), zero_below=1e-12)
        >>> bool(keys[0] == keys[1]), bool(keys[2] == keys[3]), float(keys[4])
        (True, True, 0.0)
    """
    sizes = np.abs(scores)
    counted = sizes >= np.maximum(zero_below, 1e-290)  # below 1e-290 the power of ten overflows
    exponents = np.floor(np.log10(sizes, where=counted, out=np.zeros_like(sizes)))
    power = 10.0 ** (DIGITS - 1 - exponents)
    keys = np.round(scores * power) / power
    return np.where(counted | np.isnan(scores), keys, 0.0)


def keys_of(
    measure: Measure, scores: NDArray[np.float64], query_norm: float, key_norms: NDArray[np.float64]
) -> NDArray[np.float64]:
    """`tie_keys` of one query's scores (n,), with the measure's own idea of what counts as 0."""
    floor = measure.zero_below(query_norm, key_norms) if measure.zero_below else 0.0
    return tie_keys(scores, floor)


def closest_first(measure: Measure, keys: NDArray[np.float64]) -> NDArray[np.intp]:
    """The indices (n,) that sort one query's tie keys: closest first, ties in file order, undefined last."""
    return np.argsort(keys if measure.best == "lowest" else -keys, kind="stable")
