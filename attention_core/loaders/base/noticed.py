"""What a loader noticed on the way, told as one sentence for each kind with a count and the first example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from attention_core.loaders.base.numbers import is_number
from attention_core.loaders.base.wording import counted, quoted


@dataclass
class Noticed:
    """Places as (line, word), in file order.

    Attributes:
        unit: what the places count, where it is not lines.
        not_utf8: words whose bytes are not UTF-8.
        longer: rows with one number more than expected, which therefore belongs to the word, as in “route 66”.
        padded: words that end in a space.
        skipped: blank lines between rows.
    """

    unit: str = "line"
    not_utf8: list[tuple[int, str]] = field(default_factory=list)
    longer: list[tuple[int, str]] = field(default_factory=list)
    padded: list[tuple[int, str]] = field(default_factory=list)
    skipped: list[tuple[int, str]] = field(default_factory=list)

    def look_at(self, words: Sequence[str], lines: NDArray[np.int64]) -> None:
        """Note what the words (n,) and their lines (n,) show by themselves."""
        text = "\n".join(words)
        spaced = enumerate(words) if " " in text or "\t" in text else ()
        for row in [row for row, word in spaced if " " in word or "\t" in word]:
            word, line = words[row], int(lines[row])
            before, _, last = word.replace("\t", " ").rpartition(" ")
            if before.strip() and is_number(last.encode("utf-8", "replace")):
                self.longer.append((line, word))
            elif not last and before.strip():
                self.padded.append((line, word))
        gaps = np.flatnonzero(np.diff(lines) > 1)
        self.skipped += [(int(lines[gap]) + 1, "") for gap in gaps]

    def warnings(self) -> tuple[str, ...]:
        """One sentence for each kind that occurred."""
        told = []
        if self.not_utf8:
            told.append(
                f"{counted(len(self.not_utf8), 'word')} held bytes that are not UTF-8 ({self._first(self.not_utf8)}), "
                "which were replaced by U+FFFD."
            )
        if self.longer:
            told.append(
                f"{counted(len(self.longer), 'row')} held one number more than expected ({self._first(self.longer)}), "
                "which was taken as part of the word."
            )
        if self.padded:
            told.append(
                f"{counted(len(self.padded), 'word ends', 'words end')} in a space ({self._first(self.padded)}), "
                "which was kept."
            )
        if self.skipped:
            places = counted(len(self.skipped), "place")
            told.append(f"Blank lines were skipped in {places} (first: line {self.skipped[0][0]}).")
        return tuple(told)

    def _first(self, places: list[tuple[int, str]]) -> str:
        place, word = places[0]
        return f"first: {self.unit} {place}, {quoted(word)}"
