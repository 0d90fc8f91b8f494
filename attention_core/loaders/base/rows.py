"""Rows “word number number …” of a text, whose words may hold spaces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.growing import GrowingMatrix
from attention_core.loaders.base.lines import Lines, decoded, read_lines
from attention_core.loaders.base.loader import Contents
from attention_core.loaders.base.noticed import Noticed
from attention_core.loaders.base.numbers import plain_rows, row_values
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.survey import FIELD, trailing_numbers
from attention_core.loaders.base.wording import counted, quoted


@dataclass(frozen=True)
class _Rows:
    """Consecutive rows: (m,) words as bytes, (m, d) values, (m,) line numbers."""

    words: list[bytes]
    values: NDArray[np.float32]
    lines: NDArray[np.int64]


def read_rows(source: Source, dimension: int, header_lines: int = 0) -> Contents:
    """The rows of a text file: on each, the last `dimension` fields are numbers and all before them is the word.

    Blank lines are skipped, bytes that are not UTF-8 replaced; both are told in the warnings.

    Raises:
        EmbeddingsError: a row that does not end in that many numbers, no row at all, or more than the limits allow.
    """
    matrix, noticed = GrowingMatrix(dimension, source), Noticed()
    words: list[str] = []
    lines: list[NDArray[np.int64]] = []
    for block in _without_header(read_lines(source), header_lines):
        rows = plain_block(block, dimension) or careful_block(block, dimension, source)
        strings, broken = decoded(rows.words)
        noticed.not_utf8 += [(int(rows.lines[i]), strings[i]) for i in broken]
        matrix.append(rows.values)
        words += strings
        lines.append(rows.lines)
    if not words:
        raise source.refusal("no row follows the header", "Choose a file that holds words and vectors")
    numbers = np.concatenate(lines)
    noticed.look_at(words, numbers)
    return Contents(matrix.finished(), words, numbers, noticed.warnings())


def _without_header(blocks: Iterator[Lines], header_lines: int) -> Iterator[Lines]:
    for block in blocks:
        skipped = header_lines if block.first == 1 else 0
        yield Lines(block.texts[skipped:], block.first + skipped, block.ended)


def plain_block(lines: Lines, dimension: int) -> _Rows | None:
    """Rows of plain numbers with one separator between two of them, parsed in C; None when any line is not so.

    Words are first taken to be without spaces, which is the usual and the quicker case.
    """
    separator = b"\t" if b"\t" in b"".join(lines.texts[:1]) else b" "
    for parts in (_after_first(lines.texts, separator), _before_last(lines.texts, separator, dimension)):
        numbers = [part[1] for part in parts]
        values = plain_rows(numbers, dimension)
        if values is not None:
            words = [part[0] for part in parts]
            return _Rows(words, values, np.arange(lines.first, lines.first + len(lines), dtype=np.int64))
    return None


def _after_first(texts: list[bytes], separator: bytes) -> list[tuple[bytes, bytes]]:
    """Word and numbers, the word ending at the first separator."""
    parts = [text.partition(separator) for text in texts]
    return [(word, numbers.rstrip(separator).replace(b"\t", b" ")) for word, _, numbers in parts]


def _before_last(texts: list[bytes], separator: bytes, dimension: int) -> list[tuple[bytes, bytes]]:
    """Word and numbers, the numbers being the last `dimension` fields."""
    parts = [text.rstrip(separator).rsplit(separator, dimension) for text in texts]
    return [(part[0], b" ".join(part[1:])) for part in parts]


def careful_block(lines: Lines, dimension: int, source: Source) -> _Rows:
    """Any rows, one by one: the reference for `plain_block`, and the one that finds what is wrong with a row.

    Raises:
        EmbeddingsError: a row that does not end in `dimension` numbers after a word.
    """
    words, values, numbers = [], [], []
    for number, text in enumerate(lines.texts, lines.first):
        if not text.strip(b" \t"):
            continue
        fields = list(FIELD.finditer(text))[-dimension:]
        row = row_values([field.group() for field in fields])
        start = fields[0].start()
        if row is None or len(row) < dimension or start == 0:
            cut = not lines.ended and number == lines.first + len(lines) - 1
            raise _ragged(text, number, dimension, source, cut)
        words.append(text[: start - 1])
        values.append(row)
        numbers.append(number)
    matrix = np.stack(values) if values else np.empty((0, dimension), np.float32)
    return _Rows(words, matrix, np.array(numbers, dtype=np.int64))


def _ragged(text: bytes, number: int, dimension: int, source: Source, cut: bool) -> EmbeddingsError:
    fields, found = list(FIELD.finditer(text)), trailing_numbers(text)
    enough = len(fields) > dimension
    expected = dimension if enough else found
    word = text[: fields[-expected].start() - 1] if expected else text
    what = f"line {number} ({_shown(word)}): {counted(dimension, 'number')} expected after the word, {found:,} found"
    if enough:
        what += f" after {_shown(fields[-found - 1].group())}, which is not a number"
    if cut:
        what += ", and this last line has no newline, so the file looks cut"
    return source.refusal(what, "Fetch or write the file again" if cut else "Repair or remove that row")


def _shown(text: bytes) -> str:
    return quoted(text.decode("utf-8", "replace"))
