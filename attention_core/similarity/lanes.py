"""Scores of pairs by several measures off one product q·k, and how far each can be wrong.

A measure with a product form has the closeness z = a(‖q‖)·a(‖k‖)·q·k + b(‖q‖) + b(‖k‖) (see `measures.base`). In
precision u, with d terms, |ẑ − z| <= γ_{d+16}·(max a‖k‖)² + 2·γ_{d+16}·max|b| + (d + 16)·λ·max a², λ being the smallest
normal number (Higham 2002, equation 3.5). Where b is 0, the score is as exact as z. Where it is not, z cancels: the
Euclidean distance √(−2z) is wrong by about |ẑ − z| divided by the distance, and pairs so near that this exceeds half a
bin are scored anew from differences. Float32 is used where no score can be wrong by more than a bin and few pairs are
near; float64 otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.compute import Dtype
from attention_core.embeddings import Embeddings
from attention_core.measures import Measure
from attention_core.measures.base import Floats, ProductForm
from attention_core.similarity.binning import Grid, Rows
from attention_core.similarity.candidates import gamma

FEW = 0.01
"""Share of the pairs that may be scored anew before the whole product is made in float64."""
PROBES = np.concatenate([[0.0], np.geomspace(1e-24, 1, 2_000)])
"""Where between 0 and the farthest closeness the error of a score is looked at."""


class Lane(NamedTuple):
    """How one measure is read off the product, and into which bins: what compiled loops are given.

    Attributes:
        scale: (n,) a in the precision of the product, 0 where the score is undefined.
        shift: (n,) b.
        root: whether the score is √(−2z) rather than z.
        step: bins in a unit of the score.
        offset: the position of a score of 0, in bins.
        bins: how many equal ones there are.
        near: scores in bins up to this one are computed anew.
        words: how many have a score.
        rounding: no score that is not computed anew is farther from the true one than this.
    """

    scale: NDArray[Any]
    shift: NDArray[Any]
    root: bool
    step: float
    offset: float
    bins: int
    near: int
    words: int
    rounding: float

    def ordered(self, order: Rows) -> Lane:
        """The same for words in another order."""
        return self._replace(scale=self.scale[order], shift=self.shift[order])


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
        near = [np.mean(grids[name].places(drawn[name]) <= lane.near) for name, lane in lanes.items()]
        if all(lane.rounding <= grids[name].width for name, lane in lanes.items()) and max(near, default=0.0) <= FEW:
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
        scale, shift = scale.astype(dtype), shift.astype(dtype)
    placing = 8 * torch.finfo(kind).eps * grid.largest()
    near = -1
    if form.shift:
        near, rounding = _near(form, grid, rounding, reach * reach + 2 * offset)
    fits = size < torch.finfo(kind).max / 8
    words = int(np.count_nonzero(~undefined))
    step, offset = 1 / grid.width, 1 - grid.low / grid.width
    error = rounding + placing if fits else np.inf
    return Lane(scale, shift, form.squared_distance, step, offset, grid.bins, near, words, error)


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
