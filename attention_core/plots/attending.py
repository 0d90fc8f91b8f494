"""How each token spreads its weight, and how a row of weights becomes a sum of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.heat import Grid, heat_map, numbered
from attention_core.plots.theme import MUTED, OKABE_ITO, Figure, Style, extent, figure, label, room

Floats = NDArray[np.float64]
BARS = 60
"""Up to so many tokens, each has a bar and its name."""


def entropy_bars(
    tokens: Sequence[str], entropy: Floats, most: Floats, first: int = 0, style: Style = Style()
) -> Figure:
    """The entropy of each row of weights, and a line at the most that it could be.

    Args:
        tokens: m words that ask.
        entropy: (m,) in nats; NaN where undefined.
        most: (m,) ln of the number of allowed keys; −inf without any.
        first: the number of the first, from 0.
        style: what it is drawn with.
    """
    text, many = style.text, len(tokens) > BARS
    names = [f"{first + i + 1} {label(token, 14)}" for i, token in enumerate(tokens)]
    full = [f"{first + i + 1} {label(token, 200)}" for i, token in enumerate(tokens)]
    places = list(range(len(names)))
    reach = np.where(np.isfinite(most), most, 0.0)
    known = np.where(np.isfinite(entropy), entropy, 0.0)
    bars: dict[str, Any] = {
        "x": places,
        "y": known,
        "customdata": [[name, top] for name, top in zip(full, reach.tolist(), strict=True)],
        "hovertemplate": f"%{{customdata[0]}}<br>{text('entropy')} %{{y:.8g}} {text('of at most')} "
        "%{customdata[1]:.8g}<extra></extra>",
    }
    limit: dict[str, Any] = {"type": "scatter", "x": places, "y": reach, "hoverinfo": "skip"}
    if many:
        bars |= {"type": "scatter", "mode": "lines", "line": {"color": OKABE_ITO[0], "width": 1}}
        limit |= {"mode": "lines", "line": {"color": MUTED, "width": 2}}
    else:
        bars |= {"type": "bar", "marker": {"color": OKABE_ITO[0]}}
        dash = {"symbol": "line-ew", "size": 18, "line": {"width": 2.5, "color": MUTED}}
        limit |= {"mode": "markers", "marker": dash}
    step = -(-len(names) // 20) if many else 1
    return figure(
        [bars, limit],
        style,
        height=260,
        margin=room(left=42, bottom=20 + 0.65 * extent(*names[::step])),
        xaxis={"tickvals": places[::step], "ticktext": names[::step], "showgrid": False, "tickangle": -40},
        yaxis={"title": {"text": text("entropy in nats")}, "range": [0, 1.08 * max(float(reach.max()), 0.1)]},
        bargap=0.3,
    )


def weighted_sum(names: Sequence[str], terms: Floats, output: Floats, style: Style = Style()) -> Figure:
    """A row for each value times its weight, and the last one for their sum.

    Args:
        names: of the r rows, no two alike.
        terms: (r, d_v).
        output: (d_v,).
        style: what it is drawn with.
    """
    rows = [*names, style.text("their sum")]
    columns = numbered(None, terms.shape[1])
    grid = Grid(np.vstack([terms, output]), rows, columns, ("weight · value", "component"), length=26)
    return heat_map(grid, style, height=90 + 26 * len(rows))


def difference_bars(tokens: Sequence[str], differences: Floats, tolerance: float, style: Style = Style()) -> Figure:
    """How far each token's output moved, on a logarithmic scale, and what rounding explains.

    Args:
        tokens: n words.
        differences: (n,) the largest of each token's components; 0 is drawn at the bottom.
        tolerance: up to here it is rounding.
        style: what it is drawn with.
    """
    text, places = style.text, list(range(len(tokens)))
    known = np.where(np.isfinite(differences), differences, 0.0)
    floor = min(tolerance, float(known[known > 0].min(initial=1.0))) / 10
    top = max(float(known.max(initial=0)), tolerance) * 5
    drawn = {
        "type": "scatter",
        "mode": "markers",
        "x": places,
        "y": np.maximum(known, floor),
        "marker": {"size": 9, "color": [OKABE_ITO[0] if value > tolerance else MUTED for value in known]},
        "customdata": [[f"{i + 1} {label(token, 200)}", value] for i, (token, value) in
                       enumerate(zip(tokens, known.tolist(), strict=True))],
        "hovertemplate": "%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    }  # fmt: skip
    limit = {"type": "scatter", "mode": "lines", "x": [-0.5, len(places) - 0.5], "y": [tolerance] * 2,
             "line": {"color": MUTED, "width": 2, "dash": "dash"}, "hoverinfo": "skip"}  # fmt: skip
    step = max(1, -(-len(places) // 24))
    names = [f"{i + 1} {label(tokens[i], 12)}" for i in places[::step]]
    return figure(
        [drawn, limit],
        style,
        height=260,
        xaxis={"tickvals": places[::step], "ticktext": names, "range": [-0.5, len(places) - 0.5], "showgrid": False},
        yaxis={
            "title": {"text": text("largest change of a component")},
            "type": "log",
            "range": [float(np.log10(floor)), float(np.log10(top))],
            "tickformat": ".0e",
            "nticks": 6,
        },
        annotations=[
            {"x": 1, "xref": "paper", "xanchor": "right", "y": float(np.log10(tolerance)), "yanchor": "bottom",
             "text": text("rounding"), "showarrow": False}
        ],
    )  # fmt: skip
