"""Figures of one query's rankings: ranked bars, and each word's rank across the measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
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
    rows = ranking.indices.tolist()
    ranks = ranking.ranks.tolist()
    places = list(range(len(rows)))
    text = style.text
    lengths = np.nan_to_num(ranking.scores)
    bars = {
        "type": "bar",
        "x": lengths,
        "y": places,
        "orientation": "h",
        "marker": {"color": [colours.get(row, MUTED) for row in rows]},
        "customdata": [
            [label(ranking.vocabulary[row], 200), rank, _score(ranking, row, repr, style), float(norms[row])]
            for row, rank in zip(rows, ranks, strict=True)
        ],
        "hovertemplate": f"<b>%{{customdata[0]}}</b><br>{text('rank')} %{{customdata[1]}}<br>"
        f"{text('score')} %{{customdata[2]}}<br>{text('norm')} %{{customdata[3]}}<extra></extra>",
    }
    written = [f" {_score(ranking, row, number, style)}  ‖{number(norms[row])}‖" for row in rows]
    anchor = {"type": "scatter", "x": [0.0] * len(rows), "y": places, "yaxis": "y2", "mode": "markers",
              "marker": {"opacity": 0}, "hoverinfo": "skip"}  # fmt: skip
    span = [len(rows) - 0.5, -0.5]
    ticks = [f"{rank}  {label(word, 18)} " for rank, word in zip(ranks, ranking.words, strict=True)]
    return figure(
        [bars, anchor],
        style,
        height=ROW_HEIGHT * len(rows) + 16,
        xaxis={"visible": False, "range": _bounds(lengths)},
        yaxis={"tickvals": places, "ticktext": ticks, "range": span, "showgrid": False},
        yaxis2=side_axis(places, written, span),
        bargap=0.25,
    )


def _score(ranking: Ranking, row: int, write: Any, style: Style) -> str:
    score = float(ranking.all_scores[row])
    return style.text("undefined") if np.isnan(score) else str(write(score))


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
    lines = [_line(row, rankings, colour, style) for row, colour in colours.items()]
    steps = list(range(1, k + 1, 1 if k <= 20 else 5))
    return figure(
        [_alone(rankings, colours, style), *lines],
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


def _line(row: int, rankings: list[Ranking], colour: str, style: Style) -> dict[str, Any]:
    places = [_place(ranking, row) for ranking in rankings]
    inside = [place <= ranking.k for place, ranking in zip(places, rankings, strict=True)]
    points = {
        "x": list(range(len(rankings))),
        "y": places,
        "text": [
            label(ranking.vocabulary[row], 16) if here else "" for ranking, here in zip(rankings, inside, strict=True)
        ],
        "customdata": [_details(ranking, row, style) for ranking in rankings],
    }
    marker = {
        "color": colour,
        "size": [9 if here else 6 for here in inside],
        "symbol": ["circle" if here else "triangle-down" for here in inside],
        "opacity": 1,
        "line": {"width": 0},
    }
    return {**points, "line": {"color": colour, "width": 2.5}, "marker": marker, **_look("lines+markers+text", style)}


def _alone(rankings: list[Ranking], colours: Mapping[int, str], style: Style) -> dict[str, Any]:
    found = [(i, row) for i, ranking in enumerate(rankings) for row in ranking.indices.tolist() if row not in colours]
    points = {
        "x": [i for i, _ in found],
        "y": [_place(rankings[i], row) for i, row in found],
        "text": [label(rankings[i].vocabulary[row], 16) for i, row in found],
        "customdata": [_details(rankings[i], row, style) for i, row in found],
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


def _details(ranking: Ranking, row: int, style: Style) -> list[str]:
    rank = f"{ranking.all_ranks[row]:,}" if ranking.all_ranks[row] else style.text("the query")
    return [label(ranking.vocabulary[row], 200), rank, _score(ranking, row, repr, style)]


def _place(ranking: Ranking, row: int) -> int:
    """Where the word stands in the list, ties in file order; k + 1 for a word outside."""
    found = np.flatnonzero(ranking.indices == row)
    return int(found[0]) + 1 if len(found) else ranking.k + 1
