"""What columns, fields and arrays are usually called, and which of several is taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attention_core.loaders.base.wording import listed, quoted

WORD_NAMES = (
    *("word", "words", "token", "tokens", "term", "terms", "text", "texts", "sentence", "sentences", "title"),
    *("vocab", "vocabulary", "itos", "name", "names", "key", "keys", "string", "strings"),
    *("entity", "label", "labels", "node", "item", "id", "ids"),
)
"""Names the words go by, the likelier first."""

WEAK_NAMES = frozenset({"key", "keys", "entity", "label", "labels", "node", "item", "id", "ids"})
"""Those that as often name something else: a column of text beside them is the words."""

VECTOR_NAMES = (
    *("vectors", "vector", "embeddings", "embedding", "matrix", "vecs", "emb"),
    *("weights", "weight", "values", "features", "data", "x"),
)
"""Names the vectors go by, the likelier first."""

_NAMED = 5


def likeliest(names: Sequence[str], usual: Sequence[str]) -> str | None:
    """The name that stands first among the usual ones, whatever its case, else the first; None when there is none.

    Example:
        >>> likeliest(["pos", "Text", "title"], WORD_NAMES), likeliest(["mot", "genre"], WORD_NAMES)
        ('Text', 'mot')
    """
    known = [name for name in names if name.strip().lower() in usual]
    return min(known, key=lambda name: usual.index(name.strip().lower())) if known else next(iter(names), None)


def known(names: Sequence[str], given: Iterable[str]) -> list[str]:
    """Which of the given names are among these, whatever their case, in the order of these.

    Example:
        >>> known(VECTOR_NAMES, ["rank", "X", "Embeddings"])
        ['Embeddings', 'X']
    """
    lower = {name.lower(): name for name in given}
    return [lower[name] for name in names if name in lower]


def choice(what: str, chosen: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """The sentence that tells what else could have been taken; none when there was no choice.

    Example:
        >>> choice("words", "text", ["text", "title"])
        ('The words were taken from “text”, not from “title”.',)
    """
    others = [name for name in candidates if name != chosen]
    return (f"The {what} were taken from {quoted(chosen)}, not from {some(others, 'or')}.",) if others else ()


def some(names: Sequence[str], conjunction: str = "and") -> str:
    """Quoted names, only the first few of many.

    Example:
        >>> some(["a", "b"]), some(list("abcdefg"))
        ('“a” and “b”', '“a”, “b”, “c”, “d”, “e” and 2 more')
    """
    shown = [quoted(name) for name in names[:_NAMED]]
    return listed([*shown, *([f"{len(names) - _NAMED:,} more"] if len(names) > _NAMED else [])], conjunction)
