"""Scores of pairs by several measures off one product q·k, and how far each can be wrong.

A measure with a product form has the closeness z = a(‖q‖)·a(‖k‖)·q·k + b(‖q‖) + b(‖k‖) (see `measures.base`). In
precision u, with d terms, |ẑ − z| <= γ_{d+16}·(max a‖k‖)² + 2·γ_{d+16}·max|b| + (d + 16)·λ·max a², λ being the smallest
normal number (Higham 2002, equation 3.5). Where b is 0, the score is as exact as z. Where it is not, z cancels: the
Euclidean distance √(−2z) is wrong by about |ẑ − z| divided by the distance, and pairs so near that this exceeds half a
bin are scored anew from differences. Float32 is used where no score can be wrong by more than a bin and few pairs are
near; float64 otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from attention_core.compute import Dtype
from attention_core.embeddings import Embeddings
from attention_core.measures import Measure
from attention_core.measures.base import Floats, ProductForm
from attention_core.similarity.binning import Grid
from attention_core.similarity.candidates import gamma

FEW = 0.01
"""Share of the pairs that may be scored anew before the whole product is made in float64."""
PROBES = np.concatenate([[0.0], np.geomspace(1e-24, 1, 2_000)])
"""Where between 0 and the farthest closeness the error of a score is looked at."""


@dataclass(frozen=True)
class Lane:
    """How one measure is read off the product, and into which bins.

    Attributes:
        form: of the measure.
        grid: the bins.
        scale: (n,) a in the precision of the product; None for 1.
        shift: (n,) b; None for 0.
        near: scores in bins up to this one are computed anew.
        rounding: no other score is farther from the true one than this.
        partial: whether the score is undefined for zero vectors.
        dtype: the precision of the product.
    """

    form: ProductForm
    grid: Grid
    scale: Tensor | None
    shift: Tensor | None
    near: int
    rounding: float
    partial: bool
    dtype: torch.dtype

    def ordered(self, order: Tensor) -> Lane:
        """The same for words in another order."""
        scale, shift = (None if values is None else values[order] for values in (self.scale, self.shift))
        return replace(self, scale=scale, shift=shift)

    def scores(self, product: Tensor, terms: Callable[[Tensor], tuple[Tensor, Tensor]], out: Tensor) -> Tensor:
        """The scores of a block of products.

        Args:
            product: left as it is.
            terms: picks both words' values, as they broadcast with the product.
            out: of the product's shape and precision; the scores are written there, unless they are the products.
        """
        closeness = product
        if self.scale is not None:
            first, second = terms(self.scale)
            closeness = torch.mul(closeness, second, out=out).mul_(first)
        if self.shift is not None:
            first, second = terms(self.shift)
            closeness = torch.add(second, closeness, out=out).add_(first)
        if self.form.overwrite is not None:
            closeness = out.copy_(product) if closeness is product else closeness
            self.form.overwrite(closeness)
        return closeness


def lanes_of(
    embeddings: Embeddings,
    measures: Sequence[Measure],
    grids: Mapping[str, Grid],
    drawn: Mapping[str, Floats],
    precisions: Sequence[Dtype],
) -> dict[str, Lane]:
    """By measure, those with a product form: in the first precision that is exact enough for all, or the last.

    Args:
        embeddings: n words.
        measures: to read off the product.
        grids: by measure.
        drawn: by measure, float64 scores of some pairs.
        precisions: the narrowest first.
    """
    for dtype in precisions:
        lanes = {m.name: _lane(embeddings, m.product_form, grids[m.name], dtype) for m in measures if m.product_form}
        near = [
            float(np.mean(drawn[name] < lane.grid.low + lane.near * lane.grid.width)) for name, lane in lanes.items()
        ]
        if all(lane.rounding <= lane.grid.width for lane in lanes.values()) and max(near, default=0.0) <= FEW:
            break
    return lanes


def _lane(embeddings: Embeddings, form: ProductForm, grid: Grid, dtype: Dtype) -> Lane:
    kind: torch.dtype = getattr(torch, dtype)
    norms, d = embeddings.norms, embeddings.dimension
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        scale = form.scale(norms) if form.scale else np.ones_like(norms)
        undefined = np.isinf(scale)
        scale = np.where(undefined, 0.0, scale)  # such pairs are not counted
        shift = form.shift(norms) if form.shift else np.zeros_like(norms)
        reach, offset, stretch = (float(np.abs(values).max()) for values in (scale * norms, shift, scale))
        size = max(reach * reach + 2 * offset, stretch * stretch, float(norms.max()) ** 2)
        rounding = gamma(d + 16, kind) * (reach * reach + 2 * offset) + (d + 16) * torch.finfo(kind).tiny * stretch**2
        terms = [torch.from_numpy(values.astype(dtype)) for values in (scale, shift)]
    placing = 8 * torch.finfo(kind).eps * grid.largest()
    near = -1
    if form.shift:
        near, rounding = _near(form, grid, rounding, reach * reach + 2 * offset)
    fits = size < torch.finfo(kind).max / 8
    return Lane(
        form,
        grid,
        terms[0] if form.scale else None,
        terms[1] if form.shift else None,
        near,
        rounding + placing if fits else np.inf,
        bool(undefined.any()),
        kind,
    )


def _near(form: ProductForm, grid: Grid, rounding: float, farthest: float) -> tuple[int, float]:
    """The last bin where `rounding` of the closeness moves a score by more than half a bin; how far it moves others."""
    closeness = -farthest * PROBES
    with np.errstate(over="ignore", invalid="ignore"):
        scores = form.score(closeness)
        moved = np.maximum(
            np.abs(form.score(closeness - rounding) - scores), np.abs(form.score(closeness + rounding) - scores)
        )
    bad = ~(moved <= grid.width / 2)
    if not bad.any():
        return -1, float(moved.max())
    place = (float(scores[bad].max()) - grid.low) / grid.width + 2  # the next bin too: probes lie apart
    return int(np.clip(place, -1, grid.bins + 1)), float(moved[~bad].max(initial=0))
