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
    a bar without colour that a click chooses, with the name of the stage as `customdata`; what is written above it is
    the bar's text, which takes a fraction of the time of annotations.

    Args:
        lines: stages from left to right, line by line.
        chosen: the name of one.
        style: what it is drawn with.
    """
    laid = [
        (stage, _place(i, j, len(lines), len(line))) for i, line in enumerate(lines) for j, stage in enumerate(line)
    ]
    axis = {"visible": False, "range": [0, 1]}
    return figure(
        [*(trace for stage, place in laid for trace in _map(stage, place, style)), _clickable(laid, chosen, style)],
        style,
        118 * len(lines),
        shapes=[edge for stage, at in laid if stage.name == chosen for edge in frame(at._asdict(), style)],
        hovermode="closest",
        xaxis=axis,
        yaxis=axis,
    )


def _place(line: int, column: int, lines: int, columns: int) -> Place:
    """Each line has room for what is written above its maps."""
    left, top = column / columns, 1 - line / lines
    return Place(left + GAP / 2, left + 1 / columns - GAP / 2, top - 1 / lines + 0.03, top - 0.3 / lines)


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


def _clickable(laid: list[tuple[Small, Place]], chosen: str, style: Style) -> dict[str, Any]:
    stages, places = [stage for stage, _ in laid], [place for _, place in laid]
    names = [style.text(stage.name) for stage in stages]
    bold = [f"<b>{name}</b>" if stage.name == chosen else name for stage, name in zip(stages, names, strict=True)]
    hidden = {"marker": {"opacity": 0}, "textfont": {"color": style.ink}}
    return {
        "type": "bar",
        "x": [(place.x0 + place.x1) / 2 for place in places],
        "width": [place.x1 - place.x0 for place in places],
        "base": [place.y0 for place in places],
        "y": [place.y1 - place.y0 for place in places],
        "customdata": [stage.name for stage in stages],
        "text": [f"{name}<br>{s.shape[0]:,} × {s.shape[1]:,}" for name, s in zip(bold, stages, strict=True)],
        "textposition": "outside",
        "textangle": 0,
        "textfont": {"size": 11, "color": style.ink},
        "constraintext": "none",
        "cliponaxis": False,
        "hovertext": names,
        "hovertemplate": f"{style.text('show')} %{{hovertext}}<extra></extra>",
        "marker": {"opacity": 0, "color": style.ink},
        "selected": hidden,
        "unselected": hidden,
    }
