"""Where the fields of a text stand: what lies between spaces, tabs and newlines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SPACE, _TAB, _NEWLINE = b" \t\n"


@dataclass(frozen=True)
class RowFields:
    """The last d fields of m lines that are not blank, as positions in their text.

    Attributes:
        edges: (2f,) where each of all f fields of the text starts and ends, in turn.
        last: (m, d) which of the edges start the last fields.
        words: where what precedes these fields starts and ends (m,), the separator before them left out.
        lines: (m,) the lines, from 0.
    """

    edges: NDArray[np.int64]
    last: NDArray[np.int64]
    words: tuple[NDArray[np.int64], NDArray[np.int64]]
    lines: NDArray[np.int64]


def last_fields(text: bytes, count: int) -> RowFields | None:
    r"""The last `count` fields of each line and what precedes them, blank lines left out.

    Args:
        text: lines, each of which ends in \n.
        count: how many fields, at least 1.

    Returns:
        None when a line has fewer fields, or no separator before them.

    Example:
        >>> found = last_fields(b"new york  1 2\n\n\t3 4 \n", 2)
        >>> found.lines.tolist(), [positions.tolist() for positions in found.words]
        ([0, 2], [[0, 15], [9, 15]])
        >>> found.edges[found.last].tolist()
        [[10, 12], [16, 18]]
        >>> last_fields(b"new york 1 2\n3 4\n", 2) is None
        True
    """
    characters = np.frombuffer(text, np.uint8)
    between = np.empty(len(text) + 1, dtype=bool)
    between[0] = True
    np.equal(characters, _SPACE, out=between[1:])
    if b"\t" in text:
        between[1:] |= characters == _TAB
    newline = characters == _NEWLINE
    between[1:] |= newline
    edges = np.flatnonzero(between[1:] != between[:-1])
    ends = np.flatnonzero(newline)
    starts = np.append(0, ends[:-1] + 1)
    before = np.searchsorted(edges, ends, side="right")  # edges up to each end of line
    found = np.diff(before, prepend=0) // 2
    lines = np.flatnonzero(found)
    if (found[lines] < count).any():
        return None
    last = (before[lines] - 2 * count)[:, None] + np.arange(0, 2 * count, 2)
    words = starts[lines], edges[last[:, 0]] - 1
    if (words[1] < words[0]).any():
        return None
    return RowFields(edges, last, words, lines)
