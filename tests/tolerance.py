"""The one place that says how far two computed numbers may lie apart."""

import numpy as np


def tolerance(dtype, *, terms, why, scale=1.0, decimals=None):
    """The largest absolute difference that rounding explains: 4·ε·terms·scale.

    A sum of n products is off by at most n·u times the size of what is summed, u = ε/2 (Higham 2002, section 3.1). Two
    such sums are compared, and the values that enter and leave them are rounded too: hence 4, not 1/2.

    Args:
        dtype: the narrowest floating dtype that a value passes through.
        terms: how many terms the longest sum has.
        why: what is summed, and why it is not exact; a sentence.
        scale: the size of what is summed, a number or an array.
        decimals: of a figure that is printed, whose last digit adds half a unit.

    Example:
        >>> float(tolerance(np.float32, terms=50, why="a dot product in float32")) == 200 * 2.0**-23
        True
    """
    assert why and terms >= 1
    printed = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    return 4 * float(np.finfo(dtype).eps) * terms * np.asarray(scale, dtype=np.float64) + printed
