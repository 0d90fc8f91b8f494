"""Words and vectors out of JSON values, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from attention_core.loaders.base.growing import GrowingMatrix
from attention_core.loaders.base.naming import VECTOR_NAMES, WORD_NAMES, choice, likeliest
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.wording import counted, quoted

_NUMBERS = {int, float}  # and not bool, which isinstance would let through


@dataclass(frozen=True)
class Fields:
    """Where a record holds its word and its vector: names in an object, places in an array.

    Attributes:
        word: None in records that hold vectors only.
        vector: a slice where the numbers stand beside the word.
        warnings: what else could have been taken.
    """

    word: str | int | None
    vector: str | int | slice
    warnings: tuple[str, ...] = ()


def find_fields(record: object) -> Fields | None:
    """The fields of the usual names, else the first text and the first list of numbers; None when no list is there.

    Example:
        >>> find_fields({"pos": "noun", "text": "river", "embedding": [0.5, 1]}).word
        'text'
        >>> find_fields(["river", 0.5, 1])
        Fields(word=0, vector=slice(1, None, None), warnings=())
    """
    if isinstance(record, list):
        if len(record) == 2 and isinstance(record[1], list):
            return Fields(0, 1)
        flat = len(record) > 1 and isinstance(record[0], str) and not isinstance(record[1], str)
        return Fields(0, slice(1, None)) if flat else None
    if not isinstance(record, dict):
        return None
    lists = [name for name, value in record.items() if isinstance(value, list)]
    vectors = [name for name in lists if _is_vector(record[name])] or lists
    texts = [name for name, value in record.items() if isinstance(value, str)]
    counts = [name for name, value in record.items() if type(value) is int and name.strip().lower() in WORD_NAMES]
    # OpenAI's answers leave out the texts that were asked about.
    words = [] if record.get("object") == "embedding" else texts or counts
    vector, word = likeliest(vectors, VECTOR_NAMES), likeliest(words, WORD_NAMES)
    if vector is None:
        return None
    told = choice("words", word, words) if word is not None else ()
    return Fields(word, vector, (*told, *choice("vectors", vector, vectors)))


def is_row(record: object) -> bool:
    """Whether a value is certainly a record, and neither a mapping of words nor a list of records."""
    fields = find_fields(record)
    if fields is None or not isinstance(record, dict):
        return fields is not None and isinstance(record, list) and isinstance(record[0], str)
    usual = str(fields.word).lower() in WORD_NAMES and str(fields.vector).lower() in VECTOR_NAMES
    return usual and _is_vector(record[fields.vector])


class Entries:
    """The words and vectors so far; `add` and `add_vector` refuse what is none, by the place they are given."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows: GrowingMatrix | None = None
        self.words: list[str] = []

    def __len__(self) -> int:
        return 0 if self._rows is None else len(self._rows)

    def add_record(self, record: Any, fields: Fields, place: str) -> None:
        """The word and the vector in those fields of a record."""
        parts: list[Any] = []
        for field in (fields.word, fields.vector):
            try:
                parts.append(None if field is None else record[field])
            except (KeyError, IndexError, TypeError):
                wanted = f"the field {quoted(field)}" if isinstance(field, str) else "an array of a word and numbers"
                self._refuse(place, None, f"{wanted} is expected, found {found(record)}")
        if fields.word is None:
            self.add_vector(parts[1], place)
        else:
            self.add(parts[0], parts[1], place)

    def add(self, word: object, values: object, place: str) -> None:
        """A word, which may be a whole number, and its vector."""
        text = self.text(word, place)
        self.add_vector(values, place, text)
        self.words.append(text)

    def text(self, word: object, place: str) -> str:
        """The word as a string."""
        if not isinstance(word, str) and type(word) is not int:
            self._refuse(place, None, f"a word is expected, found {found(word)}")
        return str(word)

    def add_vector(self, values: object, place: str, word: str | None = None) -> None:
        """A list of as many numbers as the lists before it."""
        if not isinstance(values, list):
            self._refuse(place, word, f"a list of numbers is expected, found {found(values)}")
        if not _is_vector(values):
            position = next((i for i, value in enumerate(values) if type(value) not in _NUMBERS), None)
            if position is None:
                self._refuse(place, word, "the vector is empty")
            wanted = f"a number is expected at place {position + 1:,} of {len(values):,}"
            self._refuse(place, word, f"{wanted}, found {found(values[position])}")
        if self._rows is None:
            self._rows = GrowingMatrix(len(values), self._source)
        if len(values) != self._rows.dimension:
            self._refuse(place, word, f"{counted(self._rows.dimension, 'number')} expected, {len(values):,} found")
        try:
            with np.errstate(over="ignore"):
                self._rows.append(np.array([values], dtype=np.float64).astype(np.float32))
        except OverflowError:
            self._refuse(place, word, "a number is too large for float32")

    def matrix(self) -> NDArray[np.float32]:
        """(n, d) the vectors; nothing may be added afterwards."""
        if self._rows is None:
            raise self._source.refusal("no vector was found", "Choose a file that holds words and vectors")
        return self._rows.finished()

    def _refuse(self, place: str, word: str | None, what: str) -> NoReturn:
        where = place if word is None else f"{place} ({quoted(word)})"
        raise self._source.refusal(f"{where}: {what}", "Give every word a list of finite numbers, all of the same size")


def found(value: object) -> str:
    """What a JSON value is, for a message.

    Example:
        >>> [found(value) for value in (None, True, "0.5", [[1]], {"a": 1}, 0.5)]
        ['null', 'true', '“0.5”', 'a list', 'an object', '0.5']
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return str(value)


def _is_vector(values: list[Any]) -> bool:
    return bool(values) and set(map(type, values)) <= _NUMBERS
