"""A sentence as tokens of a vocabulary and their vectors: what attention begins with."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.errors import AttentionError
from attention_core.samples import DATA

Treatment = Literal["skip", "random", "refuse"]
TREATMENTS: tuple[Treatment, ...] = ("skip", "random", "refuse")
"""What can be done with a word that the vocabulary lacks."""

MOST_TOKENS = 4_096
MOST_CHARACTERS = 100_000
PHRASE = 5
"""A label of up to so many words, such as “New York”, is one token."""
NAMED = 8
"""So many unknown words are named with their nearest spellings."""
LONGEST = 16
"""Characters of the longest word that is looked for in text without spaces."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana and Chinese characters, which are written without spaces."""
PARTS = re.compile(rf"[{UNSPACED}]+|[^\W{UNSPACED}]+(?=n't\b)|n't\b|'[^\W{UNSPACED}]+|[^\W{UNSPACED}]+|[^\w\s]")
"""What a piece of text without spaces falls into; “don't” and “king's” as in the Penn treebank: do n't, king 's."""
EDGES = re.compile(r"^([^\w\s]*)(.*?)([^\w\s]*)$", re.DOTALL)


@dataclass(frozen=True)
class Unknown:
    """A word that the vocabulary lacks.

    Attributes:
        word: as written.
        nearest: the nearest spellings in the vocabulary, nearest first; () where none is near, or beyond the first 8
            unknown words of a sentence.
    """

    word: str
    nearest: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Sentence:
    """Tokens and one vector for each.

    Attributes:
        tokens: n words as the vocabulary spells them; an unknown one that was given a vector as written.
        rows: (n,) their rows in the vocabulary, −1 for an unknown one.
        matrix: (n, d) float32, read-only.
        unknown: the words that the vocabulary lacks, each once, in order.
        treatment: what was done with them.
        left_out: punctuation without a vector of its own, each once, in order.
        text: what was read; "" for the first words of a vocabulary.
        seed: of the vectors given to unknown words.
    """

    tokens: tuple[str, ...]
    rows: NDArray[np.int64] = field(repr=False)
    matrix: NDArray[np.float32] = field(repr=False)
    unknown: tuple[Unknown, ...] = ()
    treatment: Treatment = "skip"
    left_out: tuple[str, ...] = ()
    text: str = ""
    seed: int = 0

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class SampleSentence:
    """A bundled sentence.

    Attributes:
        language: “en” or “zh”.
        text: its words with spaces between them.
        note: what it is there for.
    """

    language: str
    text: str
    note: str


def sentences(embeddings: Embeddings | None = None) -> tuple[SampleSentence, ...]:
    """The bundled sentences; of vectors, those of which they know at least half of the words.

    Example:
        >>> import attention_core as ac
        >>> [s.text for s in sentences(ac.sample("wiki-zh"))][:2]
        ['猫 吃 鱼', '鱼 吃 猫']
    """
    found = _bundled()
    if embeddings is None:
        return found
    known = [sum(word in embeddings for word in one.text.split()) / len(one.text.split()) for one in found]
    return tuple(one for one, share in zip(found, known, strict=True) if share >= 0.5)


@cache
def _bundled() -> tuple[SampleSentence, ...]:
    with open(DATA / "sentences.csv", encoding="utf-8", newline="") as file:
        return tuple(SampleSentence(row["lang"], row["tokens"], row["note"]) for row in csv.DictReader(file))


def sentence(text: str, embeddings: Embeddings, unknown: Treatment = "skip", seed: int = 0) -> Sentence:
    """The text as tokens of the vocabulary.

    Words stand between spaces, without the punctuation around them, and are looked up as written, then lower-cased. Up
    to 5 words that are one label together (with spaces or “_” between them) are one token. A piece that is no word
    falls into its parts at punctuation (“don't” into do n't), and a run of characters of a script without spaces, such
    as Chinese, into the longest words of the vocabulary from its left; characters that begin no word join into one
    unknown word. Punctuation is a token where the vocabulary has it, and is left out where not.

    Args:
        text: at most 100,000 characters and 4,096 tokens.
        embeddings: the vocabulary and its vectors.
        unknown: “skip” leaves out words that the vocabulary lacks; “random” gives each a vector in a random direction,
            the same wherever it occurs, as long as the median word; “refuse” raises.
        seed: of these directions.

    Raises:
        AttentionError: nothing to read, no known word, unknown words that are refused, or too much.

    Example:
        >>> import attention_core as ac
        >>> found = sentence("The cats' fysh", ac.sample("glove-en"))
        >>> found.tokens, found.unknown[0].word, found.unknown[0].nearest[:2], found.left_out
        (('the', 'cats'), 'fysh', ('fish', 'fresh'), ("'",))
        >>> sentence("猫吃鱼", ac.sample("wiki-zh")).tokens
        ('猫', '吃', '鱼')
    """
    if unknown not in TREATMENTS:
        raise AttentionError(f"Unknown words cannot be treated by “{unknown}”. Choose {', '.join(TREATMENTS)}.")
    if len(text) > MOST_CHARACTERS:
        raise AttentionError(
            f"The text has {len(text):,} characters, and at most {MOST_CHARACTERS:,} are read. Shorten it."
        )
    pieces = list(_pieces(text, embeddings))
    lacking = list(dict.fromkeys(piece for piece in pieces if piece not in embeddings))
    marks = tuple(word for word in lacking if not any(map(str.isalnum, word)))
    strange = [word for word in lacking if word not in marks]
    found = tuple(
        Unknown(word, embeddings.nearest_spellings(word) if i < NAMED else ()) for i, word in enumerate(strange)
    )
    dropped = {*marks, *(strange if unknown != "random" else ())}
    tokens = tuple(piece for piece in pieces if piece not in dropped)
    _check(text, tokens, found, unknown)
    rows = np.array([embeddings.index(token) if token in embeddings else -1 for token in tokens], dtype=np.int64)
    matrix = embeddings.matrix[rows]
    for place in np.flatnonzero(rows < 0).tolist():
        matrix[place] = _direction(tokens[place], seed, embeddings)
    for array in (rows, matrix):
        array.setflags(write=False)
    return Sentence(tokens, rows, matrix, found, unknown, marks, text, seed)


