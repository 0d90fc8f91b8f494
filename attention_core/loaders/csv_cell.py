"""CSV or TSV with each vector written in one cell."""

from __future__ import annotations

from dataclasses import replace

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.dimensions import left_out
from attention_core.loaders.base.records import Record, read_table
from attention_core.loaders.base.table import holds_vectors, survey_table
from attention_core.loaders.base.wording import quoted


def recognises(source: Source) -> bool:
    """Whether the first lines are a table in which a column holds vectors in brackets."""
    table = source.once(survey_table)
    return table is not None and table.vector_column is not None and holds_vectors(table)


def read(source: Source) -> Contents:
    """The words and the vectors, written as JSON or Python lists or as numpy prints arrays.

    Raises:
        EmbeddingsError: a cell that is no list, or one that numpy shortened with “...” when it was printed.
    """
    table = source.once(survey_table)
    column, word = (table.vector_column, table.word_column) if table else (None, None)
    if table is None or column is None or word is None:
        raise source.refusal("no column of vectors was found", "Write each vector as [0.5, -0.25]")

    def fields(record: Record) -> list[str]:
        cell = record.cells[column].strip()
        if "..." in cell:
            raise source.refusal(
                f"{record.place}: the vector holds “...”, as numpy shortens long arrays when printing them, "
                "and so its numbers are not in the file",
                "Write the file again with vector.tolist() in place of the array",
            )
        if not (cell.startswith("[") and cell.endswith("]")):
            raise source.refusal(
                f"{record.place}: a vector in brackets is expected, found {quoted(cell)}",
                "Write each vector as [0.5, -0.25]",
            )
        return cell[1:-1].replace(", ", ",").split("," if "," in cell else None)

    contents = read_table(source, table, word, fields)
    ignored = [name for i, name in enumerate(table.names) if i not in (column, word)]
    return replace(contents, warnings=(*contents.warnings, *left_out(ignored)))


LOADER = Loader(
    name="csv-cell",
    label="CSV/TSV with vectors in cells",
    description="A table with a column of words and a column of vectors, each in one cell such as [0.5, -0.25] or "
    "[ 0.5 -0.25], as pandas writes them.",
    extensions=(".csv", ".tsv"),
    recognises=recognises,
    read=read,
)
