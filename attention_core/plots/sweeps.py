"""Every score along the range of one parameter of a move, one panel below the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.measures import MEASURES
from attention_core.plots.theme import GRID, MUTED, Figure, Style, figure, measure_colour, number
from attention_core.similarity.pair import Pair
from attention_core.similarity.plane import Floats
from attention_core.similarity.sweeps import Sweep

TITLES = {
    "factor": "b times this factor",
    "degrees": "b turned by this many degrees",
    "shift": "b plus this many times a",
}


def sweep_panels(sweep: Sweep, pair: Pair, style: Style = Style()) -> Figure:
    """A panel for each measure over one shared axis; the present move is marked, with its score.

    Args:
        sweep: of `pair`.
        pair: its scores are marked.
        style: what it is drawn with.
    """
    names = list(sweep.scores)
    traces: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for i, name in enumerate(names):
        suffix = "" if i == 0 else str(i + 1)
        traces += [{**trace, "yaxis": f"y{suffix}"} for trace in _panel(sweep, pair, name, style)]
        top = 1 - i / len(names)
        axes[f"yaxis{suffix}"] = {
            "domain": [top - 0.8 / len(names), top],
            "title": {"text": style.text(MEASURES[name].label).replace(" ", "<br>"), "font": {"size": 12}},
            "nticks": 5,
            "gridcolor": GRID,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "range": _range(sweep.scores[name]),
        }
    present = {"type": "line", "x0": sweep.present, "x1": sweep.present, "y0": 0, "y1": 1, "yref": "paper",
               "line": {"color": MUTED, "width": 1, "dash": "dot"}}  # fmt: skip
    last = "y" if len(names) == 1 else f"y{len(names)}"
    low, high = float(sweep.values[0]), float(sweep.values[-1])
    x: dict[str, Any] = {"title": {"text": style.text(TITLES[sweep.parameter])}, "anchor": last, "range": [low, high]}
    if sweep.parameter == "degrees":
        x["dtick"] = 90
    return figure(traces, style, height=110 * len(names) + 60, xaxis=x, **axes, shapes=[present])


def _range(scores: Floats) -> list[float]:
    """A tenth more than the scores on either side, and never so little that rounding would look like a change."""
    defined = scores[~np.isnan(scores)]
    low, high = (float(defined.min()), float(defined.max())) if len(defined) else (-1.0, 1.0)
    room = max(0.12 * (high - low), 0.02 * max(abs(low), abs(high)), 1e-300)
    return [low - room, high + room]


def _panel(sweep: Sweep, pair: Pair, name: str, style: Style) -> list[dict[str, Any]]:
    colour, score = measure_colour(name), pair.scores[name]
    curve = {
        "type": "scatter",
        "mode": "lines",
        "x": sweep.values,
        "y": [None if np.isnan(value) else value for value in sweep.scores[name].tolist()],
        "line": {"color": colour, "width": 2.5},
        "hovertemplate": f"%{{x:.4g}}: {style.text(MEASURES[name].label)} %{{y}}<extra></extra>",
    }
    if score is None:
        return [curve]
    point = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [sweep.present],
        "y": [score],
        "text": [f" {number(score)} "],
        "textposition": _clear_of(sweep, sweep.scores[name]),
        "marker": {"color": colour, "size": 10, "opacity": 1, "line": {"width": 2, "color": style.ink}},
        "cliponaxis": False,
        "hovertemplate": f"{style.text('now')}: {score!r}<extra></extra>",
    }
    return [curve, point]


def _clear_of(sweep: Sweep, scores: Floats) -> str:
    """Where the number of the present score stands beside its curve and inside the panel."""
    here = int(np.argmin(np.abs(sweep.values - sweep.present)))
    before, after = np.nan_to_num(scores[[max(here - 1, 0), min(here + 1, len(scores) - 1)]])
    left = sweep.present > (sweep.values[0] + sweep.values[-1]) / 2
    above = after <= before if not left else after >= before
    return f"{'top' if above else 'bottom'} {'left' if left else 'right'}"
