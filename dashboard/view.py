"""What every page works on: the chosen vectors and how to compute with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attention_core import Compute, Embeddings
from attention_core.plots.theme import Style


@dataclass(frozen=True, eq=False)
class View:
    """The sidebar's choices, made once for a run of a page.

    Attributes:
        embeddings: the vectors as pages use them, centred and normalised as asked.
        uploaded: whether they come from the session's own file, so that nothing of them leaves the session.
        example: a word to start with.
        compute: the device.
        seed: of the random weights.
        settings: by URL name, the choices that differ from the defaults.
        style: what figures are drawn with.
    """

    embeddings: Embeddings
    uploaded: bool
    example: str
    compute: Compute
    seed: int
    settings: Mapping[str, str]
    style: Style

    @property
    def key(self) -> str:
        """What decides everything that is computed from this view; figures and sentences are made anew."""
        return f"{self.embeddings.fingerprint} {self.compute.device} {self.seed}"
