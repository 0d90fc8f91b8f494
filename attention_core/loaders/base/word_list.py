"""The words in a file of their own: one on each line, a column of a table, or JSON."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass

from attention_core.loaders.base.lines import decoded, read_lines
from attention_core.loaders.base.naming import WORD_NAMES
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.table import JSON, csv_reader
from attention_core.loaders.base.wording import counted, quoted


@dataclass(frozen=True)
class WordList:
    """The words, in the order of the vectors, and what was decided about their file."""

    words: list[str]
    warnings: tuple[str, ...] = ()


def read_word_list(source: Source, rows: int) -> WordList:
    """As many words as there are rows; a blank line is a word too, unless it is a surplus one at the end.

    A table (the metadata of the Embedding Projector) gives its column of words; JSON a list of words, or an object
    that numbers them.

    Raises:
        EmbeddingsError: another number of words, or bytes that are no text.
    """
    numbered = _of_json(source) if JSON.match(source.text_head) else None
    if numbered is not None and len(numbered) == rows:
        return WordList(numbered)
    lines = _lines(source)
    while len(lines) > rows and not lines[-1].strip():
        del lines[-1]
    if numbered is not None and (len(lines) != rows or b'"' in source.text_head):
        raise source.refusal(
            f"{counted(rows, 'word')} are expected, one for each vector, and the JSON holds {len(numbered):,}",
            'Give a list of words, ["king", "queen", …], or an object that numbers them from 0',
        )
    table = _of_table(lines, rows, source)
    return table or WordList(_counted(lines, rows, source), _whole(lines))


def _lines(source: Source) -> list[str]:
    found: list[str] = []
    for lines in read_lines(source):
        strings, broken = decoded(lines.whole)
        if broken:
            place = f"line {lines.first + broken[0]} ({quoted(strings[broken[0]])})"
            raise source.refusal(f"{place} holds bytes that are not UTF-8", "Save the list of words as UTF-8")
        found += strings
        source.check_shape(len(found), 1)
    return found


def _of_table(lines: list[str], rows: int, source: Source) -> WordList | None:
    """A column of words, where the lines are a table: with tabs, or with a header that names words."""
    if not lines:
        return None
    tabbed = "\t" in lines[0]
    try:
        cells = [line.split("\t") for line in lines] if tabbed else list(csv_reader((f"{x}\n" for x in lines), ","))
    except csv.Error:
        return None
    header = [cell.strip().lower() for cell in cells[0]]
    named = [name for name in WORD_NAMES if name in header]
    uniform = tabbed and {len(row) for row in cells} == {len(header)} and len(header) > 1
    if len(cells) == rows and uniform:
        column = int(all(row[0].isdigit() for row in cells))
        place = "second" if column else "first"
        return WordList(
            [row[column] for row in cells], (f"The words were taken from the {place} column of their file.",)
        )
    if len(cells) != rows + 1 or not (named or uniform):
        return None
    column = header.index(named[0]) if named else 0
    short = next((i for i, row in enumerate(cells) if len(row) <= column and column), None)
    if short is not None:
        raise source.refusal(
            f"line {short + 1}: {counted(len(header), 'column')} expected, {len(cells[short]):,} found",
            "Give every line as many columns as the header",
        )
    told = f"The words were taken from the column {quoted(cells[0][column])} of their file, whose line 1 is its header."
    return WordList([row[column] if row else "" for row in cells[1:]], (told,))


def _whole(lines: list[str]) -> tuple[str, ...]:
    """What to say of lines that look like more than a word each."""
    shapes = {
        "a comma": lambda line: line.count(",") == 1,
        "a semicolon": lambda line: line.count(";") == 1,
        "a number after a space": lambda line: line.rpartition(" ")[2].isdigit() and " " in line,
        "quotation marks around it": lambda line: len(line) > 1 and line[0] == line[-1] == '"',
        "a JSON object": lambda line: line.startswith("{") and line.endswith("}"),
    }
    alike = [what for what, holds in shapes.items() if len(lines) > 1 and all(map(holds, lines))]
    return tuple(f"Every line of the list of words holds {what}, and was read whole as a word." for what in alike)


def _of_json(source: Source) -> list[str] | None:
    """The words of a JSON list, or of an object that numbers them from 0: none in other JSON, None for other text."""
    try:
        found = json.loads(b"".join(source.text_blocks()))
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict) and sorted(map(str, found.values())) == sorted(map(str, range(len(found)))):
        return sorted(found, key=lambda word: int(found[word]))
    return found if isinstance(found, list) and all(isinstance(word, str) for word in found) else []


def _counted(words: list[str], rows: int, source: Source) -> list[str]:
    if len(words) == rows:
        return words
    hint = "Give one word for each row, each on a line of its own"
    if len(words) == rows + 1:
        hint = f"Remove the first line ({quoted(words[0])}) if it is a header, or give one word for each row"
    raise source.refusal(f"{counted(rows, 'word')} are expected, one for each vector, and {len(words):,} found", hint)
