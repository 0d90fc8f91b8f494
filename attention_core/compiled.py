"""Loops that no call of numpy or torch stands for, compiled by numba when they first run.

The machine code is kept on disk, so that only the first run after an installation waits for it, for a second or so. It
is made anew when the function's own file changes: compiled functions call only those of their own file, and constants
count with the value they had. They release Python's lock: threads that run them run at the same time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """The function in machine code, for arrays and numbers. It is not checked that indices lie within arrays.

    Float sums may be fused, but are not reordered, and NaN and infinities keep their meaning. Division by zero gives
    them, as in numpy.

    Example:
        >>> import numpy as np
        >>> @compiled
        ... def total(values):
        ...     found = 0.0
        ...     for value in values:
        ...         found += value
        ...     return found
        >>> total(np.array([1.0, 2.5]))
        3.5
    """
    numba = _numba()
    options = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}, "forceinline": True}
    try:
        made: F = numba.njit(function, cache=True, **options)
    except RuntimeError:  # no folder to keep the code in, neither beside the file nor in the user's own
        made = numba.njit(function, **options)
    return made


@cache
def _numba() -> Any:
    """Numba, which has no types, set to use the whole width of registers.

    LLVM uses half of 512 bits, because the first processors that have them slow down; those with bfloat16 do not.
    """
    numba = import_module("numba")
    features = import_module("numba.core.codegen").get_host_cpu_features()
    if numba.config.CPU_FEATURES is None and "+avx512bf16" in features.split(","):
        numba.config.CPU_FEATURES = f"{features},-prefer-256-bit"
    return numba
