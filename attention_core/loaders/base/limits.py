"""How much a file may ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

Progress: TypeAlias = Callable[[int, int], object]
"""Called now and then as progress(done_bytes, total_bytes); what it raises ends the load."""


@dataclass(frozen=True)
class Limits:
    """The largest file, table and vector that a load accepts, each checked before the memory is taken.

    Attributes:
        bytes: of the file, of anything unpacked from it, and of the float32 matrix.
        rows: words, the repeated ones included.
        dimensions: components of one vector.

    Example:
        >>> Limits(rows=400_000).dimensions
        16384
    """

    bytes: int = 8 * 10**9
    rows: int = 10_000_000
    dimensions: int = 16_384
