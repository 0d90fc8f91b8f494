"""Widgets that several pages share, each bound to the URL under one name and kept for the session."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import streamlit as st

import attention_core as ac
from attention_core.plots.theme import printable
from dashboard.language import _
from dashboard.links import anything, between, checked, one_of
from dashboard.view import View

SELECTABLE = 10_000
"""Up to so many words a select box stays quick in the browser; beyond, a word is typed."""
WORD_BOXES = ("q", "q2")
"""The URL's names of the boxes that hold a word."""


def query(view: View) -> str | tuple[float, ...]:
    """The query: a word, or the numbers of a pasted vector.

    Raises:
        UnknownWordError: a word that is not in the vocabulary.
        ScoringError: text that is not numbers where a vector is asked for.
    """
    kinds = ["word", "vector"]
    by = one_of_few("by", _("Query by"), kinds, titled=False)
    return query_vector(view) if by == "vector" else query_word(view)


def query_word(view: View) -> str:
    """The query word, as chosen or typed.

    Raises:
        UnknownWordError: it is not in the vocabulary.
    """
    typed = _word_box(view, "q", _("Query word"), view.example)
    if typed is None:  # the empty word, which a select box takes for no choice
        typed = "" if "" in view.embeddings else view.example
    view.embeddings.index(typed)
    return typed


def second_word(view: View, closest: str) -> str:
    """The word that the first is held against: `closest` until the reader chooses one.

    Raises:
        UnknownWordError: it is not in the vocabulary.
    """
    typed = _word_box(view, "q2", _("Second word"), None, _("{word}, the closest").format(word=printable(closest)))
    if not typed:
        return closest
    view.embeddings.index(typed)
    return typed


def _word_box(view: View, key: str, title: str, start: str | None, placeholder: str | None = None) -> str | None:
    """A box for a word under its URL name; None or "" where nothing is chosen."""
    words = view.embeddings.words
    checked(key, anything)
    before = st.session_state.setdefault(f"_vocabulary {key}", words)
    if before is not words and st.session_state.get(key) not in view.embeddings:
        st.session_state[key] = start  # the reader chose other vectors, which lack the last word
    st.session_state[f"_vocabulary {key}"] = words
    if len(words) > SELECTABLE:
        return st.text_input(
            title,
            start or "",
            max_chars=200,
            placeholder=placeholder,
            live="500ms",
            key=key,
            bind="query-params",
            persist_state="session",
        )
    return st.selectbox(
        title,
        words,
        None if start is None else view.embeddings.index(start),
        placeholder=placeholder,
        accept_new_options=True,
        key=key,
        bind="query-params",
        persist_state="session",
    )


def query_vector(view: View) -> tuple[float, ...]:
    """A pasted vector: numbers separated by spaces, commas or line ends, with or without brackets."""
    d = view.embeddings.dimension
    pasted = st.text_area(
        _("Query vector of {d} numbers").format(d=d),
        placeholder=_("[0.12, -0.5, …] or 0.12 -0.5 …"),
        height=100,
        key="vector",
        bind="query-params",
        persist_state="session",
    )
    return numbers(pasted or "", _("the query vector"))


def numbers(text: str, of: str) -> tuple[float, ...]:
    """The numbers in a text, separated by spaces, commas or line ends, with or without brackets.

    Args:
        text: as typed or pasted.
        of: what they are the numbers of.

    Raises:
        ScoringError: one of them is no number.
    """
    parts = re.findall(r"[^\s,;\[\]()]+", text)
    return tuple(_number(part, position, of) for position, part in enumerate(parts, 1))


def _number(part: str, position: int, of: str) -> float:
    try:
        return float(part.replace("_", "?"))  # Python reads 1_000, files and readers do not
    except ValueError:
        raise ac.ScoringError(
            f"Number {position} of {of} is “{part[:40]}”, which is not a number. "
            "Paste numbers separated by spaces or commas."
        ) from None


def neighbours() -> int:
    """k, how many neighbours to show."""
    checked("k", between(3, 50))
    return st.slider(_("Neighbours k"), 3, 50, 10, key="k", bind="query-params", persist_state="session")


def measures() -> tuple[str, ...]:
    """The measures to show, in the order of the registry.

    Raises:
        ScoringError: none is chosen.
    """
    names = list(ac.MEASURES)
    checked("measures", one_of(names), several=True)
    chosen = st.pills(
        _("Measures"),
        names,
        selection_mode="multi",
        default=names,
        key="measures",
        bind="query-params",
        persist_state="session",
    )
    if not chosen:
        raise ac.ScoringError("No measure is chosen. Choose one or more.")
    return tuple(name for name in names if name in chosen)


def statistic(names: Collection[str]) -> str:
    """The statistic of agreement to show."""
    return one_of_few("stat", _("Statistic"), list(names))


def one_of_few(name: str, label: str, options: Sequence[str], usual: str | None = None, titled: bool = True) -> str:
    """One of a few options, which the link names as they stand.

    What was chosen before and is no option now, because other vectors allowed it, gives way to the usual one.

    Args:
        name: in the URL.
        label: for readers; for screen readers alone where it is not `titled`.
        options: at least one.
        usual: the one that is chosen at first; None for the first.
        titled: whether the label stands above.
    """
    checked(name, one_of(options))
    usual = usual or options[0]
    if st.session_state.get(name, usual) not in options:
        st.session_state[name] = usual
    chosen: str = st.segmented_control(
        label,
        options,
        default=usual,
        required=True,
        key=name,
        label_visibility="visible" if titled else "collapsed",
        bind="query-params",
        persist_state="session",
    )
    return chosen


def opened_tab(labels: Sequence[str]) -> Sequence[Any]:
    """Tabs, of which only the open one is computed."""
    checked("tab", one_of(labels))
    return st.tabs(labels, key="tab", on_change="rerun", bind="query-params")
