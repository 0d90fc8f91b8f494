"""The agreement of every pair of measures as a heat map."""

from __future__ import annotations

from collections.abc import Mapping

from attention_core.measures import MEASURES
from attention_core.plots.theme import SEQUENTIAL, SIGNED, Figure, Style, figure, number
from attention_core.similarity.ranking import Comparison

STATISTICS: Mapping[str, str] = {
    "tau": "kendall_tau",
    "spearman": "spearman",
    "rbo": "rbo",
    "overlap": "overlap",
    "average overlap": "average_overlap",
}
"""The statistics one can choose, and the attribute of `Agreement` that holds each."""


def agreement_map(comparison: Comparison, statistic: str, style: Style = Style()) -> Figure:
    """One cell for each pair of measures; the diagonal, each with itself, is left empty.

    Args:
        comparison: two or more measures.
        statistic: a key of `STATISTICS`; the first two are signed, and coloured on a scale centred on zero.
        style: what it is drawn with.
    """
    names = list(comparison.rankings)
    values = [[_value(comparison, a, b, statistic) for b in names] for a in names]
    texts = [
        [_written(value, style) if a != b else "" for b, value in zip(names, row, strict=True)]
        for a, row in zip(names, values, strict=True)
    ]
    labels = [style.text(MEASURES[name].label) for name in names]
    wrapped = [text.replace(" ", "<br>") for text in labels]
    signed = statistic in ("tau", "spearman")
    heat = {
        "type": "heatmap",
        "z": values,
        "x": wrapped,
        "y": labels,
        "text": texts,
        "texttemplate": "%{text}",
        "hovertemplate": "%{y} – %{x}: %{z}<extra></extra>",
        "hoverongaps": False,
        "colorscale": SIGNED if signed else SEQUENTIAL,
        "zmin": -1 if signed else 0,
        "zmax": 1,
        "xgap": 2,
        "ygap": 2,
        "showscale": False,
    }
    return figure(
        [heat],
        style,
        height=70 + 48 * len(names),
        xaxis={"side": "top", "showgrid": False},
        yaxis={"autorange": "reversed", "showgrid": False},
    )


def _value(comparison: Comparison, a: str, b: str, statistic: str) -> float | None:
    value: float | None = None if a == b else getattr(comparison.agreement[a, b], STATISTICS[statistic])
    return value


def _written(value: float | None, style: Style) -> str:
    return style.text("undefined") if value is None else number(value)
