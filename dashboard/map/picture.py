"""Which picture is asked for: what decides where the words lie."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core import TsneOptions


@dataclass(frozen=True)
class Picture:
    """The choices that move points, as one value.

    Attributes:
        dimensions: 2 or 3.
        options: of t-SNE; None for PCA.
        limit: how many words are drawn at most.
        seed: of the sample.
        query: the word whose neighbours the sample holds; "" where all words are drawn, so that one picture serves all.
    """

    dimensions: int
    options: TsneOptions | None
    limit: int
    seed: int
    query: str
