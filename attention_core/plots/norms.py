"""The norms of all words, and where the neighbours' norms lie among them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.measures import MEASURES
from attention_core.plots.theme import MUTED, Figure, Style, figure, label, measure_colour
from attention_core.similarity.ranking import Comparison


def neighbour_norms(embeddings: Embeddings, comparison: Comparison, style: Style = Style()) -> Figure:
    """The histogram of all norms above one row of marks for each measure's neighbours.

    Args:
        embeddings: those that were compared.
        comparison: its top k are marked.
        style: what it is drawn with.
    """
    counts, edges = np.histogram(embeddings.norms, bins=60, range=_range(embeddings.norms))
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "x": (edges[1:] + edges[:-1]) / 2,
            "y": counts,
            "width": np.diff(edges),
            "marker": {"color": MUTED, "opacity": 0.6},
            "hovertemplate": f"{style.text('norm')} %{{x:.3g}}<br>%{{y:,}} {style.text('words')}<extra></extra>",
        }
    ]
    names = list(comparison.rankings)
    traces += [_lane(embeddings, comparison, name, lane, style) for lane, name in enumerate(names)]
    lanes = 0.11 * len(names)
    return figure(
        traces,
        style,
        height=240 + 34 * len(names),
        xaxis={"title": {"text": style.text("norm ‖k‖")}, "anchor": "y2"},
        yaxis={"title": {"text": style.text("words")}, "domain": [lanes + 0.05, 1]},
        yaxis2={
            "domain": [0, lanes],
            "range": [len(names) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "tickvals": list(range(len(names))),
            "ticktext": [style.text(MEASURES[name].label) for name in names],
        },
        bargap=0,
    )


def _range(norms: NDArray[np.float64]) -> tuple[float, float]:
    """From the shortest to the longest, and a little more on both sides where rounding alone separates them."""
    low, high = float(norms.min()), float(norms.max())
    return (low, high) if high - low > 1e-6 * high else (0.999 * low, 1.001 * high)


def _lane(embeddings: Embeddings, comparison: Comparison, name: str, lane: int, style: Style) -> dict[str, Any]:
    ranking, colour = comparison[name], measure_colour(name)
    return {
        "type": "scatter",
        "x": embeddings.norms[ranking.indices],
        "y": [lane] * len(ranking.indices),
        "yaxis": "y2",
        "mode": "markers",
        "marker": {"color": colour, "symbol": "line-ns", "size": 16, "line": {"width": 3, "color": colour}},
        "customdata": [label(word, 200) for word in ranking.words],
        "hovertemplate": f"<b>%{{customdata}}</b><br>{style.text('norm')} %{{x}}<extra></extra>",
    }
