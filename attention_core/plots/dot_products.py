"""Dot products of vectors drawn at random: their histogram, and variance and kurtosis as the vectors grow longer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_core.experiments.moments import Measured
from attention_core.experiments.variance import DotProducts
from attention_core.plots.theme import MUTED, OKABE_ITO, Figure, Style, figure, number

WITHOUT, WITH = OKABE_ITO[5], OKABE_ITO[0]
"""The colours of a dot product as it is, and divided by √d_k."""
LEGEND = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "itemclick": False}
HEIGHT = 320


def product_histogram(found: DotProducts, scaled: bool, style: Style = Style(), height: int = HEIGHT) -> Figure:
    """The density of q·k, or of q·k/√d_k where `scaled`, and the normal density of variance d_k, or 1, as a line."""
    deviation = 1.0 if scaled else math.sqrt(found.d)
    counts, edges = found.counts, found.edges * deviation / math.sqrt(found.d)
    widths = np.diff(edges)
    low, high = min(float(edges[0]), -4 * deviation), max(float(edges[-1]), 4 * deviation)
    x = np.linspace(low, high, 201)
    name = style.text("q·k divided by √d_k") if scaled else style.text("q·k")
    theory = f"N(0, {1 if scaled else f'{found.d:,}'})"
    bars = {
        "type": "bar",
        "x": (edges[:-1] + edges[1:]) / 2,
        "y": counts / (found.size * widths),
        "width": widths,
        "marker": {"color": WITH if scaled else WITHOUT, "opacity": 0.75, "line": {"width": 0}},
        "customdata": [
            [f"{number(a, 4)} … {number(b, 4)}", f"{count:,}"]
            for a, b, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
        ],
        "hovertemplate": f"{name} %{{customdata[0]}}<br>%{{customdata[1]}} {style.text('pairs')}<extra></extra>",
    }
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": np.exp(-((x / deviation) ** 2) / 2) / (deviation * math.sqrt(2 * math.pi)),
        "line": {"color": style.ink, "width": 2, "dash": "dot"},
        "hovertemplate": f"{theory}: %{{y:.3g}}<extra></extra>",
    }
    note = {"text": f"┄ {theory}", "xref": "paper", "yref": "paper", "x": 1, "y": 1, "xanchor": "right",
            "yanchor": "bottom", "showarrow": False}  # fmt: skip
    return figure(
        [bars, line],
        style,
        height,
        xaxis={"title": {"text": name}, "range": [low, high]},
        yaxis={"title": {"text": style.text("density")}, "rangemode": "tozero"},
        bargap=0,
        annotations=[note],
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
    )


def variance_lines(
    found: Mapping[int, DotProducts], chosen: int | None = None, style: Style = Style(), height: int = HEIGHT
) -> Figure:
    """The variance of q·k against d_k, with and without the scale, on logarithmic axes; bars of one standard error.

    Args:
        found: by d_k.
        chosen: a d_k that is marked; None for none.
        style: what it is drawn with.
        height: in pixels.
    """
    sizes = list(found)
    ends = [sizes[0], sizes[-1]]
    own = any(not math.isclose(one.expected_variance, one.d) for one in found.values())
    independent = style.text("independent: d_k and 1")
    traces = [
        _theory(ends, ends, independent, style),
        _theory(ends, [1, 1], independent, style) | {"showlegend": False},
    ]
    if own:
        exact = [one.expected_variance for one in found.values()]
        traces.append(_theory(sizes, exact, style.text("of all pairs of rows"), style, "dash"))
    for scaled in (False, True):
        name = style.text("q·k divided by √d_k") if scaled else style.text("q·k")
        values = [one.scaled_variance if scaled else one.variance for one in found.values()]
        traces.append(_points(sizes, values, name, WITH if scaled else WITHOUT, "square" if scaled else "circle"))
    axis = {"type": "log", "tickformat": ",~g", "dtick": 1}
    return figure(
        traces,
        style,
        height,
        xaxis={"title": {"text": style.text("components d_k (log scale)")}, **axis},
        yaxis={"title": {"text": style.text("variance (log scale)")}, **axis},
        shapes=[] if chosen is None else [_mark(chosen)],
        showlegend=True,
        legend=LEGEND,
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
    )


def kurtosis_lines(found: Mapping[int, DotProducts], chosen: int | None = None, style: Style = Style()) -> Figure:
    """The excess kurtosis against d_k, with bars of one standard error, and what independent components give.

    Args:
        found: by d_k; those without a kurtosis are left out.
        chosen: a d_k that is marked; None for none.
        style: what it is drawn with.
    """
    known = {d: one.kurtosis for d, one in found.items() if one.kurtosis is not None}
    expected = [one.independent_kurtosis for one in found.values()]
    values = list(known.values())
    traces = [
        _theory(list(found), expected, style.text("((E[x⁴]/σ⁴)² − 3)/d_k"), style),
        _points(list(known), values, style.text("drawn"), WITHOUT, "circle"),
    ]
    return figure(
        traces,
        style,
        HEIGHT,
        xaxis={
            "title": {"text": style.text("components d_k (log scale)")},
            "type": "log",
            "tickformat": ",~g",
            "dtick": 1,
        },
        yaxis={"title": {"text": style.text("excess kurtosis")}, "zeroline": True, "zerolinecolor": MUTED},
        shapes=[] if chosen is None else [_mark(chosen)],
        showlegend=True,
        legend=LEGEND,
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
    )


def _theory(x: list[int], y: list[Any], name: str, style: Style, dash: str = "dot") -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": y,
        "line": {"color": style.ink, "width": 1.5, "dash": dash},
        "hovertemplate": f"{name}: %{{y:.4g}}<extra></extra>",
    }


def _points(x: list[int], values: list[Measured], name: str, colour: str, symbol: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": x,
        "y": [one.value for one in values],
        "error_y": {"type": "data", "array": [one.error for one in values], "thickness": 1.5, "width": 4},
        "marker": {"color": colour, "size": 8, "symbol": symbol},
        "customdata": [f"{number(one.value, 4)} ± {number(one.error, 2)}" for one in values],
        "hovertemplate": f"d_k = %{{x:,}}<br>{name}: %{{customdata}}<extra></extra>",
    }


def _mark(d: int) -> dict[str, Any]:
    return {"type": "line", "x0": d, "x1": d, "y0": 0, "y1": 1, "yref": "paper",
            "line": {"color": MUTED, "width": 1, "dash": "dot"}}  # fmt: skip
