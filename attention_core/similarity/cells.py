"""Small tables that people write by hand or export: rows of a few cells, however they are separated and encoded."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, islice
from typing import TYPE_CHECKING, NamedTuple

from attention_core.loaders.base.encodings import shown
from attention_core.loaders.base.limits import Limits
from attention_core.loaders.base.lines import decoded, read_lines
from attention_core.loaders.base.numbers import is_number
from attention_core.loaders.base.opening import File, opened
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.wording import counted, listed, quoted

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

SMALL = Limits(bytes=10_000_000, rows=100_000)
"""What a table of judgements may weigh and hold."""
SEPARATORS = ("\t", ";", ",")
_SAMPLE = 200
_EXAMPLES = 3


class Line(NamedTuple):
    """A line of the file: its number, from 1, and its text with the end of line."""

    number: int
    text: str


class Row(NamedTuple):
    """A record: the line where it begins, and its cells without surrounding spaces."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Cells:
    """A table as text.

    Attributes:
        name: of the file.
        rows: blank lines and a comment at the top (lines that begin with “#”) left out.
        separator: what stands between two cells.
        notes: what was noticed, one sentence each.
    """

    name: str
    rows: tuple[Row, ...]
    separator: str
    notes: tuple[str, ...]


def read_cells(file: File, name: str | None, fits: Callable[[Sequence[str]], bool], spaces: bool) -> Cells:
    """The rows of a table of text, separated as fits most of its first lines.

    Args:
        file: a path, or a file opened in binary mode.
        name: what to call a file without a name of its own.
        fits: whether the cells could be a record of the wanted kind.
        spaces: whether cells may also be separated by spaces, where nothing else fits.

    Raises:
        EmbeddingsError: a file that cannot be opened or is too large, one in which no line fits, or a quotation mark
            that is never closed.
    """
    with opened(file, name, SMALL, unnamed="table") as source:
        lines, notes = _lines(source)
        lines = list(dropwhile(lambda line: line.text.startswith("#"), lines))
        sample = lines[:_SAMPLE]
        separator = max(SEPARATORS, key=lambda each: _fitting(sample, each, fits))  # the first of equals
        if spaces and not _fitting(sample, separator, fits):
            separator = " "
        if not _fitting(sample, separator, fits):
            first = f": line {lines[0].number} is {quoted(lines[0].text.strip())}" if lines else ""
            raise source.refusal(
                f"no line could be read as a row of this table{first}",
                "Separate the cells of each row with commas, semicolons or tabs, as in the example",
            )
        return Cells(source.name, tuple(_rows(source, lines, separator)), separator, notes)


def _lines(source: Source) -> tuple[list[Line], tuple[str, ...]]:
    """The lines that are not blank, and what was noticed about their bytes."""
    found: list[Line] = []
    broken: list[int] = []
    for block in read_lines(source):
        texts, not_text = decoded(block.whole)
        found += [Line(block.first + i, text.strip(" ") + "\n") for i, text in enumerate(texts) if text.strip()]
        broken += [block.first + i for i in not_text]
        source.check_shape(len(found), 1)
    encoding = shown(source.encoding)
    notes = [f"The text was read as {encoding}."] if encoding else []
    if broken:
        notes.append(f"{counted(len(broken), 'line')} held bytes that are not UTF-8 (first: line {broken[0]}).")
    return found, tuple(notes)


def _fitting(lines: Sequence[Line], separator: str, fits: Callable[[Sequence[str]], bool]) -> int:
    """How many of these lines could be records, taken one by one."""
    count = 0
    for line in lines:
        try:
            count += sum(fits(cells) for cells in map(_stripped, _split([line], separator)))
        except csv.Error:
            continue
    return count


def _split(lines: Sequence[Line], separator: str) -> CsvReader:
    return csv.reader((line.text for line in lines), delimiter=separator, strict=True, skipinitialspace=True)


def _stripped(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in cells)


def _rows(source: Source, lines: Sequence[Line], separator: str) -> Iterator[Row]:
    reader = _split(lines, separator)
    while reader.line_num < len(lines):
        line = lines[reader.line_num].number
        try:
            yield Row(line, _stripped(next(reader)))
        except csv.Error as error:
            raise source.refusal(
                f"the record that begins on line {line} cannot be taken apart ({error})",
                'Put cells that hold quotes in quotes, and write each quote in them twice ("")',
            ) from None


def value(cell: str, decimal: str) -> float | None:
    """The finite number in a cell, or None.

    Example:
        >>> value("7.5", "."), value("7,5", ","), value("nan", "."), value("high", ".")
        (7.5, 7.5, None, None)
    """
    plain = cell.replace(",", ".") if decimal == "," else cell
    number = float(plain) if is_number(plain.encode("utf-8", "replace")) else float("nan")
    return number if abs(number) < float("inf") else None


def decimal_of(cells: Sequence[str]) -> str:
    """Whether these cells, a column of numbers, are written with a decimal comma or point."""
    return "," if any("," in cell for cell in cells) and not any("." in cell for cell in cells) else "."


def left_out(what: str, bad: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """The note on rows that could not be used, as (line, reason); () for none.

    Example:
        >>> left_out("row", [(5, "“high” is no number")])
        ('1 row was left out: line 5 (“high” is no number).',)
    """
    if not bad:
        return ()
    examples = [f"line {line} ({why})" for line, why in islice(bad, _EXAMPLES)]
    more = [f"{len(bad) - _EXAMPLES:,} more"] if len(bad) > _EXAMPLES else []
    return (f"{counted(len(bad), what)} {'was' if len(bad) == 1 else 'were'} left out: {listed([*examples, *more])}.",)
