"""A list of words in a file of its own, one on each line."""

from __future__ import annotations

from attention_core.loaders.base.lines import decoded, read_lines
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.wording import counted, quoted


def read_word_list(source: Source, rows: int) -> list[str]:
    """As many words as there are rows; a blank line is a word too, unless it is a surplus one at the end.

    Raises:
        EmbeddingsError: another number of words, or bytes that are not UTF-8.
    """
    words: list[str] = []
    for lines in read_lines(source):
        strings, broken = decoded(lines.texts)
        if broken:
            place = f"line {lines.first + broken[0]} ({quoted(strings[broken[0]])})"
            raise source.refusal(f"{place} holds bytes that are not UTF-8", "Save the list of words as UTF-8")
        words += strings
        source.check_shape(len(words), 1)
    while len(words) > rows and not words[-1]:
        del words[-1]
    if len(words) == rows:
        return words
    hint = "Give one word for each row, each on a line of its own"
    if len(words) == rows + 1:
        hint = f"Remove the first line ({quoted(words[0])}) if it is a header, or give one word for each row"
    raise source.refusal(f"{counted(rows, 'word')} are expected, one for each vector, and {len(words):,} found", hint)
