"""A map of words: every word a point, the neighbours of one query in rings, groups in colours; and what it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.measures import MEASURES
from attention_core.plots.labels import Frame, apart, placed, tied
from attention_core.plots.theme import MUTED, WORDS, Figure, Style, figure, label, measure_colour, number
from attention_core.similarity.faithfulness import Faithfulness
from attention_core.similarity.projection import Projection
from attention_core.similarity.ranking import Comparison

Groups = Mapping[str, NDArray[np.int64]]
Trace = dict[str, Any]

FEW = 1_000
"""Up to so many points are drawn as shapes, which need none of a browser's few WebGL contexts."""
NAMED, SOLID_NAMED = 24, 6
"""Names at most, in two and three dimensions: the words that most measures name first."""
TOOLS = 36
"""Pixels at the right for the tools, which would cover points."""
RING, STEP = 11, 5
"""The size of the first ring, and how much larger the next measure's is."""


@dataclass(frozen=True)
class Window:
    """How a map is looked at.

    Attributes:
        near: whether it shows the query and its neighbours only, rather than all words; those under random weights,
            which lie anywhere, count only where there are no others.
        width: of the figure in pixels, as far as it is known before it is drawn.
        height: of the figure in pixels.
    """

    near: bool = False
    width: int = 700
    height: int = 600


def word_map(
    embeddings: Embeddings,
    projection: Projection,
    comparison: Comparison | None,
    groups: Groups,
    window: Window = Window(),
    style: Style = Style(),
) -> Figure:
    """Words as points; the query a star, its top k in one ring for each measure that names them, groups filled.

    Both axes have one scale, so that distances in the picture are those of the projection.

    Args:
        embeddings: those that were projected.
        projection: two dimensions or three; what else is given is drawn as far as it is in it.
        comparison: of a word; None for a map without a query.
        groups: by name, the rows that are filled, each group in its colour.
        window: what part of it is shown, and how large.
        style: what it is drawn with.

    Returns:
        A figure whose points carry (row, norm) as customdata.
    """
    draw = _Drawing(embeddings, projection, style)
    traces = [draw.words()]
    traces += [draw.group(name, rows, WORDS[i % len(WORDS)]) for i, (name, rows) in enumerate(groups.items())]
    rows: list[int] = []
    if comparison is not None:
        traces += [draw.ring(comparison, name, i) for i, name in enumerate(comparison.rankings)]
        rows = _most_named(comparison)
        if comparison.index is not None:
            rows.insert(0, comparison.index)
            traces.append(draw.query(comparison.index))
    frame = _frame(projection, _around(comparison) if comparison and window.near else [], window)
    layout = _solid(draw, rows, frame) if projection.dimensions == 3 else _flat(draw, rows, frame)
    tools = {"orientation": "v", "bgcolor": "rgba(0, 0, 0, 0)", "color": MUTED, "activecolor": style.ink}
    key = {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "itemsizing": "constant", "font": {"size": 12}}
    shown = len(traces) > 1
    return figure(
        traces, style, window.height, **layout, showlegend=shown, legend=key, modebar=tools, hovermode="closest"
    )


def _most_named(comparison: Comparison) -> list[int]:
    """Rows of all neighbours: those that most measures name first, then the closest."""
    found: dict[int, list[int]] = {}
    for ranking in comparison.rankings.values():
        for place, row in enumerate(ranking.indices.tolist()):
            found.setdefault(row, []).append(place)
    return sorted(found, key=lambda row: (-len(found[row]), min(found[row]), row))


