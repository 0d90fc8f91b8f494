"""Which heads: a sentence, how it is attended to, and perhaps the reader's own weights."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import attention_core as ac
from attention_core.attention.projections import Projections
from attention_core.attention.sharing import shared


@dataclass(frozen=True, eq=False)
class OwnWeights:
    """Weights of the reader's own, which stay in the session.

    Attributes:
        name: of the file.
        fingerprint: SHA-256 of its content.
        projections: what it holds.
    """

    name: str
    fingerprint: str
    projections: Projections


@dataclass(frozen=True, repr=False, eq=False)
class Heads:
    """A sentence and how several heads attend to it.

    Attributes:
        sentence: tokens and vectors.
        settings: how they are attended to; with own weights, its projection is not used.
        weights: the reader's own; then nothing that is computed from them leaves the session.
    """

    sentence: ac.attention.Sentence
    settings: ac.attention.Settings
    weights: OwnWeights | None = None

    def __repr__(self) -> str:
        vectors = hashlib.sha256(self.sentence.matrix.tobytes()).hexdigest()
        return f"{vectors} {self.settings} {self.weights and self.weights.fingerprint}"

    @property
    def own(self) -> bool:
        """Whether the weights are the reader's own."""
        return self.weights is not None

    @cached_property
    def projections(self) -> Projections | None:
        """The reader's weights, with key and value heads merged as asked; None for those of the settings."""
        settings = self.settings
        return None if self.weights is None else shared(self.weights.projections, settings.heads, settings.groups)

    @property
    def asking(self) -> tuple[str, ...]:
        """The tokens whose outputs there are: all, or the last."""
        return self.sentence.tokens[-self.settings.queries :] if self.settings.queries else self.sentence.tokens
