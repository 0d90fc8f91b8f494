"""Rows of numbers without words, as the Embedding Projector's vectors.tsv: the words come from a second file."""

from __future__ import annotations

import re
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
_FIELD = re.compile(rb"[^ \t,;]+")


@dataclass(frozen=True)
class _Look:
    """How many numbers a row holds, and whether line 1 is a header."""

    dimension: int
    has_header: bool


def recognises(source: Source) -> bool:
    """Whether the first rows are numbers alone, and no column of them can be the words."""
    if source.once(_look) is None:
        return False
    table = source.once(survey_table)
    return source.listed or not (source.once(survey).labelled if table is None else table.word_column is not None)


def _look(source: Source) -> _Look | None:
    rows = [_FIELD.findall(line) for line in first_lines(source, _SAMPLE)]
    rows = [row for row in rows if row]
    numeric = [all(map(is_number, row)) for row in rows]
    if not rows or not all(numeric[1:]) or not any(numeric):
        return None
    widths = {len(row) for row, holds in zip(rows, numeric, strict=True) if holds}
    return _Look(widths.pop(), not numeric[0]) if len(widths) == 1 else None


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
        rows = [(block.first + i, _FIELD.findall(text)) for i, text in enumerate(block.texts[first:], first)]
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
