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
from dataclasses import replace
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import streamlit as st

import attention_core as ac
from attention_core.similarity.levels import Levels
from attention_core.similarity.projection import PrincipalAxes, Rows, along, sample_rows
from attention_core.similarity.projection import principal_axes as axes_of
from dashboard.judgements.chosen import Chosen
from dashboard.language import _
from dashboard.map.picture import Picture
from dashboard.progress import Progress, watched
from dashboard.view import View

P = ParamSpec("P")
R = TypeVar("R")
Query: TypeAlias = str | tuple[float, ...]
Cacheable: TypeAlias = Callable[Concatenate[View, P], R]


def _per_source(samples: int, uploads: int) -> Callable[[Cacheable[P, R]], Cacheable[P, R]]:
    """Caches a call on a view: up to `samples` entries for all, up to `uploads` in each session."""

    def decorate(function: Cacheable[P, R]) -> Cacheable[P, R]:
        known_by: dict[str | type[Any], Callable[[Any], Any]] = {View: lambda view: view.key, Chosen: str}
        shared = st.cache_resource(show_spinner=False, max_entries=samples, hash_funcs=known_by)(function)
        private = st.cache_resource(show_spinner=False, max_entries=uploads, hash_funcs=known_by, scope="session")(
            function
        )

        def call(view: View, /, *args: P.args, **kwargs: P.kwargs) -> R:
            own = view.uploaded or _of_session(args)
            return private(view, *args, **kwargs) if own else shared(view, *args, **kwargs)

        return call

    return decorate


def _of_session(args: tuple[Any, ...]) -> bool:
    """Whether any of the arguments is the session's own."""
    return any(_of_session(arg) if isinstance(arg, tuple) else isinstance(arg, Chosen) and arg.own for arg in args)


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


@_per_source(samples=128, uploads=3)
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
    return ac.compare(view.embeddings, query, 1, None, _weights(view), view.compute)


def _weights(view: View) -> ac.AdditiveWeights:
    return ac.AdditiveWeights.random(view.embeddings.dimension, view.embeddings.dimension, seed=view.seed)


def compare(view: View, query: Query, k: int, measures: tuple[str, ...]) -> ac.Comparison:
    """The rankings; every word is scored once for a query, whichever k and measures are shown."""
    return _scored(view, query).top(k, measures)


@_per_source(samples=64, uploads=2)
def agreed(view: View, query: Query, k: int, measures: tuple[str, ...]) -> ac.Comparison:
    """The rankings with their agreement worked out."""
    comparison = compare(view, query, k, measures)
    comparison.agreement  # noqa: B018 - computed here, so that it is kept
    return comparison


@_per_source(samples=16, uploads=2)
def covering(view: View, kind: str) -> tuple[str, ...]:
    """The bundled tables of a kind in which something can be judged with these vectors."""
    bundled = [entry for entry in ac.JUDGEMENTS.values() if entry.kind.__name__ == kind]
    return tuple(entry.name for entry in bundled if entry.read().covers(view.embeddings))


@_watched("Comparing scores with people's judgements")
def judged(view: View, chosen: Chosen, *, progress: Progress) -> ac.Judgements:
    """Each measure against people."""
    return ac.judge(view.embeddings, chosen.pairs, weights=_weights(view), progress=progress)


@_watched("Answering analogies")
def answered(view: View, chosen: Chosen, *, progress: Progress) -> dict[str, ac.Answered]:
    """Each method's answers."""
    return ac.analogies(view.embeddings, chosen.questions, view.compute, progress)


@_per_source(samples=64, uploads=2)
def analogy(view: View, a: str, b: str, c: str) -> dict[str, list[tuple[str, float]]]:
    """The five best answers to one analogy."""
    return ac.analogy(view.embeddings, a, b, c, 5, view.compute)


@_watched("Looking for what is relevant")
def retrieved(view: View, chosen: Chosen, k: int, *, progress: Progress) -> ac.Retrieval:
    """How well each measure finds what is relevant."""
    return ac.retrieval(view.embeddings, chosen.relevance, k, None, _weights(view), progress)


@_watched("Measuring norms and directions")
def geometry(view: View, progress: Progress) -> ac.Geometry:
    """Norms and mean cosines."""
    return ac.geometry(view.embeddings, progress)


@_watched("Finding the closest words of all words")
def neighbourhoods(view: View, progress: Progress) -> ac.Neighbourhoods:
    """The ten closest words of all words, or of a sample, with what is read off them."""
    found = ac.neighbourhoods(view.embeddings, compute=view.compute, progress=progress)
    found.hubness, found.overlap  # noqa: B018 - computed here, so that they are kept
    return found


