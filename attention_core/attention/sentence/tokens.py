"""Text cut into tokens of a vocabulary."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import Literal

from attention_core.embeddings import Embeddings

PHRASE = 5
"""A label of up to so many words, such as “New York”, is one token."""
LONGEST = 16
"""Characters of the longest word that is looked for in text without spaces."""

UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, kana and Chinese characters, which are written without spaces."""
CONTRACTED = re.compile(r"(.+?)(n't|'\w+)")
"""“don't” and “king's” are cut as in the Penn treebank: do n't, king 's."""
Kind = Literal["mark", "unspaced", "word"]


def pieces(text: str, embeddings: Embeddings) -> Iterator[str]:
    """The tokens in order: labels of the vocabulary, and what it lacks as written."""
    chunks = text.replace("’", "'").split()
    place = 0
    while place < len(chunks):
        for count in range(min(PHRASE, len(chunks) - place), 0, -1):
            found = _label(chunks[place : place + count], embeddings)
            if found or count == 1:
                yield from found or _parts(chunks[place], embeddings)
                place += count
                break


def _label(chunks: list[str], embeddings: Embeddings) -> list[str]:
    """The one label that the chunks are together, with the punctuation around it; nothing where they are none."""
    for joint in (" ", "_") if len(chunks) > 1 else ("",):
        whole = joint.join(chunks)
        for before, core, after in (["", whole, ""], _edges(whole)):
            label = _known(core, embeddings)
            if label is not None:
                return [*_marks(before, embeddings), label, *_marks(after, embeddings)]
    return []


def _parts(chunk: str, embeddings: Embeddings) -> Iterator[str]:
    """What a chunk that is no label falls into."""
    before, core, after = _edges(chunk)
    yield from _marks(before, embeddings)
    contracted = CONTRACTED.fullmatch(core)
    if contracted:
        yield from _parts(contracted[1], embeddings)
        yield _known(contracted[2], embeddings) or contracted[2]
    else:
        for sort, characters in groupby(core, kind):
            run = "".join(characters)
            if sort == "word":
                yield _known(run, embeddings) or run
            else:
                yield from _marks(run, embeddings) if sort == "mark" else _longest_words(run, embeddings)
    yield from _marks(after, embeddings)


def kind(character: str) -> Kind:
    """Punctuation or a symbol, of a script without spaces, or part of a word, which accents and vowel signs are too."""
    if unicodedata.category(character)[0] in "PS":
        return "mark"
    return "unspaced" if UNSPACED.match(character) else "word"


def _edges(text: str) -> list[str]:
    """The punctuation before, what stands between, and the punctuation after."""
    start = next((i for i, character in enumerate(text) if kind(character) != "mark"), len(text))
    end = next((i for i in range(len(text), start, -1) if kind(text[i - 1]) != "mark"), start)
    return [text[:start], text[start:end], text[end:]]


def _marks(marks: str, embeddings: Embeddings) -> list[str]:
    return [_known(mark, embeddings) or mark for mark in marks]


def _known(word: str, embeddings: Embeddings) -> str | None:
    return next((form for form in (word, word.lower()) if word and form in embeddings), None)


def _longest_words(run: str, embeddings: Embeddings) -> Iterator[str]:
    """The run cut into words, the longest first from the left; what begins none stays together."""
    place = lost = 0
    while place < len(run):
        lengths = range(min(LONGEST, len(run) - place), 0, -1)
        length = next((length for length in lengths if run[place : place + length] in embeddings), 0)
        if length:
            if lost < place:
                yield run[lost:place]
            yield run[place : place + length]
            lost = place + length
        place += length or 1
    if lost < place:
        yield run[lost:]