def first_words(embeddings: Embeddings, count: int) -> Sentence:
    """The first words of the vocabulary, in file order, as if they were a sentence: for vectors of any kind.

    Raises:
        AttentionError: fewer than 1 or more than 4,096.

    Example:
        >>> import attention_core as ac
        >>> first_words(ac.sample("glove-en"), 3).tokens
        ('the', ',', '.')
    """
    if not 1 <= count <= MOST_TOKENS:
        raise AttentionError(f"{count:,} words were asked for. Choose 1 to {MOST_TOKENS:,}.")
    rows = np.arange(min(count, len(embeddings)))
    return Sentence(tuple(embeddings.words[: len(rows)]), rows, embeddings.matrix[: len(rows)])


def _check(text: str, tokens: tuple[str, ...], unknown: tuple[Unknown, ...], treatment: Treatment) -> None:
    if len(tokens) > MOST_TOKENS:
        raise AttentionError(
            f"The sentence has {len(tokens):,} tokens, and at most {MOST_TOKENS:,} are taken: attention compares each "
            "with each. Shorten it."
        )
    named = "; ".join(f"“{one.word}”{_spelled(one)}" for one in unknown[:NAMED])
    if unknown and treatment == "refuse":
        raise AttentionError(f"Words that the vocabulary lacks: {named}. Replace them, skip them or give them vectors.")
    if not tokens and unknown:
        raise AttentionError(
            f"The vocabulary has none of these words: {named}. Use words of the vocabulary, or give unknown words a "
            "random vector."
        )
    if not tokens:
        raise AttentionError(
            f"A sentence of one word or more is expected, found {text.strip()[:40] or 'nothing'!r}. Write some words."
        )


def _spelled(one: Unknown) -> str:
    return f" (nearest spellings: {', '.join(one.nearest[:3])})" if one.nearest else ""


def _pieces(text: str, embeddings: Embeddings) -> Iterator[str]:
    """The tokens in order: labels of the vocabulary, and what it lacks as written."""
    chunks = text.replace("’", "'").split()
    place = 0
    while place < len(chunks):
        taken, phrase = _phrase(chunks[place : place + PHRASE], embeddings)
        if phrase is not None:
            yield phrase
        else:
            yield from _of_chunk(chunks[place], embeddings)
        place += taken


def _phrase(chunks: list[str], embeddings: Embeddings) -> tuple[int, str | None]:
    """How many of the next chunks are one label, most first, and the label."""
    for count in range(len(chunks), 1, -1):
        for joint in (" ", "_"):
            label = _known(joint.join(chunks[:count]), embeddings)
            if label is not None:
                return count, label
    return 1, None


def _known(word: str, embeddings: Embeddings) -> str | None:
    return next((form for form in (word, word.lower()) if form in embeddings), None)


def _of_chunk(chunk: str, embeddings: Embeddings) -> Iterator[str]:
    whole = _known(chunk, embeddings)
    if whole is not None:
        yield whole
        return
    before, core, after = EDGES.fullmatch(chunk).groups()  # type: ignore[union-attr] # it matches any text
    yield from (_known(mark, embeddings) or mark for mark in before)
    label = _known(core, embeddings)
    for part in [label] if label else PARTS.findall(core):
        if re.match(f"[{UNSPACED}]", part) and part not in embeddings:
            yield from _longest_words(part, embeddings)
        else:
            yield _known(part, embeddings) or part
    yield from (_known(mark, embeddings) or mark for mark in after)


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


def _direction(word: str, seed: int, embeddings: Embeddings) -> NDArray[np.float64]:
    """A random direction that the word and the seed decide, as long as the median word."""
    digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
    normal = np.random.default_rng([seed, *digest]).standard_normal(embeddings.dimension)
    direction: NDArray[np.float64] = normal / np.linalg.norm(normal) * np.median(embeddings.norms)
    return direction
