"""word2vec binary: a header “words dimensions”, then each word, a space and its numbers as little-endian float32."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.growing import GrowingMatrix
from attention_core.loaders.base.lines import decoded
from attention_core.loaders.base.noticed import Noticed
from attention_core.loaders.base.survey import Header, survey
from attention_core.loaders.base.wording import counted, quoted, size

_LONGEST_WORD = 2**20  # bytes
_PIECE = 2**18  # bytes; larger ones are slower, since their memory is given back and taken anew each time


@dataclass(frozen=True)
class _Rows:
    """Consecutive rows: (m,) words as bytes, (m, d) values."""

    words: list[bytes]
    values: NDArray[np.float32]


def recognises(source: Source) -> bool:
    """Whether the first line is two counts, and what follows is no text."""
    return source.once(survey).binary


def read(source: Source) -> Contents:
    """The rows, with the header's dimension; a newline after a vector is no part of the next word.

    Rows that the header does not count are read too. Bytes of a word that are not UTF-8 are replaced. Both are told in
    the warnings.

    Raises:
        EmbeddingsError: a header that declares more than the limits allow or the file holds, or bytes that are no row.
    """
    header = source.once(survey).header
    if header is None:
        raise source.refusal("no header of two counts was found", "Write “words dimensions” in line 1")
    source.check_shape(header.words, header.dimension)
    blocks = _rows(source, header)
    if header.words * (4 * header.dimension + 1) > source.size:
        deque(blocks, maxlen=0)  # raises where the file ends, before memory is taken for what it does not hold
    matrix, noticed = GrowingMatrix(header.dimension, source, header.words), Noticed(unit="word")
    words: list[str] = []
    for rows in blocks:
        strings, broken = decoded(_without_newlines(rows.words), absent=b" ")
        noticed.not_utf8 += [(len(words) + i + 1, strings[i]) for i in broken]
        matrix.append(rows.values)
        words += strings
    warnings = noticed.warnings()
    if len(words) > header.words:
        told = f"The header declares {counted(header.words, 'word')}, but the file holds {counted(len(words), 'row')}"
        warnings = (f"{told}; all were read.", *warnings)
    return Contents(matrix.finished(), words, warnings=warnings)


def _without_newlines(words: list[bytes]) -> list[bytes]:
    """The words without the newlines before them, which end the rows before."""
    text = b" ".join([b"", *words])
    while b" \n" in text:
        text = text.replace(b" \n", b" ")
    return text.split(b" ")[1:]


def _rows(source: Source, header: Header) -> Iterator[_Rows]:
    """All rows of the file, some at a time.

    Raises:
        EmbeddingsError: fewer rows than the header declares, or a rest that is no row.
    """
    width = 4 * header.dimension
    row = re.compile(rb"([^ ]*) (?s:.{%d})" % width)
    padding = b" " * (width + 1)  # completes the row that a piece cuts, and no second one
    rest, count = b"", 0
    for piece in _pieces(source):
        text = b"".join((rest, piece, padding))
        words = row.findall(text)[:-1]
        ends = np.cumsum([0, *map(len, words)]) + (1 + width) * np.arange(len(words) + 1)
        windows = sliding_window_view(np.frombuffer(text, np.uint8), width)
        yield _Rows(words, windows[ends[1:] - width].view("<f4"))
        rest, count = text[ends[-1] : -len(padding)], count + len(words)
        if len(rest) > _LONGEST_WORD + width:
            raise source.refusal(
                f"word {count + 1} goes on for more than {size(_LONGEST_WORD)} without a space",
                "Fetch or write the file again",
            )
    if count < header.words or rest.strip(b"\n"):
        raise _cut(source, header, count, rest)


def _pieces(source: Source) -> Iterator[memoryview]:
    """What follows the header, in pieces."""
    start = source.head.index(b"\n") + 1
    for block in source.blocks():
        for first in range(start, len(block), _PIECE):
            yield memoryview(block)[first : first + _PIECE]
        start = 0


def _cut(source: Source, header: Header, count: int, rest: bytes) -> EmbeddingsError:
    word, space, numbers = rest.lstrip(b"\n").partition(b" ")
    shown = f"word {count + 1} ({quoted(word.decode('utf-8', 'replace'))})"
    place = f"after {counted(count, 'whole row')}"
    if space:
        width = 4 * header.dimension
        place += f", inside the vector of {shown}, of which {len(numbers):,} of {counted(width, 'byte')} are there"
    elif word:
        place += f", inside {shown}"
    what = f"the header declares {counted(header.words, 'word')} of {counted(header.dimension, 'dimension')}"
    if count < header.words:
        return source.refusal(f"{what}, but the file ends {place}, so it looks cut", "Fetch or write the file again")
    return source.refusal(
        f"{what}, but {counted(count, 'row')} and {counted(len(rest), 'byte')} that are no whole row follow",
        "Correct the header, or fetch or write the file again",
    )


LOADER = Loader(
    name="word2vec-binary",
    label="word2vec binary",
    description="A line “words dimensions”, then each word, a space and its numbers as float32 in binary.",
    extensions=(".bin",),
    recognises=recognises,
    read=read,
)
