"""The table of judgements that a page works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from attention_core.similarity.tables import JudgedPairs, Questions, Relevance, Table

T = TypeVar("T", bound=Table)


@dataclass(frozen=True, repr=False)
class Chosen:
    """A table, and whether it is the session's own: then nothing that is computed from it leaves the session."""

    table: Table
    own: bool

    def __repr__(self) -> str:
        return f"{type(self.table).__name__} {self.own} {self.table.fingerprint}"

    @property
    def pairs(self) -> JudgedPairs:
        """The table, where it holds judged pairs."""
        return self._as(JudgedPairs)

    @property
    def questions(self) -> Questions:
        """The table, where it holds analogies."""
        return self._as(Questions)

    @property
    def relevance(self) -> Relevance:
        """The table, where it holds relevant items."""
        return self._as(Relevance)

    def _as(self, kind: type[T]) -> T:
        if not isinstance(self.table, kind):
            raise TypeError(f"{kind.__name__} expected, found {type(self.table).__name__}")
        return self.table
