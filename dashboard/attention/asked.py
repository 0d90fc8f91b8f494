"""What is attended to and how: a sentence, settings, and perhaps the reader's own weights."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
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
class Asked:
    """A sentence and how it is attended to.

    Attributes:
        sentence: tokens and vectors.
        settings: how they are attended to.
        weights: the reader's own, if there are any; used where the settings ask for them, and then nothing that is
            computed from them leaves the session.
    """

    sentence: ac.attention.Sentence
    settings: ac.attention.Settings
    weights: OwnWeights | None = None

    def __repr__(self) -> str:
        vectors = hashlib.sha256(self.sentence.matrix.tobytes()).hexdigest()
        return f"{vectors} {self.settings} {self.weights.fingerprint if self.weights and self.own else ''}"

    @property
    def own(self) -> bool:
        """Whether the reader's own weights are used."""
        return self.settings.projection == "own"

    @cached_property
    def projections(self) -> Projections | None:
        """The reader's weights, with key and value heads merged as asked; None for those of the settings."""
        if self.weights is None or not self.own:
            return None
        return shared(self.weights.projections, self.settings.heads, self.settings.groups)

    @property
    def asking(self) -> tuple[str, ...]:
        """The tokens whose outputs there are: all, or the last."""
        return self.sentence.tokens[-self.settings.queries :] if self.settings.queries else self.sentence.tokens

    def by(self, settings: ac.attention.Settings) -> Asked:
        """The same sentence, attended to in another way."""
        return replace(self, settings=settings)
