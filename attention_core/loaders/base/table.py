"""A first look at a table of separated values (CSV, TSV): its separator, its header and what its columns hold."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from attention_core.loaders.base.choices import Choices
from attention_core.loaders.base.lines import first_lines
from attention_core.loaders.base.naming import WORD_NAMES
from attention_core.loaders.base.numbers import is_number
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.wording import listed, quoted

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

JSON = re.compile(rb"\s*(?:\{\s*(?:[\"}]|$)|\[\s*(?:[\[{\"\d\]-]|$))")
"""How JSON begins; a table may begin with the word “[PAD]”."""

_VECTOR = re.compile(r"\s*\[\s*(?:[-+.\d\]]|nan|inf)", re.IGNORECASE)
_SEPARATORS = (",", "\t", ";")
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
        """The first column in which at least half of the sampled cells begin as a vector in brackets does."""
        taken = self._named_words()[:1]
        columns = [i for i in self._allowed() if i not in taken and _mostly(_is_vector, self.column(i))]
        return next(iter(columns), None)

    @cached_property
    def numeric_columns(self) -> tuple[int, ...]:
        """The columns in which at least half of the sampled cells are numbers."""
        return tuple(i for i in self._allowed() if _mostly(self.is_numeric, self.column(i)))

    @cached_property
    def word_column(self) -> int | None:
        """The column that holds the words: by its name, else the first that is neither numbers nor vectors.

        Numbers without a fraction in the first column may be words too. None when no column can be the words.
        """
        if self.choices.word is not None:
            return self.names.index(self.choices.word) if self.choices.word in self.names else None
        taken = (*self.numeric_columns, self.vector_column)
        verbal = [i for i in range(len(self.names)) if i not in taken]
        counts = [] if any("." in cell for cell in self.column(0)) else [0]
        return next(iter(self._named_words() + verbal + counts), None)

    def is_numeric(self, cell: str) -> bool:
        """Whether a cell is a number, as this table writes them."""
        return _is_number(self.plain(cell).strip())

    def plain(self, cell: str) -> str:
        """A cell with a decimal point in place of a decimal comma."""
        return cell.replace(",", ".") if self.decimal == "," else cell

    def _allowed(self) -> list[int]:
        """The columns that may be part of the vectors."""
        chosen = self.choices.vectors
        return [i for i, name in enumerate(self.names) if chosen is None or name in chosen]

    def _named_words(self) -> list[int]:
        if self.choices.word in self.names:
            return [self.names.index(self.choices.word)]
        names = [name.strip().lower() for name in self.names]
        return [names.index(name) for name in WORD_NAMES if name in names]


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

    Of the separators, the one that gives words and vectors counts, then the one that gives the most columns; the
    file's ending decides between equals.
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
        key=lambda table: (holds_vectors(table), len(table.names), table.separator == preferred),
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
    if 2 * len(same) < len(records):
        return None
    decimal = "," if separator != "," and _comma_is_decimal(same) else "."
    bare = Table(separator, tuple(f"column {i}" for i in range(1, width + 1)), False, same, decimal, choices)
    has_header = _is_header(same[0], bare) if choices.header is None else choices.header
    return replace(bare, names=same[0], has_header=True, sample=same[1:]) if has_header else bare


def _comma_is_decimal(records: tuple[tuple[str, ...], ...]) -> bool:
    """Whether cells such as “0,5” occur, and none such as “0.5”."""
    cells = [cell.strip() for record in records for cell in record]
    points = any("." in cell and _is_number(cell) for cell in cells)
    return not points and any(cell.count(",") == 1 and _is_number(cell.replace(",", ".")) for cell in cells)


def _is_header(cells: tuple[str, ...], table: Table) -> bool:
    """Whether cells are names: not all (but the first) values, or counted from 0 or 1 as pandas names columns."""
    rest = [cell.strip() for cell in cells[1:]]
    if rest in ([str(i + start) for i in range(len(rest))] for start in (0, 1)):
        return len(rest) > 1 or cells[0].strip().lower() in WORD_NAMES
    return not all(table.is_numeric(cell) or _is_vector(cell) for cell in rest)


def _is_vector(cell: str) -> bool:
    """Whether a cell begins as a vector in brackets does; “[PAD]” does not."""
    return _VECTOR.match(cell) is not None


def _is_number(cell: str) -> bool:
    return is_number(cell.encode("utf-8", "replace"))


def _mostly(holds: Callable[[str], bool], cells: list[str]) -> bool:
    return 2 * sum(map(holds, cells)) >= len(cells) > 0
