"""Figures of one query's rankings: ranked bars, and each word's rank across the measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.measures import MEASURES
from attention_core.plots.theme import MUTED, WORDS, Figure, Style, figure, label, number, side_axis
from attention_core.similarity.ranking import Comparison, Ranking

ROW_HEIGHT = 26


def word_colours(comparison: Comparison) -> Mapping[int, str]:
    """By row: a colour for each word that two or more measures name; the others are left to `MUTED`."""
    counts = Counter(int(row) for ranking in comparison.rankings.values() for row in ranking.indices)
    shared = [row for row, count in counts.items() if count > 1]
    return {row: WORDS[i % len(WORDS)] for i, row in enumerate(shared)}


def ranked_bars(
    ranking: Ranking, norms: NDArray[np.float64], colours: Mapping[int, str], style: Style = Style()
) -> Figure:
    """One measure's closest words from top to bottom: bar and score, and the word's norm between bars ‖ ‖.

    Args:
        ranking: its top k is drawn.
        norms: (n,) by row.
        colours: by row, from `word_colours`.
        style: what it is drawn with.
    """
    rows, ranks = ranking.indices.tolist(), ranking.ranks.tolist()
    places = list(range(len(rows)))
    text = style.text
    lengths, sizes = np.nan_to_num(ranking.scores), norms[ranking.indices].tolist()
    scores, words = ranking.scores.tolist(), ranking.words
    full = zip([label(word, 200) for word in words], ranks, _written(scores, repr, style), sizes, strict=True)
    bars = {
        "type": "bar",
        "x": lengths,
        "y": places,
        "orientation": "h",
        "marker": {"color": [colours.get(row, MUTED) for row in rows]},
        "customdata": list(map(list, full)),
        "hovertemplate": f"<b>%{{customdata[0]}}</b><br>{text('rank')} %{{customdata[1]}}<br>"
        f"{text('score')} %{{customdata[2]}}<br>{text('norm')} %{{customdata[3]}}<extra></extra>",
    }
    short = zip(_written(scores, number, style), sizes, strict=True)
    written = [f" {score}  ‖{number(size)}‖" for score, size in short]
    anchor = {"type": "scatter", "x": [0.0] * len(rows), "y": places, "yaxis": "y2", "mode": "markers",
              "marker": {"opacity": 0}, "hoverinfo": "skip"}  # fmt: skip
    span = [len(rows) - 0.5, -0.5]
    ticks = [f"{rank}  {label(word, 14)} " for rank, word in zip(ranks, words, strict=True)]
    return figure(
        [bars, anchor],
        style,
        height=ROW_HEIGHT * len(rows) + 16,
        minreducedwidth=20,  # long words make the bars shorter; nothing is cut
        xaxis={"visible": False, "range": _bounds(lengths)},
        yaxis={"tickvals": places, "ticktext": ticks, "range": span, "showgrid": False},
        yaxis2=side_axis(places, written, span),
        bargap=0.25,
    )


def _written(scores: Sequence[float], write: Callable[[float], str], style: Style) -> list[str]:
    return [style.text("undefined") if isnan(score) else write(score) for score in scores]


def _bounds(lengths: NDArray[np.float64]) -> list[float]:
    """From the lowest bar to the highest, 0 included."""
    low, high = float(lengths.min(initial=0)), float(lengths.max(initial=0))
    return [low, high if high > low else low + 1]


def bump(comparison: Comparison, colours: Mapping[int, str], style: Style = Style()) -> Figure:
    """Each word's rank across the measures; a word that others name too leaves a top k through the bottom edge.

    Args:
        comparison: one measure or more.
        colours: by row, from `word_colours`; a word without one stands alone and gets no line.
        style: what it is drawn with.
    """
    rankings = [ranking for ranking in comparison.rankings.values() if len(ranking.order)]
    k = comparison.k
    stands = [_standing(ranking, colours, style) for ranking in rankings]
    lines = [_line(row, stands, colour, style) for row, colour in colours.items()]
    steps = list(range(1, k + 1, 1 if k <= 20 else 5))
    return figure(
        [_alone(stands, colours, style), *lines],
        style,
        height=max(320, 30 * k + 110),
        xaxis={
            "tickvals": list(range(len(rankings))),
            "ticktext": [style.text(MEASURES[ranking.measure].label) for ranking in rankings],
            "side": "top",
            "range": [-0.1, len(rankings) - 0.45],
            "showgrid": False,
        },
        yaxis={
            "title": {"text": style.text("rank")},
            "range": [k + 1.4, 0.2],
            "showgrid": False,
            "tickvals": [*steps, k + 1],
            "ticktext": [*map(str, steps), f"> {k}"],
        },
    )


@dataclass(frozen=True)
class _Stand:
    """A word in one ranking: its place in the list (k + 1 outside it; ties in file order), and what is said of it."""

    place: int
    name: str
    details: list[str]


def _standing(ranking: Ranking, colours: Mapping[int, str], style: Style) -> dict[int, _Stand]:
    """By row: the words of this ranking's list, and those that have a colour."""
    places = {row: place for place, row in enumerate(ranking.indices.tolist(), 1)}
    rows = list(dict.fromkeys([*places, *colours]))
    ranks = [f"{rank:,}" if rank else style.text("the query") for rank in ranking.all_ranks[rows].tolist()]
    scores = _written(ranking.all_scores[rows].tolist(), repr, style)
    names = [ranking.vocabulary[row] for row in rows]
    return {
        row: _Stand(places.get(row, ranking.k + 1), label(name, 16) if row in places else "", [label(name, 200), *said])
        for row, name, *said in zip(rows, names, ranks, scores, strict=True)
    }


def _line(row: int, stands: list[dict[int, _Stand]], colour: str, style: Style) -> dict[str, Any]:
    stand = [standing[row] for standing in stands]
    points = {
        "x": list(range(len(stand))),
        "y": [at.place for at in stand],
        "text": [at.name for at in stand],
        "customdata": [at.details for at in stand],
    }
    marker = {
        "color": colour,
        "size": [9 if at.name else 6 for at in stand],
        "symbol": ["circle" if at.name else "triangle-down" for at in stand],
        "opacity": 1,
        "line": {"width": 0},
    }
    return {**points, "line": {"color": colour, "width": 2.5}, "marker": marker, **_look("lines+markers+text", style)}


def _alone(stands: list[dict[int, _Stand]], colours: Mapping[int, str], style: Style) -> dict[str, Any]:
    found = [(x, at) for x, standing in enumerate(stands) for row, at in standing.items() if row not in colours]
    points = {
        "x": [x for x, _ in found],
        "y": [at.place for _, at in found],
        "text": [at.name for _, at in found],
        "customdata": [at.details for _, at in found],
    }
    return {**points, "marker": {"color": MUTED, "size": 9}, **_look("markers+text", style)}


def _look(mode: str, style: Style) -> dict[str, Any]:
    hover = f"<b>%{{customdata[0]}}</b><br>{style.text('rank')} %{{customdata[1]}}<br>{style.text('score')} "
    return {
        "type": "scatter",
        "mode": mode,
        "textposition": "top right",
        "cliponaxis": False,
        "hovertemplate": hover + "%{customdata[2]}<extra></extra>",
    }
