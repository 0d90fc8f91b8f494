"""What a reader may decide about a file whose content allows more than one reading."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Choices:
    r"""How to read a text; None leaves it to what the content shows.

    Attributes:
        header: whether line 1 is a header: of a table, or the counts of word2vec text.
        separator: what stands between the cells of a table: ",", ";" or "\t".
        word: the name of the column of words, as the header has it, or “column 1”, … without one.
        vectors: the names of the columns of numbers, or of the one column of vectors in brackets.

    Example:
        >>> from io import BytesIO
        >>> from attention_core import load
        >>> table = BytesIO(b"id,word,a,b\n7,river,0.5,1\n8,stone,2,3\n")
        >>> load(table, choices=Choices(word="id", vectors=("a",))).words
        ('7', '8')
    """

    header: bool | None = None
    separator: str | None = None
    word: str | None = None
    vectors: tuple[str, ...] | None = None
