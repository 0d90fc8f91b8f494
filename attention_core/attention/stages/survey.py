"""All heads side by side, a block of queries at a time, so that not all their weights are ever in memory at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.attention.head_contributions import HeadContributions, head_contributions
from attention_core.attention.head_distances import HeadDistances, head_distances
from attention_core.attention.head_profile import HeadProfile, PerQuery, head_profile
from attention_core.attention.multi_head import contributions
from attention_core.attention.stages.stages import Stages

BLOCK = 1 << 20
"""Weights of all heads that are in memory at a time."""
CELLS = 250_000
"""Cells of all pictures together."""
FINE = 64
"""Up to so many tokens a picture has a cell for each pair, however many heads there are."""
COMPARED = 500_000_000
"""Weights of pairs of heads that are compared, about; beyond, a sample of queries is."""
FEWEST = 64
"""Queries that are compared at least."""


@dataclass(frozen=True, eq=False)
class Survey:
    """What the heads do to a sentence of n tokens, of which the last m ask.

    Attributes:
        distances: between every two heads; over a sample of the queries where there are very many.
        profile: entropy and distance of every query of every head.
        maps: (heads, rows, columns), the weights; each cell is the mean of `cell` by `cell` pairs of tokens.
        open: (rows, columns), whether any pair of a cell may attend.
        cell: tokens along the side of a cell.
        stages: with the vectors, the projections and the outputs of the heads.
    """

    distances: HeadDistances
    profile: HeadProfile
    maps: NDArray[np.float32]
    open: NDArray[np.bool_]
    cell: int
    stages: Stages

    def contributions(self, token: int) -> HeadContributions:
        """What each head adds to the output of one of the m tokens that ask."""
        p = self.stages.projections
        return head_contributions(contributions(self.stages.head_outputs[:, token : token + 1], p.o), 0, p.o_bias)


def survey(stages: Stages, seed: int = 0, progress: Callable[[int, int], None] | None = None) -> Survey:
    """Weights, distances and spread of all heads.

    Args:
        stages: of a sentence.
        seed: of the sample of queries whose heads are compared, where there are very many.
        progress: called with (done, total) queries; may raise to stop.

    Raises:
        AttentionError: weights that are undefined, as the cosine with a zero vector is.

    Example:
        >>> from attention_core.attention.stages import Settings, stages
        >>> found = survey(stages(torch.eye(6, dtype=torch.float64), Settings(mask="causal", heads=3)))
        >>> found.maps.shape, found.distances.values.shape, found.profile.entropy.values.shape, found.cell
        ((3, 6, 6), (3, 3), (3, 6), 1)
    """
    heads, m, n = stages.settings.heads, stages.q.shape[-2], len(stages.x)
    cell = math.ceil(n / max(FINE, math.isqrt(CELLS // heads)))
    step = cell * max(1, BLOCK // (heads * n * cell))
    compared = _compared(heads, m, n, seed)
    parts = []
    for start in range(0, m, step):
        parts.append(_block(stages, slice(start, min(start + step, m)), compared, cell))
        if progress:
            progress(min(start + step, m), m)
    return Survey(
        distances=replace(reduce(add, (part.distances for part in parts)), total=m),
        profile=HeadProfile(
            entropy=reduce(PerQuery.joined, (part.profile.entropy for part in parts)),
            distance=reduce(PerQuery.joined, (part.profile.distance for part in parts)),
        ),
        maps=np.concatenate([part.maps for part in parts], axis=1),
        open=np.concatenate([part.open for part in parts]),
        cell=cell,
        stages=stages,
    )


def _block(stages: Stages, rows: slice, compared: NDArray[np.bool_], cell: int) -> Survey:
    """The same of some of the queries."""
    n, m = len(stages.x), stages.q.shape[-2]
    mask = None if stages.mask is None else stages.mask[rows]
    heads = map(stages.head, range(stages.settings.heads))
    weights = torch.stack([replace(head, q=head.q[rows], mask=mask).weights for head in heads])
    may = torch.ones(weights.shape[1:], dtype=torch.bool) if mask is None else mask.cpu()
    return Survey(
        distances=head_distances(weights[:, torch.from_numpy(compared[rows])]),
        profile=head_profile(weights, mask, torch.arange(n - m, n)[rows]),
        maps=_pooled(weights.cpu(), cell),
        open=_pooled(may[None].float(), cell)[0] > 0,
        cell=cell,
        stages=stages,
    )


def _pooled(weights: Tensor, cell: int) -> NDArray[np.float32]:
    """(heads, query, key) -> (heads, rows, columns): means of squares, of what there is of them at the edges."""
    found = torch.nn.functional.avg_pool2d(weights.float(), cell, ceil_mode=True) if cell > 1 else weights.float()
    return np.asarray(found)


def _compared(heads: int, m: int, n: int, seed: int) -> NDArray[np.bool_]:
    """(m,), whether the heads are compared at each query."""
    count = min(m, max(FEWEST, COMPARED // (heads**2 * n)))
    chosen = np.zeros(m, dtype=np.bool_)
    chosen[np.random.default_rng(seed).choice(m, count, replace=False)] = True
    return chosen
