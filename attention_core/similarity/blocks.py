"""Walking a large matrix in float64, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Progress: TypeAlias = Callable[[int, int], None]
"""Called as progress(done, total) now and then; what it raises ends the work."""

BLOCK = 1 << 21
"""Numbers in a block: 16 MiB in float64."""


def blocks(matrix: NDArray[np.float32], done: Callable[[int], None]) -> Iterator[NDArray[np.float64]]:
    """The rows (n, d) in float64, some thousand at a time, each block a copy; `done(rows)` is told after each.

    Example:
        >>> told = []
        >>> [block.shape for block in blocks(np.ones((3, 2), np.float32), told.append)], told
        ([(3, 2)], [3])
    """
    step = max(1, BLOCK // matrix.shape[1])
    for start in range(0, len(matrix), step):
        block = matrix[start : start + step].astype(np.float64)
        yield block
        done(len(block))
