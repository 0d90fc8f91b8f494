"""The records of a table of separated values, as words and vectors."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.growing import GrowingMatrix
from attention_core.loaders.base.lines import decoded, read_lines
from attention_core.loaders.base.loader import Contents
from attention_core.loaders.base.noticed import Noticed
from attention_core.loaders.base.numbers import is_number, plain_values, row_values
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.table import Table, csv_reader
from attention_core.loaders.base.wording import counted, quoted

_BATCH = 2**18  # numbers parsed at once


@dataclass(frozen=True)
class Record:
    """One record: the physical line where it begins, its word, and all its cells."""

    line: int
    word: str
    cells: list[str]

    @property
    def place(self) -> str:
        """How a message names it."""
        return f"line {self.line} ({quoted(self.word)})"


def read_table(source: Source, table: Table, word: int, fields: Callable[[Record], Sequence[str]]) -> Contents:
    """A table as words and vectors.

    Args:
        source: the file.
        table: what its first records show.
        word: the column of words.
        fields: the numbers of a record, as text; the first record decides how many there must be. Spaces around
            them do no harm.

    Raises:
        EmbeddingsError: records of different widths, cells that are not numbers, or more than the limits allow.
    """
    noticed = Noticed()
    records = _read_records(source, table, word, noticed)
    first = next(records, None)
    if first is None:
        raise source.refusal("no record follows the header", "Choose a file that holds words and vectors")
    dimension = len(fields(first))
    if not dimension:
        raise source.refusal(f"{first.place}: the vector is empty", "Give every word a vector of the same size")
    matrix = GrowingMatrix(dimension, source)
    words: list[str] = []
    lines: list[int] = []
    records = chain([first], records)
    while batch := list(islice(records, max(_BATCH // dimension, 1))):
        matrix.append(_values(batch, [fields(record) for record in batch], dimension, source))
        words += [record.word for record in batch]
        lines += [record.line for record in batch]
    return Contents(matrix.finished(), words, np.array(lines, dtype=np.int64), noticed.warnings())


def _values(batch: list[Record], fields: list[Sequence[str]], dimension: int, source: Source) -> NDArray[np.float32]:
    if all(len(row) == dimension for row in fields):
        values = plain_values([field.strip() for row in fields for field in row])
        if values is not None:
            return values.reshape(len(batch), dimension)
    return np.stack([_row(record, row, dimension, source) for record, row in zip(batch, fields, strict=True)])


def _row(record: Record, fields: Sequence[str], dimension: int, source: Source) -> NDArray[np.float32]:
    if len(fields) != dimension:
        raise source.refusal(
            f"{record.place}: {counted(dimension, 'number')} expected, {len(fields):,} found",
            "Give every word a vector of the same size",
        )
    encoded = [field.strip().encode("utf-8", "replace") for field in fields]
    values = row_values(encoded)
    if values is None:
        position = next(i for i, field in enumerate(encoded) if not is_number(field))
        raise source.refusal(
            f"{record.place}: a number is expected at place {position + 1:,} of {dimension:,}, "
            f"found {quoted(fields[position])}",
            "Write numbers with a decimal point, and remove or repair rows that lack one",
        )
    return values


def _read_records(source: Source, table: Table, word: int, noticed: Noticed) -> Iterator[Record]:
    """The records after the header, blank ones skipped, all as wide as the table."""
    reader = csv_reader(_lines(source, noticed), table.separator)
    header_pending = table.has_header
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise source.refusal(
                f"the record that begins on line {line} cannot be taken apart ({error})",
                'Put cells that hold quotes in quotes, and write each quote in them twice ("")',
            ) from None
        if cells is None:
            return
        if any("\n" in cell for cell in cells) and _swallows(cells, table):
            raise source.refusal(
                f"the cell in quotation marks that begins on line {line} holds whole rows",
                'If the mark is part of a word, put the cell in quotes and write the mark twice ("")',
            )
        if cells and len(cells) != len(table.names):
            raise _uneven(source, len(table.names), Record(line, cells[min(word, len(cells) - 1)], cells))
        if cells and not header_pending:
            yield Record(line, cells[word], cells)
        header_pending = header_pending and not cells


def _swallows(cells: list[str], table: Table) -> bool:
    """Whether each line of a record is as wide as a row: then a quotation mark was meant as a word."""
    lines = table.separator.join(cells).split("\n")
    numbers = [[table.is_numeric(cell) for cell in line.split(table.separator)] for line in lines]
    return all(len(row) == len(table.names) and sum(row) >= len(row) - 1 for row in numbers)


def _uneven(source: Source, width: int, record: Record) -> EmbeddingsError:
    what = f"{record.place}: {counted(width, 'column')} expected, {len(record.cells):,} found"
    if source.ends_with_newline:
        return source.refusal(what, "Put cells that hold the separator in quotes, or repair that row")
    return source.refusal(
        f"{what}, and the file's last line has no newline, so it may be cut", "Fetch or write the file again"
    )


def _lines(source: Source, noticed: Noticed) -> Iterator[str]:
    for block in read_lines(source):
        strings, broken = decoded(block.whole)
        noticed.not_utf8 += [(block.first + i, strings[i]) for i in broken]
        for string in strings:
            yield string + "\n"
