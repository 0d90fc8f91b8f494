"""Around every page: navigation, sidebar, heading, and the one place where errors are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import streamlit as st
from streamlit.navigation.page import Page

import attention_core as ac
from attention_core.plots.labels import PHONE_NAMES
from dashboard import progress, sidebar, warm  # noqa: F401 - warm: for what importing it does
from dashboard.inputs import WORD_BOXES
from dashboard.language import _
from dashboard.untrusted import quoted
from dashboard.view import View

STYLE = """<style>
.stMainBlockContainer { padding: 4rem 2.5rem 4rem; }
h1 { font-size: 2rem !important; }
.st-key-navigation [data-testid="stCaptionContainer"] { margin-top: 0.5rem; }
.st-key-navigation > [data-testid="stElementContainer"] { margin: -2px 0; }
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] * { color: inherit; opacity: 1; }
[data-tag], [data-tag] * { color: inherit !important; background: none !important; }
[data-tag] { box-shadow: inset 0 0 0 1px currentColor; }
.modebar-btn { min-height: 24px; }
[data-testid="stMultiSelect"] input { min-width: 24px !important; }
.st-key-mask [role="toolbar"] { flex-wrap: wrap; }
@media (max-width: 640px) {
  .stMainBlockContainer { padding: 3.5rem 1rem 3rem; }
  .st-key-map .annotation:not(PHONE_NAMES) { display: none; }
}
</style>""".replace("PHONE_NAMES", ", ".join(f'[data-index="{i}"]' for i in range(PHONE_NAMES)))
"""Denser than Streamlit's own pages, but links that do not overlap, captions and chosen options that contrast enough to
read, and tools of a figure that are large enough to hit (WCAG AA). On a phone a map shows the names that have room."""

P = ParamSpec("P")
R = TypeVar("R")

_view: ContextVar[View | None] = ContextVar("view", default=None)


def pages() -> dict[str, list[Page]]:
    """By section: the pages that work."""
    return {
        _("Start"): [st.Page("pages/overview.py", title=_("Overview"), default=True)],
        _("Similarity"): [
            st.Page("pages/rankings.py", title=_("Rankings"), url_path="rankings"),
            st.Page("pages/two_vectors.py", title=_("Two vectors"), url_path="two_vectors"),
            st.Page("pages/distributions.py", title=_("Score distributions"), url_path="distributions"),
            st.Page("pages/diagnostics.py", title=_("Diagnostics"), url_path="diagnostics"),
            st.Page("pages/judgements.py", title=_("Human judgements"), url_path="judgements"),
            st.Page("pages/map.py", title=_("Map"), url_path="map"),
        ],
        _("Attention"): [
            st.Page("pages/step_by_step.py", title=_("Step by step"), url_path="step_by_step"),
            st.Page("pages/heads.py", title=_("Heads"), url_path="heads"),
            st.Page("pages/scaling.py", title=_("Scaling and softmax"), url_path="scaling"),
            st.Page("pages/mla.py", title=_("MLA"), url_path="mla"),
        ],
        _("KV cache"): [
            st.Page("pages/cache_size.py", title=_("Cache size"), url_path="cache_size"),
        ],
    }


def run() -> None:
    """Draws the frame and the page that the URL names in it."""
    sections = pages()
    page = st.navigation(sections, position="hidden")
    st.html(STYLE)
    with errors_shown():
        with st.sidebar:
            _links(sections)
            view = sidebar.choose()
        sidebar.announce(view)
        if view is not None:
            token = _view.set(view)
            try:
                page.run()
            finally:
                _view.reset(token)


def _links(sections: dict[str, list[Page]]) -> None:
    """The navigation; Streamlit's own puts its section titles where a list allows only items (WCAG 1.3.1)."""
    with st.container(key="navigation", gap=None):
        for section, entries in sections.items():
            st.caption(section)
            for entry in entries:
                st.page_link(entry)


def require() -> View:
    """The view of the running page: each page's first statement.

    A server that has not run app.py yet runs a deep-linked page bare, since the folder is called pages/; the page then
    declares the navigation, which ends that mode, and starts over through app.py.
    """
    view = _view.get()
    if view is None:
        st.navigation(pages(), position="hidden")
        st.rerun()
    return view


def part(
    function: Callable[Concatenate[View, P], None], every: float | None = None
) -> Callable[Concatenate[View, P], None]:
    """Makes a part of a page rerun alone when a widget in it changes: the sidebar and the rest are not drawn again.

    The part starts anew with the arguments of the last run of the page, inside the frame as the page itself.

    Args:
        function: draws the part.
        every: seconds after which it is drawn again, for what changes by itself.
    """

    @wraps(function)
    def framed(view: View, /, *args: P.args, **kwargs: P.kwargs) -> None:
        token = _view.set(view)
        try:
            with errors_shown():
                function(view, *args, **kwargs)
        finally:
            _view.reset(token)

    return st.fragment(framed, run_every=every)


def heading(view: View, title: str, sentence: str) -> None:
    """The page's title, the vectors it speaks of, and one sentence of what can be seen."""
    e = view.embeddings
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.title(title, anchor=False, width="content")
        with st.container(key="vectors", width="content"):
            st.text(f"{e.source} · {len(e):,} × {e.dimension}", width="content")
    st.markdown(sentence)


def details(computed: Callable[[], None], along: Callable[[], None]) -> None:
    """What each page ends with, drawn once opened: how its figures are computed, and what a reader takes along."""
    for key, label, show in (
        ("computed", _("How this is computed"), computed),
        ("along", _("Take it with you"), along),
    ):
        folded = st.expander(label, key=key, on_change="rerun")
        if folded.open:
            with folded:
                show()


def attempted(compute: Callable[[], R]) -> R | None:
    """What `compute` gives, or None where it is refused or stopped, which is then shown here."""
    with errors_shown():
        return compute()
    return None


@contextmanager
def errors_shown() -> Iterator[None]:
    """Shows a refusal, or that work was stopped, in the place of what could not be drawn; the rest goes on."""
    try:
        yield
    except progress.Stopped as stopped:
        progress.resume(stopped)
    except ac.AttentionCoreError as error:
        with st.container(border=True):
            st.markdown(f":red[**{_('This cannot be shown')}**]")
            st.text(str(error))
            if isinstance(error, ac.EmbeddingsError) and error.excerpt:
                st.code("\n".join(error.excerpt), language=None)
            if isinstance(error, ac.UnknownWordError) and error.suggestions:
                with st.container(horizontal=True):
                    for i, word in enumerate(error.suggestions):
                        chosen = {box: word for box in WORD_BOXES if st.session_state.get(box) == error.word}
                        st.button(quoted(word), key=f"suggestion-{i}", on_click=st.session_state.update, kwargs=chosen)
