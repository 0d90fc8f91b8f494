"""Rows “word number number …” of a text, whose words may hold spaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.fields import last_fields
from attention_core.loaders.base.growing import GrowingMatrix
from attention_core.loaders.base.in_order import in_order
from attention_core.loaders.base.lines import Lines, decoded, read_lines
from attention_core.loaders.base.loader import Contents
from attention_core.loaders.base.noticed import Noticed
from attention_core.loaders.base.numbers import row_values, values_between
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

    def rows_of(block: Lines) -> _Rows:
        block = block.after(header_lines) if block.first == 1 else block
        return plain_block(block, dimension) or careful_block(block, dimension, source)

    for rows in in_order(rows_of, read_lines(source)):
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


def plain_block(lines: Lines, dimension: int) -> _Rows | None:
    """All rows at once, by numpy and Arrow; None when any of them is broken."""
    text = lines.text.replace(b"\r\n", b"\n") if b"\r" in lines.text else lines.text
    text = text if lines.ended else text + b"\n"
    fields = last_fields(text, dimension)
    values = values_between(text, fields.edges, fields.last) if fields else None
    if fields is None or values is None:
        return None
    words = [text[start:end] for start, end in zip(*(edge.tolist() for edge in fields.words), strict=True)]
    return _Rows(words, values, lines.first + fields.lines)


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
