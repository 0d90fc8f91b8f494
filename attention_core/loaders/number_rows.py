"""Rows of numbers without words, as the Embedding Projector's vectors.tsv: the words come from a second file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.growing import GrowingMatrix
from attention_core.loaders.base.lines import first_lines, read_lines
from attention_core.loaders.base.numbers import is_number, plain_values
from attention_core.loaders.base.survey import survey
from attention_core.loaders.base.table import survey_table
from attention_core.loaders.base.wording import counted, quoted

_SAMPLE = 100
_SEPARATORS = (b"\t", b";", None, b",")
"""None for runs of spaces. A comma is a decimal comma where another separator fits."""


@dataclass(frozen=True)
class _Look:
    """How the rows are written: what separates their numbers, how many these are, and whether line 1 is a header."""

    separator: bytes | None
    dimension: int
    has_header: bool

    def fields(self, line: bytes) -> list[bytes]:
        """The numbers of a line, with decimal points."""
        return _fields(line, self.separator)


def _fields(line: bytes, separator: bytes | None) -> list[bytes]:
    text = line.strip(b" \r") if separator is None else line.rstrip(separator + b" \r")
    fields = [field.strip() for field in text.split(separator)] if text else []
    return fields if separator == b"," or len(fields) == 1 else [field.replace(b",", b".") for field in fields]


def recognises(source: Source) -> bool:
    """Whether the first rows are numbers alone, and no column of them can be the words."""
    if source.once(_look) is None:
        return False
    table = source.once(survey_table)
    return source.listed or not (source.once(survey).labelled if table is None else table.word_column is not None)


def _look(source: Source) -> _Look | None:
    lines = [line for line in first_lines(source, _SAMPLE) if line.strip()]
    looks = [_as(lines, separator) for separator in _SEPARATORS]
    return next((look for look in looks if look is not None), None)


def _as(lines: list[bytes], separator: bytes | None) -> _Look | None:
    rows = [_fields(line, separator) for line in lines]
    if not rows or len(rows[-1]) < (1 if separator is None else 2):
        return None
    numeric = [all(map(is_number, row)) for row in rows]
    names = len(rows) > 1 and (not numeric[0] or rows[0] == [b"%d" % i for i in range(len(rows[0]))])
    widths = {len(row) for row in rows[names:]}
    fits = all(numeric[names:]) and len(widths) == 1
    return _Look(separator, widths.pop(), names) if fits else None


def read(source: Source) -> Contents:
    """The rows in file order.

    Raises:
        EmbeddingsError: a row of another length, or with something that is no number.
    """
    look = source.once(_look)
    if look is None:
        raise source.refusal("no rows of numbers were found", "Write the numbers of one vector on each line")
    matrix, lines = GrowingMatrix(look.dimension, source), []
    for block in read_lines(source):
        first = 1 if look.has_header and block.first == 1 else 0
        rows = [(block.first + i, look.fields(text)) for i, text in enumerate(block.texts[first:], first)]
        rows = [(line, fields) for line, fields in rows if fields]
        if rows:
            matrix.append(_values(rows, look.dimension, source))
            lines += [line for line, _ in rows]
    header = ("Line 1 was taken for a header.",) if look.has_header else ()
    return Contents(matrix.finished(), None, np.array(lines, dtype=np.int64), header)


def _values(rows: list[tuple[int, list[bytes]]], dimension: int, source: Source) -> NDArray[np.float32]:
    fields = [field.decode("utf-8", "replace") for _, row in rows for field in row]
    values = plain_values(fields) if all(len(row) == dimension for _, row in rows) else None
    if values is not None:
        return values.reshape(-1, dimension)
    line, row = next((line, row) for line, row in rows if len(row) != dimension or not all(map(is_number, row)))
    wrong = next((field for field in row if not is_number(field)), None)
    found = f"{len(row):,} found" if wrong is None else f"found {quoted(wrong.decode('utf-8', 'replace'))}"
    raise source.refusal(f"line {line}: {counted(dimension, 'number')} expected, {found}", "Repair that row")


LOADER = Loader(
    name="number-rows",
    label="text of numbers without words",
    description="A text with the numbers of one vector on each line, separated by tabs, spaces or commas, as the "
    "Embedding Projector's vectors.tsv; with the words in a second file such as its metadata.tsv.",
    extensions=(".tsv", ".txt", ".csv"),
    recognises=recognises,
    read=read,
    holds_words=False,
)
