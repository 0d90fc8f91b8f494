"""The scores of all pairs as a histogram, with the scores of some pairs marked below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from attention_core.measures import MEASURES
from attention_core.plots.theme import Figure, Style, figure, label, measure_colour, number
from attention_core.similarity.distribution import Histogram


class Mark(NamedTuple):
    """A score that is marked below the histogram, what it belongs to, and what more is said of it."""

    score: float
    name: str
    said: str = ""


def score_histogram(
    measure: str,
    scores: Histogram,
    expected: Histogram | None,
    marks: Sequence[Mark],
    log: bool = False,
    style: Style = Style(),
) -> Figure:
    """Percent of the pairs in each bin, in the measure's colour; a dotted line for random directions; marks below.

    An outer bin that is wider than the others is as low as its pairs lie thin, so that areas compare.

    Args:
        measure: a key of `MEASURES`.
        scores: of the pairs.
        expected: of random directions, drawn as a line; None for none.
        marks: single scores.
        log: whether the vertical axis is logarithmic.
        style: what it is drawn with.
    """
    traces, notes = [_bars(measure, scores, style)], []
    if expected is not None and len(expected.counts):
        traces.append(_line(expected, _usual(scores), style))
        notes.append(_note(style))
    if marks:
        traces.append(_marks(measure, marks, style))
    lane = 0.13 if marks else 0.0
    title = style.text(MEASURES[measure].label)
    return figure(
        traces,
        style,
        height=280,
        xaxis={"title": {"text": title}, "anchor": "y2" if marks else "y", "range": _range(scores, expected, marks)},
        yaxis={
            "title": {"text": style.text("% of the pairs")},
            "domain": [lane + 0.02 if marks else 0, 1],
            "type": "log" if log else "linear",
            **({"exponentformat": "power", "dtick": 2} if log else {"rangemode": "tozero"}),
        },
        yaxis2={"domain": [0, lane or 0.01], "range": [-1, 1], "visible": False, "fixedrange": True},
        bargap=0,
        annotations=notes,
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
    )


def _note(style: Style) -> dict[str, Any]:
    """What the dotted line is."""
    return {
        "text": f"┄ {style.text('random directions')}",
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }


def _usual(scores: Histogram) -> float:
    return float(np.median(np.diff(scores.edges))) if len(scores.counts) else 1.0


def _heights(scores: Histogram, usual: float) -> Any:
    """Percent of the pairs for each `usual` step of the score; a bin cut short by the last score is not raised."""
    widths = np.maximum(_usual(scores), np.diff(scores.edges))
    return (
        100
        * scores.counts
        / max(1, scores.counts.sum())
        * np.divide(usual, widths, where=widths > 0, out=np.ones_like(widths))
    )


def _bars(measure: str, scores: Histogram, style: Style) -> dict[str, Any]:
    widths = np.diff(scores.edges)
    low, high = scores.edges[:-1], scores.edges[1:]
    if len(widths) == 1 and widths[0] <= 0:  # all pairs score the same
        widths = np.array([0.02 * abs(low[0]) or 0.02])
    details = [
        [f"{number(a, 4)} … {number(b, 4)}", f"{count:,}", f" ± {error:,.0f}" if error else ""]
        for a, b, count, error in zip(low, high, scores.counts.tolist(), scores.errors.tolist(), strict=True)
    ]
    hover = f"{style.text('score')} %{{customdata[0]}}<br>%{{customdata[1]}}%{{customdata[2]}} {style.text('pairs')}"
    return {
        "type": "bar",
        "x": (low + high) / 2,
        "y": _heights(scores, _usual(scores)),
        "width": widths,
        "marker": {"color": measure_colour(measure), "opacity": 0.75, "line": {"width": 0}},
        "customdata": details,
        "hovertemplate": f"{hover}<extra></extra>",
    }


def _line(expected: Histogram, usual: float, style: Style) -> dict[str, Any]:
    heights = _heights(expected, usual)
    return {
        "type": "scatter",
        "x": (expected.edges[:-1] + expected.edges[1:]) / 2,
        "y": np.where(heights > 0, heights, np.nan),
        "mode": "lines",
        "line": {"color": style.ink, "width": 1.5, "dash": "dot"},
        "hovertemplate": f"{style.text('random directions')}: %{{y:.3g}} %<extra></extra>",
    }


def _marks(measure: str, marks: Sequence[Mark], style: Style) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [mark.score for mark in marks],
        "y": [0] * len(marks),
        "yaxis": "y2",
        "mode": "markers",
        "marker": {
            "symbol": "line-ns",
            "size": 18,
            "line": {"width": 2, "color": style.ink},
            "color": measure_colour(measure),
        },
        "customdata": [[label(mark.name, 200), number(mark.score, 6), mark.said] for mark in marks],
        "hovertemplate": "<b>%{customdata[0]}</b> %{customdata[1]}<br>%{customdata[2]}<extra></extra>",
    }


def _range(scores: Histogram, expected: Histogram | None, marks: Sequence[Mark]) -> list[float]:
    """Over all bins but a wide outer one, the line and the marks."""
    ends = [mark.score for mark in marks]
    for shown in (scores, expected):
        if shown is not None and len(shown.counts):
            wide = np.diff(shown.edges) > 3 * _usual(shown)
            first, last = int(wide[0]), len(shown.edges) - 1 - int(wide[-1])
            ends += [float(shown.edges[min(first, last)]), float(shown.edges[last])]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    margin = 0.02 * (high - low) or 0.05 * abs(high) or 1.0
    return [low - margin, high + margin]
