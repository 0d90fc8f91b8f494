"""Which query heads share which key and value head."""

from __future__ import annotations

from attention_core.plots.theme import OKABE_ITO, Figure, Style, figure

PALETTE = (*OKABE_ITO[:6], "#997700", "#AA3377")


def sharing_diagram(heads: int, kv_heads: int, style: Style = Style()) -> Figure:
    """Query heads above, key and value heads below, a line from each to the one that it reads.

    Args:
        heads: query heads.
        kv_heads: key and value heads, each of which serves a contiguous block.
        style: what it is drawn with.
    """
    size = heads // kv_heads
    across = [head - (heads - 1) / 2 for head in range(heads)]
    below = [sum(across[kv * size : (kv + 1) * size]) / size for kv in range(kv_heads)]
    colours = [PALETTE[kv % len(PALETTE)] for kv in range(kv_heads)]
    lines = [
        {"type": "scatter", "mode": "lines", "x": [across[head], below[head // size]], "y": [1, 0], "hoverinfo": "skip",
         "line": {"color": colours[head // size], "width": 2}}
        for head in range(heads)
    ]  # fmt: skip
    of_head = [colours[head // size] for head in range(heads)]
    blocks = [f"{kv * size + 1}–{(kv + 1) * size}" if size > 1 else f"{kv + 1}" for kv in range(kv_heads)]
    above, beneath = style.text("query head"), style.text("key and value head")
    marks = [
        {**_marks(across, 1, of_head, "circle", style), "customdata": [head // size + 1 for head in range(heads)],
         "hovertemplate": f"{above} %{{text}}<br>{style.text('reads')} {beneath} %{{customdata}}<extra></extra>"},
        {**_marks(below, 0, colours, "square", style), "customdata": blocks,
         "hovertemplate": f"{beneath} %{{text}}<br>{style.text('read by')} {above} %{{customdata}}<extra></extra>"},
    ]  # fmt: skip
    axis = {"showgrid": False, "zeroline": False, "fixedrange": True}
    return figure(
        [*lines, *marks],
        style,
        height=220,
        xaxis={**axis, "visible": False, "range": [across[0] - 1, across[-1] + 1]},
        yaxis={**axis, "range": [-0.35, 1.35], "tickvals": [1, 0],
               "ticktext": [style.text("queries"), style.text("keys and values")]},
    )  # fmt: skip


def _marks(x: list[float], y: int, colours: list[str], symbol: str, style: Style) -> dict[str, object]:
    size = max(9, min(30, 900 // len(x)))
    return {
        "type": "scatter",
        "mode": "markers+text" if size >= 18 else "markers",
        "x": x,
        "y": [y] * len(x),
        "text": [str(place + 1) for place in range(len(x))],
        "textfont": {"color": style.ink, "size": 12},
        "marker": {
            "symbol": symbol,
            "size": size,
            "color": style.ground,
            "line": {"color": colours, "width": 3},
            "opacity": 1,
        },
    }
