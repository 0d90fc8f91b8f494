"""A first look at a table of separated values (CSV, TSV): its separator, its header and what its columns hold."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from attention_core.loaders.base.choices import Choices
from attention_core.loaders.base.lines import first_lines
from attention_core.loaders.base.naming import VECTOR_NAMES, WEAK_NAMES, WORD_NAMES, likeliest
from attention_core.loaders.base.numbers import is_number
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.wording import listed, quoted

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

T = TypeVar("T")

JSON = re.compile(rb"\s*(?:\{\s*(?:[\"}]|$)|\[\s*(?:[\[{\"\d\]-]|$))")
"""How JSON begins; a table may begin with the word “[PAD]”."""

_VECTOR = re.compile(r"\s*\[\s*(?:[-+.\d\]]|nan|inf)", re.IGNORECASE)
_SEPARATORS = (",", "\t", ";")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+")
"""As in 12.345 where the comma is decimal."""
_SEVERAL = re.compile(r"(?:^|[\s;])[-+]?\d[\d.,]*+[\s;]++[-+]?\d[\d.,eE+-]*+\s*$")
"""Numbers with spaces, tabs or semicolons between them: what a wrong separator leaves in a cell."""
_SAMPLE = 50
_LONGEST_CELL = 2**24


@dataclass(frozen=True)
class Table:
    """What the first records of a table show.

    Attributes:
        separator: what stands between two cells.
        names: one name for each column; “column 1”, … when the table has no header.
        has_header: whether the first record is the header.
        sample: the first records after the header, each as wide as the header.
        decimal: how numbers are written: "0.5", or with the comma of many European tables, "0,5".
        choices: what the reader decided.
    """

    separator: str
    names: tuple[str, ...]
    has_header: bool
    sample: tuple[tuple[str, ...], ...]
    decimal: str
    choices: Choices

    def column(self, index: int) -> list[str]:
        """The sampled cells of one column, without surrounding spaces."""
        return [record[index].strip() for record in self.sample]

    @cached_property
    def vector_column(self) -> int | None:
        """The likeliest of the columns in which at least half of the sampled cells begin as a vector in brackets."""
        columns = [i for i in self._allowed() if _mostly(_is_vector, self.column(i))]
        name = likeliest([self.names[i] for i in columns], VECTOR_NAMES)
        return None if name is None else next(i for i in columns if self.names[i] == name)

    @cached_property
    def numeric_columns(self) -> tuple[int, ...]:
        """The columns in which at least half of the sampled cells are numbers, without one that numbers the rows."""
        numeric = [i for i in self._allowed() if _mostly(self.is_numeric, self.column(i))]
        return tuple(i for i in numeric if i or not self._first_numbers_rows)

    @cached_property
    def _first_numbers_rows(self) -> bool:
        """Whether the first column has no name and counts from 0 or 1 beside a column of text, as exports add one."""
        unnamed = not (self.has_header and self.names[0].strip())
        counted = [[str(i + start) for i in range(len(self.sample))] for start in (0, 1)]
        texts = any(not _mostly(self.is_numeric, self.column(i)) for i in range(1, len(self.names)))
        return unnamed and len(self.sample) > 1 and self.column(0) in counted and (texts or self.has_header)

    @cached_property
    def word_column(self) -> int | None:
        """The column that holds the words: by its name, else the first that is neither numbers nor vectors.

        A name such as “id” counts only where no such column is there. Numbers without a fraction in the first column
        may be words too. None when no column can be the words.
        """
        if self.choices.word is not None:
            return self.names.index(self.choices.word) if self.choices.word in self.names else None
        names = [name.strip().lower() for name in self.names]
        named = [names.index(name) for name in WORD_NAMES if name in names]
        strong = [i for i in named if names[i] not in WEAK_NAMES]
        verbal = [i for i in range(len(names)) if not _mostly(self._holds_numbers, self.column(i))]
        counts = [] if any("." in cell for cell in self.column(0)) else [0]
        return next(iter(strong + verbal + named + counts), None)

    def _holds_numbers(self, cell: str) -> bool:
        return self.is_numeric(cell) or _is_vector(cell)

    def is_numeric(self, cell: str) -> bool:
        """Whether a cell is a number, as this table writes them."""
        return _is_number(self.plain(cell).strip())

    def plain(self, cell: str) -> str:
        """A cell with a decimal point in place of a decimal comma."""
        if self.decimal == ".":
            return cell
        return (cell.replace(".", "") if _THOUSANDS.fullmatch(cell.strip()) else cell).replace(",", ".")

    def _allowed(self) -> list[int]:
        """The columns that may be part of the vectors."""
        chosen = self.choices.vectors
        return [i for i, name in enumerate(self.names) if chosen is None or name in chosen]


def holds_vectors(table: Table | None) -> bool:
    """Whether a table has a column of words and columns of numbers or of vectors; if so, it is no rows of text.

    Bare rows of numbers with tabs between them, without names or brackets, are rows of text and not a table.
    """
    if table is None or table.word_column is None:
        return False
    if table.vector_column is not None:
        return True
    named = table.has_header or table.separator != "\t" or table.decimal == ","
    return named and bool(set(table.numeric_columns) - {table.word_column})


def survey_table(source: Source) -> Table | None:
    """The table that the first lines show, or None when they are no table.

    Of the separators, the one that gives words and vectors counts, then one between numbers with decimal commas, then
    the one that gives the most columns; the file's ending decides between equals.
    """
    lines = [line.decode("utf-8", "replace") for line in first_lines(source, _SAMPLE)]
    if not lines or JSON.match(source.text_head):
        return None
    preferred = "\t" if source.name.lower().endswith((".tsv", ".tab")) else ","
    choices = source.choices
    separators = _SEPARATORS if choices.separator is None else (choices.separator,)
    tables = [table for separator in separators if (table := _table(lines, separator, choices))]
    return max(
        tables,
        key=lambda t: (holds_vectors(t), t.decimal == ",", len(t.names), t.separator == preferred),
        default=None,
    )


def check_choices(source: Source) -> None:
    """Refuse columns that were chosen and are not there."""
    chosen = [name for name in (source.choices.word, *(source.choices.vectors or ())) if name is not None]
    table = source.once(survey_table)
    missing = [name for name in chosen if table is None or name not in table.names]
    if missing:
        known = "no table" if table is None else f"columns {listed([quoted(name) for name in table.names[:8]])}"
        raise source.refusal(
            f"{known} found, and the column {quoted(missing[0])} was chosen", "Choose one that is there"
        )


def csv_reader(lines: Iterable[str], separator: str, strict: bool = True) -> CsvReader:
    """The standard reader, for cells as long as vectors are when written out."""
    # The default of 128 KiB is too short for that. It holds for the whole process, and is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    return csv.reader(lines, delimiter=separator, strict=strict)


def _table(lines: list[str], separator: str, choices: Choices) -> Table | None:
    try:
        records = [tuple(cells) for cells in csv_reader(lines, separator, strict=False) if cells]
    except csv.Error:
        return None
    if not records or len(records[0]) < 2:
        return None
    width = len(records[0])
    same = tuple(record for record in records if len(record) == width)
    if 2 * len(same) < len(records) or _mostly(lambda record: any(map(_SEVERAL.search, record)), same):
        return None
    decimal = "," if separator != "," and _comma_is_decimal(same) else "."
    bare = Table(separator, tuple(f"column {i}" for i in range(1, width + 1)), False, same, decimal, choices)
    has_header = _is_header(same[0], bare) if choices.header is None else choices.header
    return replace(bare, names=same[0], has_header=True, sample=same[1:]) if has_header else bare


def _comma_is_decimal(records: tuple[tuple[str, ...], ...]) -> bool:
    """Whether cells such as “0,5” occur, and none such as “0.5”."""
    cells = [cell.strip() for record in records for cell in record]
    points = any("." in cell and _is_number(cell) and not _THOUSANDS.fullmatch(cell) for cell in cells)
    return not points and any(cell.count(",") == 1 and _is_number(cell.replace(",", ".")) for cell in cells)


def _is_header(cells: tuple[str, ...], table: Table) -> bool:
    """Whether cells are names: no vector or fraction among them, and not all (but the first) numbers.

    Numbers are names where the first cell is one of the words', or where they count from 0 or 1 as pandas has it.
    """
    first, *rest = (cell.strip() for cell in cells)
    if any(_is_vector(cell) or (table.is_numeric(cell) and "." in table.plain(cell)) for cell in rest):
        return False
    if first.lower() in WORD_NAMES:
        return True
    if rest in ([str(i + start) for i in range(len(rest))] for start in (0, 1)):
        return len(rest) > 1 or not first
    return not all(map(table.is_numeric, rest))


def _is_vector(cell: str) -> bool:
    """Whether a cell begins as a vector in brackets does; “[PAD]” does not."""
    return _VECTOR.match(cell) is not None


def _is_number(cell: str) -> bool:
    return is_number(cell.encode("utf-8", "replace"))


def _mostly(holds: Callable[[T], bool], cells: Sequence[T]) -> bool:
    return 2 * sum(map(bool, map(holds, cells))) >= len(cells) > 0
