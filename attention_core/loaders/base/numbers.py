"""Decimal numbers as text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE)
_PLAIN = b"0123456789+-.eE \n"


def is_number(field: bytes) -> bool:
    """Whether a field is a decimal number, nan or inf included: what C and Python both read and write.

    Example:
        >>> [is_number(field) for field in (b"-1.5e-3", b".5", b"nan", b"1_000", b"1,5", b"0x1p3", b"")]
        [True, True, True, False, False, False, False]
    """
    return _NUMBER.fullmatch(field) is not None


def plain_rows(rows: Sequence[bytes], dimension: int) -> NDArray[np.float32] | None:
    """Rows of plain decimals with one space between two of them, parsed in C.

    Args:
        rows: (n,) texts such as b"0.5 -0.25 1e-3".
        dimension: how many numbers each row should hold.

    Returns:
        (n, dimension); a number too large for float32 becomes inf. None when any row is not of that form: the caller
        then goes through them one by one (`row_values`), which gives the same values and finds what is wrong.

    Example:
        >>> plain_rows([b"0.5 -0.25", b"1e2 3"], 2).tolist(), plain_rows([b"0.5 x"], 2)
        ([[0.5, -0.25], [100.0, 3.0]], None)
    """
    text = b"\n".join(rows)
    if text.translate(None, _PLAIN) or not text.strip(b" \n"):
        return None
    try:
        values = np.loadtxt(text.decode("ascii").split("\n"), np.float32, comments=None, delimiter=" ", ndmin=2)
    except ValueError:
        return None
    return values if values.shape == (len(rows), dimension) else None


def row_values(fields: Sequence[bytes]) -> NDArray[np.float32] | None:
    """(d,) the values of one row's fields, or None when any of them is not a number.

    Example:
        >>> row_values([b"0.5", b"nan"]), row_values([b"0.5", b"abc"])
        (array([0.5, nan], dtype=float32), None)
    """
    if not all(map(is_number, fields)):
        return None
    with np.errstate(over="ignore"):
        return np.array([float(field) for field in fields], dtype=np.float64).astype(np.float32)
