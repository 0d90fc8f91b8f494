"""Matrices of one step side by side, each row a token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.theme import SEQUENTIAL, SIGNED, Figure, Style, figure, label, number

WRITTEN = 12
"""Up to so many columns the numbers are written into the cells."""
ROW, TICKS = 26, 20
"""Pixels of a row, and about how many columns are numbered."""


@dataclass(frozen=True, eq=False)
class Block:
    """A matrix with its name.

    Attributes:
        name: as it stands above, such as “c”; Plotly's <sup> is allowed, no word of a file.
        values: (token, column).
        columns: names of the columns; None for their numbers.
    """

    name: str
    values: NDArray[np.float64]
    columns: Sequence[str] | None = None


def matrices(blocks: Sequence[Block], tokens: Sequence[str], style: Style = Style(), shares: bool = False) -> Figure:
    """Heat maps of blocks over shared rows, with a gap between; numbers are written where there is room.

    Args:
        blocks: matrices with a row for each token.
        tokens: the words; they may be anything.
        style: what it is drawn with.
        shares: whether the numbers are weights from 0 to 1; otherwise the scale is centred on zero.
    """
    columns = sum(block.values.shape[1] for block in blocks)
    peak = max((float(np.abs(block.values).max()) for block in blocks if block.values.size), default=0.0) or 1.0
    scale: dict[str, Any] = {"colorscale": SIGNED, "zmin": -peak, "zmax": peak}
    if shares:
        scale = {"colorscale": SEQUENTIAL, "zmin": 0, "zmax": 1}
    traces, names, ticks, at = [], [], [], 0.0
    for block in blocks:
        headings = block.columns or [str(i + 1) for i in range(block.values.shape[1])]
        places = [at + i for i in range(len(headings))]
        ticks += list(zip(places, headings, strict=True))[:: max(1, -(-columns // TICKS))]
        traces.append(_heat(block, places, headings, tokens, columns) | scale)
        names.append({"x": (places[0] + places[-1]) / 2, "y": 1, "yref": "paper", "yanchor": "bottom",
                      "showarrow": False, "text": f"<b>{block.name}</b>"})  # fmt: skip
        at = places[-1] + 1.6
    rows = list(range(len(tokens)))
    return figure(
        traces,
        style,
        height=ROW * len(tokens) + 74,
        xaxis={"tickvals": [place for place, _ in ticks], "ticktext": [label(text, 10) for _, text in ticks],
               "showgrid": False},
        yaxis={"tickvals": rows, "ticktext": [label(token, 14) for token in tokens], "autorange": "reversed",
               "showgrid": False},
        annotations=names,
        margin={"l": 8, "r": 8, "t": 30, "b": 8},
    )  # fmt: skip


def _heat(
    block: Block, places: Sequence[float], headings: Sequence[str], tokens: Sequence[str], columns: int
) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": block.values,
        "x": places,
        "y": list(range(len(tokens))),
        "text": [[number(value, 2) for value in row] for row in block.values.tolist()],
        "texttemplate": "%{text}" if columns <= WRITTEN else "",
        "textfont": {"size": 11},
        "customdata": [[[label(token), label(heading)] for heading in headings] for token in tokens],
        "hovertemplate": f"{block.name} · %{{customdata[0]}}, %{{customdata[1]}}: %{{z:.4g}}<extra></extra>",
        "xgap": 1 if columns <= 60 else 0,
        "ygap": 1,
        "showscale": False,
    }
