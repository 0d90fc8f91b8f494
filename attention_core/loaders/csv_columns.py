"""CSV or TSV with a column for each dimension."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.records import Record, read_table
from attention_core.loaders.base.table import Table, holds_vectors, survey_table
from attention_core.loaders.base.wording import listed, quoted

_NAMED = 5


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
    return replace(contents, warnings=(*contents.warnings, *_left_out(columns.ignored), *_doubtful(named)))


def _columns(table: Table) -> _Columns | None:
    """Columns named alike but for a number (d0, d1, …) are the vector; without such names, all columns of numbers."""
    word = table.word_column
    chosen = table.choices.vectors
    numeric = [i for i in table.numeric_columns if i != word]
    if chosen is not None:
        numeric = [i for i, name in enumerate(table.names) if name in chosen]
    if word is None or not numeric:
        return None
    alike = defaultdict(list)
    for i, name in enumerate(table.names):
        if i != word and (match := re.fullmatch(r"(.*?)\d+", name.strip())):
            alike[match[1]].append(i)
    groups = [group for group in alike.values() if len(group) > 1 and set(group) & set(numeric)]
    numbers = groups[0] if len(groups) == 1 and chosen is None else numeric
    ignored = [name for i, name in enumerate(table.names) if i not in (word, *numbers)]
    return _Columns(word, tuple(numbers), tuple(ignored))


def _doubtful(names: list[str]) -> tuple[str, ...]:
    """What to say of a vector whose columns are not numbered d0, d1, … under one name."""
    stems = {re.sub(r"\d+$", "", name.strip()) for name in names}
    if stems == {""}:
        return (f"Line 1 was taken for a header, since its columns {_some(names)} can be names of dimensions.",)
    return () if len(stems) == 1 else (f"Taken as the dimensions of the vectors: columns {_some(names)}.",)


def _some(names: Sequence[str]) -> str:
    shown = [quoted(name) for name in names[:_NAMED]]
    return listed([*shown, *([f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else [])])


def _left_out(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        return ()
    return (f"Not part of the vectors: {'column' if len(names) == 1 else 'columns'} {_some(names)}.",)


LOADER = Loader(
    name="csv-columns",
    label="CSV/TSV table",
    description="A table with a header, a column of words and a column for each dimension, separated by commas, "
    "semicolons or tabs.",
    extensions=(".csv", ".tsv", ".tab"),
    recognises=recognises,
    read=read,
)
