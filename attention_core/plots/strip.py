"""All stages of attention side by side, small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.heat import colours, frame, masked_cells
from attention_core.plots.theme import Figure, Style, figure

GAP = 0.02
"""Between two maps, as a part of the width."""


class Place(NamedTuple):
    """Where a map lies, as parts of the figure."""

    x0: float
    x1: float
    y0: float
    y1: float


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

    All stand on one pair of axes, since a browser takes longer for axes than for what is drawn on them. Each lies below
    a bar without colour that a click chooses, with the name of the stage as `customdata`.

    Args:
        lines: stages from left to right, line by line.
        chosen: the name of one.
        style: what it is drawn with.
    """
    traces: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    places: list[Place] = []
    height = 1 / len(lines)
    for i, line in enumerate(lines):
        for j, stage in enumerate(line):
            top = 1 - i * height
            place = Place(
                j / len(line) + GAP / 2, (j + 1) / len(line) - GAP / 2, top - height + 0.03, top - 0.3 * height
            )
            places.append(place)
            traces += _map(stage, place, style)
            title = style.text(stage.name)
            name = f"{f'<b>{title}</b>' if stage.name == chosen else title}<br>{stage.shape[0]:,} × {stage.shape[1]:,}"
            notes.append({"text": name, "x": (place.x0 + place.x1) / 2, "y": top, "yanchor": "top", "showarrow": False,
                          "font": {"size": 11, "color": style.ink}})  # fmt: skip
            if stage.name == chosen:
                shapes = frame(place._asdict(), style)
    axis = {"visible": False, "range": [0, 1]}
    return figure(
        [*traces, _clickable([stage.name for line in lines for stage in line], places, style)],
        style,
        118 * len(lines),
        annotations=notes,
        shapes=shapes,
        hovermode="closest",
        xaxis=axis,
        yaxis=axis,
    )


def _map(stage: Small, place: Place, style: Style) -> list[dict[str, Any]]:
    values = stage.values.astype(np.float32)[::-1]  # the first row stands at the top
    rows, columns = values.shape
    down, across = (place.y1 - place.y0) / rows, (place.x1 - place.x0) / columns
    at = {"x0": place.x0 + across / 2, "dx": across, "y0": place.y0 + down / 2, "dy": down}
    still = {"hoverinfo": "skip", "hovertemplate": None, **at}
    traces = [{"type": "heatmap", "showscale": False, **colours(values), **still}]
    if np.isneginf(values).any():
        traces.append(masked_cells(values, style) | still)
    return traces


def _clickable(names: list[str], places: list[Place], style: Style) -> dict[str, Any]:
    hidden = {"marker": {"opacity": 0}}
    return {
        "type": "bar",
        "x": [(place.x0 + place.x1) / 2 for place in places],
        "width": [place.x1 - place.x0 for place in places],
        "base": [place.y0 for place in places],
        "y": [place.y1 - place.y0 for place in places],
        "customdata": names,
        "text": [style.text(name) for name in names],
        "textposition": "none",
        "hovertemplate": f"{style.text('show')} %{{text}}<extra></extra>",
        "marker": {"opacity": 0, "color": style.ink},
        "selected": hidden,
        "unselected": hidden,
    }
