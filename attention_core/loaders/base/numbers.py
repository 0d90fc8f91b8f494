"""Decimal numbers as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_NUMBER = re.compile(rb"[+-]?(?:(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?|nan|inf|infinity)", re.IGNORECASE)


def is_number(field: bytes) -> bool:
    """Whether a field is a decimal number, nan or inf included: what C and Python both read and write.

    Example:
        >>> [is_number(field) for field in (b"-1.5e-3", b".5", b"nan", b"1_000", b"1,5", b"0x1p3", b"")]
        [True, True, True, False, False, False, False]
    """
    return _NUMBER.fullmatch(field) is not None


def plain_values(fields: Sequence[str]) -> NDArray[np.float32] | None:
    """(n,) the values of decimal numbers, or None when any of them is not a number.

    Example:
        >>> plain_values(["0.5", "-1e3"]).tolist(), plain_values(["0.5", "x"])
        ([0.5, -1000.0], None)
    """
    import pyarrow as pa

    if any("(" in field for field in fields):  # Arrow takes “nan(abc)”, which is no number here
        return None
    return _nearest(pa.array(fields, pa.string()))


def row_values(fields: Sequence[bytes]) -> NDArray[np.float32] | None:
    """(d,) the values of one row's fields, or None when any of them is not a number.

    Example:
        >>> row_values([b"0.5", b"nan"]), row_values([b"0.5", b"abc"])
        (array([0.5, nan], dtype=float32), None)
    """
    import pyarrow as pa

    if not all(map(is_number, fields)):
        return None
    return _nearest(pa.array([field.decode() for field in fields], pa.string()))


def _nearest(fields: Any) -> NDArray[np.float32] | None:
    """Each field of an Arrow array of strings as the nearest float32, ties to even; what null gives is not defined."""
    import pyarrow as pa

    try:
        values = fields.cast(pa.float32())
    except ValueError:
        return None
    return np.frombuffer(values.buffers()[1], np.float32)[values.offset : values.offset + len(values)]
