"""A stage of attention as a heat map: rows are tokens, columns are tokens or components."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.theme import (
    LETTER,
    MUTED,
    SEQUENTIAL,
    SIGNED,
    Figure,
    Style,
    extent,
    figure,
    label,
    number,
    room,
)

NAMED = 60
"""Up to so many rows, each has its name at the side; of more, about twenty have."""
CLICKABLE = 2_500
"""Up to so many cells, each can be clicked: a browser stays quick."""
WIDTH, NUMBER, LINE = 430, 48, 22
"""Pixels of a map, and those that a number in a cell and a slanted name take."""
SIDE, TOP, SCALE = 30, 48, 56
"""Pixels beside and above a map for the titles of its axes with what stands around the names, and for a scale."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A matrix and what its rows and columns are called.

    Attributes:
        values: (rows, columns): NaN where undefined, −inf where masked.
        rows: their names, no two alike.
        columns: theirs.
        titles: of the rows and of the columns.
        whole: whether it is the matrix itself, and not its blocks.
        length: of a name at the side, in characters.
        width: about so many pixels: what decides whether numbers have room in cells, and how names stand.
        span: the lowest and the highest number of the scale, where several maps share one.
    """

    values: NDArray[Any]
    rows: Sequence[str]
    columns: Sequence[str]
    titles: tuple[str, str]
    whole: bool = True
    length: int = 14
    width: int = WIDTH
    span: tuple[float, float] | None = None

    @property
    def clickable(self) -> bool:
        """Whether its cells can be clicked."""
        return self.whole and self.values.size <= CLICKABLE


def numbered(words: Sequence[str] | None, count: int, first: int = 0, step: int = 1) -> list[str]:
    """Names of rows or columns: numbers from 1 with their words, of blocks those of the first in each.

    Args:
        words: of all tokens; None for components.
        count: how many there are.
        first: the token of the first, from 0.
        step: how many each stands for.

    Example:
        >>> numbered(["a", "cat", "eats", "fish"], 2, step=3), numbered(None, 2)
        (['1… a', '4… fish'], ['1', '2'])
    """
    places = range(first, first + count * step, step)
    numbers = [f"{place + 1}{'' if step == 1 else '…'}" for place in places]
    return numbers if words is None else [f"{n} {words[place]}" for n, place in zip(numbers, places, strict=True)]


def heat_map(grid: Grid, style: Style = Style(), chosen: tuple[int, int] | None = None, height: int = 460) -> Figure:
    """Every number as a colour; masked cells are grey.

    Numbers of both signs are coloured on a scale centred on 0, others from the lowest to the highest; small maps have
    the numbers in their cells. Cells that can be clicked carry their row and column, from 0, as `customdata`.

    Args:
        grid: what is drawn.
        style: what it is drawn with.
        chosen: a row and a column to frame.
        height: in pixels.
    """
    values = grid.values
    rows, columns = ([label(name, 200) for name in names] for names in (grid.rows, grid.columns))
    small = values.shape[1] * NUMBER <= grid.width and len(values) <= 3 * grid.width // NUMBER
    gaps = {"xgap": 1, "ygap": 1} if small else {}
    heat: dict[str, Any] = {"type": "heatmap", "x": columns, "y": rows, "showscale": not small, **gaps}
    heat |= colours(values, grid.span) | {
        "hoverongaps": False,
        "colorbar": {"thickness": 10, "outlinewidth": 0, "x": 1.0},
    }
    if small:
        heat |= {"text": [[_short(value) for value in row] for row in values.tolist()], "texttemplate": "%{text}"}
    heat["hovertemplate"] = "%{y}, %{x}<br>%{z:.10g}<extra></extra>"
    traces = [heat]
    if np.isneginf(values).any():
        traces.append(masked_cells(values, style) | {"x": columns, "y": rows, **gaps})
    if grid.clickable:
        traces = [trace | {"hoverinfo": "skip", "hovertemplate": None} for trace in traces]
        traces.append(_cells(values, rows, columns, style))
    across, down = _axis(columns, grid.columns, 14, 30, grid.width), _axis(rows, grid.rows, grid.length, NAMED)
    slant = abs(math.sin(math.radians(across["tickangle"])))
    beside, above = SIDE + extent(*down["ticktext"]), TOP + slant * extent(*across["ticktext"])
    return figure(
        traces,
        style,
        height=height,
        margin=room(left=beside, right=8 if small else SCALE, top=above),
        xaxis=across | _title(grid.titles[1], style) | {"side": "top"},
        yaxis=down | _title(grid.titles[0], style) | {"range": [len(rows) - 0.5, -0.5]},
        shapes=[] if chosen is None or not grid.clickable else frame(_around(*chosen), style),
        hovermode="closest",
        hoverdistance=-1 if grid.clickable else 20,
    )


def colours(values: NDArray[Any], span: tuple[float, float] | None = None) -> dict[str, Any]:
    """The known numbers for a heat map, and their scale: signed around 0 where both signs occur.

    Args:
        values: those that are not finite are left out.
        span: the lowest and the highest number; None for those of the values.
    """
    known = np.where(np.isfinite(values), values, np.nan)
    finite = known[np.isfinite(known)]
    low, high = span or ((float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0))
    if low < 0 < high:
        peak = max(-low, high)
        return {"z": known, "colorscale": SIGNED, "zmin": -peak, "zmax": peak}
    low, high = min(low, 0.0), max(high, 0.0)
    return {"z": known, "colorscale": SEQUENTIAL, "zmin": low, "zmax": high if high > low else low + 1}


def masked_cells(values: NDArray[Any], style: Style) -> dict[str, Any]:
    """Grey where masked, and nothing elsewhere."""
    grey = np.where(np.isneginf(values), 0.0, np.nan).astype(np.float32)
    return {"type": "heatmap", "z": grey, "colorscale": [[0, MUTED], [1, MUTED]], "showscale": False, "opacity": 0.5,
            "hoverongaps": False, "zmin": 0, "zmax": 1,
            "hovertemplate": f"%{{y}}, %{{x}}<br>{style.text('masked')}<extra></extra>"}  # fmt: skip


def _short(value: float) -> str:
    return number(value) if np.isfinite(value) else ""


def _cells(values: NDArray[Any], rows: list[str], columns: list[str], style: Style) -> dict[str, Any]:
    """A point without a text in each cell: a heat map itself cannot be clicked."""
    places = [(i, j) for i in range(len(rows)) for j in range(len(columns))]
    said = [_exact(value, style) for value in values.ravel().tolist()]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [columns[j] for _, j in places],
        "y": [rows[i] for i, _ in places],
        "customdata": [[i, j, value] for (i, j), value in zip(places, said, strict=True)],
        "hovertemplate": "%{y}, %{x}<br>%{customdata[2]}<extra></extra>",
    }


def _exact(value: float, style: Style) -> str:
    if np.isfinite(value):
        return repr(value)
    return style.text("masked" if np.isneginf(value) else "undefined")


def _axis(places: list[str], names: Sequence[str], length: int, most: int, width: float = math.inf) -> dict[str, Any]:
    """A name for each of up to so many, or for about twenty; slanted or upright where they would touch."""
    step = 1 if len(places) <= most else -(-len(places) // 20)
    texts = [label(name, length) for name in names[::step]]
    slanted = -45 if len(texts) * LINE < width else -90
    angle = 0 if sum(len(text) + 1 for text in texts) * LETTER < width else slanted
    span = [-0.5, len(places) - 0.5]
    shown = {"tickvals": places[::step], "ticktext": texts, "tickangle": angle}
    return {"type": "category", "showgrid": False, "range": span, **shown}


def _title(text: str, style: Style) -> dict[str, Any]:
    return {"title": {"text": style.text(text)}}


def frame(edges: dict[str, Any], style: Style) -> list[dict[str, Any]]:
    """A frame that stands out from dark and from light cells."""
    lines = ({"color": style.ground, "width": 5}, {"color": style.ink, "width": 2})
    return [{"type": "rect", **edges, "line": line} for line in lines]


def _around(row: int, column: int) -> dict[str, float]:
    return {"x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5}
