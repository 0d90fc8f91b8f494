"""CSV or TSV with a column for each dimension."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from string import digits

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.dimensions import dimensions, left_out, unnumbered
from attention_core.loaders.base.naming import some
from attention_core.loaders.base.records import Record, read_table
from attention_core.loaders.base.table import Table, holds_vectors, survey_table


@dataclass(frozen=True)
class _Columns:
    """Where the word and the numbers of a record stand, and the names of the columns left out."""

    word: int
    numbers: tuple[int, ...]
    ignored: tuple[str, ...]


def recognises(source: Source) -> bool:
    """Whether the first lines are a table with words and columns of numbers."""
    table = source.once(survey_table)
    return table is not None and table.vector_column is None and holds_vectors(table)


def read(source: Source) -> Contents:
    """The words, and the columns of numbers in file order."""
    table = source.once(survey_table)
    columns = _columns(table) if table else None
    if table is None or columns is None:
        raise source.refusal("no column of numbers was found", "Give each dimension a column")
    first, *others = columns.numbers
    pick = itemgetter(first, *others) if others else itemgetter(slice(first, first + 1))

    def fields(record: Record) -> Sequence[str]:
        picked: Sequence[str] = pick(record.cells)
        return picked if table.decimal == "." else [table.plain(cell) for cell in picked]

    contents = read_table(source, table, columns.word, fields)
    named = [table.names[i] for i in columns.numbers]
    told = (*left_out(columns.ignored), *_counted_names(named), *unnumbered(named), *_repeated(named))
    return replace(contents, warnings=(*contents.warnings, *told))


def _columns(table: Table) -> _Columns | None:
    word = table.word_column
    chosen = table.choices.vectors
    numbers = tuple(i for i in table.numeric_columns if i != word)
    if table.has_header:
        numbers = dimensions(table.names, word, numbers)
    if chosen is not None:
        numbers = tuple(i for i, name in enumerate(table.names) if name in chosen)
    if word is None or not numbers:
        return None
    read = {word, *numbers}
    ignored = [name for i, name in enumerate(table.names) if i not in read]
    return _Columns(word, numbers, tuple(ignored))


def _counted_names(names: list[str]) -> tuple[str, ...]:
    """What to say of a header that could as well be the first row."""
    if any(name.strip().rstrip(digits) for name in names):
        return ()
    return (f"Line 1 was taken for a header, since its columns {some(names)} can be names of dimensions.",)


def _repeated(names: list[str]) -> tuple[str, ...]:
    """What to say of columns that share a name; all of them are read."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    return (f"Several columns are called {some(twice)}; all were read.",) if twice else ()


LOADER = Loader(
    name="csv-columns",
    label="CSV/TSV table",
    description="A table with a header, a column of words and a column for each dimension, separated by commas, "
    "semicolons or tabs.",
    extensions=(".csv", ".tsv", ".tab"),
    recognises=recognises,
    read=read,
)
