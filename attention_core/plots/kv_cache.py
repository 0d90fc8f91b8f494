"""The KV cache: stacked bars by layout, and lines against the context with the memory of GPUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

from attention_core.kv_cache.layouts import LAYOUTS
from attention_core.kv_cache.shortcut import shortcut
from attention_core.kv_cache.sizes import CacheSizes, sizes
from attention_core.kv_cache.units import UNITS, Family, best_unit, format_bytes
from attention_core.plots.theme import MUTED, OKABE_ITO, Figure, Style, figure, label, number

PART_COLOURS = {
    "keys": OKABE_ITO[0],
    "values": OKABE_ITO[4],
    "latent": OKABE_ITO[2],
    "rotary key": OKABE_ITO[1],
    "indexer keys": OKABE_ITO[3],
}
SHORT = {**LAYOUTS, "expanded": "MLA, K and V kept", "shortcut": "2·d·L"}
"""Layouts as the bars are labelled."""
LINES = (*OKABE_ITO[:4], OKABE_ITO[5], MUTED)
LONGEST = 1 << 20
SHORTEST = 256
"""Where the axis of contexts begins, unless the one at hand is shorter."""
ROW_HEIGHT = 24
LEGEND = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "itemclick": False, "traceorder": "normal"}


@dataclass(frozen=True)
class Bar:
    """One row of the bars.

    Attributes:
        text: at its left.
        parts: bytes by what they hold; empty for a heading, and where the layout does not exist.
        why: why there are none; "" for a heading.
    """

    text: str
    parts: Mapping[str, int]
    why: str = ""


def layout_bars(
    found: Mapping[str, CacheSizes], family: Family = "binary", counted: bool = False, style: Style = Style()
) -> Figure:
    """For each model a bar for each layout, made of what the layout keeps; the model's own is marked.

    Args:
        found: by the model's name, sizes for one workload.
        family: units of the axis.
        counted: whether the shortcut 2·d·L is drawn too.
        style: what it is drawn with.
    """
    bars = [bar for name, s in found.items() for bar in _bars(name, s, counted, style)]
    largest = max((sum(bar.parts.values()) for bar in bars), default=1)
    unit = best_unit(largest, family)
    names = dict.fromkeys(part for bar in bars for part in bar.parts)
    traces = [_segments(bars, part, unit, style) for part in names]
    traces.append(_totals(bars, family, unit, style))
    workload = next(iter(found.values())).workload
    many = workload.batch * workload.tokens > 1
    title = style.text(
        "{unit} for {batch} × {tokens} tokens in {dtype}" if many else "{unit} for a token in {dtype}"
    ).format(unit=unit, batch=f"{workload.batch:,}", tokens=f"{workload.tokens:,}", dtype=workload.format.label)
    layout: dict[str, Any] = {
        "barmode": "stack",
        "bargap": 0.25,
        "xaxis": {"title": {"text": title}, "range": [0, 1.22 * largest / UNITS[unit]]},
        "yaxis": {
            "tickvals": list(range(len(bars))),
            "ticktext": [f"{bar.text}\u2002" for bar in bars],
            "range": [len(bars) - 0.5, -0.5],
            "showgrid": False,
        },
        "legend": LEGEND,
        "showlegend": True,
        "margin": {"l": 8, "r": 8, "t": 40, "b": 8},
    }
    return figure(traces, style, len(bars) * ROW_HEIGHT + 100, **layout)


def _bars(name: str, s: CacheSizes, counted: bool, style: Style) -> list[Bar]:
    rows = [Bar(f"<b>{label(name)}</b>", {})]
    for layout, total in s.bytes.items():
        text = style.text(SHORT[layout])
        text = f"<b>{text}, {style.text('own')}</b>" if layout == s.own else text
        rows.append(Bar(text, {} if total is None else s.parts(layout), s.why.get(layout, "")))
    if counted:
        kept = s.workload.format
        rows.append(Bar(SHORT["shortcut"], {"shortcut": shortcut(s.preset).standard * kept.bits // 8 * s.tokens_held}))
    return rows


def _segments(bars: Sequence[Bar], part: str, unit: str, style: Style) -> dict[str, Any]:
    held = [(y, bar, bar.parts[part]) for y, bar in enumerate(bars) if part in bar.parts]
    name = style.text(part if part in PART_COLOURS else "by the shortcut")
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": [count / UNITS[unit] for _, _, count in held],
        "y": [y for y, _, _ in held],
        "marker": {"color": PART_COLOURS.get(part, MUTED)},
        "customdata": [[name, format_bytes(count), f"{count:,}"] for _, _, count in held],
        "hovertemplate": "%{customdata[0]}: %{customdata[1]}<br>%{customdata[2]} bytes<extra></extra>",
    }


def _totals(bars: Sequence[Bar], family: Family, unit: str, style: Style) -> dict[str, Any]:
    """The whole of each bar at its end, or that there is none."""
    rows = [(y, bar, sum(bar.parts.values())) for y, bar in enumerate(bars) if bar.parts or bar.why]
    return {
        "type": "scatter",
        "mode": "text",
        "showlegend": False,
        "x": [total / UNITS[unit] for _, _, total in rows],
        "y": [y for y, _, _ in rows],
        "text": [f" {short_bytes(total, family) if bar.parts else style.text('undefined')}" for _, bar, total in rows],
        "textposition": "middle right",
        "cliponaxis": False,
        "customdata": [[label(bar.why, 90) if bar.why else f"{total:,} bytes"] for _, bar, total in rows],
        "hovertemplate": "%{customdata[0]}<extra></extra>",
    }


def short_bytes(count: int, family: Family = "binary") -> str:
    """Bytes to 3 significant digits, as figures show them.

    Example:
        >>> short_bytes(3_997_696), short_bytes(70_272, "decimal")
        ('3.81 MiB', '70.3 KB')
    """
    unit = best_unit(count, family)
    return f"{number(count / UNITS[unit])} {unit}"


@dataclass(frozen=True)
class Limit:
    """Memory that ends somewhere.

    Attributes:
        name: as the figure shows it.
        bytes: what is left in it for a cache.
    """

    name: str
    bytes: int


def context_lines(
    found: Mapping[str, CacheSizes], limits: Sequence[Limit], family: Family = "binary", style: Style = Style()
) -> Figure:
    """Each model's cache against the context, as it is and as MLA (or as MHA, where it is MLA), on logarithmic axes.

    Args:
        found: by the model's name, sizes for one workload; its context is marked.
        limits: memory, each a dotted line.
        family: units of the axis.
        style: what it is drawn with.
    """
    unit = "GiB" if family == "binary" else "GB"
    start = min(SHORTEST, next(iter(found.values())).workload.tokens)
    traces: list[dict[str, Any]] = []
    for i, (name, s) in enumerate(found.items()):
        for layout in (s.own, "mha" if s.own == "mla" else "mla"):
            if s.bytes.get(layout) is not None:
                shown = _line_name(name, s, layout, style)
                traces += _line(s, layout, shown, LINES[i % len(LINES)], start, unit)
    values = [log10(y) for trace in traces for y in trace["y"]] + [log10(gap.bytes / UNITS[unit]) for gap in limits]
    span = [min(values) - 0.1, max(values) + 0.3]
    traces += _limits(limits, start, unit, 0.05 * (span[1] - span[0]))
    workload = next(iter(found.values())).workload
    title = style.text("{unit} for {batch} sequences in {dtype}").format(
        unit=unit, batch=f"{workload.batch:,}", dtype=workload.format.label
    )
    powers = [2**power for power in range(0, 21, 4) if 2**power >= start]
    layout_of: dict[str, Any] = {
        "xaxis": {
            "type": "log",
            "title": {"text": style.text("tokens of each sequence")},
            "range": [log10(start), log10(LONGEST) + 0.03],
            "tickvals": powers,
            "ticktext": [f"{power:,}" for power in powers],
        },
        "yaxis": {"type": "log", "title": {"text": title}, "range": span, "dtick": 1, "tickformat": ",~g"},
        "legend": LEGEND,
        "showlegend": True,
        "margin": {"l": 8, "r": 36, "t": 40, "b": 8},
    }
    return figure(traces, style, 480, **layout_of)


def contexts(s: CacheSizes, start: int) -> list[int]:
    """Where a line bends or is drawn through: powers of two, and full windows."""
    windows = {window for window in s.preset.window_counts if window is not None and start < window < LONGEST}
    return sorted({start, *(2**power for power in range(21) if 2**power > start)} | windows)


def _line_name(name: str, s: CacheSizes, layout: str, style: Style) -> str:
    whole = label(name)
    return whole if layout == s.own else style.text("{model} as {layout}").format(model=whole, layout=LAYOUTS[layout])


def _line(s: CacheSizes, layout: str, shown: str, colour: str, start: int, unit: str) -> list[dict[str, Any]]:
    """The mark of the context at hand, and the line through all of them."""
    places = contexts(s, start)
    counts = [sizes(s.preset, tokens, s.workload.batch, s.workload.dtype).of(layout) for tokens in places]
    hover = f"<b>{shown}</b><br>%{{x:,}}: %{{customdata[0]}}<br>%{{customdata[1]}} bytes<extra></extra>"
    here = s.of(layout)
    mark = {
        "type": "scatter",
        "mode": "markers",
        "showlegend": False,
        "x": [s.workload.tokens],
        "y": [here / UNITS[unit]],
        "marker": {"color": colour, "size": 9},
        "customdata": [[format_bytes(here), f"{here:,}"]],
        "hovertemplate": hover,
    }
    line = {
        "type": "scatter",
        "mode": "lines",
        "name": shown,
        "x": places,
        "y": [count / UNITS[unit] for count in counts],
        "line": {"color": colour, "width": 2.5, "dash": "solid" if layout == s.own else "dash"},
        "customdata": [[format_bytes(count), f"{count:,}"] for count in counts],
        "hovertemplate": hover,
    }
    return [mark, line]


def _limits(limits: Sequence[Limit], start: int, unit: str, line: float) -> list[dict[str, Any]]:
    """Dotted lines with their names above them; those too close for a name each share one."""
    ordered = sorted(limits, key=lambda limit: limit.bytes)
    heights = [limit.bytes / UNITS[unit] for limit in ordered]
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "showlegend": False,
            "x": [start, LONGEST],
            "y": [height] * 2,
            "line": {"color": MUTED, "width": 1.5, "dash": "dot"},
            "hovertemplate": f"{label(limit.name, 30)}: {format_bytes(limit.bytes)}<extra></extra>",
        }
        for limit, height in zip(ordered, heights, strict=True)
    ]
    names: dict[float, str] = {}
    for limit, height in zip(ordered, heights, strict=True):
        near = next((other for other in names if log10(height / other) < line), None)
        shown = label(limit.name, 30) if near is None else f"{names.pop(near)}, {label(limit.name, 30)}"
        names[height] = shown
    text = {
        "type": "scatter",
        "mode": "text",
        "showlegend": False,
        "x": [start] * len(names),
        "y": list(names),
        "text": [f" {name}" for name in names.values()],
        "textposition": "top right",
        "hoverinfo": "skip",
    }
    return [*lines, text]
