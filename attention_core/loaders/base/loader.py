"""What a loader is, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from attention_core.loaders.base.source import Source


@dataclass(frozen=True, eq=False)
class Contents:
    """What a file held, before the checks that all formats share (finite values, distinct words).

    Attributes:
        matrix: (n, d) float32, in file order; may still hold values that are not finite.
        words: (n,) strings, possibly repeated; None for a format that holds no words.
        lines: (n,) physical line of each row, from 1; None for a format without lines.
        warnings: what the loader noticed and did about it, one sentence each.
        frequency_rank: (n,) whole numbers, each word's place by frequency; None where the file does not tell.
    """

    matrix: NDArray[np.float32]
    words: Sequence[str] | None = None
    lines: NDArray[np.int64] | None = None
    warnings: tuple[str, ...] = ()
    frequency_rank: NDArray[np.int64] | None = None

    def place(self, row: int) -> str:
        """Where a row (from 0) stands in the file: “line 3”, or “row 3” for a format without lines."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"


@dataclass(frozen=True)
class Loader:
    """A file format: how it is recognised and read.

    Attributes:
        name: its key in `LOADERS`.
        label: what a reader sees, in the middle of a sentence.
        description: one sentence: what such a file looks like.
        extensions: usual endings, with the dot. They only decide between two loaders that both recognise a content.
        recognises: whether an opened file has this format, judged by its content; must not raise on any content.
        read: the file's contents; raises `EmbeddingsError` for what it cannot read.
        holds_words: whether such a file holds its words; else they come from a second file.
    """

    name: str
    label: str
    description: str
    extensions: tuple[str, ...]
    recognises: Callable[[Source], bool]
    read: Callable[[Source], Contents]
    holds_words: bool = True
