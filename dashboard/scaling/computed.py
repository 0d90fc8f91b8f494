"""One named function for each kept call about scale and softmax."""

from __future__ import annotations

from dataclasses import replace

import attention_core as ac
from attention_core.experiments.gradients import Gradients
from attention_core.experiments.variance import DotProducts
from dashboard import cache
from dashboard.kept import watching
from dashboard.progress import Progress
from dashboard.view import View


def _anywhere(view: View) -> View:
    """The same view for every session and all vectors, for what is computed without them."""
    return replace(view, embeddings=cache.sample(next(iter(ac.SAMPLES)), False, False), uploaded=False, seed=0)


def products(view: View, components: str | None, size: int, seed: int) -> dict[int, DotProducts]:
    """Dot products for every d_k; of the vectors' own rows where there is no distribution."""
    return _products(view if components is None else _anywhere(view), components, size, seed)


@watching("Drawing pairs of vectors")
def _products(
    view: View, components: str | None, size: int, seed: int, *, progress: Progress
) -> dict[int, DotProducts]:
    return ac.experiments.sweep(components or view.embeddings, size, seed, progress)


def product(view: View, components: str | None, d: int, size: int, seed: int) -> DotProducts:
    """Dot products for one d_k."""
    known = products(view, components, size, seed)
    return (
        known[d] if d in known else _product(view if components is None else _anywhere(view), components, d, size, seed)
    )


@watching("Drawing pairs of vectors")
def _product(view: View, components: str | None, d: int, size: int, seed: int, *, progress: Progress) -> DotProducts:
    return ac.experiments.dot_products(d, components or view.embeddings, size, seed, progress)


def gradients(view: View) -> Gradients:
    """Gradients through attention with and without the scale."""
    return _gradients(_anywhere(view))


@watching("Following gradients through attention")
def _gradients(view: View, *, progress: Progress) -> Gradients:
    return ac.experiments.gradients(compute=view.compute, progress=progress)
