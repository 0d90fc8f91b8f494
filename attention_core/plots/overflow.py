"""Between which numbers the exponential of each dtype can be used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from attention_core.experiments.overflow import Failure
from attention_core.plots.dot_products import LEGEND
from attention_core.plots.saturation import typed
from attention_core.plots.theme import MUTED, OKABE_ITO, Figure, Style, figure, number

TICKS = (-1_000_000, -1_000, -100, -10, -1, 0, 1, 10, 100, 1_000, 1_000_000)
BAND = OKABE_ITO[4]


def working_ranges(failures: Sequence[Failure], scores: Sequence[float], style: Style = Style()) -> Figure:
    """A band for each dtype from the lowest to the largest z with an e^z that is neither 0 nor inf; scores as marks.

    The axis is logarithmic on both sides of 0, so that 11 and 709 can both be read: asinh of the numbers.

    Args:
        failures: one row each, top to bottom.
        scores: marked in each row as they are (full) and less the largest (hollow).
        style: what it is drawn with.
    """
    rows = list(range(len(failures)))
    top = max(scores)
    traces = [
        _bands(failures, style),
        _marks(rows, scores, style.text("the scores"), (OKABE_ITO[5], "circle"), -0.14),
        _marks(
            rows, [score - top for score in scores], style.text("less the largest"), (style.ink, "circle-open"), 0.14
        ),
    ]
    notes = [
        note
        for row, one in zip(rows, failures, strict=True)
        for note in (_note(row, one.last, "right"), _note(row, one.lowest, "left"))
    ]
    farthest = max(abs(score) for score in (*scores, *(score - top for score in scores)))
    return figure(
        traces,
        style,
        height=380,
        xaxis=_axis(farthest, style),
        yaxis={
            "tickvals": rows,
            "ticktext": [one.dtype for one in failures],
            "range": [len(rows) - 0.5, -0.7],
            "showgrid": False,
        },
        annotations=notes,
        showlegend=True,
        legend=LEGEND,
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
    )


def _bands(failures: Sequence[Failure], style: Style) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "y": list(range(len(failures))),
        "base": [math.asinh(one.lowest) for one in failures],
        "x": [math.asinh(one.last) - math.asinh(one.lowest) for one in failures],
        "width": 0.6,
        "marker": {"color": BAND, "opacity": 0.35, "line": {"width": 0}},
        "customdata": [[one.lowest, one.last] for one in failures],
        "hovertemplate": f"{style.text('eᶻ is neither 0 nor inf')}<br>%{{customdata[0]}} … %{{customdata[1]}}"
        "<extra></extra>",
        "showlegend": False,
    }


def _axis(farthest: float, style: Style) -> dict[str, Any]:
    """Past the ends of float64, or past the farthest score."""
    end = max(math.asinh(1_500), 1.03 * math.asinh(farthest))
    ticks = [tick for tick in TICKS if math.asinh(abs(tick)) < end]
    return {
        "title": {"text": style.text("score z (logarithmic on both sides of 0)")},
        "tickvals": [math.asinh(tick) for tick in ticks],
        "ticktext": [f"{tick:,}".replace("-", "−") for tick in ticks],
        "range": [-end, end],
        "zeroline": True,
        "zerolinecolor": MUTED,
    }


def _marks(rows: list[int], scores: Sequence[float], name: str, look: tuple[str, str], lane: float) -> dict[str, Any]:
    colour, symbol = look
    placed = [(row + lane, score) for row in rows for score in scores]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [math.asinh(score) for _, score in placed],
        "y": [y for y, _ in placed],
        "marker": {"color": colour, "symbol": symbol, "size": 7, "line": {"width": 1.5, "color": colour}},
        "customdata": [typed(score) for _, score in placed],
        "hovertemplate": f"{name}: %{{customdata}}<extra></extra>",
    }


def _note(row: int, value: float, anchor: str) -> dict[str, Any]:
    return {
        "x": math.asinh(value),
        "y": row - 0.32,
        "text": number(value, 5),
        "xanchor": anchor,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12},
    }
