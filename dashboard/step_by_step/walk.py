"""A sentence and every stage of attention over it, as one head sees it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import attention_core as ac
from attention_core.attention.stages import (
    PAIRS,
    Head,
    Link,
    Settings,
    Spread,
    Stage,
    Stages,
    matrix,
    spread,
    strongest,
)
from dashboard import cache
from dashboard.untrusted import quoted
from dashboard.view import View


@dataclass(frozen=True, eq=False)
class Walk:
    """What the page speaks of; its (query, key) matrices live no longer than one run.

    Attributes:
        sentence: its tokens.
        stages: everything on the way.
        head: the one that is looked at.
    """

    sentence: ac.attention.Sentence
    stages: Stages
    head: Head

    @classmethod
    def along(cls, sentence: ac.attention.Sentence, stages: Stages, number: int) -> Walk:
        """Seen from a head, by its number from 0."""
        return cls(sentence, stages, stages.head(number))

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
    def strongest(self) -> Link | None:
        """The largest weight between two words; of a word on itself where there is no other; None without any."""
        words = self.sentence.tokens
        found = strongest(self.stages, self.head, 1, words) or strongest(self.stages, self.head, 1)
        return found[0] if found else None

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


def begin(view: View, sentence: ac.attention.Sentence, settings: Settings, number: int) -> Walk:
    """All stages, seen from a head by its number from 0.

    Raises:
        AttentionError: vectors, heads or settings that do not fit together.
    """
    return Walk.along(sentence, cache.stages(view, sentence, settings), number)
