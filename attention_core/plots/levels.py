"""Level curves: where in the plane of two vectors a measure gives the same score."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from plotly.colors import find_intermediate_color, hex_to_rgb, label_rgb

from attention_core.measures import MEASURES
from attention_core.plots.plane import A, B, Names, arrow, axis_titles
from attention_core.plots.theme import SEQUENTIAL, SIGNED, Figure, Style, figure, label
from attention_core.similarity.levels import Levels
from attention_core.similarity.pair import Pair
from attention_core.similarity.plane import Floats

LINES = 12
"""About so many level curves."""


def level_curves(found: Levels, pair: Pair, measure: str, names: Names = ("a", "b"), style: Style = Style()) -> Figure:
    """One measure's scores with a over the plane, and the curve of all points that score like b.

    All measures share the axes, which have one scale. Distances are coloured from near to far; scores with a sign are
    coloured on a scale centred on 0, where it is clear.

    Args:
        found: of `pair`.
        pair: the two vectors.
        measure: a key of `MEASURES`; one that is undefined or the same everywhere is drawn without curves.
        names: what the vectors are called; words of files may be anything.
        style: what it is drawn with.
    """
    tips = pair.plane.coordinates(np.stack([pair.a, pair.b]))
    surface, score = None if found.flat(measure) else found.scores[measure], pair.scores[measure]
    if surface is not None and 1e-30 < np.nanmax(np.abs(surface)) < 1e38:
        surface = surface.astype(np.float32)  # half the size to send
    traces = [] if surface is None else [_surface(found, surface, measure, style)]
    if surface is not None and score is not None:
        traces.append(_curve_of_b(found, surface, score, style))
    for tip, colour, name in zip(tips, (A, B), names, strict=True):
        drawn = arrow(tip, colour, 3, [label(name, 200)])
        halo = {
            "mode": "lines",
            "line": {"color": style.ground, "width": 6},
            "hoverinfo": "skip",
            "hovertemplate": None,
        }
        traces += [drawn | halo, drawn | {"marker": drawn["marker"] | {"line": {"width": 1.5, "color": style.ground}}}]
    reach = [float(found.axis[0]), float(found.axis[-1])]
    x, y = axis_titles(pair, style)
    axis = {"range": reach, "showgrid": False, "constrain": "domain", "nticks": 6}
    return figure(
        traces,
        style,
        height=400,
        xaxis={"title": {"text": x}, **axis},
        yaxis={"title": {"text": y}, "scaleanchor": "x", **axis},
        annotations=[_sign(tip, sign, style) for tip, sign in zip(tips, ("a", "b"), strict=True)],
    )


def _sign(tip: Floats, sign: str, style: Style) -> dict[str, Any]:
    x, y = tip.tolist()
    return {"x": x, "y": y, "text": f"<b>{sign}</b>", "showarrow": False, "font": {"size": 15, "color": style.ink},
            "xshift": 12 if x >= 0 else -12, "yshift": 10 if y >= 0 else -10}  # fmt: skip


def _surface(found: Levels, surface: Any, measure: str, style: Style) -> dict[str, Any]:
    low, high = float(np.nanmin(surface)), float(np.nanmax(surface))
    signed = MEASURES[measure].best == "highest"
    size = _step((high - low) / LINES)
    peak = max(abs(low), abs(high)) or 1.0
    return {
        "type": "contour",
        "x": found.axis,
        "y": found.axis,
        "z": surface,
        "colorscale": _colours(signed, style),
        "zmin": -peak if signed else low,
        "zmax": peak if signed else high,
        "contours": {
            "start": math.ceil(low / size) * size,
            "end": high,
            "size": size,
            "showlabels": True,
            "labelformat": f",.{max(0, -math.floor(math.log10(size)))}f" if 1e-4 < size < 1e6 else ".2~e",
            "labelfont": {"size": 11, "color": style.ink},
        },
        "line": {"width": 0.8, "color": style.ink},
        "showscale": False,
        "hovertemplate": f"(%{{x:.3g}}, %{{y:.3g}}): {style.text(MEASURES[measure].label)} %{{z:.3g}}<extra></extra>",
    }


def _colours(signed: bool, style: Style) -> list[list[Any]]:
    """The scales of `theme`, mixed with the ground so that lines, arrows and numbers can be read; 0 is the ground."""
    if signed:
        return [[0, SIGNED[2][1]], [0.5, style.ground], [1, SIGNED[8][1]]]
    ground = hex_to_rgb(style.ground)
    mixed = [(at, find_intermediate_color(ground, hex_to_rgb(colour), 0.55)) for at, colour in SEQUENTIAL]
    return [[at, label_rgb([round(value) for value in colour])] for at, colour in mixed]


def _curve_of_b(found: Levels, surface: Any, score: float, style: Style) -> dict[str, Any]:
    return {
        "type": "contour",
        "x": found.axis,
        "y": found.axis,
        "z": surface,
        "contours": {"start": score, "end": score, "size": 1, "coloring": "none"},
        "line": {"width": 4, "color": style.ink},
        "showscale": False,
        "hoverinfo": "skip",
    }


def _step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, the next above."""
    power = 10.0 ** math.floor(math.log10(rough or 1.0))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough)
