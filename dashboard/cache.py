"""The only st.cache_*: one named function for each cached call of the core.

What is derived from a sample is kept for all sessions; what is derived from an upload is kept for its session alone.
Large arrays are never hashed: a view is known by the fingerprint of its vectors. Figures are not kept: drawing one
takes less than finding it, and Streamlit's garbage collection after every run walks all that is kept.

What can take longer than a moment is `_watched`: computed outside Streamlit's cache, under a bar that can be stopped
(inside it, elements would be recorded and replayed), and only its place is kept there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import streamlit as st

import attention_core as ac
from attention_core.similarity.levels import Levels
from dashboard.language import _
from dashboard.progress import Progress, watched
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


class _Place:
    """Where a long computation leaves its result; while one session computes it, others wait."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.results: list[Any] = []

    def result(self, compute: Callable[..., Any], report: Progress) -> Any:
        """What is here, or else computed now."""
        while not self.lock.acquire(timeout=0.1):
            report(0, 1)  # a reader who stops waiting is let go here
        try:
            if not self.results:
                self.results.append(compute(progress=report))
            return self.results[0]
        finally:
            self.lock.release()


@_per_source(samples=128, uploads=16)
def _place(view: View, call: str, args: tuple[Any, ...]) -> _Place:  # noqa: ARG001 - the arguments are its key
    return _Place()


def _watched(doing: str) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Keeps what `function(view, *args, progress=...)` gives; `doing` says in English what it does, for its bar."""

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        def call(view: View, /, *args: Any) -> R:
            place = _place(view, function.__name__, args)
            if not place.results:
                work = f"{function.__name__} {view.key} {args}"
                watched(work, _(doing), lambda report: place.result(partial(function, view, *args), report))
            result: R = place.results[0]
            return result

        return call

    return decorate


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


@_per_source(samples=64, uploads=2)
def agreed(view: View, query: Query, k: int, measures: tuple[str, ...]) -> ac.Comparison:
    """The rankings with their agreement worked out."""
    comparison = compare(view, query, k, measures)
    comparison.agreement  # noqa: B018 - computed here, so that it is kept
    return comparison


def closest_word(view: View, query: str) -> str:
    """The word with the highest cosine to a word; by distance where a zero vector leaves it undefined; itself alone."""
    comparison = compare(view, query, 1, ("cosine", "euclidean"))
    found = (*comparison["cosine"].words, *comparison["euclidean"].words, query)
    return found[0]


@_per_source(samples=128, uploads=32)
def pair(view: View, a: Query, b: Query, move: ac.Move) -> ac.Pair:
    """Two vectors, each a word's or typed, with a move of the second."""
    first, second = (view.embeddings.vector(given) if isinstance(given, str) else given for given in (a, b))
    return ac.pair(first, second, ac.AdditiveWeights.random(len(first), len(first), seed=view.seed), move)


@_per_source(samples=32, uploads=8)
def levels(view: View, a: Query, b: Query, move: ac.Move) -> Levels | None:
    """The surfaces of the scores with the first vector."""
    return ac.levels(pair(view, a, b, move))
