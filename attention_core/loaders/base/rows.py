"""Rows “word number number …” of a text, whose words may hold spaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.growing import GrowingMatrix
from attention_core.loaders.base.in_order import in_order
from attention_core.loaders.base.lines import Lines, decoded, read_lines
from attention_core.loaders.base.loader import Contents
from attention_core.loaders.base.noticed import Noticed
from attention_core.loaders.base.numbers import row_values
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.survey import FIELD, trailing_numbers
from attention_core.loaders.base.wording import counted, quoted


@dataclass(frozen=True)
class Rows:
    """Consecutive rows: m words, a newline after each, (m, d) values, (m,) line numbers."""

    words: bytes
    values: NDArray[np.float32]
    lines: NDArray[np.int64]


def read_rows(source: Source, dimension: int, header_lines: int = 0) -> Contents:
    """The rows of a text file: on each, the last `dimension` fields are numbers and all before them is the word.

    Blank lines are skipped, bytes that are not UTF-8 replaced; both are told in the warnings.

    Raises:
        EmbeddingsError: a row that does not end in that many numbers, no row at all, or more than the limits allow.
    """
    likely = source.size * source.text_head.count(b"\n") // len(source.head)
    matrix, noticed = GrowingMatrix(dimension, source, likely), Noticed()
    words: list[str] = []
    lines: list[NDArray[np.int64]] = []

    def rows_of(block: Lines) -> Rows:
        return block_rows(block.after(header_lines) if block.first == 1 else block, dimension, source)

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


def block_rows(block: Lines, dimension: int, source: Source) -> Rows:
    """The rows of some lines: those that `parse_rows` leaves are read one by one.

    Raises:
        EmbeddingsError: a row that does not end in `dimension` numbers after a word.
    """
    from attention_core.loaders.base.text_rows import parse_rows

    text = block.whole
    most = len(text) // (2 * dimension + 1) + 1  # the shortest number is a digit and a separator
    words, values = np.empty(len(text), np.uint8), np.empty((most, dimension), np.float32)
    lines, done = np.empty(most, np.int64), np.zeros(4, np.int64)
    while True:
        parse_rows(np.frombuffer(text, np.uint8), done, words, values, lines)
        at, line, row, letters = done.tolist()
        if at == len(text):
            return Rows(words[:letters].tobytes(), values[:row], block.first + lines[:row])
        end = text.index(b"\n", at)
        cut = not block.ended and end + 1 == len(text)
        word, values[row] = careful_row(text[at:end], block.first + line, dimension, source, cut)
        lines[row], after = line, letters + len(word) + 1
        words[letters:after] = np.frombuffer(word + b"\n", np.uint8)
        done[:] = end + 1, line + 1, row + 1, after


def careful_row(
    text: bytes, number: int, dimension: int, source: Source, cut: bool
) -> tuple[bytes, NDArray[np.float32]]:
    """The word and the numbers of a line: the reference for `parse_rows`, and what finds out what is wrong with a row.

    Raises:
        EmbeddingsError: a row that does not end in `dimension` numbers after a word.
    """
    fields = list(FIELD.finditer(text))[-dimension:]
    values = row_values([field.group() for field in fields])
    if values is None or len(values) < dimension or fields[0].start() == 0:
        raise _ragged(text, number, dimension, source, cut)
    return text[: fields[0].start() - 1], values


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
