"""Matrices made of one block for each head, such as the joined heads and W_O."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.heads import centres, token_axis
from attention_core.plots.theme import SIGNED, Figure, Style, figure

SIDE = 160
"""Cells along a side at most; beyond, a cell shows the entry of its block that is largest in size."""
HEIGHT = 340


@dataclass(frozen=True)
class Side:
    """One side of a matrix: tokens, or components, perhaps in blocks of one head each.

    Attributes:
        size: rows or columns.
        heads: how many blocks of equal size; 0 for none.
        tokens: what the rows are, or ().
    """

    size: int
    heads: int = 0
    tokens: Sequence[str] = ()


def block_picture(matrix: NDArray[np.float64], rows: Side, columns: Side, style: Style = Style()) -> Figure:
    """A matrix coloured on a scale of its own centred on 0, with a line between the blocks of two heads.

    Args:
        matrix: (rows, columns).
        rows: from top to bottom.
        columns: from left to right.
        style: what it is drawn with.
    """
    x, y = _axis(columns, style), _axis(rows, style)
    line = {"type": "line", "line": {"color": "#31333F", "width": 1}}  # on a scale whose middle is light
    shapes = [
        {**line, "xref": "x", "yref": "y domain", "x0": edge, "x1": edge, "y0": 0, "y1": 1} for edge in _edges(columns)
    ] + [{**line, "xref": "x domain", "yref": "y", "x0": 0, "x1": 1, "y0": edge, "y1": edge} for edge in _edges(rows)]
    y["range"] = y["range"][::-1]
    return figure([_heat(matrix, style)], style, height=HEIGHT + 60, xaxis=x, yaxis=y, shapes=shapes)


def _edges(side: Side) -> list[float]:
    return [head * side.size / side.heads + 0.5 for head in range(1, side.heads)]


def _axis(side: Side, style: Style) -> dict[str, Any]:
    if side.tokens:
        return token_axis(side.tokens, side.size, HEIGHT)
    axis: dict[str, Any] = {"showgrid": False, "ticks": "", "range": [0.5, side.size + 0.5]}
    if not side.heads:
        return {**axis, "nticks": 5, "tickformat": ",d", "title": {"text": style.text("component")}}
    shown = range(0, side.heads, 1 + (side.heads - 1) // 12)
    return {
        **axis,
        "tickvals": [(head + 0.5) * side.size / side.heads + 0.5 for head in shown],
        "ticktext": [str(head + 1) for head in shown],
        "title": {"text": style.text("head")},
    }


def _heat(matrix: NDArray[np.float64], style: Style) -> dict[str, Any]:
    cells = strongest(matrix, SIDE)
    most = float(np.abs(cells).max(initial=0)) or 1.0
    tall, wide = (math.ceil(size / count) for size, count in zip(matrix.shape, cells.shape, strict=True))
    entry = f"{style.text('row')} %{{y:.0f}}, {style.text('column')} %{{x:.0f}}: %{{z}}"
    said = (
        ""
        if tall == wide == 1
        else "<br>" + style.text("largest of {rows} × {columns}").format(rows=tall, columns=wide)
    )
    return {
        "type": "heatmap",
        "z": cells.astype(np.float32),
        "x": centres(matrix.shape[1], cells.shape[1]),
        "y": centres(matrix.shape[0], cells.shape[0]),
        "colorscale": SIGNED,
        "zmin": -most,
        "zmax": most,
        "showscale": False,
        "hovertemplate": f"{entry}{said}<extra></extra>",
    }


def strongest(matrix: NDArray[np.float64], side: int) -> NDArray[np.float64]:
    """At most side × side cells, each the entry largest in size of its block, with its sign.

    Example:
        >>> strongest(np.array([[1.0, -3.0, 2.0, 0.0]]), side=2).tolist()
        [[-3.0, 2.0]]
    """
    for axis in (0, 1):
        size = math.ceil(matrix.shape[axis] / side)
        if size > 1:
            starts = np.arange(0, matrix.shape[axis], size)
            low, high = np.minimum.reduceat(matrix, starts, axis), np.maximum.reduceat(matrix, starts, axis)
            matrix = np.where(-low > high, low, high)
    return matrix
