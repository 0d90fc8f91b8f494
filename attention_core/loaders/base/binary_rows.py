"""Rows of a word, a space and the bytes of its numbers, taken apart in machine code."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_core.compiled import compiled

_NEWLINE, _SPACE = b"\n "


@compiled
def find_rows(
    piece: NDArray[np.uint8], done: NDArray[np.int64], letters: NDArray[np.uint8], spans: NDArray[np.int64]
) -> tuple[int, int]:
    """Finds words and numbers in the next bytes of a file, which may begin and end anywhere in a row.

    Args:
        piece: (b,) the bytes.
        done: (4,) how many rows are whole; of the next one the letters of its word and the bytes of its numbers, -1
            before the space between them; how many bytes a row's numbers take. The first three are changed.
        letters: (b,), takes the words without the newlines before them, a space after each.
        spans: (s, 2), takes where numbers, or what of them is in the piece, start and end; s is at least
            2 + b // (1 + bytes of a row's numbers).

    Returns:
        How many letters and how many spans were written.
    """
    row, length, filled, width = done[0], done[1], done[2], done[3]
    at, written, found = 0, 0, 0
    while at < len(piece):
        if filled < 0:
            byte = piece[at]
            at += 1
            if byte == _NEWLINE and length == 0:
                continue
            letters[written] = byte
            written += 1
            if byte == _SPACE:
                filled = 0
            else:
                length += 1
        else:
            count = min(width - filled, len(piece) - at)
            spans[found, 0], spans[found, 1] = at, at + count
            found += 1
            at += count
            filled += count
            if filled == width:
                row, length, filled = row + 1, 0, -1
    done[0], done[1], done[2] = row, length, filled
    return written, found


@compiled
def join(piece: NDArray[np.uint8], spans: NDArray[np.int64], joined: NDArray[np.uint8]) -> None:
    """Writes the bytes of all spans, one after another."""
    at = 0
    for i in range(len(spans)):
        source = piece[spans[i, 0] : spans[i, 1]]
        target = joined[at : at + len(source)]
        for position in range(len(target)):  # assigning the slice takes six times as long
            target[position] = source[position]
        at += len(source)
