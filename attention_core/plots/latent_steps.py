"""Matrices of one step side by side, each row a token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.theme import SEQUENTIAL, SIGNED, Figure, Style, figure, label, number

WRITTEN = 12
"""Up to so many columns the numbers are written into the cells."""
ROW = 26


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
    traces, names, at = [], [], 0.0
    ticks: list[tuple[float, str]] = []
    rows = list(range(len(tokens)))
    for block in blocks:
        width = block.values.shape[1]
        places = [at + i for i in range(width)]
        headings = block.columns or [str(i + 1) for i in range(width)]
        step = max(1, -(-columns // 20))
        ticks += [(place, heading) for place, heading in list(zip(places, headings, strict=True))[::step]]
        texts = [[number(value, 2) for value in row] for row in block.values.tolist()]
        traces.append(
            {
                "type": "heatmap",
                "z": block.values,
                "x": places,
                "y": rows,
                "text": texts,
                "texttemplate": "%{text}" if columns <= WRITTEN else "",
                "textfont": {"size": 11},
                "customdata": [[[label(token), heading] for heading in headings] for token in tokens],
                "hovertemplate": f"{block.name} · %{{customdata[0]}}, %{{customdata[1]}}: %{{z:.4g}}<extra></extra>",
                "colorscale": SEQUENTIAL if shares else SIGNED,
                "zmin": 0 if shares else -peak,
                "zmax": 1 if shares else peak,
                "xgap": 1 if columns <= 60 else 0,
                "ygap": 1,
                "showscale": False,
            }
        )
        names.append({"x": at + (width - 1) / 2, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False,
                      "text": f"<b>{block.name}</b>"})  # fmt: skip
        at += width + 0.6
    return figure(
        traces,
        style,
        height=ROW * len(tokens) + 74,
        xaxis={"tickvals": [place for place, _ in ticks], "ticktext": [text for _, text in ticks], "showgrid": False},
        yaxis={"tickvals": rows, "ticktext": [label(token, 14) for token in tokens], "autorange": "reversed",
               "showgrid": False},
        annotations=names,
        margin={"l": 8, "r": 8, "t": 30, "b": 8},
    )  # fmt: skip
