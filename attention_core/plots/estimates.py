"""Estimates with their intervals: one row for each thing estimated, one mark in it for each way to estimate it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attention_core.measures import MEASURES
from attention_core.plots.theme import MUTED, OKABE_ITO, Figure, Style, figure, label, measure_colour, number, side_axis
from attention_core.similarity.analogies import Answered
from attention_core.similarity.bootstrap import Interval, Margin
from attention_core.similarity.judgements import Judgements
from attention_core.similarity.retrieval import Retrieval

ROW_HEIGHT = 30
SYMBOLS = ("circle", "diamond", "square", "triangle-up")
METRICS = {"recall": "recall@{k}", "mrr": "mean reciprocal rank", "ndcg": "nDCG@{k}"}


@dataclass(frozen=True)
class Mark:
    """An estimate in a row.

    Attributes:
        row: what is estimated, as the figure shows it.
        name: how, as the figure shows it.
        value: the estimate, None where undefined.
        interval: its interval.
        colour: of the mark.
        symbol: of the mark; one that ends in “-open” is hollow.
    """

    row: str
    name: str
    value: float | None
    interval: Interval | None
    colour: str
    symbol: str = "circle"


def method_colour(method: str) -> str:
    """The colour of a way to answer analogies: that of its measure; 3CosMul has one of its own."""
    names = {"3CosAdd": "cosine", "dot": "dot", "euclidean": "euclidean"}
    return measure_colour(names[method]) if method in names else OKABE_ITO[5]


def method_label(method: str, style: Style) -> str:
    """The name of a way to answer analogies, as figures and tables show it."""
    return style.text(MEASURES[method].label) if method in MEASURES else method


def correlations(judgements: Judgements, style: Style = Style()) -> Figure:
    """Each measure's rank correlation with people, with its interval.

    Args:
        judgements: of one table.
        style: what it is drawn with.
    """
    marks = [
        Mark(style.text(MEASURES[name].label), "", judged.rho, judged.interval, measure_colour(name))
        for name, judged in judgements.items()
    ]
    axis = style.text("Spearman's ρ with people<br>95 % interval; n = {n} pairs").format(
        n=f"{len(judgements.scored):,}"
    )
    return estimates(marks, axis, style)


def margins(found: Sequence[Margin], axis: str, style: Style = Style()) -> Figure:
    """The difference of two measures; grey where the interval holds 0 and no difference can be told.

    Args:
        found: one row each.
        axis: the title of the axis.
        style: what it is drawn with.
    """
    marks = [
        Mark(
            "<br>− ".join(style.text(MEASURES[name].label) for name in (margin.first, margin.second)),
            "",
            margin.value,
            margin.interval,
            measure_colour(margin.first) if margin.told else MUTED,
            "circle" if margin.told else "circle-open",
        )
        for margin in found
    ]
    return estimates(marks, axis, style)


def accuracies(answers: Mapping[str, Answered], style: Style = Style()) -> Figure:
    """Each method's share of right answers, the question's words excluded (full marks) and allowed (hollow marks).

    Args:
        answers: by method.
        style: what it is drawn with.
    """
    marks = []
    for symbol, (method, answered) in zip(SYMBOLS, answers.items(), strict=True):
        row, share, colour = method_label(method, style), answered.total, method_colour(method)
        marks.append(Mark(row, style.text("own words excluded"), share.accuracy, share.interval, colour, symbol))
        allowed = share.accuracy_allowed, share.interval_allowed
        marks.append(Mark(row, style.text("own words allowed"), *allowed, colour, f"{symbol}-open"))
    covered = next(iter(answers.values())).covered
    axis = style.text("share answered right<br>95 % interval; n = {n} questions").format(n=f"{covered:,}")
    return estimates(marks, axis, style, (0, 1))


def section_accuracies(answers: Mapping[str, Answered], allowed: bool, style: Style = Style()) -> Figure:
    """Each method's share of right answers in every section that is covered.

    Args:
        answers: by method.
        allowed: whether the question's own words may be answers.
        style: what it is drawn with.
    """
    marks = []
    for symbol, (method, answered) in zip(SYMBOLS, answers.items(), strict=True):
        for section, share in answered.sections.items():
            row = f"{label(section, 28)} ({share.covered:,})"
            value = share.accuracy_allowed if allowed else share.accuracy
            spread = share.interval_allowed if allowed else share.interval
            name = method_label(method, style)
            marks += [Mark(row, name, value, spread, method_colour(method), symbol)] if share.covered else []
    axis = style.text("share answered right<br>95 % interval; (n questions)")
    return estimates(marks, axis, style, (0, 1))


def metrics(retrieval: Retrieval, style: Style = Style()) -> Figure:
    """Recall, mean reciprocal rank and nDCG of each measure, with their intervals.

    Args:
        retrieval: of one table.
        style: what it is drawn with.
    """
    marks = []
    for symbol, (name, found) in zip(SYMBOLS * len(retrieval), retrieval.items(), strict=False):
        for metric, title in METRICS.items():
            estimate = getattr(found, metric)
            value, spread = (None, None) if estimate is None else (estimate.value, estimate.interval)
            row = style.text(title).format(k=retrieval.k)
            marks.append(Mark(row, style.text(MEASURES[name].label), value, spread, measure_colour(name), symbol))
    axis = style.text("mean over queries<br>95 % interval; n = {n} queries").format(n=f"{len(retrieval.queries):,}")
    return estimates(marks, axis, style, (0, 1))


def estimates(
    marks: Sequence[Mark], axis: str, style: Style = Style(), span: tuple[float, float] | None = None
) -> Figure:
    """The rows from top to bottom, in the order in which they first occur.

    Args:
        marks: with a legend when a row holds several.
        axis: the title of the axis, with unit and n.
        style: what it is drawn with.
        span: the ends of the axis; None for what the marks need, 0 included.
    """
    rows = list(dict.fromkeys(mark.row for mark in marks))
    lanes = [[mark for mark in marks if mark.row == row] for row in rows]
    placed = [
        (mark, place + (lane - (len(found) - 1) / 2) * 0.8 / len(found))
        for place, found in enumerate(lanes)
        for lane, mark in enumerate(found)
    ]
    looks = dict.fromkeys((mark.name, mark.colour, mark.symbol) for mark in marks)
    traces = [_trace([(m, y) for m, y in placed if (m.name, m.colour, m.symbol) == look], style) for look in looks]
    ticks, ends = list(range(len(rows))), [len(rows) - 0.5, -0.5]
    deepest = max(map(len, lanes), default=1)
    lines = 1 + max((row.count("<br>") for row in rows), default=0)
    height = len(rows) * max(ROW_HEIGHT, 14 + 12 * deepest, 20 * lines) + 74
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": axis}, "zeroline": True, "zerolinecolor": MUTED, "range": _range(marks, span)},
        "yaxis": {"tickvals": ticks, "ticktext": rows, "range": ends, "showgrid": False},
    }
    if deepest > 1:
        legend = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "itemclick": False}
        layout |= {"legend": legend, "showlegend": True, "margin": {"l": 8, "r": 8, "t": 34, "b": 8}}
        return figure([*traces, *_legend(marks, style)], style, height + 30, **layout)
    anchor = {"type": "scatter", "x": [0.0] * len(rows), "y": ticks, "yaxis": "y2", "mode": "markers",
              "marker": {"opacity": 0}, "hoverinfo": "skip"}  # fmt: skip
    layout["yaxis2"] = side_axis(ticks, [written(mark, style) for mark in marks], ends)
    return figure([*traces, anchor], style, height, **layout)


def written(mark: Mark, style: Style = Style()) -> str:
    """The estimate and its interval in figures.

    Example:
        >>> written(Mark("cosine", "", 0.5032, (0.411, 0.5932), "red")), written(Mark("dot", "", None, None, "red"))
        (' 0.503  (0.411 to 0.593)', ' undefined')
    """
    if mark.value is None:
        return f" {style.text('undefined')}"
    if mark.interval is None:
        return f" {decimal(mark.value)}  {style.text('(no interval)')}"
    low, high = map(decimal, mark.interval)
    return f" {decimal(mark.value)}  " + style.text("({low} to {high})").format(low=low, high=high)


def decimal(value: float) -> str:
    """A share or a correlation to three decimals, and never as 0 where it is not.

    Example:
        >>> decimal(0.50319), decimal(-0.04866), decimal(0.0004), decimal(0.0)
        ('0.503', '−0.049', '4e−4', '0')
    """
    return number(value, 1) if abs(value) < 0.0005 else f"{value:.3f}".replace("-", "−")


def _trace(placed: Sequence[tuple[Mark, float]], style: Style) -> dict[str, Any]:
    """Marks that look alike, with their intervals."""
    shown = [(mark, mark.value, mark.interval or (mark.value,) * 2, y) for mark, y in placed if mark.value is not None]
    look = placed[0][0]
    return {
        "type": "scatter",
        "mode": "markers",
        "showlegend": False,
        "cliponaxis": False,
        "x": [value for _, value, _, _ in shown],
        "y": [y for *_, y in shown],
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [high - value for _, value, (_, high), _ in shown],
            "arrayminus": [value - low for _, value, (low, _), _ in shown],
            "thickness": 2,
            "width": 0,
            "color": look.colour,
        },
        "marker": _marker(look, look.colour),
        "customdata": [[mark.row, mark.name, written(mark, style).strip()] for mark, *_ in shown],
        "hovertemplate": "<b>%{customdata[0]}</b> %{customdata[1]}<br>%{customdata[2]}<extra></extra>",
    }


def _marker(look: Mark, colour: str) -> dict[str, Any]:
    return {"color": colour, "symbol": look.symbol, "size": 10, "line": {"width": 2, "color": colour}}


def _legend(marks: Sequence[Mark], style: Style) -> list[dict[str, Any]]:
    """An entry for each name: in its colour, or in that of text where marks of several colours share the name."""
    entries = []
    for name in dict.fromkeys(mark.name for mark in marks):
        named = [mark for mark in marks if mark.name == name]
        colours = {mark.colour for mark in named}
        colour = style.ink if len(colours) > 1 else named[0].colour
        entries.append({"type": "scatter", "mode": "markers", "name": name, "x": [None], "y": [None],
                        "marker": _marker(named[0], colour)})  # fmt: skip
    return entries


def _range(marks: Sequence[Mark], span: tuple[float, float] | None) -> list[float]:
    if span is not None:
        return [span[0] - 0.01, span[1] + 0.01]
    ends = [0.0]
    ends += [end for mark in marks for end in (mark.value, *(mark.interval or ())) if end is not None]
    room = 0.04 * (max(ends) - min(ends) or 1.0)
    return [min(ends) - room, max(ends) + room]
