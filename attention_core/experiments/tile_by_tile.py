"""A row of scores through the online softmax, with everything that happens after each tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attention_core.attention import Tiling, online_softmax, scaled
from attention_core.errors import ScoringError
from attention_core.experiments.scores import row


@dataclass(frozen=True)
class TileStep:
    """The state after one tile.

    Attributes:
        start: the first score of the tile, from 0.
        stop: the one after its last.
        max: the largest score so far.
        rescale: e^(old max − new max), what the old sum and output were multiplied by; 0 at the first tile.
        sum: Σ e^(score − max) so far.
        weights: the softmax of the scores so far, 0 for the others.
    """

    start: int
    stop: int
    max: float
    rescale: float
    sum: float
    weights: tuple[float, ...]


@dataclass(frozen=True)
class TileByTile:
    """The online softmax of a row of scores beside the full one, both in float32.

    Attributes:
        scores: as given.
        tile: scores in a tile; the last may have fewer.
        steps: one for each tile.
        full: the softmax of all scores at once.
        exact: the same in float64.
    """

    scores: tuple[float, ...]
    tile: int
    steps: tuple[TileStep, ...]
    full: tuple[float, ...]
    exact: tuple[float, ...]

    @property
    def difference(self) -> float:
        """The largest difference between the last output and the full softmax."""
        return max(abs(a - b) for a, b in zip(self.steps[-1].weights, self.full, strict=True))

    @property
    def error(self) -> float:
        """The largest difference between the last output and the softmax in float64."""
        return max(abs(a - b) for a, b in zip(self.steps[-1].weights, self.exact, strict=True))


def tile_by_tile(scores: Sequence[float], tile: int) -> TileByTile:
    """`online_softmax` of one row of scores, whose values are the unit vectors, so that its output is the weights.

    Args:
        scores: 1 to 64 numbers.
        tile: from 1 to as many as there are scores.

    Raises:
        ScoringError: scores or a tile that are not possible.

    Example:
        >>> found = tile_by_tile([1, 3, 2], tile=1)
        >>> [(step.max, round(step.rescale, 3), round(step.sum, 3)) for step in found.steps]
        [(1.0, 0.0, 1.0), (3.0, 0.135, 1.135), (3.0, 1.0, 1.503)]
    """
    z = row(scores)
    if not 1 <= tile <= len(z):
        raise ScoringError(f"Tiles of {tile} were asked for, of {len(z)} scores. Choose from 1 to {len(z)}.")
    one, keys, values = torch.ones(1, 1), z.float().unsqueeze(1), torch.eye(len(z))
    found = online_softmax(one, keys, values, tile, tiling=Tiling(scale=1.0, trace="outputs"))
    steps = tuple(
        TileStep(
            step.start,
            min(step.stop, len(z)),
            float(step.max),
            float(step.rescale),
            float(step.sum),
            () if step.output is None else tuple(step.output[0].tolist()),
        )
        for step in found.trace
    )
    full, exact = (
        tuple(scaled(one.to(t), z.to(t).unsqueeze(1), values.to(t), scale=1.0).weights[0].tolist())
        for t in (torch.float32, torch.float64)
    )
    return TileByTile(tuple(z.tolist()), tile, steps, full, exact)
