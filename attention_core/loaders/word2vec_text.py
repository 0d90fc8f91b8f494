"""word2vec text, which fastText writes too (.vec): a header “words dimensions”, then a word and its numbers a line."""

from __future__ import annotations

from dataclasses import replace

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.rows import read_rows
from attention_core.loaders.base.survey import survey
from attention_core.loaders.base.wording import counted


def recognises(source: Source) -> bool:
    """Whether the first line is two counts, and what follows (if anything) is rows that end in numbers."""
    look = source.once(survey)
    return look.header is not None and not look.binary and (look.dimension > 0 or look.rows == 0)


def read(source: Source) -> Contents:
    """The rows, with the header's dimension. All rows are read, also when the header counts them wrongly.

    Raises:
        EmbeddingsError: a header that declares more than the limits allow or does not fit the rows.
    """
    look = source.once(survey)
    header = look.header
    if header is None:
        raise source.refusal("no header of two counts was found", "Write “words dimensions” in line 1")
    source.check_shape(header.words, header.dimension)
    if header.dimension == 0 or not look.fits_header:
        raise source.refusal(
            f"line {header.line} declares {counted(header.dimension, 'dimension')}, but most rows hold "
            f"{look.dimension:,} numbers",
            "Correct the header",
        )
    contents = read_rows(source, header.dimension, header_lines=header.line)
    if header.words == len(contents.matrix):
        return contents
    rows = counted(len(contents.matrix), "row")
    cut = "" if source.ends_with_newline else " and its last line has no newline, so it may be cut"
    told = f"The header declares {counted(header.words, 'word')}, but the file holds {rows}{cut}; all were read."
    return replace(contents, warnings=(told, *contents.warnings))


LOADER = Loader(
    name="word2vec-text",
    label="word2vec text",
    description="A text that begins with a line “words dimensions”, then a word and its numbers on each line; "
    "fastText's .vec files are of this kind.",
    extensions=(".txt", ".vec"),
    recognises=recognises,
    read=read,
)
