"""The calls of the core on MLA whose results are kept."""

from __future__ import annotations

import numpy as np
import torch

import attention_core as ac
from attention_core.attention import LatentConfig, Sentence, latent
from attention_core.attention.projections import Projections
from attention_core.export.latent import TOKENS
from dashboard.kept import per_source, watching
from dashboard.progress import Progress
from dashboard.view import View

VECTORS = 4_000
"""The latent of the page is fitted to so many vectors at most, evenly spread."""


@watching("Timing three forms of decoding")
def decode_times(view: View, config: LatentConfig, contexts: tuple[int, ...], *, progress: Progress) -> latent.Timing:
    """How long a decoded token takes in each form; it depends on the sizes and the machine, not on the vectors."""
    return latent.decode_times(config, contexts, device=view.compute.device, progress=progress)


@watching("Squeezing keys and values through latents")
def low_rank(view: View, sentence: Sentence | None, heads: int, seed: int, *, progress: Progress) -> latent.LowRank:
    """What attention over a sentence, or over the bundled ones, loses when keys and values come from a latent."""
    read = _bundled(view) if sentence is None else [sentence]
    return _low_rank(view, read, heads, seed, (256, VECTORS, None), progress)


@per_source(samples=16, uploads=2)
def small_low_rank(view: View) -> latent.LowRank:
    """The same with one narrow head, of fewer vectors and ranks."""
    d = view.embeddings.dimension
    kept = 2 * min(32, d)
    sizes = (32, 2_000, tuple(range(1, min(kept, d) + 1, max(1, kept // 16))))
    return _low_rank(view, _bundled(view), 1, 0, sizes)


def _bundled(view: View) -> list[Sentence]:
    """The bundled sentences whose words these vectors have, or else their own first words."""
    e = view.embeddings
    known = [ac.attention.sentence(one.text, e) for one in ac.attention.sentences(e)]
    return known or [ac.attention.first_words(e, min(12, len(e)))]


def _low_rank(
    view: View,
    read: list[Sentence],
    heads: int,
    seed: int,
    most: tuple[int, int, tuple[int, ...] | None],
    progress: Progress | None = None,
) -> latent.LowRank:
    e, (width, vectors, ranks) = view.embeddings, most
    weights = Projections.random(seed, e.dimension, heads, head_size=max(1, min(width, e.dimension) // heads))
    some = e.matrix[:: 1 + (len(e) - 1) // vectors]
    x = [torch.from_numpy(np.array(one.matrix[:TOKENS])) for one in read]
    return latent.low_rank(x, torch.from_numpy(np.array(some)), weights, heads, ranks, progress)
