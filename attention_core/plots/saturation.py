"""How sharp a softmax is: weights as bars, sharpness against a factor, gradients against the size of the vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_core.experiments.gradients import Gradient, Gradients, Spread
from attention_core.experiments.saturation import Floats, Saturation
from attention_core.plots.dot_products import LEGEND, WITH, WITHOUT
from attention_core.plots.theme import GRID, MUTED, OKABE_ITO, Figure, Style, figure, label, number

ROWS = (OKABE_ITO[0], OKABE_ITO[1], OKABE_ITO[2], OKABE_ITO[3])
DASHES = ("solid", "dash", "solid", "dot")
CHANGES = (MUTED, OKABE_ITO[4], OKABE_ITO[5])
"""The colours of scores as given, shifted and multiplied."""
SMALLEST = 1e-8
"""The Jacobian's axis ends there."""


def typed(value: float) -> str:
    """A number that a reader gave, without zeros at its end.

    Example:
        >>> typed(-12.5), typed(9.0)
        ('−12.5', '9')
    """
    return f"{value:.6g}".replace("-", "−")


def weight_bars(scores: Floats, weights: Mapping[str, Floats], style: Style = Style(), height: int = 260) -> Figure:
    """The weights of a row of scores, once for each thing done to it, side by side.

    Args:
        scores: (n,) as given.
        weights: by what was done, in the words of readers: (n,).
        style: what it is drawn with.
        height: in pixels.
    """
    places = np.arange(1, len(scores) + 1)
    traces = [
        {
            "type": "bar",
            "name": label(name, 60),
            "x": places,
            "y": values,
            "marker": {"color": colour},
            "customdata": [[typed(z), f"{p:.6g}"] for z, p in zip(scores.tolist(), values.tolist(), strict=True)],
            "hovertemplate": f"{style.text('score')} %{{customdata[0]}}<br>{style.text('weight')} %{{customdata[1]}}"
            "<extra></extra>",
        }
        for (name, values), colour in zip(weights.items(), CHANGES, strict=False)
    ]
    step = -(-len(scores) // 16)
    return figure(
        traces,
        style,
        height,
        xaxis={
            "title": {"text": style.text("score, as given")},
            "tickvals": places[::step],
            "ticktext": [typed(z) for z in scores[::step].tolist()],
        },
        yaxis={"title": {"text": style.text("weight")}, "range": [0, 1]},
        barmode="group",
        showlegend=True,
        legend=LEGEND,
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
    )


def sharpness(rows: Mapping[str, Saturation], factor: float, style: Style = Style()) -> Figure:
    """Largest weight, entropy and the Jacobian's norm against the factor, one panel below the other.

    Args:
        rows: by name, each row of scores over the same factors; at most four.
        factor: the present one, which is marked.
        style: what it is drawn with.
    """
    panels: tuple[tuple[str, str, dict[str, Any]], ...] = (
        (style.text("largest<br>weight"), "largest", {"range": [0, 1.05]}),
        (style.text("entropy<br>(nats)"), "entropy", {"rangemode": "tozero"}),
        (style.text("‖Jacobian‖"), "jacobian", {"type": "log", "range": [np.log10(SMALLEST), 0], "dtick": 2,
                                                "exponentformat": "power"}),
    )  # fmt: skip
    traces: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for i, (title, name, axis) in enumerate(panels):
        suffix = "" if i == 0 else str(i + 1)
        for (row, found), colour, dash in zip(rows.items(), ROWS, DASHES, strict=False):
            traces.append(_curve(row, found, name, (colour, dash)) | {"yaxis": f"y{suffix}", "showlegend": i == 0})
        top = 1 - 0.36 * i
        axes[f"yaxis{suffix}"] = {
            "domain": [top - 0.28, top],
            "title": {"text": title, "font": {"size": 12}, "standoff": 12},
            "gridcolor": GRID,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            **axis,
        }
    present = {"type": "line", "x0": factor, "x1": factor, "y0": 0, "y1": 1, "yref": "paper",
               "line": {"color": MUTED, "width": 1, "dash": "dot"}}  # fmt: skip
    x = {"title": {"text": style.text("factor on all scores (log scale)")}, "type": "log",
         "anchor": "y3", "dtick": 1, "exponentformat": "none"}  # fmt: skip
    return figure(
        traces,
        style,
        height=500,
        xaxis=x,
        **axes,
        shapes=[present],
        showlegend=True,
        legend=LEGEND,
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
    )


def _curve(row: str, found: Saturation, name: str, look: tuple[str, str]) -> dict[str, Any]:
    values: Floats = getattr(found, name)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": label(row, 40),
        "x": found.factors,
        "y": np.maximum(values, 1e-300) if name == "jacobian" else values,
        "line": {"color": look[0], "dash": look[1], "width": 2.5},
        "hovertemplate": f"{label(row, 40)}<br>× %{{x:.3g}}: %{{y:.4g}}<extra></extra>",
    }


def gradient_lines(found: Gradients, style: Style = Style()) -> Figure:
    """The gradient that reaches a query, with and without 1/√d_k: the typical query and the mean, on log axes."""
    kinds = (
        (style.text("with 1/√d_k"), found.scaled, WITH),
        (style.text("without"), found.unscaled, WITHOUT),
    )
    measures = (("typical", style.text("typical query"), "solid"), ("mean", style.text("mean"), "dot"))
    traces = [
        _gradients(points, name, f"{kind}, {measure}", (colour, dash))
        for kind, points, colour in kinds
        for name, measure, dash in measures
    ]
    return figure(
        traces,
        style,
        height=360,
        xaxis={"title": {"text": style.text("components d_k (log scale)")}, "type": "log", "dtick": 1,
               "tickformat": ",~g"},
        yaxis={"title": {"text": style.text("norm of a query's gradient (log scale)")}, "type": "log", "dtick": 2,
               "exponentformat": "power"},
        showlegend=True,
        legend=LEGEND,
        margin={"l": 8, "r": 8, "t": 56, "b": 8},
    )  # fmt: skip


def _gradients(points: Sequence[Gradient], name: str, title: str, look: tuple[str, str]) -> dict[str, Any]:
    spreads: list[Spread] = [getattr(point, name) for point in points]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": title,
        "x": [point.d for point in points],
        "y": [spread.value for spread in spreads],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [spread.high - spread.value for spread in spreads],
            "arrayminus": [spread.value - spread.low for spread in spreads],
            "thickness": 1.5,
            "width": 4,
        },
        "line": {"color": look[0], "dash": look[1], "width": 2},
        "marker": {"color": look[0], "size": 7, "symbol": "circle" if look[1] == "solid" else "circle-open"},
        "customdata": [f"{number(s.value)} ({number(s.low)} to {number(s.high)})" for s in spreads],
        "hovertemplate": f"d_k = %{{x:,}}<br>{title}: %{{customdata}}<extra></extra>",
    }
