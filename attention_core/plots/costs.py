"""Time and peak memory of the forms of attention against the length of the sequence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from attention_core.experiments.cost import Cost
from attention_core.plots.dot_products import LEGEND
from attention_core.plots.theme import OKABE_ITO, Figure, Style, figure, number

FORMS = {
    "full": ("full matrix", OKABE_ITO[5], "circle"),
    "tiled": ("tile by tile", OKABE_ITO[0], "square"),
    "fused": ("torch's fused kernel", OKABE_ITO[2], "diamond"),
}
"""How each form is named and drawn."""


def cost_lines(
    costs: Sequence[Cost], lengths: Sequence[int], what: Literal["seconds", "peak"], style: Style = Style()
) -> Figure:
    """A line for each form over the lengths it was run at, both axes logarithmic.

    Args:
        costs: by increasing length; what could not be measured is left out.
        lengths: that the axis shows, measured already or not.
        what: “seconds” of a run in milliseconds, or its “peak” in MB.
        style: what it is drawn with.
    """
    unit = "ms" if what == "seconds" else "MB"
    title = style.text("time of one run (ms, log scale)") if what == "seconds" else style.text(
        "peak memory (MB = 10⁶ bytes, log scale)"
    )  # fmt: skip
    traces = [_line(costs, form, what, unit, style) for form in FORMS]
    ends = [math.log10(lengths[0]) - 0.1, math.log10(lengths[-1]) + 0.1]
    return figure(
        traces,
        style,
        height=320,
        xaxis={"title": {"text": style.text("queries and keys n (log scale)")}, "type": "log", "tickvals": lengths,
               "ticktext": [f"{n:,}" for n in lengths], "range": ends},
        yaxis={"title": {"text": title}, "type": "log", "dtick": 1, "tickformat": ",~g"},
        showlegend=True,
        legend=LEGEND,
        margin={"l": 8, "r": 8, "t": 34, "b": 8},
    )  # fmt: skip


def _line(costs: Sequence[Cost], form: str, what: str, unit: str, style: Style) -> dict[str, Any]:
    name, colour, symbol = FORMS[form]
    factor = 1e3 if what == "seconds" else 1e-6
    points = [
        (cost.n, value * factor)
        for cost in costs
        if form in cost.runs and (value := getattr(cost.runs[form], what))  # 0 has no place on a log axis
    ]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": style.text(name),
        "x": [n for n, _ in points],
        "y": [y for _, y in points],
        "line": {"color": colour, "width": 2.5},
        "marker": {"color": colour, "size": 8, "symbol": symbol},
        "customdata": [number(y) for _, y in points],
        "hovertemplate": f"n = %{{x:,}}<br>{style.text(name)}: %{{customdata}} {unit}<extra></extra>",
    }
