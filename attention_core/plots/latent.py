"""What latent attention costs and loses: against the context, the size of the latent, and the distance of tokens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from attention_core.attention.latent.commuting import Commuting
from attention_core.attention.latent.costs import FORMS, Form
from attention_core.attention.latent.low_rank import LowRank
from attention_core.attention.latent.timing import Timing
from attention_core.plots.theme import MUTED, OKABE_ITO, Figure, Style, figure, number

COLOURS: Mapping[Form, str] = {"naive": OKABE_ITO[5], "expanded": OKABE_ITO[4], "absorbed": OKABE_ITO[1]}
DASHES: Mapping[Form, str] = {"naive": "dot", "expanded": "dash", "absorbed": "solid"}
LABELS: Mapping[Form, str] = {"naive": "naive", "expanded": "expanded cache", "absorbed": "absorbed"}
WAYS = {
    "weights": ("of the weights alone", OKABE_ITO[0], "dash"),
    "vectors": ("of these vectors", OKABE_ITO[2], "solid"),
}
"""How the latent is chosen: what it is called, its colour and its dash."""
FOLDED = {
    "no position": ("no position", OKABE_ITO[0], "circle"),
    "turned between": ("turned between", OKABE_ITO[5], "diamond"),
    "separate key": ("separate rotary key", OKABE_ITO[2], "x"),
}
FLOOR = 1e-17
"""Where an error of exactly 0 is drawn on a logarithmic axis."""


def against_context(
    contexts: Sequence[int], values: Mapping[Form, Sequence[float | None]], axis: str, style: Style = Style()
) -> Figure:
    """A line for each form over the cached tokens, both axes logarithmic, named at its end.

    Args:
        contexts: tokens in the cache, ascending.
        values: of each form at each context; None where there is none.
        axis: the title of the vertical axis, with its unit.
        style: what it is drawn with.
    """
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers" if len(contexts) < 20 else "lines",
            "name": style.text(LABELS[form]),
            "x": list(contexts),
            "y": [None if value is None else float(value) for value in values[form]],  # JSON has no 65 bits
            "line": {"color": COLOURS[form], "width": 2.5, "dash": DASHES[form]},
            "hovertemplate": f"{style.text(LABELS[form])}, %{{x:,}}: %{{y:.4~s}}<extra></extra>",
        }
        for form in FORMS
    ]
    return figure(
        traces,
        style,
        height=330,
        xaxis={"type": "log", "title": {"text": style.text("tokens in the cache")}, **_powers(contexts)},
        yaxis={"type": "log", "title": {"text": axis}, "tickformat": ".1~s", "dtick": 1},
        **_legend(),
    )


def decode_lines(timing: Timing, style: Style = Style()) -> Figure:
    """The time of a decoded token in each form; the contexts between which two forms cross are shaded.

    Args:
        timing: as measured.
        style: what it is drawn with.
    """
    values: dict[Form, list[float | None]] = {
        form: [None if one is None else 1e3 * one.seconds for one in of] for form, of in timing.forms.items()
    }
    drawn = against_context(timing.contexts, values, style.text("milliseconds for a token and layer"), style)
    if timing.crossing is not None:
        low, high = timing.crossing
        drawn["layout"]["shapes"] = [
            {"type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "paper", "line": {"width": 0},
             "fillcolor": "rgba(138, 143, 152, 0.2)", "layer": "below"}
        ]  # fmt: skip
    return drawn


def low_rank_lines(found: LowRank, rank: int | None, style: Style = Style(), height: int = 330) -> Figure:
    """The error of attention against the size of the latent; the chosen size is marked.

    Args:
        found: errors by rank.
        rank: the size chosen; None for no mark.
        style: what it is drawn with.
        height: of the figure.
    """
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": style.text(WAYS[way][0]),
            "x": list(found.ranks),
            "y": list(errors),
            "line": {"color": WAYS[way][1], "width": 2.5, "dash": WAYS[way][2]},
            "hovertemplate": f"{style.text(WAYS[way][0])}, r = %{{x}}: %{{y:.3g}}<extra></extra>",
        }
        for way, errors in found.attended.items()
    ]
    title = style.text("size r of the latent, of {kept} numbers").format(kept=found.kept)
    return figure(
        traces,
        style,
        height=height,
        xaxis={"title": {"text": title}, "range": [0, found.ranks[-1] + 0.5]},
        yaxis={"title": {"text": style.text("error of attention’s output, relative")}, "rangemode": "tozero"},
        shapes=_mark(rank),
        **_legend(),
    )


def singular_values(found: LowRank, rank: int | None, style: Style = Style()) -> Figure:
    """The singular values of each way, as shares of the largest: what falls off fast can be cut off.

    Args:
        found: singular values of each way.
        rank: the size chosen, marked; None for no mark.
        style: what it is drawn with.
    """
    traces = []
    for way, values in found.singular.items():
        label, colour, dash = WAYS[way]
        largest = float(values[0]) or 1.0
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": style.text(label),
                "x": list(range(1, len(values) + 1)),
                "y": values / largest,
                "line": {"color": colour, "width": 2.5, "dash": dash},
                "hovertemplate": f"{style.text(label)}, %{{x}}: %{{y:.3g}}<extra></extra>",
            }
        )
    return figure(
        traces,
        style,
        height=330,
        xaxis={
            "title": {"text": style.text("number of the singular value")},
            "range": [0, found.ranks[-1] + 0.5],
        },
        yaxis={"title": {"text": style.text("share of the largest")}, "rangemode": "tozero"},
        shapes=_mark(rank),
        **_legend(),
    )


def folding_errors(found: Commuting, style: Style = Style()) -> Figure:
    """How far scores from a folded query are off, against the distance of the tokens.

    Args:
        found: errors by distance.
        style: what it is drawn with.
    """
    places = list(range(len(found.distances)))
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": style.text(FOLDED[way][0]),
            "x": places,
            "y": [max(error, FLOOR) for error in errors],
            "customdata": [[f"{d:,}", number(e)] for d, e in zip(found.distances, errors, strict=True)],
            "line": {"color": FOLDED[way][1], "width": 2},
            "marker": {"symbol": FOLDED[way][2], "size": 9},
            "hovertemplate": f"{style.text(FOLDED[way][0])}, %{{customdata[0]}}: %{{customdata[1]}}<extra></extra>",
        }
        for way, errors in found.errors.items()
    ]
    return figure(
        traces,
        style,
        height=330,
        xaxis={
            "title": {"text": style.text("tokens between query and key")},
            "tickvals": places,
            "ticktext": [f"{d:,}" for d in found.distances],
        },
        yaxis={
            "type": "log",
            "title": {"text": style.text("error of the scores, relative")},
            "range": [math.log10(FLOOR) - 0.3, 1.0],
            "dtick": 4,
            "exponentformat": "power",
        },
        **_legend(),
    )


def _mark(rank: int | None) -> list[dict[str, Any]]:
    """A dotted line at the chosen size."""
    line = {"color": MUTED, "width": 1.5, "dash": "dot"}
    return (
        []
        if rank is None
        else [{"type": "line", "x0": rank, "x1": rank, "y0": 0, "y1": 1, "yref": "paper", "line": line}]
    )


def _legend() -> dict[str, Any]:
    legend = {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "itemclick": False, "itemdoubleclick": False}
    return {"legend": legend, "showlegend": True, "margin": {"l": 8, "r": 8, "t": 34, "b": 8}}


def _powers(contexts: Sequence[int]) -> dict[str, Any]:
    """Powers of 4, or of 16 where they would be many, as ticks that are written out."""
    base = 4 if contexts[-1] <= 256 * contexts[0] else 16
    ticks = [base**i for i in range(12) if contexts[0] <= base**i <= contexts[-1]]
    return {"tickvals": ticks, "ticktext": [f"{tick:,}" for tick in ticks]}
