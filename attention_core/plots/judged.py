"""What people gave each pair against the score of one measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.measures import MEASURES
from attention_core.plots.theme import Figure, Style, figure, label, measure_colour
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
    given = judgements.table.scores
    low, high = f"{min(given):g}", f"{max(given):g}"
    points = _points(judgements, measure, np.arange(len(human)), style)
    texts = [_pair(judgements, i, 14) for i in worst]
    places = free_places(_part(human, worst), _part(judged.scores, worst), texts) if worst else []
    named = _points(judgements, measure, worst, style) | {
        "mode": "markers+text",
        "text": [text if place else "" for text, place in zip(texts, places, strict=True)],
        "textposition": [place or "top center" for place in places],
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


LETTER, LINE = 0.013, 0.05
"""About how much of the figure's width and height a letter and a line of text take."""
PLACES = {
    "middle right": (0, 0),
    "middle left": (-1, 0),
    "top right": (0, 1),
    "bottom right": (0, -1),
    "top left": (-1, 1),
    "bottom left": (-1, -1),
}
"""Where a label may stand beside its point: how many of its widths to the right it begins, and lines up."""


def free_places(x: NDArray[np.float64], y: NDArray[np.float64], texts: Sequence[str]) -> list[str | None]:
    """A place for each label in turn at which it meets no point and no label before it; None where there is none.

    Args:
        x: (n,) in parts of the figure's width.
        y: (n,) in parts of its height.
        texts: (n,) labels.

    Example:
        >>> free_places(np.array([0.1, 0.1, 0.9]), np.array([0.5, 0.54, 0.5]), ["one – two", "a – b", "c – d"])
        ['bottom right', 'top right', 'middle right']
    """
    boxes = [(at - 0.01, at + 0.01, up - 0.02, up + 0.02) for at, up in zip(x, y, strict=True)]
    found: list[str | None] = []
    for i, text in enumerate(texts):
        width = 0.02 + LETTER * len(text)
        for place, (right, above) in PLACES.items():
            left, middle = x[i] + right * width, y[i] + above * LINE
            box = (left, left + width, middle - LINE / 2, middle + LINE / 2)
            if box[0] >= 0 and box[1] <= 1 and not any(_meet(box, other) for j, other in enumerate(boxes) if j != i):
                boxes.append(box)
                found.append(place)
                break
        else:
            found.append(None)
    return found


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _part(values: NDArray[np.float64], chosen: Sequence[int]) -> NDArray[np.float64]:
    """Where these values lie between the least, at 0, and the greatest, at 1."""
    shown: NDArray[np.float64] = (values[chosen] - values.min()) / (np.ptp(values) or 1.0)
    return shown


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
