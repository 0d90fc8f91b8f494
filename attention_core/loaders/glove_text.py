"""GloVe text: a word and its numbers on each line, and no header."""

from __future__ import annotations

from dataclasses import replace

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.rows import read_rows
from attention_core.loaders.base.survey import survey
from attention_core.loaders.base.table import holds_vectors, survey_table


def recognises(source: Source) -> bool:
    """Whether most of the first rows are a word and numbers, the first one included."""
    look = source.once(survey)
    return look.header is None and look.dimension > 0 and look.labelled and not holds_vectors(source.once(survey_table))


def read(source: Source) -> Contents:
    """The rows, with as many dimensions as most of the first rows have numbers."""
    look = source.once(survey)
    contents = read_rows(source, look.dimension, header_lines=int(look.named))
    if not (look.doubtful or look.named):
        return contents
    taken = "Line 1 was taken for a header, since its numbers count the columns."
    if look.doubtful:
        taken = "Line 1 could be a header, but each row holds one number, so line 1 was read as a word and its number."
    return replace(contents, warnings=(taken, *contents.warnings))


LOADER = Loader(
    name="glove-text",
    label="GloVe text",
    description="A text with a word and its numbers on each line, separated by spaces or tabs, without a header.",
    extensions=(".txt", ".vec"),
    recognises=recognises,
    read=read,
)
