"""word2vec binary: a header “words dimensions”, then each word, a space and its numbers as little-endian float32."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.lines import decoded
from attention_core.loaders.base.noticed import Noticed
from attention_core.loaders.base.survey import Header, survey
from attention_core.loaders.base.wording import counted, quoted, size

_LONGEST_WORD = 2**20  # bytes


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
    width = 4 * header.dimension
    # What the file can hold, whatever the header declares, and room for a row that is cut.
    matrix = np.empty((source.size // (width + 1) + 1, header.dimension), "<f4")
    text, done = bytearray(), np.array([0, 0, -1, width])
    _fill(source, done, text, matrix.reshape(-1).view(np.uint8))
    count, length, filled, _ = done.tolist()
    if count < header.words or length or filled >= 0:
        raise _cut(source, header, bytes(text).split(b" ")[count], count, filled)
    matrix.resize((count, header.dimension), refcheck=False)  # in place; no view of it is used any more
    strings, broken = decoded(bytes(text), end=b" ")
    warnings = Noticed(unit="word", not_utf8=[(i + 1, strings[i]) for i in broken]).warnings()
    if count > header.words:
        told = f"The header declares {counted(header.words, 'word')}, but the file holds {counted(count, 'row')}"
        warnings = (f"{told}; all were read.", *warnings)
    return Contents(matrix, strings, warnings=warnings)


def _fill(source: Source, done: NDArray[np.int64], text: bytearray, numbers: NDArray[np.uint8]) -> None:
    """Reads all words into a text, and the bytes of all numbers one after another.

    Raises:
        EmbeddingsError: a word that does not end, or more rows than the limits allow.
    """
    from attention_core.loaders.base.binary_rows import find_rows, join

    start, width, first = source.head.index(b"\n") + 1, int(done[3]), 0
    for block in source.blocks():
        piece, start = np.frombuffer(block, np.uint8)[start:], 0
        letters, spans = np.empty(len(piece), np.uint8), np.empty((len(piece) // (width + 1) + 2, 2), np.int64)
        written, found = find_rows(piece, done, letters, spans)
        text += letters[:written].data
        count, length, filled, _ = done.tolist()
        source.check_shape(count, width // 4)
        if length > _LONGEST_WORD:
            raise source.refusal(
                f"word {count + 1} goes on for more than {size(_LONGEST_WORD)} without a space",
                "Fetch or write the file again",
            )
        end = count * width + max(filled, 0)
        join(piece, spans[:found], numbers[first:end])
        first = end


def _cut(source: Source, header: Header, word: bytes, count: int, filled: int) -> EmbeddingsError:
    """What a file is told whose last row ends inside its word, or (filled >= 0) inside its numbers."""
    width, rest = 4 * header.dimension, len(word) + max(filled + 1, 0)
    shown = f"word {count + 1} ({quoted(word.decode('utf-8', 'replace'))})"
    place = f"after {counted(count, 'whole row')}"
    if filled >= 0:
        place += f", inside the vector of {shown}, of which {filled:,} of {counted(width, 'byte')} are there"
    elif word:
        place += f", inside {shown}"
    what = f"the header declares {counted(header.words, 'word')} of {counted(header.dimension, 'dimension')}"
    if count < header.words:
        return source.refusal(f"{what}, but the file ends {place}, so it looks cut", "Fetch or write the file again")
    return source.refusal(
        f"{what}, but {counted(count, 'row')} and {counted(rest, 'byte')} that are no whole row follow",
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
