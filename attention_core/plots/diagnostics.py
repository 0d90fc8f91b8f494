"""Norms, cosines and principal components of one set of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.plots.theme import MUTED, OKABE_ITO, Figure, Style, figure, label
from attention_core.similarity.anisotropy import Cosines
from attention_core.similarity.geometry import Geometry
from attention_core.similarity.spectrum import Spectrum

SHOWN = 2_000
"""Words that a scatter shows; of more, every second, third … by rank."""
BINS = 60
BEFORE, AFTER = OKABE_ITO[0], OKABE_ITO[5]
HEIGHT = 300


def norm_histogram(norms: NDArray[np.float64], style: Style = Style(), height: int = HEIGHT) -> Figure:
    """How many words have which norm."""
    low, high = float(norms.min()), float(norms.max())
    if high - low <= 1e-6 * high:
        low, high = 0.999 * low, 1.001 * high or 1.0
    counts, edges = np.histogram(norms, BINS, (low, high))
    bars = {
        "type": "bar",
        "x": (edges[1:] + edges[:-1]) / 2,
        "y": counts,
        "width": np.diff(edges),
        "marker": {"color": BEFORE, "opacity": 0.75},
        "hovertemplate": f"{style.text('norm')} %{{x:.4g}}<br>%{{y:,}} {style.text('words')}<extra></extra>",
    }
    return figure(
        [bars],
        style,
        height,
        xaxis={"title": {"text": style.text("norm ‖x‖")}},
        yaxis={"title": {"text": style.text("words")}},
        bargap=0,
    )


def shown_step(n: int) -> int:
    """Every which word a scatter shows: 1 for all.

    Example:
        >>> shown_step(8170), shown_step(400_000)
        (5, 200)
    """
    return -(-n // SHOWN)


def norms_by_rank(geometry: Geometry, words: Sequence[str], style: Style = Style()) -> Figure:
    """Norm against the place by frequency (or in the file, where frequencies are not known), with means of tenths."""
    ranks = geometry.frequency_rank
    known = ranks is not None
    places: NDArray[Any] = np.arange(1, len(words) + 1) if ranks is None else ranks
    rows = np.argsort(places, kind="stable")
    chosen = rows[:: shown_step(len(rows))]
    rank = style.text("frequency rank") if known else style.text("row of the file")
    points = {
        "type": "scatter",
        "mode": "markers",
        "x": places[chosen],
        "y": geometry.norms[chosen],
        "marker": {"color": MUTED, "size": 3, "opacity": 0.6},
        "customdata": [label(words[row], 200) for row in chosen.tolist()],
        "hovertemplate": f"<b>%{{customdata}}</b><br>{rank} %{{x:,}}<br>{style.text('norm')} %{{y}}<extra></extra>",
    }
    tenths = [float(np.median(places[part])) for part in np.array_split(rows, len(geometry.decile_means()))]
    means = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": tenths,
        "y": geometry.decile_means(),
        "marker": {"color": AFTER, "size": 9},
        "line": {"color": AFTER, "width": 2.5},
        "hovertemplate": f"{style.text('mean norm of a tenth of the words')} %{{y:.4g}}<extra></extra>",
    }
    return figure(
        [points, means],
        style,
        HEIGHT + 40,
        xaxis={"title": {"text": f"{rank} ({style.text('log scale')})"}, "type": "log"},
        yaxis={"title": {"text": style.text("norm ‖x‖")}},
    )


def cosine_histogram(cosines: Cosines, style: Style = Style()) -> Figure:
    """The cosines of the same pairs before and after centring, as two outlines on one axis."""
    both = np.concatenate([cosines.before, cosines.after])
    low, high = (float(both.min()), float(both.max())) if len(both) else (-1.0, 1.0)
    span = (low, high) if high - low > 1e-9 else (low - 0.01, high + 0.01)
    traces = [
        _outline(cosines.before, span, style.text("as the vectors are"), BEFORE, "solid", style),
        _outline(cosines.after, span, style.text("after centring"), AFTER, "dash", style),
    ]
    return figure(
        traces,
        style,
        HEIGHT + 40,
        xaxis={"title": {"text": style.text("cosine of two words")}},
        yaxis={"title": {"text": style.text("share of pairs per bin (%)")}, "rangemode": "tozero"},
        showlegend=True,
        legend={"orientation": "h", "y": 1.12, "x": 0},
    )


def _outline(
    values: NDArray[np.float64], span: tuple[float, float], name: str, colour: str, dash: str, style: Style
) -> dict[str, Any]:
    counts, edges = np.histogram(values, BINS, span)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": (edges[1:] + edges[:-1]) / 2,
        "y": 100 * counts / max(1, len(values)),
        "line": {"shape": "hvh", "color": colour, "dash": dash, "width": 2},
        "hovertemplate": f"{name}<br>{style.text('cosine')} %{{x:.3f}}<br>%{{y:.2f}} %<extra></extra>",
    }


def variance_curve(spectrum: Spectrum, style: Style = Style()) -> Figure:
    """The share of variance that the first components hold, beside the straight line of vectors that fill all alike."""
    held = 100 * np.cumsum(spectrum.variances) / spectrum.total
    count = np.arange(1, len(held) + 1)
    even = {
        "type": "scatter",
        "mode": "lines",
        "name": style.text("all directions alike"),
        "x": [0, len(held)],
        "y": [0, 100 * len(held) / spectrum.dimension],
        "line": {"color": MUTED, "dash": "dot", "width": 1.5},
        "hoverinfo": "skip",
    }
    curve = {
        "type": "scatter",
        "mode": "lines",
        "name": style.text("these vectors"),
        "x": np.concatenate([[0], count]),
        "y": np.concatenate([[0.0], held]),
        "line": {"color": BEFORE, "width": 2.5},
        "hovertemplate": f"%{{x}} {style.text('components')}: %{{y:.3g}} %<extra></extra>",
    }
    marks = {
        "type": "scatter",
        "mode": "markers",
        "name": style.text("90 % of the variance"),
        "x": [] if spectrum.components is None else [spectrum.components],
        "y": [] if spectrum.components is None else [held[spectrum.components - 1]],
        "marker": {"color": AFTER, "size": 11, "symbol": "diamond"},
        "hovertemplate": f"%{{x}} {style.text('components')}: %{{y:.3g}} %<extra></extra>",
    }
    return figure(
        [even, curve, marks],
        style,
        HEIGHT + 40,
        xaxis={"title": {"text": style.text("principal components, largest variance first")}, "rangemode": "tozero"},
        yaxis={"title": {"text": style.text("share of the variance (%)")}, "range": [0, 103]},
        showlegend=True,
        legend={"orientation": "h", "y": 1.12, "x": 0},
    )
