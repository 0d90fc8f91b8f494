"""What people gave each pair against the score of one measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.measures import MEASURES
from attention_core.plots.theme import Figure, Style, figure, label, measure_colour, number
from attention_core.similarity.judgements import Judgements

NAMED = 6
"""Pairs named on the figure: those whose two ranks lie farthest apart."""
FLAT = 5_000
"""Beyond so many points the browser draws them on its graphics card."""


def judged_scores(judgements: Judgements, measure: str, style: Style = Style()) -> Figure:
    """A point for each pair; the pairs whose ranks differ most are named.

    Args:
        judgements: of one table.
        measure: one of its measures.
        style: what it is drawn with.
    """
    judged = judgements[measure]
    worst = farthest(judged.residuals, NAMED)
    human = judgements.human
    axis = style.text("people's score, {low} to {high}; n = {n} pairs")
    chosen = MEASURES[measure]
    nearer = "" if chosen.best == "highest" else style.text(", lower is closer")
    low, high = (number(float(end)) for end in (human.min(initial=np.inf), human.max(initial=-np.inf)))
    points = _points(judgements, measure, np.arange(len(human)), style)
    named = _points(judgements, measure, worst, style) | {
        "mode": "markers+text",
        "text": [_pair(judgements, i, 14) for i in worst],
        "textposition": _sides(human[worst], judged.scores[worst]),
        "cliponaxis": False,
    }
    points["marker"] = {"color": measure_colour(measure), "size": 6, "opacity": 0.5}
    named["marker"] = {"color": measure_colour(measure), "size": 10, "line": {"width": 2, "color": style.ink}}
    return figure(
        [points, named],
        style,
        height=440,
        xaxis={"title": {"text": axis.format(low=low, high=high, n=f"{len(human):,}")}},
        yaxis={"title": {"text": style.text(chosen.label) + nearer},
               "autorange": True if chosen.best == "highest" else "reversed"},
        hovermode="closest",
    )  # fmt: skip


def farthest(residuals: NDArray[np.float64], count: int) -> list[int]:
    """The places of the largest residuals, whatever their sign, largest first.

    Example:
        >>> farthest(np.array([1.0, -3.0, 2.0]), 2)
        [1, 2]
    """
    found: list[int] = np.argsort(-np.abs(residuals), kind="stable")[:count].tolist()
    return found


def _pair(judgements: Judgements, place: int, length: int) -> str:
    return " – ".join(label(word, length) for word in judgements.table.pairs[judgements.scored[place]])


def _sides(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[str]:
    """Where each label stands: towards the middle, above or below its point by turns from the highest down."""
    turn = np.argsort(np.argsort(-y, kind="stable"))
    return [
        f"{'bottom' if place % 2 else 'top'} {'right' if at < (x.min() + x.max()) / 2 else 'left'}"
        for place, at in zip(turn, x, strict=True)
    ]


def _points(judgements: Judgements, measure: str, places: Any, style: Style) -> dict[str, Any]:
    judged = judgements[measure]
    text = style.text
    apart = text("rank given by people minus rank by closeness")
    return {
        "type": "scattergl" if len(places) > FLAT else "scatter",
        "mode": "markers",
        "x": judgements.human[places],
        "y": judged.scores[places],
        "customdata": [[_pair(judgements, i, 60), judged.residuals[i]] for i in places],
        "hovertemplate": f"<b>%{{customdata[0]}}</b><br>{text('people')} %{{x}}<br>"
        f"{text(MEASURES[measure].label)} %{{y}}<br>{apart} %{{customdata[1]}}<extra></extra>",
    }
