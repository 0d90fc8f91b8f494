"""How results are kept: those of a sample for all sessions, those of an upload for its session, until it is replaced.

Large arrays are never hashed: a view is known by the fingerprint of its vectors. What can take longer than a moment is
computed outside Streamlit's cache, under a bar that can be stopped (inside it, elements would be recorded and
replayed), and only its place is kept there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Concatenate, Literal, ParamSpec, TypeAlias, TypeVar

import streamlit as st

from attention_core.attention import Sentence
from attention_core.kv_cache import ModelPreset
from dashboard.attention.asked import Asked
from dashboard.judgements.chosen import Chosen
from dashboard.language import _
from dashboard.progress import Progress, watched
from dashboard.view import View

P = ParamSpec("P")
R = TypeVar("R")
Cacheable: TypeAlias = Callable[Concatenate[View, P], R]
_private: list[Callable[[], None]] = []
"""What empties each cache of the session at hand."""


def per_source(samples: int, uploads: int) -> Callable[[Cacheable[P, R]], Cacheable[P, R]]:
    """Caches a call on a view: up to `samples` entries for all, up to `uploads` in each session."""

    def decorate(function: Cacheable[P, R]) -> Cacheable[P, R]:
        known_by: dict[str | type[Any], Callable[[Any], Any]] = {
            View: lambda view: view.key,
            Chosen: str,
            Asked: str,
            ModelPreset: repr,
            Sentence: lambda sentence: (sentence.text, sentence.treatment, sentence.seed, sentence.tokens),
        }
        shared = st.cache_resource(show_spinner=False, max_entries=samples, hash_funcs=known_by)(function)
        private = st.cache_resource(show_spinner=False, max_entries=uploads, hash_funcs=known_by, scope="session")(
            function
        )
        _private.append(private.clear)

        def call(view: View, /, *args: P.args, **kwargs: P.kwargs) -> R:
            own = view.uploaded or _of_session(args)
            return private(view, *args, **kwargs) if own else shared(view, *args, **kwargs)

        return call

    return decorate


def _of_session(args: tuple[Any, ...]) -> bool:
    """Whether any of the arguments is the session's own."""
    kinds = (Chosen, Asked, ModelPreset)
    return any(_of_session(arg) if isinstance(arg, tuple) else isinstance(arg, kinds) and arg.own for arg in args)


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


@per_source(samples=128, uploads=16)
def _of_figures(view: View, call: str, args: tuple[Any, ...]) -> _Place:  # noqa: ARG001 - the arguments are its key
    return _Place()


@per_source(samples=64, uploads=2)
def _of_words(view: View, call: str, args: tuple[Any, ...]) -> _Place:  # noqa: ARG001 - the arguments are its key
    return _Place()


@per_source(samples=2, uploads=2)
def _of_matrices(view: View, call: str, args: tuple[Any, ...]) -> _Place:  # noqa: ARG001 - the arguments are its key
    return _Place()


_PLACES = {"figures": _of_figures, "words": _of_words, "matrices": _of_matrices}


def watching(
    doing: str, holds: Literal["figures", "words", "matrices"] = "figures"
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Keeps what `function(view, *args, progress=...)` gives.

    Args:
        doing: what it does, in English, for its bar.
        holds: what a result is: a few figures, numbers for every word, or for every pair of tokens. The more it is, the
            fewer are kept.
    """
    places = _PLACES[holds]

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        def call(view: View, /, *args: Any) -> R:
            place = places(view, function.__name__, args)
            if not place.results:
                work = f"{function.__name__} {view.key} {args}"
                watched(work, _(doing), lambda report: place.result(partial(function, view, *args), report))
            result: R = place.results[0]
            return result

        return call

    return decorate


def forget_private() -> None:
    """Drops all that this session derived from vectors or tables of its own: other vectors replace them."""
    for clear in _private:
        clear()
