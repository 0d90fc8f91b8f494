"""The checks that all formats share, between what a loader read and `Embeddings`."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import is_normalized, normalize

import numpy as np

from attention_core.embeddings import Embeddings, all_finite
from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.encodings import GUESSED, shown
from attention_core.loaders.base.loader import Contents, Loader
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.wording import counted, listed, quoted

_NAMED = 5
_BLOCK = 2**16  # rows


def finished(contents: Contents, words: Sequence[str], loader: Loader, source: Source) -> Embeddings:
    """Finite vectors of distinct words; the first vector of a repeated word is kept.

    Raises:
        EmbeddingsError: another number of words than of vectors, values that are not finite in float32, or words that
            are no text.
    """
    if len(words) != len(contents.matrix):
        found = f"{counted(len(words), 'word')} for {counted(len(contents.matrix), 'vector')}"
        raise source.refusal(f"one word for each vector is expected, found {found}", "Give one word for each vector")
    matrix, ranks, warnings = contents.matrix, contents.frequency_rank, contents.warnings
    if not "".join(words).isascii():
        _refuse_surrogates(contents, words, source)
        warnings += _twins(contents, words)
    encoding = "" if contents.lines is None else shown(source.encoding)
    guessed: tuple[str, ...] = ()
    if encoding and source.encoding == GUESSED:
        guessed = (f"The text is not UTF-8 and was read as {encoding}; save it as UTF-8 if the words look wrong.",)
    recognised = ", ".join(filter(None, (loader.label, encoding, source.packing)))
    name = f"{source.name} ({recognised})"
    matrix.setflags(write=False)  # so that Embeddings takes it as it is, without a copy
    try:
        return Embeddings(words, matrix, name, (*warnings, *guessed), ranks)
    except EmbeddingsError:
        _refuse_not_finite(contents, words, source)  # names the places in the file
        if len(set(words)) == len(words):
            raise
    positions: dict[str, int] = {}
    for row, word in enumerate(words):
        positions.setdefault(word, row)
    warnings += (_repeated(contents, words, positions),)
    kept = np.fromiter(positions.values(), np.int64, len(positions))
    ranks = None if ranks is None else ranks[kept]
    matrix = matrix[kept]
    matrix.setflags(write=False)
    return Embeddings(list(positions), matrix, name, (*warnings, *guessed), ranks)


def _refuse_not_finite(contents: Contents, words: Sequence[str], source: Source) -> None:
    if all_finite(contents.matrix):
        return
    bad: list[int] = []
    for first in range(0, len(contents.matrix), _BLOCK):
        finite = np.isfinite(contents.matrix[first : first + _BLOCK]).all(axis=1)
        bad += (first + np.flatnonzero(~finite)).tolist()
    named = [f"{contents.place(row)} ({quoted(words[row])})" for row in bad[:_NAMED]]
    named += [f"{len(bad) - _NAMED:,} more"] if len(bad) > _NAMED else []
    raise source.refusal(
        f"finite numbers are expected, but {listed(named)} {'holds' if len(bad) == 1 else 'hold'} a value that is "
        "NaN, infinite or too large for float32",
        "Remove or repair these rows",
    )


def _twins(contents: Contents, words: Sequence[str]) -> tuple[str, ...]:
    """What to say of words that look the same: é is one character, or e and an accent."""
    decomposed = [row for row, word in enumerate(words) if not word.isascii() and not is_normalized("NFC", word)]
    if not decomposed:
        return ()
    known = set(words)
    twins = [row for row in decomposed if normalize("NFC", words[row]) in known]
    if not twins:
        return ()
    first = f"{contents.place(twins[0])}, {quoted(words[twins[0]])}"
    count = counted(len(twins), "word differs", "words differ")
    return (f"{count} from another only in Unicode's normal form (first: {first}); they were kept apart.",)


def _refuse_surrogates(contents: Contents, words: Sequence[str], source: Source) -> None:
    try:
        "\n".join(words).encode()
    except UnicodeEncodeError:
        row = next(i for i, word in enumerate(words) if not _is_text(word))
        raise source.refusal(
            f"{contents.place(row)} holds the word {quoted(words[row])}, in which half of a surrogate "
            "pair stands alone",
            "Repair or remove that word",
        ) from None


def _is_text(word: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in word)


def _repeated(contents: Contents, words: Sequence[str], positions: dict[str, int]) -> str:
    row = next(i for i, word in enumerate(words) if positions[word] != i)
    count = len(words) - len(positions)
    first = f"{contents.place(row)}: {quoted(words[row])}, already on {contents.place(positions[words[row]])}"
    return f"{counted(count, 'row repeats', 'rows repeat')} a word (first: {first}); the first vector of it was kept."
