"""How every score of two vectors moves while one of them is scaled, turned or shifted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from attention_core.similarity.pair import Pair, scored
from attention_core.similarity.plane import Floats

Parameter = Literal["factor", "degrees", "shift"]
RANGES: Mapping[Parameter, tuple[float, float]] = {
    "factor": (0.0, 4.0),
    "degrees": (-180.0, 180.0),
    "shift": (-2.0, 2.0),
}
"""From where to where each parameter of a move is followed."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """The scores while one parameter of the move runs and the others stay.

    Attributes:
        parameter: the attribute of `Move` that runs.
        present: its value in the move of the pair.
        values: (n,) the values it takes.
        scores: by measure: (n,) float64, NaN where undefined.
    """

    parameter: Parameter
    present: float
    values: Floats
    scores: Mapping[str, Floats]


def sweeps(pair: Pair, steps: int = 121) -> Mapping[Parameter, Sweep]:
    """For each parameter of a move: every score along its range, the other two as they are.

    Turning needs a plane: on a line (d = 1) there is no sweep of the degrees.

    Args:
        pair: its a, start of b and move are used.
        steps: how many values, at equal distances.

    Example:
        >>> from attention_core.similarity.pair import pair
        >>> found = sweeps(pair([1, 0], [1, 1]), steps=5)["factor"]
        >>> found.values.tolist(), found.scores["dot"].tolist()
        ([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0, 4.0])
    """
    found = {}
    for parameter, (low, high) in RANGES.items():
        if parameter == "degrees" and not pair.plane.turns:
            continue
        values = np.linspace(low, high, steps)
        keys = _moved(pair, parameter, values)
        scores = {name: rows[0] for name, rows in scored(pair.a[None], keys, pair.weights).items()}
        found[parameter] = Sweep(parameter, getattr(pair.move, parameter), values, scores)
    return found


def _moved(pair: Pair, parameter: Parameter, values: Floats) -> Floats:
    """(n, d): b after each of the moves."""
    move = pair.move
    factors = values[:, None] if parameter == "factor" else move.factor
    degrees = values if parameter == "degrees" else move.degrees
    shifts = values[:, None] if parameter == "shift" else move.shift
    moved: Floats = factors * pair.plane.turned(pair.start, degrees) + shifts * pair.a
    return moved
