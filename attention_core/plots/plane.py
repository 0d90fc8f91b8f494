"""Two vectors in their plane: arrows, angle, projection and distance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from attention_core.plots.theme import GRID, MUTED, WORDS, Figure, Style, figure, label, number
from attention_core.similarity.pair import Pair
from attention_core.similarity.plane import Floats

A, B = WORDS[0], WORDS[1]
"""The colours of the two vectors, in every figure of them."""

Names = tuple[str, str]


def plane_picture(pair: Pair, names: Names = ("a", "b"), style: Style = Style(), height: int = 380) -> Figure:
    """Both arrows from the origin, the angle between them, b's projection on a, and the distance from tip to tip.

    Lengths and angles are the true ones, whatever the number of components. Where b was moved, a faint arrow shows it
    as it was.

    Args:
        pair: the two vectors.
        names: what they are called; words of files may be anything.
        style: what it is drawn with.
        height: in pixels.
    """
    a, b, start = pair.plane.coordinates(np.stack([pair.a, pair.b, pair.start]))
    traces = [_distance(pair, a, b, style)]
    if pair.foot is not None:
        traces += _projection(pair, pair.plane.coordinates(pair.foot), b, style)
    if pair.angle:
        traces.append(_arc(pair.angle, a, b))
    if not np.array_equal(pair.b, pair.start):
        traces.append(arrow(start, MUTED, 1.5, [style.text("b before the move")]))
    for vector, norm, colour, name in ((a, pair.norm_a, A, names[0]), (b, pair.norm_b, B, names[1])):
        traces.append(arrow(vector, colour, 3, [label(name, 200), f"{style.text('norm')} {norm!r}"]))
    x, y = axis_titles(pair, style)
    axis = {"zeroline": True, "zerolinecolor": GRID, "zerolinewidth": 2}
    left, bottom, right, top = _bounds(np.stack([a, b, start]))
    return figure(
        traces,
        style,
        height=height,
        xaxis={"title": {"text": x}, "range": [left, right], **axis},
        yaxis={"title": {"text": y}, "range": [bottom, top], "scaleanchor": "x", **axis},
        annotations=_labels(pair, names, a, b, style),
    )


def axis_titles(pair: Pair, style: Style) -> tuple[str, str]:
    """What the two directions of the plane are."""
    if len(pair.a) <= 2:
        return style.text("component 1"), style.text("component 2") if pair.plane.turns else ""
    along = "along a" if pair.a.any() else "along b" if pair.start.any() else "one direction of the plane"
    return style.text(along), style.text("at right angles to it")


def arrow(tip: Floats, colour: str, width: float, said: list[str]) -> dict[str, Any]:
    """An arrow from the origin, or a point there when it has no length; `said` is shown on hover."""
    length = math.hypot(*tip)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [0.0, float(tip[0])],
        "y": [0.0, float(tip[1])],
        "line": {"color": colour, "width": width},
        "marker": {
            "color": colour,
            "size": [0, 7 + 3 * width] if length else 9,
            "symbol": ["circle", "arrow" if length else "circle"],
            "angleref": "previous",
            "opacity": 1,
            "line": {"width": 0},
        },
        "cliponaxis": False,
        "hovertemplate": "<br>".join([*said, "(%{x:.4g}, %{y:.4g})"]) + "<extra></extra>",
    }


def _distance(pair: Pair, a: Floats, b: Floats, style: Style) -> dict[str, Any]:
    said = f"{style.text('distance')} {pair.scores['euclidean']!r}"
    return _line([a, b], {"color": MUTED, "width": 2, "dash": "dot"}, said)


def _projection(pair: Pair, foot: Floats, b: Floats, style: Style) -> list[dict[str, Any]]:
    said = f"{style.text('projection of b on a')} {pair.projection!r}"
    shadow = _line([np.zeros(2), foot], {"color": B, "width": 10}, said)
    return [{**shadow, "opacity": 0.35}, _line([b, foot], {"color": B, "width": 1.5, "dash": "dash"}, said)]


def _line(ends: list[Floats], line: dict[str, Any], said: str) -> dict[str, Any]:
    x, y = np.stack(ends).T.tolist()
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hovertemplate": f"{said}<extra></extra>"}


def _arc(angle: float, a: Floats, b: Floats) -> dict[str, Any]:
    begin, radius = math.atan2(a[1], a[0]), _radius(a, b)
    turns = begin + np.linspace(0, _way(a, b) * math.radians(angle), 60)
    x, y = (radius * np.cos(turns)).tolist(), (radius * np.sin(turns)).tolist()
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": {"color": MUTED, "width": 2},
            "hovertemplate": f"θ = {angle!r}°<extra></extra>"}  # fmt: skip


def _way(a: Floats, b: Floats) -> int:
    """1 when b lies counterclockwise of a, else −1."""
    return 1 if a[0] * b[1] - a[1] * b[0] >= 0 else -1


def _radius(a: Floats, b: Floats) -> float:
    return 0.3 * min(math.hypot(*a), math.hypot(*b))


def _labels(pair: Pair, names: Names, a: Floats, b: Floats, style: Style) -> list[dict[str, Any]]:
    signs = [name if name == sign else f"{name} ({sign})" for name, sign in zip(names, ("a", "b"), strict=True)]
    sides = ("top", "bottom") if a[1] <= b[1] else ("bottom", "top")
    marks = [
        {**_beside(tip, label(sign, 22), style.ink), "xanchor": "right" if tip[0] > 0 else "left", "yanchor": side}
        for tip, sign, side in zip((a, b), signs, sides, strict=True)  # towards the origin: there is always room
    ]
    if pair.angle:
        middle = math.atan2(a[1], a[0]) + _way(a, b) * math.radians(pair.angle) / 2
        place = 1.25 * _radius(a, b) * np.array([math.cos(middle), math.sin(middle)])
        marks.append(_beside(place, f"{number(pair.angle)}°", style.ink))
    return marks


def _beside(place: Floats, text: str, ink: str) -> dict[str, Any]:
    """A text that stands on the far side of a place, seen from the origin."""
    x, y = place.tolist()
    return {
        "x": x,
        "y": y,
        "text": text,
        "showarrow": False,
        "font": {"size": 14, "color": ink},
        "xanchor": "left" if x > 0 else "right" if x < 0 else "center",
        "yanchor": "bottom" if y >= 0 else "top",
    }


def _bounds(tips: Floats) -> list[float]:
    """Left, bottom, right and top around the tips and the origin, in whole steps, so that small moves show as moves."""
    low, high = np.minimum(tips.min(axis=0), 0), np.maximum(tips.max(axis=0), 0)
    span = float((high - low).max()) or 1.0
    step = 10.0 ** math.floor(math.log10(span)) / 2
    while span / step > 6:
        step *= 2
    room = 0.12 * span
    edges: list[float] = [
        *(np.floor((low - room) / step) * step).tolist(),
        *(np.ceil((high + room) / step) * step).tolist(),
    ]
    return edges
