"""The weights of several heads side by side, and what there is between every two of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.heat import numbered
from attention_core.plots.theme import MUTED, SEQUENTIAL, Figure, Style, extent, figure, label, number, room

WIDTH, TITLE, GAP = 1000, 24, 14
"""Pixels of a figure on a desk, of the line above a panel, and between two panels."""
LINE = 13
"""Pixels that the name of a token needs."""
TOLD = 20_000
"""Up to so many cells of all heads each says its two tokens when pointed at; beyond, their positions."""
WRITTEN = 16
"""Up to so many heads the cells of a matrix have their numbers in them."""


def head_maps(
    maps: NDArray[np.float32],
    may: NDArray[np.bool_],
    titles: Sequence[str],
    queries: Sequence[str],
    keys: Sequence[str],
    style: Style = Style(),
) -> Figure:
    """A heat map for each head, all on the same axes and on one scale of colours, which starts at 0.

    Args:
        maps: (heads, rows, columns), the weights; a cell may stand for several tokens.
        may: (rows, columns); what is masked is grey.
        titles: of the heads.
        queries: tokens that ask, from top to bottom.
        keys: tokens that answer, from left to right.
        style: what it is drawn with.
    """
    across = _columns(len(maps))
    down = math.ceil(len(maps) / across)
    wide = WIDTH / across - GAP
    _heads, rows, columns = maps.shape
    high = min(max(wide * rows / columns, LINE * min(rows, 6)), 1.2 * wide)
    whole = down * (high + TITLE + GAP)
    y, x = token_axis(queries, rows, high), token_axis(keys, columns, wide)
    named: dict[str, Any] = {}
    if "ticktext" in x:  # as categories, of which plotly names as many as there is room for, on a phone too
        named = {"x": [label(name, 14) for name in numbered(keys, len(keys))]}
        x = {"type": "category", "range": [-0.5, len(keys) - 0.5], "showgrid": False, "ticks": "", "automargin": True}
    layout: dict[str, Any] = {
        "coloraxis": {
            "colorscale": SEQUENTIAL,
            "cmin": 0,
            "cmax": float(maps.max(initial=0)) or 1.0,
            "colorbar": _bar_above(style.text("weight")),
        },
        "annotations": [],
    }
    traces: list[dict[str, Any]] = []
    panel = _panel(may, queries, keys, maps.size <= TOLD, style)
    for place, (weights, title) in enumerate(zip(maps, titles, strict=True)):
        row, column = divmod(place, across)
        name = "" if place == 0 else str(place + 1)
        left, top = column / across, 1 - (row * (high + TITLE + GAP) + TITLE) / whole
        ends = {"domain": [left, left + wide / WIDTH], "anchor": f"y{name}"}
        layout[f"xaxis{name}"] = {**x, **ends, "showticklabels": place + across >= len(maps)}
        ends = {"domain": [max(0, top - high / whole), top], "anchor": f"x{name}", "range": y["range"][::-1]}
        layout[f"yaxis{name}"] = {**y, **ends, "showticklabels": column == 0}
        layout["annotations"].append(_above(title, left, top))
        at = {"xaxis": f"x{name}", "yaxis": f"y{name}"}
        at |= named
        traces += [{**trace, **at, "z": np.where(may, weights, np.nan)} if "coloraxis" in trace else {**trace, **at}
                   for trace in panel]  # fmt: skip
    margin = room(left=9 + extent(*y.get("ticktext", ["1,000"])), top=80, bottom=10)
    return figure(traces, style, height=int(whole) + 120, margin=margin, **layout)


def _bar_above(title: str) -> dict[str, Any]:
    """A scale of colours that takes no width from the panels."""
    return {"title": {"text": title, "side": "right"}, "orientation": "h", "thickness": 10, "len": 0.5, "x": 1,
            "xanchor": "right", "y": 1, "yanchor": "bottom", "outlinewidth": 0, "nticks": 4,
            "exponentformat": "power"}  # fmt: skip


def _columns(heads: int) -> int:
    return heads if heads <= 5 else 4 if heads <= 8 else 5 if heads <= 25 else 8


def token_axis(tokens: Sequence[str], cells: int, pixels: float) -> dict[str, Any]:
    """Tokens stand at 1, 2, 3 …; each is named where there is room, else some are numbered."""
    n = len(tokens)
    axis: dict[str, Any] = {"showgrid": False, "ticks": "", "range": [0.5, n + 0.5], "automargin": True}
    if cells == n and n * LINE <= pixels + LINE:
        return {**axis, "tickvals": list(range(1, n + 1)), "ticktext": [label(token, 12) for token in tokens]}
    return {**axis, "nticks": 3 if pixels < 200 else 5, "tickformat": ",d"}


def _above(title: str, left: float, top: float) -> dict[str, Any]:
    place = {"xref": "paper", "yref": "paper", "x": left, "y": top, "xanchor": "left", "yanchor": "bottom"}
    return {"text": title, "showarrow": False, **place}


def _panel(
    may: NDArray[np.bool_], queries: Sequence[str], keys: Sequence[str], told: bool, style: Style
) -> list[dict[str, Any]]:
    """What the traces of all heads share: that of the weights, and over it in grey what is masked."""
    rows, columns = may.shape
    cell = math.ceil(len(keys) / columns)
    shared: dict[str, Any] = {"type": "heatmap", "hoverongaps": False, "x": centres(len(keys), columns),
                              "y": centres(len(queries), rows)}  # fmt: skip
    pair = "%{y:.0f} → %{x:.0f}"
    if cell == 1 and told:
        shared["customdata"] = [[f"{label(query, 40)} → {label(key, 40)}" for key in keys] for query in queries]
        pair = "%{customdata}"
    mean = "" if cell == 1 else "<br>" + style.text("mean of {cell} × {cell} pairs").format(cell=cell)
    weight = f"{pair}<br>{style.text('weight')} %{{z}}{mean}<extra></extra>"
    heat = {**shared, "coloraxis": "coloraxis", "hovertemplate": weight}
    grey = {"colorscale": [[0, MUTED], [1, MUTED]], "showscale": False, "opacity": 0.35}
    hidden = np.where(may, np.nan, 1.0).astype(np.float32)
    masked = {**shared, **grey, "z": hidden, "hovertemplate": f"{pair}<br>{style.text('masked')}<extra></extra>"}
    return [heat] if may.all() else [heat, masked]


def centres(tokens: int, cells: int) -> NDArray[np.float64]:
    """The middle of the tokens that each cell stands for."""
    starts = np.arange(cells) * math.ceil(tokens / cells) + 0.5
    middles: NDArray[np.float64] = (starts + np.minimum(starts + math.ceil(tokens / cells), tokens + 0.5)) / 2
    return middles


def between_heads(
    values: NDArray[np.float64],
    names: Sequence[str],
    title: str,
    notes: Sequence[Sequence[str]],
    style: Style = Style(),
) -> Figure:
    """A matrix of one number for every two heads; the diagonal, each with itself, is left empty.

    Args:
        values: (heads, heads), NaN where undefined.
        names: of the heads.
        title: what the number is.
        notes: (heads, heads), what a cell says beside its number when pointed at.
        style: what it is drawn with.
    """
    count = len(values)
    off = ~np.eye(count, dtype=bool)
    shown = np.where(off & np.isfinite(values), values, np.nan)
    undefined = style.text("undefined")
    texts = [
        ["" if i == j else number(v) if math.isfinite(v) else undefined for j, v in enumerate(row)]
        for i, row in enumerate(values.tolist())
    ]
    bar = {"title": {"text": title, "side": "right"}, "thickness": 12, "len": 1, "outlinewidth": 0}
    most = float(np.nanmax(shown)) if np.isfinite(shown).any() else 1.0
    heat = {
        "type": "heatmap",
        "z": shown,
        "text": texts,
        "customdata": [list(row) for row in notes],
        "texttemplate": "%{text}" if count <= WRITTEN else None,
        "hovertemplate": f"{style.text('heads')} %{{y}}, %{{x}}: %{{z}}<br>%{{customdata}}<extra></extra>",
        "hoverongaps": False,
        "x": list(names),
        "y": list(names),
        "colorscale": SEQUENTIAL,
        "zmin": 0,
        "zmax": most or 1.0,
        "xgap": 1,
        "ygap": 1,
        "colorbar": bar,
    }
    axis = {"type": "category", "showgrid": False, "title": {"text": style.text("head")}}
    return figure([heat], style, height=min(640, 120 + 46 * count), xaxis=axis, yaxis={**axis, "autorange": "reversed"})


def word_shares(
    shares: NDArray[np.float64], names: Sequence[str], tokens: Sequence[str], style: Style = Style()
) -> Figure:
    """How much of each word each head sees: one row for each head, one column for each word.

    Args:
        shares: (heads, token), from 0 to 1; NaN where undefined.
        names: of the heads.
        tokens: in order.
        style: what it is drawn with.
    """
    wide = len(tokens) * LINE > WIDTH
    bar = {"title": {"text": style.text("share"), "side": "right"}, "thickness": 12, "len": 1, "outlinewidth": 0}
    heat = {
        "type": "heatmap",
        "z": shares,
        "x": list(range(1, len(tokens) + 1)),
        "y": list(names),
        "customdata": [[label(token, 40) for token in tokens]] * len(names),
        "hovertemplate": f"{style.text('head')} %{{y}}, %{{customdata}}: %{{z}}<extra></extra>",
        "hoverongaps": False,
        "colorscale": SEQUENTIAL,
        "zmin": 0,
        "zmax": float(np.nanmax(shares)) if np.isfinite(shares).any() else 1.0,
        "colorbar": bar,
    }
    x: dict[str, Any] = {"showgrid": False, "title": {"text": style.text("position")}} if wide else {
        "showgrid": False, "tickvals": list(range(1, len(tokens) + 1)), "ticktext": [label(t, 12) for t in tokens]
    }  # fmt: skip
    y = {"type": "category", "autorange": "reversed", "showgrid": False, "title": {"text": style.text("head")}}
    return figure([heat], style, height=min(640, 110 + 24 * len(names)), xaxis=x, yaxis=y)
