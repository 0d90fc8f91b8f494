"""Rows “word number number …” of a text, read in machine code as far as no doubt is possible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_core.compiled import compiled

_TAB, _NEWLINE, _SPACE = b"\t\n "
_PLUS, _MINUS, _POINT, _ZERO, _NINE, _BIG_E, _E = b"+-.09Ee"
_FULL = 10**17
"""A mantissa that takes no further digit, so that it stays below 2^63."""
_POWER = 64
"""Beyond its powers of ten every mantissa is 0 or infinite in float32, as at the last of them."""
_POWERS = np.array([float(f"1e{power}") for power in range(-_POWER, _POWER + 1)])
_BELOW, _ABOVE = 1 - 2.0**-50, 1 + 2.0**-50
"""Mantissa, power of ten and their product are each off by 2^-53 at most, and digits left out by 10^-17: the number
lies between the product times the one and times the other."""


@compiled
def read_numbers(text: NDArray[np.uint8], at: int, row: NDArray[np.float32]) -> int:
    """Where the line ends that holds, from a position on, nothing but the numbers of a row.

    -1 where it holds anything else, or a number whose nearest float32 it takes more than float64 to tell.
    """
    for i in range(len(row)):  # all in one: handing the text to another function takes as long as a number
        negative = text[at] == _MINUS
        if negative or text[at] == _PLUS:
            at += 1
        start, mantissa, power, fraction = at, np.int64(0), 0, 0
        while True:
            byte = np.int64(text[at])
            if _ZERO <= byte <= _NINE:
                if mantissa < _FULL:
                    mantissa = mantissa * 10 + (byte - _ZERO)
                    power -= fraction
                else:
                    power += 1 - fraction
            elif byte == _POINT and not fraction:
                fraction = 1
            else:
                break
            at += 1
        if at - start == fraction:
            return -1
        if byte in (_E, _BIG_E):
            written, at = _exponent(text, at + 1)
            if at < 0:
                return -1
            power += int(written)
        size = mantissa * _POWERS[max(0, min(power + _POWER, 2 * _POWER))]
        nearest = np.float32(size * _BELOW)
        if nearest != np.float32(size * _ABOVE):
            return -1
        row[i], end = -nearest if negative else nearest, at
        while _is_gap(text[at]):
            at += 1
        if at == end and i + 1 < len(row):
            return -1
    return at if text[at] == _NEWLINE else -1


@compiled
def _exponent(text: NDArray[np.uint8], at: int) -> tuple[np.int64, int]:
    """What is written behind the e, and where it ends; -1 where it is no number."""
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    start, written = at, np.int64(0)
    while _ZERO <= text[at] <= _NINE:
        if written < _FULL:
            written = written * 10 + (np.int64(text[at]) - _ZERO)
        at += 1
    if at == start:
        return written, -1
    return -written if negative else written, at


@compiled
def _is_gap(byte: int) -> bool:
    return byte in (_SPACE, _TAB)


@compiled
def _after_gap(text: NDArray[np.uint8], at: int) -> int:
    while _is_gap(text[at]):
        at += 1
    return at


@compiled
def _last_fields(text: NDArray[np.uint8], start: int, count: int) -> int:
    """Where the last fields of a line begin; its start where it has fewer."""
    at = start
    while text[at] != _NEWLINE:
        at += 1
    for _ in range(count):
        while at > start and _is_gap(text[at - 1]):
            at -= 1
        while at > start and not _is_gap(text[at - 1]):
            at -= 1
    return at


@compiled
def parse_rows(
    text: NDArray[np.uint8],
    done: NDArray[np.int64],
    words: NDArray[np.uint8],
    values: NDArray[np.float32],
    lines: NDArray[np.int64],
) -> None:
    r"""Reads rows up to one that is broken, or holds a number that takes more than float64; blank lines are skipped.

    Args:
        text: lines, each of which ends in \n.
        done: (4,) how many bytes and lines of the text are read, how many rows and bytes of words are written; changed.
        words: takes the words, a newline after each: as long as the text.
        values: (m, d), takes the numbers; m is more than half the text's length divided by d.
        lines: (m,), takes each row's line in the text, from 0.
    """
    at, line, row, letters = done[0], done[1], done[2], done[3]
    while at < len(text):
        first = at
        while not _is_gap(text[first]) and text[first] != _NEWLINE:
            first += 1
        first = _after_gap(text, first)
        end = read_numbers(text, first, values[row])
        if end < 0:  # no row, or a word that holds spaces
            end = _after_gap(text, at)
            if text[end] == _NEWLINE:
                at, line = end + 1, line + 1
                continue
            first = _last_fields(text, at, values.shape[1])
            end = read_numbers(text, first, values[row])
            if first == at or end < 0:
                break
        for position in range(at, first - 1):
            words[letters] = text[position]
            letters += 1
        words[letters], lines[row] = _NEWLINE, line
        at, line, row, letters = end + 1, line + 1, row + 1, letters + 1
    done[0], done[1], done[2], done[3] = at, line, row, letters
