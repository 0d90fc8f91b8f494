"""How unevenly neighbourhoods are spread over the words, and how much of them the measures share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.measures import MEASURES
from attention_core.plots.theme import MUTED, Figure, Style, figure, label, measure_colour, number
from attention_core.similarity.hubness import Hubness
from attention_core.similarity.neighbourhoods import Overlap


def bin_edges(hubs: Mapping[str, Hubness]) -> NDArray[np.int64]:
    """Lower ends of bins that all measures share: 0, 1, 2, 4, 8 … up to the word in the most lists."""
    most = max((int(hub.counts.max(initial=0)) for hub in hubs.values()), default=0)
    return np.concatenate([[0], 2 ** np.arange(max(1, most).bit_length())])


def hub_histogram(hub: Hubness, edges: NDArray[np.int64], highest: int, style: Style = Style()) -> Figure:
    """One measure: how many words are in how many lists, both scales growing by factors.

    Args:
        hub: its counts.
        edges: from `bin_edges`, the same for all measures.
        highest: the largest count of words in a bin of any measure: all get the same axis.
        style: what it is drawn with.
    """
    words = words_per_bin(hub, edges)
    names = [_bin(low, high) for low, high in zip(edges, [*(edges[1:] - 1), 2 * edges[-1] - 1], strict=True)]
    bars = {
        "type": "bar",
        "x": names,
        "y": [count or None for count in words.tolist()],
        "marker": {"color": [MUTED, *[measure_colour(hub.measure)] * (len(names) - 1)]},
        "hovertemplate": f"%{{y:,}} {style.text('words in')} %{{x}} {style.text('lists')}<extra></extra>",
    }
    return figure(
        [bars],
        style,
        height=270,
        xaxis={"title": {"text": style.text("lists that a word is in")}, "type": "category", "showgrid": False},
        yaxis={
            "title": {"text": f"{style.text('words')} ({style.text('log scale')})"},
            "type": "log",
            "range": [-0.2, float(np.log10(max(10, highest))) + 0.1],
            "dtick": 1,
            "tickformat": ",d",
        },
        bargap=0.12,
    )


def words_per_bin(hub: Hubness, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """(b,) how many words fall into each bin."""
    return np.bincount(np.searchsorted(edges, hub.counts, side="right") - 1, minlength=len(edges))


def _bin(low: int, high: int) -> str:
    return f"{low}" if high <= low else f"{low}–{high}"


def top_hubs(hubs: Mapping[str, Hubness], style: Style = Style(), count: int = 3) -> Figure:
    """The words in the most lists under each measure, as bars of the share of lists."""
    rows = [(name, hub, entry) for name, hub in hubs.items() for entry in hub.hubs[:count]]
    places = list(range(len(rows)))
    bars = {
        "type": "bar",
        "orientation": "h",
        "y": places,
        "x": [100 * entry.lists / max(1, hub.lists) for _, hub, entry in rows],
        "marker": {"color": [measure_colour(name) for name, _, _ in rows]},
        "customdata": [
            [label(entry.word, 200), style.text(MEASURES[name].label), entry.lists] for name, _, entry in rows
        ],
        "hovertemplate": "<b>%{customdata[0]}</b><br>%{customdata[1]}<br>%{customdata[2]:,} "
        f"{style.text('lists')} (%{{x:.2f}} %)<extra></extra>",
    }
    ticks = [f"{label(entry.word, 14)} · {style.text(MEASURES[name].label)} " for name, _, entry in rows]
    return figure(
        [bars],
        style,
        height=26 * len(rows) + 60,
        xaxis={"title": {"text": style.text("share of the lists (%)")}},
        yaxis={"tickvals": places, "ticktext": ticks, "range": [len(rows) - 0.5, -0.5], "showgrid": False},
        bargap=0.25,
    )


def overlap_bars(overlap: Mapping[tuple[str, str], Overlap], names: Sequence[str], style: Style = Style()) -> Figure:
    """The mean share of common words in the lists of every two measures, with 95 % intervals where sampled."""
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    found = [overlap[pair] for pair in pairs]
    values = [None if one.mean is None else 100 * one.mean for one in found]
    texts = [style.text("undefined") if one.mean is None else f"{number(100 * one.mean)} %" for one in found]
    bars: dict[str, Any] = {
        "type": "bar",
        "orientation": "h",
        "y": [
            f"{style.text(MEASURES[a].label)} –<br>{style.text(MEASURES[b].label)}: {text} "
            for (a, b), text in zip(pairs, texts, strict=True)
        ],
        "x": values,
        "marker": {"color": MUTED},
        "hovertemplate": "%{x:.4f} %<extra></extra>",
    }
    if any(one.interval for one in found):
        halves = [0 if one.interval is None else 50 * (one.interval.high - one.interval.low) for one in found]
        bars["error_x"] = {"type": "data", "array": halves, "color": style.ink}
    return figure(
        [bars],
        style,
        height=52 * len(pairs) + 60,
        xaxis={"title": {"text": style.text("words in common (%)")}, "range": [0, 104]},
        yaxis={"autorange": "reversed", "showgrid": False},
        bargap=0.3,
    )
