"""Where in the plane of two vectors all points lie that a measure scores alike with the first of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attention_core.similarity.pair import Pair, scored
from attention_core.similarity.plane import Floats

BLOCK = 1 << 22
"""Components scored at a time: 32 MiB of float64."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The score of a with every point of a square grid in the plane of a and b.

    Attributes:
        axis: (n,) the places on either axis, symmetric about 0, which is not among them when n is even.
        scores: by measure: (n, n) float64, row by row from below; None where undefined everywhere.
    """

    axis: Floats
    scores: Mapping[str, Floats | None]

    def flat(self, measure: str) -> bool:
        """Whether all points score alike, so that there is no curve to draw."""
        surface = self.scores[measure]
        return surface is not None and bool(np.nanmin(surface) == np.nanmax(surface))


def levels(pair: Pair, steps: int = 80) -> Levels | None:
    """The surface that each measure lays over the plane; its level curves are where the score is the same.

    Args:
        pair: its a is the query; the grid reaches past both vectors by a quarter.
        steps: n, the points on each axis; an odd number puts one on the origin, where cosine is NaN.

    Returns:
        None on a line (d = 1): there is no plane.

    Example:
        >>> from attention_core.similarity.pair import pair
        >>> found = levels(pair([2, 0], [0, 2]), steps=2)
        >>> found.axis.tolist(), found.scores["dot"].tolist()
        ([-2.5, 2.5], [[-5.0, 5.0], [-5.0, 5.0]])
    """
    if not pair.plane.turns:
        return None
    reach = 1.25 * max(pair.norm_a, pair.norm_b) or 1.0
    axis = np.linspace(-reach, reach, steps)
    places = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    rows = max(1, BLOCK // len(pair.a))
    parts = [
        scored(pair.a[None], pair.plane.points(places[start : start + rows]), pair.weights)
        for start in range(0, len(places), rows)
    ]
    surfaces = {name: np.concatenate([part[name][0] for part in parts]).reshape(steps, steps) for name in pair.scores}
    return Levels(axis, {name: None if np.isnan(found).all() else found for name, found in surfaces.items()})
