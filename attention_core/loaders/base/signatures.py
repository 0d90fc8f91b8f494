"""What a file that no loader recognises looks like."""

from __future__ import annotations

import re

from attention_core.loaders.base.lines import first_lines
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.survey import survey
from attention_core.loaders.base.table import JSON, survey_table
from attention_core.loaders.base.wording import size

PICKLE = "a pickle, which is never opened because it can run any code"

_BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (rb"\x80[\x02-\x05]", PICKLE),
    (rb"[]})(]q\x00|\(?[dlt]p\d+\n|\(dp|c[A-Za-z_][\w.]*\n[A-Za-z_]\w*\n", PICKLE),
    (rb"PK\x03\x04(?s:.{26}).*data\.pkl", f"a PyTorch file, inside which is {PICKLE}"),
    (rb"PK\x03\x04|PK\x05\x06", "a zip archive"),
    (rb"\x1f\x8b", "a gzip file"),
    (rb"BZh[1-9]", "a bzip2 file"),
    (rb"\xfd7zXZ\x00", "an xz file"),
    (rb"\x28\xb5\x2f\xfd", "a Zstandard file"),
    (rb"(?s).{257}ustar", "a tar archive"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (rb"ARROW1|FEA1", "an Arrow file"),
    (rb"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (rb"GGUF", "a GGUF model"),
    (rb"SQLite format 3\x00", "an SQLite database"),
    (rb"%PDF-", "a PDF document"),
    (rb"(?i)\s*<(?:!doctype|html|\?xml)", "a web page"),
    (rb"(?s).{6}\x00\x00\s*\{", "a safetensors file"),
    (rb"\d+ \d+\r?\n[^\n]*[\x00-\x08\x0e-\x1f\x7f-\xff]", "word2vec binary"),
    (
        JSON.pattern,
        'JSON, where {"river": [0.5, 1], …} or [{"word": "river", "vector": [0.5, 1]}, …] is expected',
    ),
    (rb"(?:[^\x00]\x00){8}|(?:\x00[^\x00]){8}", "UTF-16 text without a byte order mark"),
)
"""Patterns that the first bytes match, the more telling first."""


def looks_like(source: Source) -> str:
    """What the content looks like, in the middle of a sentence."""
    for pattern, name in _BEGINNINGS:
        if re.match(pattern, source.head):
            return name
    return _kind_of_text(source)


def _kind_of_text(source: Source) -> str:
    text = source.text_head
    if not text.strip():
        return "blank lines only"
    if b"\r" in text and b"\n" not in text:
        return "text whose lines end in a carriage return without a newline"
    if not first_lines(source, 1):
        return f"text whose first line goes on for more than {size(len(source.head))}"
    if re.search(rb"[\x00-\x08\x0e-\x1a]", text[:4096]):
        return "binary data of an unknown kind"
    table = source.once(survey_table)
    if source.once(survey).dimension or (table and len(table.numeric_columns) == len(table.names)):
        return "rows of numbers without words"
    if table:
        return "a table without a column of words and columns of numbers or a column of vectors"
    return "text in which the lines are not a word followed by numbers"
