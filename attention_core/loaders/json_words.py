"""JSON: an object of words and vectors, an object of two lists, or a list of records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.json_records import Entries, Fields, find_fields, found
from attention_core.loaders.base.json_text import JsonText, survey_json
from attention_core.loaders.base.naming import VECTOR_NAMES, WORD_NAMES, choice, likeliest
from attention_core.loaders.base.wording import counted, quoted

_SHAPES = (
    'Write {"river": [0.5, 1], …}, {"words": ["river", …], "vectors": [[0.5, 1], …]} or '
    '[{"word": "river", "vector": [0.5, 1]}, …]'
)


def recognises(source: Source) -> bool:
    """Whether the file begins as a JSON object or array does, and is not JSON Lines."""
    return source.once(survey_json) == "document"


def read(source: Source) -> Contents:
    """The words and vectors in file order; a name that occurs twice in an object counts as a repeated word.

    Raises:
        EmbeddingsError: malformed JSON, JSON of another shape, or a vector that is no list of numbers of the first's
            size.
    """
    text = JsonText(source)
    contents = _records(text, source) if text.peek() == "[" else _object(text, source)
    text.end()
    return contents


def _records(text: JsonText, source: Source) -> Contents:
    """[{"word": "river", "vector": [0.5, 1]}, …] or [["river", 0.5, 1], …]."""
    entries, fields = Entries(source), Fields(None, "")
    for row, _ in enumerate(text.each("[]"), 1):
        record = text.value()
        if row == 1:
            fields = _fields(record, source)
        entries.add_record(record, fields, f"row {row}")
    words = None if fields.word is None else entries.words
    return Contents(entries.matrix(), words, None, fields.warnings)


def _fields(record: Any, source: Source) -> Fields:
    fields = find_fields(record)
    if fields is None:
        raise source.refusal(
            f"a list of words with vectors is expected, found a list of which the first is {found(record)}", _SHAPES
        )
    return fields


@dataclass
class _Lists:
    """Lists in an object, by name: words, vectors, and whole records."""

    words: dict[str, list[str]] = field(default_factory=dict)
    vectors: dict[str, Entries] = field(default_factory=dict)
    records: dict[str, Contents] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.words or self.vectors or self.records)

    def read(self, name: str, text: JsonText, source: Source) -> None:
        """The list that comes next."""
        inside = text.peek_inside()
        if inside == "{":
            self.records[name] = _records(text, source)
            return
        entries = Entries(source)
        known = next(iter(self.words.values()), [])
        for row, _ in enumerate(text.each("[]"), 1):
            if inside == '"':
                entries.words.append(entries.text(text.value(), f"{quoted(name)}, row {row}"))
            else:
                word = known[row - 1] if row <= len(known) else None
                entries.add_vector(text.value(), f"{quoted(name)}, row {row}", word)
        if inside == '"':
            self.words[name] = entries.words
        else:
            self.vectors[name] = entries

    def contents(self, source: Source) -> Contents:
        """The likeliest of the lists, put together."""
        vector = likeliest(list(self.vectors), VECTOR_NAMES)
        if vector is None:
            records = likeliest(list(self.records), VECTOR_NAMES)
            if records is None:
                raise source.refusal(f"a list of vectors is expected beside {quoted(next(iter(self.words)))}", _SHAPES)
            return self.records[records]
        word = likeliest(list(self.words), WORD_NAMES)
        told = choice("vectors", vector, list(self.vectors))
        matrix = self.vectors[vector].matrix()
        if word is None:
            return Contents(matrix, None, None, told)
        words = self.words[word]
        if len(words) != len(matrix):
            what = f"{counted(len(words), 'word')} and {counted(len(matrix), 'vector')} were found"
            raise source.refusal(what, "Give one vector for each word")
        return Contents(matrix, words, None, (*choice("words", word, list(self.words)), *told))


def _object(text: JsonText, source: Source) -> Contents:
    """{"river": [0.5, 1], …}, or {"words": […], "vectors": […]} among other things, which are passed over."""
    entries, lists = Entries(source), _Lists()
    other: tuple[Any, ...] = ()
    for row, _ in enumerate(text.each("{}"), 1):
        name, inside = text.key(), text.peek_inside()
        if not entries and _is_list(name, inside):
            lists.read(name, text, source)
        elif lists:
            text.skip()
        elif inside or entries:
            if other:
                entries.add(*other)  # refused: vectors follow, so this one should have been a word's
            entries.add(name, text.value(), f"row {row}")
        else:
            other = other or (name, text.value(), f"row {row}")
    if lists:
        return lists.contents(source)
    if other and not entries:
        raise source.refusal(
            f"words with vectors are expected, found {quoted(other[0])} with {found(other[1])}", _SHAPES
        )
    return Contents(entries.matrix(), entries.words)


def _is_list(name: str, inside: str) -> bool:
    """Whether an array is one of many words, vectors or records, by its name and its first character."""
    usual = {'"': WORD_NAMES, "[": VECTOR_NAMES, "{": VECTOR_NAMES}
    return name.strip().lower() in usual.get(inside, ())


LOADER = Loader(
    name="json-words",
    label="JSON",
    description='An object such as {"river": [0.5, 1], …} or {"words": […], "vectors": […]}, or a list of objects with '
    "a word and a vector each.",
    extensions=(".json",),
    recognises=recognises,
    read=read,
)
