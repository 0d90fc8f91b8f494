"""The only st.cache_*: one named function for each cached call of the core.

What is derived from a sample is kept for all sessions; what is derived from an upload is kept for its session alone.
Large arrays are never hashed: a view is known by the fingerprint of its vectors.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import plotly.graph_objects as go
import plotly.io
import streamlit as st

import attention_core as ac
from attention_core.plots.agreement import agreement_map
from attention_core.plots.norms import neighbour_norms
from attention_core.plots.rankings import bump, ranked_bars, word_colours
from attention_core.plots.theme import Figure
from attention_core.similarity.differences import Difference, difference
from dashboard.view import View

P = ParamSpec("P")
R = TypeVar("R")
Query: TypeAlias = str | tuple[float, ...]


Cacheable: TypeAlias = Callable[Concatenate[View, P], R]


def _per_source(samples: int, uploads: int) -> Callable[[Cacheable[P, R]], Cacheable[P, R]]:
    """Caches a call on a view: up to `samples` entries for all, up to `uploads` in each session."""

    def decorate(function: Cacheable[P, R]) -> Cacheable[P, R]:
        known_by: dict[str | type[Any], Callable[[Any], Any]] = {View: lambda view: view.key}
        shared = st.cache_resource(show_spinner=False, max_entries=samples, hash_funcs=known_by)(function)
        private = st.cache_resource(show_spinner=False, max_entries=uploads, hash_funcs=known_by, scope="session")(
            function
        )

        def call(view: View, /, *args: P.args, **kwargs: P.kwargs) -> R:
            return private(view, *args, **kwargs) if view.uploaded else shared(view, *args, **kwargs)

        return call

    return decorate


class Drawn(go.Figure):  # type: ignore[misc] # plotly has no types
    """A finished figure, kept as text.

    Streamlit collects garbage after every run of a page. Thousands of small lists in cached figures took most of that
    time; a text is one object. Streamlit takes a `go.Figure` unchecked, and asks it for its dictionary alone.
    """

    def __init__(self, figure: Figure) -> None:
        object.__setattr__(self, "_text", plotly.io.to_json(figure, validate=False))

    def to_dict(self) -> Figure:
        """Plotly's dictionary of data and layout."""
        drawn: Figure = json.loads(self._text)
        return drawn


@st.cache_resource(show_spinner=False, max_entries=12)
def sample(name: str, centre: bool, normalise: bool) -> ac.Embeddings:
    """A bundled sample, prepared."""
    return prepared(ac.sample(name), centre, normalise)


@st.cache_resource(
    show_spinner=False,
    scope="session",
    max_entries=2,
    hash_funcs={ac.Embeddings: lambda e: (e.fingerprint, e.source, e.warnings)},
)
def upload(embeddings: ac.Embeddings, centre: bool, normalise: bool) -> ac.Embeddings:
    """The session's own vectors, prepared."""
    return prepared(embeddings, centre, normalise)


def prepared(embeddings: ac.Embeddings, centre: bool, normalise: bool) -> ac.Embeddings:
    """The vectors centred first and normalised second, as asked."""
    centred = embeddings.centred() if centre else embeddings
    return centred.normalised() if normalise else centred


@_per_source(samples=64, uploads=2)
def _scored(view: View, query: Query) -> ac.Comparison:
    d = view.embeddings.dimension
    weights = ac.AdditiveWeights.random(d, d, seed=view.seed)
    return ac.compare(view.embeddings, query, 1, None, weights, view.compute)


def compare(view: View, query: Query, k: int, measures: tuple[str, ...]) -> ac.Comparison:
    """The rankings; every word is scored once for a query, whichever k and measures are shown."""
    return _scored(view, query).top(k, measures)


@_per_source(samples=512, uploads=32)
def why_different(view: View, query: Query, k: int, first: str, second: str) -> Difference:
    """What separates two measures' neighbours."""
    comparison = compare(view, query, k, tuple(dict.fromkeys(("dot", first, second))))
    return difference(view.embeddings, comparison, first, second)


@_per_source(samples=256, uploads=16)
def bars(view: View, query: Query, k: int, measures: tuple[str, ...]) -> dict[str, Drawn]:
    """By measure: its ranked bars."""
    comparison = compare(view, query, k, measures)
    colours, norms = word_colours(comparison), view.embeddings.norms
    return {
        name: Drawn(ranked_bars(ranking, norms, colours, view.style)) for name, ranking in comparison.rankings.items()
    }


@_per_source(samples=128, uploads=8)
def rank_lines(view: View, query: Query, k: int, measures: tuple[str, ...]) -> Drawn:
    """The bump chart."""
    comparison = compare(view, query, k, measures)
    return Drawn(bump(comparison, word_colours(comparison), view.style))


@_per_source(samples=64, uploads=2)
def agreed(view: View, query: Query, k: int, measures: tuple[str, ...]) -> ac.Comparison:
    """The rankings with their agreement worked out."""
    comparison = compare(view, query, k, measures)
    comparison.agreement  # noqa: B018 - computed here, so that it is kept
    return comparison


@_per_source(samples=256, uploads=16)
def agreements(view: View, query: Query, k: int, measures: tuple[str, ...], statistic: str) -> Drawn:
    """The heat map of agreement."""
    return Drawn(agreement_map(agreed(view, query, k, measures), statistic, view.style))


@_per_source(samples=128, uploads=8)
def norms(view: View, query: Query, k: int, measures: tuple[str, ...]) -> Drawn:
    """The neighbours' norms among all norms."""
    return Drawn(neighbour_norms(view.embeddings, compare(view, query, k, measures), view.style))
