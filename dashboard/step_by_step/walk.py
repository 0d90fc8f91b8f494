"""A sentence and every stage of attention over it, as one head sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import attention_core as ac
from attention_core.attention.stages import (
    PAIRS,
    Head,
    Link,
    Pooled,
    Settings,
    Spread,
    Stage,
    Stages,
    matrix,
    pooled,
    spread,
    stage_names,
    strongest,
)
from dashboard import cache
from dashboard.attention.asked import Asked
from dashboard.kept import watching
from dashboard.progress import Progress
from dashboard.untrusted import quoted
from dashboard.view import View

LARGEST = 10
"""Weights that are listed."""
READINGS = ("spread", "largest", "strongest", "small")
"""What is read off the weights of a long sentence beforehand, each in about the time of a head."""
SMALL = 48
"""Rows and columns of a small heat map."""


@dataclass(frozen=True, eq=False)
class Walk:
    """What the page speaks of.

    Attributes:
        asked: the sentence, and how it is attended to.
        stages: everything on the way.
        head: the one that is looked at.
    """

    asked: Asked
    stages: Stages
    head: Head

    @property
    def sentence(self) -> ac.attention.Sentence:
        """Its tokens."""
        return self.asked.sentence

    @property
    def long(self) -> bool:
        """Whether its matrices are so large that work on them is shown and can be stopped."""
        return len(self.sentence) > cache.EXACT

    @property
    def settings(self) -> Settings:
        """What was chosen."""
        return self.stages.settings

    @property
    def asking(self) -> tuple[str, ...]:
        """The tokens that ask."""
        return self.sentence.tokens[self.stages.first :]

    @cached_property
    def spread(self) -> Spread:
        """How evenly each row attends."""
        return spread(self.stages, self.head)

    @cached_property
    def largest(self) -> tuple[Link, ...]:
        """The largest weights."""
        return strongest(self.stages, self.head, LARGEST)

    @cached_property
    def strongest(self) -> Link | None:
        """The largest weight between two words; of a word on itself where there is no other; None without any."""
        words = self.sentence.tokens
        found = strongest(self.stages, self.head, 1, words) or strongest(self.stages, self.head, 1)
        return found[0] if found else None

    @cached_property
    def small(self) -> dict[Stage, Pooled]:
        """All stages, small enough to stand side by side."""
        return {
            name: pooled(matrix(self.stages, self.head, name), SMALL, "max" if name in PAIRS else "mean")
            for name in stage_names(self.settings)
        }

    def row_word(self, stage: Stage, row: int) -> str:
        """The token of a row, for Markdown: X, K and V have one for each token, the others for each that asks."""
        return quoted(self.rows(stage)[row])

    def shape(self, stage: Stage) -> tuple[int, int]:
        """Rows and columns of a stage."""
        n = len(self.sentence)
        if stage in PAIRS:
            return len(self.asking), n
        rows, columns = matrix(self.stages, self.head, stage).shape
        return int(rows), int(columns)

    def query_of(self, stage: Stage, row: int) -> int:
        """The row, from 0, of the token of a row of the stage among those that ask; the first of them for others."""
        return max(0, row + self.first(stage) - self.stages.first)

    def rows(self, stage: Stage) -> tuple[str, ...]:
        """The tokens of the rows of a stage."""
        return self.sentence.tokens if stage in ("X", "X + P", "K", "V") else self.asking

    def columns(self, stage: Stage) -> tuple[str, ...] | None:
        """The tokens of its columns; None for components."""
        return self.sentence.tokens if stage in PAIRS else None

    def first(self, stage: Stage) -> int:
        """Which token its first row is, from 0."""
        return len(self.sentence) - len(self.rows(stage))


def begin(view: View, asked: Asked, number: int) -> Walk:
    """All stages, seen from a head by its number from 0; those of a long sentence are kept.

    Raises:
        AttentionError: vectors, heads or settings that do not fit together.
    """
    walk = _long if len(asked.sentence) > cache.EXACT else _along
    return walk(view, asked, number)


def _along(view: View, asked: Asked, number: int, progress: Progress | None = None) -> Walk:
    x, weights = cache.vectors(view, asked.sentence), cache.projections(view, asked)
    found = ac.attention.stages(x, asked.settings, weights, progress, number)
    return Walk(asked, found, found.head(number))


@watching("Attending with each head", holds="matrices")
def _long(view: View, asked: Asked, number: int, *, progress: Progress) -> Walk:
    """The same with what is read off its large matrices."""
    heads, readings = asked.settings.heads, len(READINGS)
    walk = _along(view, asked, number, lambda done, total: progress(heads * done, (heads + readings) * total))
    for done, reading in enumerate(READINGS, heads):
        progress(done, heads + readings)
        getattr(walk, reading)
    return walk
