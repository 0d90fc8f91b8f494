"""What the arrays in a file that holds several are usually called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

WORD_NAMES = (
    *("words", "word", "tokens", "token", "vocab", "vocabulary", "terms", "texts", "text", "sentences"),
    *("keys", "names", "strings", "itos", "labels", "label", "ids"),
)
"""Names of the array of words, the likelier first."""

VECTOR_NAMES = (
    *("vectors", "vector", "embeddings", "embedding", "matrix", "vecs", "emb"),
    *("weights", "weight", "values", "features", "data", "x"),
)
"""Names of the matrix, the likelier first."""


def known(names: Sequence[str], given: Iterable[str]) -> list[str]:
    """Which of the given names are among these, whatever their case, in the order of these.

    Example:
        >>> known(VECTOR_NAMES, ["rank", "X", "Embeddings"])
        ['Embeddings', 'X']
    """
    lower = {name.lower(): name for name in given}
    return [lower[name] for name in names if name in lower]