class _Drawing:
    """The traces of one map."""

    def __init__(self, embeddings: Embeddings, projection: Projection, style: Style) -> None:
        self.embeddings, self.projection, self.style = embeddings, projection, style
        self.solid = projection.dimensions == 3
        self.points = _rounded(projection.points)

    def words(self) -> Trace:
        """Every word that is drawn, in grey."""
        marker = {"color": MUTED, "size": 2 if self.solid else 4, "opacity": 0.45, "line": {"width": 0}}
        return self._trace(self.projection.rows, marker, self.style.text("words"), showlegend=False)

    def group(self, name: str, rows: NDArray[np.int64], colour: str) -> Trace:
        """The words of a group."""
        marker = {"color": colour, "size": 5 if self.solid else 8, "opacity": 1, "line": {"width": 0}}
        return self._trace(rows, marker, label(name, 16))

    def ring(self, comparison: Comparison, name: str, place: int) -> Trace:
        """A ring around each neighbour under one measure, larger than that of the measure before."""
        ranking = comparison[name]
        size = (6 if self.solid else RING) + (3 if self.solid else STEP) * place
        colour = measure_colour(name)
        marker = {"color": colour, "symbol": "circle-open", "size": size, "line": {"width": 2, "color": colour}}
        text = self.style.text
        ranks = {
            row: "<br>".join(
                f"{text('rank')} {other.all_ranks[row]:,}, {text(MEASURES[measure].label)}"
                for measure, other in comparison.rankings.items()
                if row in other.indices
            )
            for row in ranking.indices.tolist()
        }
        return self._trace(ranking.indices, marker, text(MEASURES[name].label), ranks)

    def query(self, row: int) -> Trace:
        """The query itself."""
        size, symbol = (7, "diamond") if self.solid else (15, "star")
        ground = "#0E1117" if self.style.dark else "#FFFFFF"
        marker = {"color": self.style.ink, "symbol": symbol, "size": size, "line": {"width": 1, "color": ground}}
        return self._trace(np.array([row]), marker, self.style.text("the query"))

    def _trace(
        self, rows: NDArray[Any], marker: Trace, name: str, said: Mapping[int, str] | None = None, **more: Any
    ) -> Trace:
        places = self.projection.places(rows)
        drawn = self.projection.rows[places]
        axes = dict(zip("xyz", self.points[places].T, strict=False))
        flat = "scattergl" if len(self.projection) > FEW else "scatter"
        words = self.embeddings.words
        hover = [label(words[row], 200) for row in drawn.tolist()]
        if said is not None:
            hover = [f"{word}</b><br>{said[row]}<b>" for word, row in zip(hover, drawn.tolist(), strict=True)]
        data = np.column_stack([drawn, self.embeddings.norms[drawn]]).astype(np.float32)
        return {
            **axes,
            "type": "scatter3d" if self.solid else flat,
            "mode": "markers",
            "name": name,
            "marker": marker,
            "customdata": data,
            "hovertext": hover,
            "hovertemplate": f"<b>%{{hovertext}}</b><br>{self.style.text('norm')} %{{customdata[1]}}<extra></extra>",
            **more,
        }


def _rounded(points: NDArray[np.float64]) -> NDArray[np.float32]:
    """As many digits as a screen can show: a fifth of the message's length is saved."""
    span = float(np.abs(points).max()) or 1.0
    digits = 4 - int(np.floor(np.log10(span)))
    return (np.round(points / 10.0**-digits) * 10.0**-digits).astype(np.float32)


def _around(comparison: Comparison) -> list[int]:
    """The query and the neighbours that a near window shows."""
    rankings = comparison.rankings.values()
    telling = [ranking for ranking in rankings if not MEASURES[ranking.measure].needs_weights] or rankings
    query = [] if comparison.index is None else [comparison.index]
    return [*query, *(row for ranking in telling for row in ranking.indices.tolist())]


def _frame(projection: Projection, rows: list[int], window: Window) -> Frame:
    """Around these rows, or around all words where none is drawn."""
    places = projection.places(np.array(rows, dtype=np.int64))
    seen = projection.points[places if len(places) > 1 else slice(None)]
    low, high = seen.min(axis=0), seen.max(axis=0)
    room = 0.06 * float((high - low).max()) or 1.0
    return Frame(low - room, high + room, window.width - 60 - TOOLS, window.height - 120)


def _flat(draw: _Drawing, rows: list[int], frame: Frame) -> dict[str, Any]:
    places = draw.projection.places(np.array(rows, dtype=np.int64))
    inside = (draw.projection.points[places] >= frame.low) & (draw.projection.points[places] <= frame.high)
    places = places[inside.all(axis=1)][: NAMED + 1]
    names = [draw.embeddings.words[row] for row in draw.projection.rows[places].tolist()]
    points = draw.projection.points[places]
    shown = [label(name, 18) for name in names]
    offsets = placed(points, shown, frame)
    first = apart(points, shown, offsets, frame)
    if rows and len(places) and draw.projection.rows[places[0]] == rows[0]:
        shown[0] = f"<b>{shown[0]}</b>"
    titles = _titles(draw)
    axis = {"fixedrange": False, "zeroline": False, "showticklabels": draw.projection.method == "pca"}
    return {
        "xaxis": {**axis, "title": {"text": titles[0]}, "range": [frame.low[0], frame.high[0]]},
        "yaxis": {
            **axis, "title": {"text": titles[1]}, "range": [frame.low[1], frame.high[1]],
            "scaleanchor": "x", "scaleratio": 1,
        },
        "annotations": tied(points, shown, offsets, first),
        "margin": {"l": 8, "r": TOOLS, "t": 8, "b": 8},
    }  # fmt: skip


