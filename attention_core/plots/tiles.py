"""A row of scores on its way through the online softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.experiments.tile_by_tile import TileByTile
from attention_core.plots.dot_products import LEGEND
from attention_core.plots.saturation import typed
from attention_core.plots.theme import GRID, MUTED, OKABE_ITO, Figure, Style, figure

NOW, SEEN, FULL = OKABE_ITO[5], OKABE_ITO[0], MUTED


def tile_bars(found: TileByTile, step: int, style: Style = Style()) -> Figure:
    """Above, the scores with the running maximum; below, the output so far beside the full softmax.

    Args:
        found: a row of scores.
        step: how many tiles have been taken, from 1.
        style: what it is drawn with.
    """
    now = found.steps[step - 1]
    places = np.arange(1, len(found.scores) + 1)
    coming = style.text("not yet seen")
    states = [style.text("this tile") if now.start <= i < now.stop else style.text("seen") if i < now.start else coming
              for i in range(len(places))]  # fmt: skip
    colours = [NOW if now.start <= i < now.stop else SEEN if i < now.start else FULL for i in range(len(places))]
    x, y = [], []
    for taken in found.steps[:step]:
        x += [taken.start + 0.5, taken.stop + 0.5]
        y += [taken.max, taken.max]
    scores = {
        "type": "bar",
        "x": places,
        "y": list(found.scores),
        "marker": {"color": colours, "opacity": [0.35 if state == coming else 0.85 for state in states]},
        "customdata": [[typed(z), state] for z, state in zip(found.scores, states, strict=True)],
        "hovertemplate": f"{style.text('score')} %{{customdata[0]}}, %{{customdata[1]}}<extra></extra>",
        "showlegend": False,
    }
    highest = {
        "type": "scatter",
        "mode": "lines",
        "name": style.text("running maximum"),
        "x": x,
        "y": y,
        "line": {"color": style.ink, "width": 2, "dash": "dash"},
        "hovertemplate": f"{style.text('running maximum')} %{{y:.6g}}<extra></extra>",
    }
    weights = [
        _weights(places, now.weights, style.text("output so far"), SEEN),
        _weights(places, found.full, style.text("full softmax"), FULL),
    ]
    return figure([scores, highest, *weights], style, height=420, **_layout(found, style))


def _weights(places: Any, values: tuple[float, ...], name: str, colour: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "name": name,
        "x": places,
        "y": list(values),
        "yaxis": "y2",
        "marker": {"color": colour},
        "customdata": [f"{value:.6g}" for value in values],
        "hovertemplate": f"{name} %{{customdata}}<extra></extra>",
    }


def _layout(found: TileByTile, style: Style) -> dict[str, Any]:
    """Both panels over one axis, a line between two tiles."""
    n = len(found.scores)
    between = [step.stop + 0.5 for step in found.steps[:-1]]
    every = -(-n // 16)
    shown = list(range(0, n, every))
    axis = {"gridcolor": GRID, "fixedrange": True, "automargin": True}
    return {
        "xaxis": {
            "title": {"text": style.text("score (dotted lines: tiles)")},
            "anchor": "y2",
            "tickvals": [i + 1 for i in shown],
            "ticktext": [typed(found.scores[i]) for i in shown],
            "range": [0.4, n + 0.6],
            "showgrid": False,
        },
        "yaxis": {**axis, "domain": [0.56, 1], "title": {"text": style.text("score")}, "zeroline": True,
                  "zerolinecolor": MUTED},
        "yaxis2": {**axis, "domain": [0, 0.46], "title": {"text": style.text("weight")}, "range": [0, 1.02]},
        "shapes": [
            {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper",
             "line": {"color": MUTED, "width": 1, "dash": "dot"}}
            for x in between
        ],
        "barmode": "group",
        "showlegend": True,
        "legend": LEGEND,
        "margin": {"l": 8, "r": 8, "t": 34, "b": 8},
    }  # fmt: skip
