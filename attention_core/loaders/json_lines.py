"""JSON Lines: a word and its vector on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.json_records import Entries, find_fields, found
from attention_core.loaders.base.json_text import survey_json
from attention_core.loaders.base.lines import read_lines
from attention_core.loaders.base.wording import quoted


def recognises(source: Source) -> bool:
    """Whether the first line is a JSON value and another follows, or it is a record by itself."""
    return source.once(survey_json) == "lines"


def read(source: Source) -> Contents:
    """The words and vectors in the fields that the first line shows; blank lines are passed over.

    Raises:
        EmbeddingsError: a line that is no JSON, or lacks the word or a vector of the same size as the first.
    """
    entries, fields = Entries(source), None
    lines: list[int] = []
    for line, record in _records(source):
        fields = fields or find_fields(record)
        if fields is None:
            raise source.refusal(
                f"line {line}: an object with a word and a vector is expected, found {found(record)} without",
                'Write {"word": "river", "vector": [0.5, 1]} or ["river", 0.5, 1] on each line',
            )
        entries.add_record(record, fields, f"line {line}")
        lines.append(line)
    words = entries.words if fields and fields.word is not None else None
    told = fields.warnings if fields else ()
    return Contents(entries.matrix(), words, np.array(lines, dtype=np.int64), told)


def _records(source: Source) -> Iterator[tuple[int, Any]]:
    for block in read_lines(source):
        for line, text in enumerate(block.texts, block.first):
            if not text.strip():
                continue
            try:
                yield line, json.loads(text.decode())
            except (ValueError, RecursionError) as error:
                cut = not block.ended and line == block.first + len(block) - 1
                reason = ", and this last line has no newline, so the file looks cut" if cut else ""
                shown = quoted(text.decode("utf-8", "replace"))
                kind = "UTF-8" if isinstance(error, UnicodeDecodeError) else "JSON"
                raise source.refusal(
                    f"line {line} is not {kind} ({shown}){reason}",
                    "Fetch or write the file again" if cut else "Repair or remove that line",
                ) from None


LOADER = Loader(
    name="json-lines",
    label="JSON Lines",
    description='A line for each word, such as {"word": "river", "vector": [0.5, 1]}, {"text": …, "embedding": […]} or '
    '["river", 0.5, 1].',
    extensions=(".jsonl", ".ndjson"),
    recognises=recognises,
    read=read,
)
