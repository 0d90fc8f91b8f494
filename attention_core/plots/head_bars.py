"""One figure for each head as bars: spread over queries, share of a subspace, part of an output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.theme import MUTED, OKABE_ITO, Figure, Style, figure, number, side_axis

BLUE, ORANGE = OKABE_ITO[0], OKABE_ITO[1]
ROW = 24


@dataclass(frozen=True)
class Bars:
    """Numbers of the heads, in their order.

    Attributes:
        names: of the heads.
        values: (heads,), NaN where undefined.
        axis: the title of the axis, with its unit.
        low, high: (heads,), ends of a line through each bar, or None.
        reference: where a dashed line stands, or None.
        beside: what is written at this line.
        marks: (heads,), a second number of each head as a diamond, or None.
        marked: what the diamonds are.
    """

    names: Sequence[str]
    values: NDArray[np.float64]
    axis: str
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    reference: float | None = None
    beside: str = ""
    marks: NDArray[np.float64] | None = None
    marked: str = ""


def head_bars(bars: Bars, style: Style = Style(), height: int | None = None) -> Figure:
    """Horizontal bars from top to bottom, each with its number at the right.

    Args:
        bars: what is drawn.
        style: what it is drawn with.
        height: in pixels; None for what the rows need.
    """
    places = list(range(len(bars.names)))
    ends = [len(places) - 0.5, -0.5]
    known = np.nan_to_num(bars.values)
    written = [number(value) if np.isfinite(value) else style.text("undefined") for value in bars.values.tolist()]
    colours = [BLUE if value >= 0 else ORANGE for value in known.tolist()]
    trace = {"type": "bar", "orientation": "h", "y": places, "x": known, "marker": {"color": colours},
             **_spread(bars, written, style)}  # fmt: skip
    anchor = {"type": "scatter", "x": [0.0] * len(places), "y": places, "yaxis": "y2", "mode": "markers",
              "marker": {"opacity": 0}, "hoverinfo": "skip"}  # fmt: skip
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": bars.axis}, "zeroline": True, "zerolinecolor": MUTED},
        "yaxis": {"tickvals": places, "ticktext": list(bars.names), "range": ends, "showgrid": False},
        "yaxis2": side_axis(places, [f" {text}" for text in written], ends),
    }
    if bars.reference is not None:
        layout |= _line(bars, style)
    return figure([trace, *_marks(bars, places, style), anchor], style, height or ROW * len(places) + 110,
                  bargap=0.35, **layout)  # fmt: skip


def _spread(bars: Bars, written: Sequence[str], style: Style) -> dict[str, Any]:
    """The line through each bar, and what a bar says when pointed at."""
    said = "<b>%{customdata[0]}</b> %{customdata[1]}%{customdata[2]}<extra></extra>"
    if bars.low is None or bars.high is None:
        rows = zip(bars.names, written, [""] * len(written), strict=True)
        return {"customdata": [list(row) for row in rows], "hovertemplate": said}
    ends = [f"<br>{number(low)} … {number(high)}" for low, high in
            zip(bars.low.tolist(), bars.high.tolist(), strict=True)]  # fmt: skip
    return {
        "error_x": {"type": "data", "symmetric": False, "array": bars.high - bars.values, "width": 4, "thickness": 1.5,
                    "arrayminus": bars.values - bars.low, "color": style.ink},
        "customdata": [list(row) for row in zip(bars.names, written, ends, strict=True)],
        "hovertemplate": said,
    }  # fmt: skip


def _line(bars: Bars, style: Style) -> dict[str, Any]:
    """The dashed line of the reference, named above the bars."""
    line = {"type": "line", "xref": "x", "yref": "paper", "x0": bars.reference, "x1": bars.reference, "y0": 0, "y1": 1,
            "line": {"dash": "dash", "width": 1.5, "color": style.ink}}  # fmt: skip
    name = {"text": bars.beside, "xref": "x", "yref": "paper", "x": bars.reference, "y": 1, "yanchor": "bottom",
            "xanchor": "auto", "showarrow": False}  # fmt: skip
    return {"shapes": [line], "annotations": [name], "margin": {"l": 8, "r": 8, "t": 28, "b": 8}}


def _marks(bars: Bars, places: Sequence[int], style: Style) -> list[dict[str, Any]]:
    if bars.marks is None:
        return []
    texts = [f"{name}: {bars.marked} {number(mark)}" for name, mark in
             zip(bars.names, bars.marks.tolist(), strict=True)]  # fmt: skip
    return [{"type": "scatter", "mode": "markers", "x": bars.marks, "y": places, "customdata": texts,
             "marker": {"symbol": "diamond-open", "size": 9, "color": style.ink, "line": {"width": 2}},
             "hovertemplate": "%{customdata}<extra></extra>"}]  # fmt: skip
