"""All stages of attention side by side, small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.heat import colours, frame, masked_cells
from attention_core.plots.theme import Figure, Style, figure

GAP = 0.02
"""Between two maps, as a part of the width."""


@dataclass(frozen=True, eq=False)
class Small:
    """One stage, pooled.

    Attributes:
        name: as the reader chooses it.
        values: (rows, columns): NaN where undefined, −inf where masked.
        shape: of the matrix before it was pooled.
    """

    name: str
    values: NDArray[Any]
    shape: tuple[int, int]


def strip(lines: Sequence[Sequence[Small]], chosen: str, style: Style = Style()) -> Figure:
    """A small heat map for each stage with its shape; the chosen one is framed.

    Each has a point in its middle that a click chooses, with the name of the stage as `customdata`.

    Args:
        lines: stages from left to right, line by line.
        chosen: the name of one.
        style: what it is drawn with.
    """
    traces: list[dict[str, Any]] = []
    layout: dict[str, Any] = {}
    notes: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    height = 1 / len(lines)
    places = [(i, j, len(line), stage) for i, line in enumerate(lines) for j, stage in enumerate(line)]
    for place, (i, j, count, stage) in enumerate(places, 1):
        low, high = j / count + GAP / 2, (j + 1) / count - GAP / 2
        top = 1 - i * height
        traces += _map(stage, place, style)
        across, down = (f"x{place}", f"y{place}")
        axis = {"visible": False, "fixedrange": True}
        layout[f"xaxis{place}"] = {**axis, "domain": [low, high], "anchor": down}
        layout[f"yaxis{place}"] = {**axis, "domain": [top - height + 0.03, top - 0.3 * height], "anchor": across,
                                   "autorange": "reversed"}  # fmt: skip
        name = f"<b>{style.text(stage.name)}</b><br>{stage.shape[0]:,} × {stage.shape[1]:,}"
        notes.append({"text": name, "x": (low + high) / 2, "y": top, "xref": "paper", "yref": "paper",
                      "yanchor": "top", "showarrow": False, "font": {"size": 12, "color": style.ink}})  # fmt: skip
        if stage.name == chosen:
            edges = {"x0": 0, "x1": 1, "y0": 0, "y1": 1}
            shapes = frame({"xref": f"{across} domain", "yref": f"{down} domain", **edges}, style)
    return figure(
        traces,
        style,
        118 * len(lines),
        annotations=notes,
        shapes=shapes,
        hovermode="closest",
        hoverdistance=-1,
        **layout,
    )


def _map(stage: Small, place: int, style: Style) -> list[dict[str, Any]]:
    on = {"xaxis": f"x{place}", "yaxis": f"y{place}"}
    still = {"hoverinfo": "skip", "hovertemplate": None}
    values = stage.values.astype(np.float32)
    traces = [{"type": "heatmap", "showscale": False, **colours(values), **on, **still}]
    if np.isneginf(values).any():
        traces.append(masked_cells(values, style) | on | still)
    middle = {"x": [(values.shape[1] - 1) / 2], "y": [(values.shape[0] - 1) / 2]}
    hidden = {"marker": {"opacity": 0}}
    return [
        *traces,
        {"type": "scatter", "mode": "markers", **middle, **on, "marker": {"opacity": 0, "size": 8},
         "selected": hidden, "unselected": hidden, "customdata": [stage.name],
         "hovertemplate": f"{style.text('show')} {style.text(stage.name)}<extra></extra>"},
    ]  # fmt: skip