def _solid(draw: _Drawing, rows: list[int], frame: Frame) -> dict[str, Any]:
    places = draw.projection.places(np.array(rows[:SOLID_NAMED], dtype=np.int64))
    words = [draw.embeddings.words[row] for row in draw.projection.rows[places].tolist()]
    named = [
        {
            **dict(zip("xyz", draw.projection.points[place].tolist(), strict=True)),
            "text": label(word, 18),
            "ax": 55 * float(np.sin(i * np.pi / 3)),  # names in a fan: neighbours lie close together
            "ay": -45 * float(np.cos(i * np.pi / 3)),
            "arrowhead": 0,
            "arrowcolor": MUTED,
            "font": {"color": draw.style.ink},
        }
        for i, (place, word) in enumerate(zip(places.tolist(), words, strict=True))
    ]
    ticks = draw.projection.method == "pca"
    scene: dict[str, Any] = {
        f"{name}axis": {
            "title": {"text": title, "font": {"size": 11}},
            "range": [frame.low[i], frame.high[i]],
            "gridcolor": MUTED,
            "showbackground": False,
            "zeroline": False,
            "showticklabels": ticks,
        }
        for i, (name, title) in enumerate(zip("xyz", _titles(draw), strict=True))
    }
    camera = {"eye": {"x": 1.35, "y": 1.35, "z": 0.9}, "center": {"x": 0, "y": 0, "z": -0.15}}
    return {"scene": {**scene, "aspectmode": "data", "annotations": named, "camera": camera, "dragmode": "orbit"}}


def _titles(draw: _Drawing) -> list[str]:
    projection, text = draw.projection, draw.style.text
    numbers = range(1, projection.dimensions + 1)
    if projection.method != "pca":
        return [text("t-SNE {i}, without a unit").format(i=i) for i in numbers]
    title = "axis {i}: {share}" if projection.dimensions == 3 else "axis {i}: {share} of the variance"
    if projection.explained is None:
        return [text("axis {i}").format(i=i) for i in numbers]
    return [
        text(title).format(i=i, share=f"{number(100 * share)} %")
        for i, share in zip(numbers, projection.explained, strict=True)
    ]


def kept_neighbours(found: Faithfulness, style: Style = Style()) -> Figure:
    """How many of a word's k neighbours a picture keeps, by measure: the mean, its 95 % interval, and chance.

    Args:
        found: measures without an overlap are named and get no bar.
        style: what it is drawn with.
    """
    names = list(found.measures)
    estimates = [found[name].overlap for name in names]
    values = [estimate.value if estimate else 0.0 for estimate in estimates]
    spread = [
        estimate.high - estimate.value if estimate and estimate.high is not None else 0.0 for estimate in estimates
    ]
    places = list(range(len(names)))
    written = [number(estimate.value) if estimate else style.text("undefined") for estimate in estimates]
    bars: Trace = {
        "type": "bar",
        "orientation": "h",
        "x": values,
        "y": places,
        "marker": {"color": [measure_colour(name) for name in names]},
        "error_x": {"array": spread, "color": style.ink, "thickness": 1.5, "width": 4},
        "customdata": written,
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    chance = {
        "type": "scatter", "mode": "lines", "x": [found.by_chance] * 2, "y": [-0.5, len(names) - 0.5],
        "line": {"color": style.ink, "dash": "dot", "width": 1.5},
        "hovertemplate": f"{style.text('by chance')} %{{x:.3g}}<extra></extra>",
    }  # fmt: skip
    ticks = [f"{style.text(MEASURES[name].label)}  {value}" for name, value in zip(names, written, strict=True)]
    return figure(
        [bars, chance],
        style,
        height=90 + 34 * len(names),
        xaxis={"title": {"text": style.text("kept of {k}").format(k=found.k)}, "range": [0, found.k]},
        yaxis={"tickvals": places, "ticktext": ticks, "range": [len(names) - 0.5, -0.5], "showgrid": False},
        bargap=0.4,
    )