@_watched("Finding the closest words after centring")
def centred_hubness(view: View, progress: Progress) -> ac.Hubness:
    """Hubness by cosine of the centred vectors."""
    centred = view.embeddings.centred()
    return ac.neighbourhoods(centred, 10, ("cosine",), compute=view.compute, progress=progress).hubness["cosine"]


@_watched("Comparing pairs of words")
def cosines(view: View, progress: Progress) -> ac.Cosines:
    """The cosines of pairs before and after centring."""
    return ac.cosines(view.embeddings, progress=progress)


@_watched("Finding principal components")
def spectrum(view: View, progress: Progress) -> ac.Spectrum:
    """The principal components' variances."""
    progress(0, 1)
    return ac.spectrum(view.embeddings)


@_watched("Looking for duplicates")
def duplicates(view: View, progress: Progress) -> ac.Duplicates:
    """Twins, near-duplicates and zero vectors."""
    progress(0, 1)
    return ac.duplicates(neighbourhoods(view))


@_watched("Finding the axes of most variance")
def principal_axes(view: View, *, progress: Progress) -> PrincipalAxes:
    """The first three axes of all vectors."""
    return axes_of(view.embeddings, progress)


@_per_source(samples=32, uploads=2)
def _drawn(view: View, picture: Picture) -> Rows:
    """The rows of a picture, with the fifty closest words under every measure in it, so that no k moves a point."""
    if not picture.query:
        return sample_rows(len(view.embeddings), picture.limit)
    closest = compare(view, picture.query, 50, tuple(ac.MEASURES))
    return ac.map_rows(view.embeddings, closest, picture.limit, picture.seed)


@_watched("Placing the words by t-SNE")
def _placed(view: View, picture: Picture, *, progress: Progress) -> ac.Projection:
    rows = _drawn(view, picture)
    return ac.project(view.embeddings, "t-sne", picture.dimensions, rows, picture.options, progress)


def projection(view: View, picture: Picture) -> ac.Projection:
    """Where the words lie."""
    if picture.options is not None:
        return _placed(view, picture)
    return along(principal_axes(view), view.embeddings, picture.dimensions, _drawn(view, picture))


@_watched("Comparing the picture with the space")
def faithfulness(view: View, picture: Picture, *, progress: Progress) -> ac.Faithfulness:
    """What a picture keeps of the neighbours under each measure without weights."""
    return ac.faithfulness(view.embeddings, projection(view, picture), progress=progress)


def distributions(view: View, measures: tuple[str, ...]) -> dict[str, ac.Distribution]:
    """How the scores of all pairs are distributed under measures that share a product, or under one."""
    return _distributions(view if "additive" in measures else replace(view, seed=0), measures)


@_watched("Counting the scores of all pairs")
def _distributions(view: View, measures: tuple[str, ...], *, progress: Progress) -> dict[str, ac.Distribution]:
    return ac.distributions(view.embeddings, measures, weights=_weights(view), progress=progress)


@_per_source(samples=16, uploads=2)
def some_distributions(view: View, measures: tuple[str, ...], size: int) -> dict[str, ac.Distribution]:
    """The same from a few pairs."""
    return ac.distributions(view.embeddings, measures, weights=_weights(view), sampling=ac.Sampling(size, budget=0))


@_per_source(samples=32, uploads=2)
def random_directions(view: View, measure: str) -> ac.Distribution:
    """The distribution for vectors of the same norms in random directions."""
    return ac.random_directions(view.embeddings, measure, _weights(view))


@_per_source(samples=64, uploads=2)
def group_scores(view: View, measure: str, groups: tuple[str, ...]) -> ac.GroupScores:
    """The scores inside word groups and between them and other words."""
    known = ac.word_groups(view.embeddings)
    words = [known[name].words for name in groups]
    return ac.group_scores(view.embeddings, words, measure, _weights(view))


def closest_word(view: View, query: str) -> str:
    """The word with the highest cosine to a word; by distance where a zero vector leaves it undefined; itself alone."""
    comparison = compare(view, query, 1, ("cosine", "euclidean"))
    found = (*comparison["cosine"].words, *comparison["euclidean"].words, query)
    return found[0]


@_per_source(samples=128, uploads=2)
def pair(view: View, a: Query, b: Query, move: ac.Move) -> ac.Pair:
    """Two vectors, each a word's or typed, with a move of the second."""
    first, second = (view.embeddings.vector(given) if isinstance(given, str) else given for given in (a, b))
    return ac.pair(first, second, ac.AdditiveWeights.random(len(first), len(first), seed=view.seed), move)


@_per_source(samples=32, uploads=2)
def levels(view: View, a: Query, b: Query, move: ac.Move) -> Levels | None:
    """The surfaces of the scores with the first vector."""
    return ac.levels(pair(view, a, b, move))
