"""Which columns of an Arrow schema hold the words and the vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attention_core.loaders.base.dimensions import dimensions, left_out, unnumbered
from attention_core.loaders.base.naming import VECTOR_NAMES, WORD_NAMES, choice, likeliest
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.wording import listed, quoted

if TYPE_CHECKING:
    import pyarrow as pa

_NAMED = 5


@dataclass(frozen=True)
class Columns:
    """The columns that are read.

    Attributes:
        word: the column of words; None in a file that holds vectors only.
        textual: whether that column holds text, and not whole numbers.
        vectors: the one column of lists, or a column for each dimension.
        lists: whether it is the former.
        warnings: what else could have been taken.
    """

    word: str | None
    textual: bool
    vectors: tuple[str, ...]
    lists: bool
    warnings: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """All columns that are read."""
        return [*([] if self.word is None else [self.word]), *self.vectors]


def choose_columns(schema: pa.Schema, source: Source) -> Columns:
    """The columns of the usual names; without those, words stand in the pandas index or in the first column of text.

    Raises:
        EmbeddingsError: neither lists of numbers nor columns of numbers, or a name that two columns bear.
    """
    kinds = {name: _kind(kind) for name, kind in zip(schema.names, schema.types, strict=True)}
    index = [name for name in _pandas_index(schema) if name in kinds]
    texts = [*(n for n in index if kinds[n] == "text"), *(n for n in kinds if kinds[n] == "text" and n not in index)]
    word = likeliest(texts, WORD_NAMES) or _count_as_word(kinds, index)
    lists = [name for name, kind in kinds.items() if kind == "list"]
    if lists:
        vector = likeliest(lists, VECTOR_NAMES) or lists[0]
        told = choice("words", word, texts) if word else ()
        columns = Columns(word, word in texts, (vector,), True, (*told, *choice("vectors", vector, lists)))
    else:
        columns = _wide(word, texts, index, kinds)
    twice = next((name for name in columns.names if schema.names.count(name) > 1), None)
    if twice is not None:
        raise source.refusal(f"two columns are called {quoted(twice)}", "Give each column a name of its own")
    stray = next((name for name in columns.vectors if kinds[name] not in ("list", "number", "count")), None)
    if stray is not None:
        raise source.refusal(
            f"the column {quoted(stray)} is named like a dimension, but holds no numbers",
            "Rename or remove that column",
        )
    if columns.vectors:
        return columns
    found = [f"{quoted(name)} ({kind})" for name, kind in zip(schema.names, schema.types, strict=True)]
    more = [f"{len(found) - _NAMED:,} more"] if len(found) > _NAMED else []
    raise source.refusal(
        "a column of words and a column of lists of numbers, or a column of numbers for each dimension, are expected, "
        f"found {listed([*found[:_NAMED], *more]) if found else 'no column'}",
        "Store each vector as a list of numbers, such as float32",
    )


def _wide(word: str | None, texts: Sequence[str], index: Sequence[str], kinds: dict[str, str]) -> Columns:
    names = list(kinds)
    numeric = [i for i, name in enumerate(names) if kinds[name] in ("number", "count") and name not in index]
    numbered = dimensions(names, None if word is None else names.index(word), numeric)
    vectors = tuple(names[i] for i in numbered)
    others = [name for name in names if name != word and name not in vectors]
    told = (*left_out(others), *unnumbered(vectors))
    return Columns(word, word in texts, vectors, False, told)


def _count_as_word(kinds: dict[str, str], index: Sequence[str]) -> str | None:
    """A column of whole numbers that is called like words or is a named index, such as “id”."""
    counts = [name for name, kind in kinds.items() if kind == "count"]
    usual = [name for name in counts if name.strip().lower() in WORD_NAMES]
    named = [name for name in counts if name in index and not name.startswith("__index_level_")]
    return likeliest([*usual, *named], WORD_NAMES)


def _pandas_index(schema: pa.Schema) -> Iterator[str]:
    """The columns that pandas wrote as the index."""
    try:
        told = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        columns = told.get("index_columns", [])
        yield from (name for name in columns if isinstance(name, str))
    except (ValueError, AttributeError, TypeError, RecursionError):
        return


def _kind(kind: pa.DataType) -> str:
    """Text, list (of numbers), count (a whole number), number, or other."""
    import pyarrow.types as of

    def is_one(stored: pa.DataType, kinds: str) -> bool:
        return any(getattr(of, f"is_{name}")(stored) for name in kinds.split())

    stored: Any = getattr(kind, "storage_type", kind)
    if of.is_dictionary(stored):
        stored = stored.value_type
    if is_one(stored, "string large_string string_view binary large_binary binary_view"):
        return "text"
    if is_one(stored, "list large_list fixed_size_list list_view large_list_view"):
        return "list" if _kind(stored.value_type) in ("count", "number") else "other"
    if of.is_integer(stored):
        return "count"
    return "number" if of.is_floating(stored) or of.is_decimal(stored) else "other"
