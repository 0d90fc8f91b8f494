"""The joined heads, W_O and their product as block pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.heads import centres
from attention_core.plots.theme import SIGNED, Figure, Style, figure

SIDE = 160
"""Cells along a side at most; beyond, a cell shows the entry of its block that is largest in size."""
LEAST = 0.12
"""Share of the width that a narrow matrix takes at least."""


def head_blocks(
    joined: NDArray[np.float64],
    o: NDArray[np.float64],
    output: NDArray[np.float64],
    heads: int,
    style: Style = Style(),
) -> Figure:
    """Concat · W_Oᵀ = output, each coloured on a scale of its own centred on 0, with a line between two heads.

    Args:
        joined: (token, heads·d_v).
        o: W_O, (out, heads·d_v).
        output: (token, out), without the bias.
        heads: blocks of columns of `joined` and of rows of W_Oᵀ.
        style: what it is drawn with.
    """
    matrices = [("Concat", joined), ("W<sub>O</sub><sup>T</sup>", o.T), (style.text("output"), output)]
    widths = np.array([matrix.shape[1] for _, matrix in matrices], dtype=float)
    widths = np.maximum(widths / widths.sum(), LEAST)
    widths *= (1 - 0.06 * 2) / widths.sum()
    layout: dict[str, Any] = {"annotations": [], "shapes": [], "margin": {"l": 8, "r": 8, "t": 40, "b": 8}}
    traces, left = [], 0.0
    for place, ((title, matrix), width) in enumerate(zip(matrices, widths.tolist(), strict=True)):
        name = "" if place == 0 else str(place + 1)
        traces.append(_heat(matrix, name, style))
        layout |= _axes(matrix, name, [left, left + width])
        layout["annotations"] += [_text(f"{title} ({matrix.shape[0]:,} × {matrix.shape[1]:,})", left + width / 2, 1.0)]
        if place < 2:
            sign = {"text": "=" if place else "·", "yanchor": "middle", "font": {"size": 22}}
            layout["annotations"].append({**_text("", left + width + 0.03, 0.5), **sign})
        left += width + 0.06
    step = joined.shape[1] / heads
    edges = [head * step + 0.5 for head in range(1, heads)]
    line = {"type": "line", "line": {"color": style.ink, "width": 1}}
    layout["shapes"] = [
        {**line, "xref": "x", "yref": "y domain", "x0": edge, "x1": edge, "y0": 0, "y1": 1} for edge in edges
    ] + [{**line, "xref": "x2 domain", "yref": "y2", "x0": 0, "x1": 1, "y0": edge, "y1": edge} for edge in edges]
    return figure(traces, style, height=420, **layout)


def _heat(matrix: NDArray[np.float64], name: str, style: Style) -> dict[str, Any]:
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
        "xaxis": f"x{name}",
        "yaxis": f"y{name}",
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


def _axes(matrix: NDArray[np.float64], name: str, domain: Sequence[float]) -> dict[str, Any]:
    rows, columns = matrix.shape
    shared = {"showgrid": False, "fixedrange": True, "automargin": True, "nticks": 5, "tickformat": ",d"}
    return {
        f"xaxis{name}": {**shared, "domain": list(domain), "anchor": f"y{name}", "range": [0.5, columns + 0.5]},
        f"yaxis{name}": {**shared, "anchor": f"x{name}", "range": [rows + 0.5, 0.5]},
    }


def _text(text: str, x: float, y: float) -> dict[str, Any]:
    return {"text": text, "x": x, "y": y, "xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom",
            "showarrow": False}  # fmt: skip
