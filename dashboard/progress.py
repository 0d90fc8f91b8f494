"""Work that takes longer than a moment: a bar that says what is done, and a button that stops it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import streamlit as st

from dashboard.language import _

R = TypeVar("R")
Progress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) while something is computed; may raise, which ends the work."""

PATIENCE = 0.5
"""Seconds before a bar appears."""
STOPPED = "_stopped"


class Stopped(Exception):  # noqa: N818 - nothing is wrong: the reader asked for it
    """The reader stopped this work, or has not taken it up again."""

    def __init__(self, work: str, doing: str) -> None:
        super().__init__(doing)
        self.work, self.doing = work, doing


def watched(work: str, doing: str, compute: Callable[[Progress], R]) -> R:
    """The result of `compute`, under a bar with a button that stops it.

    A button inside a fragment does not interrupt a run of the page, so long work stands outside `frame.part`.

    Args:
        work: tells it from all other work of the session.
        doing: what it does, for readers: “Counting all pairs”.
        compute: takes the function that it reports to.

    Raises:
        Stopped: by the reader, now or before.
    """
    if work in st.session_state.setdefault(STOPPED, set()):
        raise Stopped(work, doing)
    place, started = st.empty(), time.monotonic()
    bar = None
    drawn = started

    def report(done: int, total: int) -> None:
        nonlocal bar, drawn
        now = time.monotonic()
        if bar is None and now - started > PATIENCE:
            with place.container(horizontal=True, vertical_alignment="center"):
                bar = st.progress(0.0, doing)
                st.button(_("Stop"), key=f"stop {work}", on_click=st.session_state[STOPPED].add, args=(work,))
        if bar is not None and now - drawn > 0.1:
            drawn = now
            bar.progress(min(1.0, done / max(1, total)), doing)

    try:
        return compute(report)
    finally:
        place.empty()


def resume(stopped: Stopped) -> None:
    """Says what was stopped and offers to take it up again."""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(_("Stopped: {doing}.").format(doing=stopped.doing))
        st.button(
            _("Compute"),
            key=f"resume {stopped.work}",
            on_click=st.session_state[STOPPED].discard,
            args=(stopped.work,),
        )
