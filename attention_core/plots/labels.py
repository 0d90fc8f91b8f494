"""Where the names of points may stand so that they do not cover each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.theme import MUTED, extent

LINE, MARK = 17.0, 9.0
"""Pixels from one line to the next, and of half a mark, which no name covers."""
DISTANCES = (14, 26, 40, 58, 80, 104, 130)
"""How far from its point a name may stand, in pixels, nearest first."""
PHONE, PHONE_NAMES = 260.0, 10
"""Pixels of a figure's width on a phone, and how many names may be shown there."""
DIRECTIONS = tuple((float(np.cos(a)), -float(np.sin(a))) for a in np.deg2rad(np.arange(0, 360, 30)))


@dataclass(frozen=True)
class Frame:
    """The part of the plane that a figure shows.

    Attributes:
        low, high: its corners, in the unit of the points.
        width, height: its size in pixels; a narrower screen draws names nearer to each other than planned.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    width: float
    height: float

    def pixels(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """(m, 2) places on the screen, both axes at one scale, y downwards."""
        span = np.maximum(self.high - self.low, 1e-300)
        scale = float(min(self.width / span[0], self.height / span[1]))
        return (points - (self.low + self.high) / 2) * scale * [1, -1]


Placed = list[tuple[int, tuple[float, float]]]
"""Positions of names and how far in pixels the middle of each stands from its point."""


def placed(points: NDArray[np.float64], names: Sequence[str], frame: Frame) -> Placed:
    """Which names find room, and how far in pixels the middle of each stands from its point.

    The first names choose first; one that finds no room near its point and inside the frame is left out.

    Args:
        points: (m, 2).
        names: m names as they are drawn.
        frame: what is shown.

    Returns:
        Pairs of a position and its (x, y) offset, y downwards.

    Example:
        >>> frame = Frame(np.zeros(2), np.ones(2), 100, 100)
        >>> placed(np.array([[0.5, 0.5], [0.5, 0.5]]), ["one", "two"], frame)
        [(0, (24.5, 0.0)), (1, (12.3, -19.5))]
    """
    found: Placed = []
    pixels = frame.pixels(points).tolist()
    taken = [(x, MARK, y) for x, y in pixels]
    for i, ((x, y), name) in enumerate(zip(pixels, names, strict=True)):
        half = extent(name) / 2
        for distance, (across, down) in ((d, direction) for d in DISTANCES for direction in DIRECTIONS):
            dx, dy = across * (distance + half), down * (distance + LINE / 2)
            inside = abs(x + dx) + half <= frame.width / 2 and abs(y + dy) + LINE / 2 <= frame.height / 2
            if inside and all(abs(x + dx - a) > half + b or abs(y + dy - c) > LINE for a, b, c in taken):
                taken.append((x + dx, half, y + dy))
                found.append((i, (round(dx, 1) + 0.0, round(dy, 1) + 0.0)))
                break
    return found


def tied(
    points: NDArray[np.float64], texts: Sequence[str], offsets: Placed, first: Sequence[int]
) -> list[dict[str, Any]]:
    """Plotly's annotations of those names that found room, each tied to its point by a thin line.

    Those of `first` come first, and hidden ones stand for what they lack to 10, so that a page on a phone can show
    the first 10 and no other.
    """
    rest = [(i, offset) for i, offset in offsets if i not in first]
    notes = {
        i: {
            "x": float(points[i, 0]),
            "y": float(points[i, 1]),
            "text": texts[i],
            "ax": dx,
            "ay": dy,
            "showarrow": True,
            "arrowhead": 0,
            "arrowwidth": 0.8,
            "arrowcolor": MUTED,
            "standoff": 4,
            "borderpad": 0,
        }
        for i, (dx, dy) in offsets
    }
    hidden = [{"visible": False}] * (PHONE_NAMES - len(first) if rest else 0)
    return [*(notes[i] for i in first), *hidden, *(notes[i] for i, _offset in rest)]


def apart(points: NDArray[np.float64], names: Sequence[str], offsets: Placed, frame: Frame) -> list[int]:
    """Of names that have their places, the first 10 that stand apart on a phone: its frame has fewer pixels."""
    frame = replace(frame, width=min(frame.width, PHONE))
    pixels = frame.pixels(points)
    taken: list[tuple[float, float, float]] = []

    def fitting() -> Iterator[int]:
        for i, (dx, dy) in offsets:
            x, y, half = float(pixels[i, 0] + dx), float(pixels[i, 1] + dy), extent(names[i]) / 2
            if abs(x) + half <= frame.width / 2 and all(
                abs(x - a) > half + b or abs(y - c) > LINE for a, b, c in taken
            ):
                taken.append((x, half, y))
                yield i

    return list(islice(fitting(), PHONE_NAMES))
