"""The widgets that pages on attention share: which sentence, and boxes for choices and numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import attention_core as ac
from attention_core.attention.sentence import (
    MOST_CHARACTERS,
    MOST_TOKENS,
    TREATMENTS,
    Treatment,
    first_words,
    sentences,
)
from dashboard import cache
from dashboard.inputs import one_of_few
from dashboard.language import _
from dashboard.links import anything, between, checked, one_of
from dashboard.view import View

SAMPLE, TEXT, FILE = "sample", "text", "first words"
SEEDS = 10_000
FIRST = 12
Width: TypeAlias = int | Literal["stretch"]


def sentence(view: View) -> ac.attention.Sentence:
    """The sentence: a bundled one, one's own, or the first words of the file.

    Raises:
        AttentionError: nothing to read, no known word, unknown words that are refused, or too many tokens.
    """
    bundled = [one.text for one in sentences(view.embeddings)]
    kinds = [*([SAMPLE] if bundled else []), TEXT, FILE]
    with row():
        kind = one_of_few("sentence_by", _("Sentence"), kinds, kinds[0] if bundled else FILE)
        if kind == FILE:
            most = min(MOST_TOKENS, len(view.embeddings))
            return first_words(
                view.embeddings, whole("first", _("First words of the vectors"), (1, most), min(FIRST, most))
            )
        if kind == SAMPLE:
            text = one_of_many("sentence", _("Sample"), bundled, width="stretch")
        else:
            text = _text(view, bundled)
        unknown = one_of_few("unknown", _("Words without a vector"), TREATMENTS)
        seed = whole("unknown_seed", _("Seed of their vectors"), (0, SEEDS), 0) if unknown == "random" else 0
    return cache.sentence(view, text, cast(Treatment, unknown), seed)


def _text(view: View, bundled: Sequence[str]) -> str:
    checked("text", anything)
    usual = bundled[0] if bundled else " ".join(view.embeddings.words[:3])
    typed = st.text_area(
        _("Your sentence, of up to {most:,} tokens").format(most=MOST_TOKENS),
        usual,
        height=68,
        max_chars=MOST_CHARACTERS,
        key="text",
        bind="query-params",
        persist_state="session",
        width="stretch",
    )
    return typed or ""


def row() -> DeltaGenerator:
    """Widgets side by side, in as many lines as they need."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small")


def one_of_many(name: str, label: str, options: Sequence[str], width: Width = 130, about: str | None = None) -> str:
    """One of some options in a box that unfolds, which the link names as they stand.

    What was chosen before and is no option now gives way to the first.

    Args:
        name: in the URL.
        label: for readers.
        options: at least one, the usual one first.
        width: in pixels, or “stretch”.
        about: what the options mean, for those who ask.
    """
    _of_link(name, one_of(options))
    if st.session_state.get(name, options[0]) not in options:
        st.session_state[name] = options[0]
    chosen: str = st.selectbox(
        label, options, key=name, help=about, bind="query-params", persist_state="session", width=width
    )
    return chosen


def whole(
    name: str, label: str, limits: tuple[int, int], usual: int, width: int = 150, about: str | None = None
) -> int:
    """A whole number; what is out of its limits, the usual one too, gives way to the nearest that is not."""
    usual = min(max(usual, limits[0]), limits[1])
    found = whole_or(name, label, limits, usual, width, about)
    return usual if found is None else found


def whole_or(
    name: str, label: str, limits: tuple[int, int], usual: int | str, width: int = 150, about: str | None = None
) -> int | None:
    """The same, or None, for which a text stands in the box in place of a usual number."""
    low, high = limits
    _of_link(name, between(low, high))
    before = st.session_state.get(name)
    if before is not None and not low <= before <= high:
        st.session_state[name] = min(max(before, low), high)
    given = st.number_input(
        label,
        low,
        high,
        usual if isinstance(usual, int) else None,
        placeholder=usual if isinstance(usual, str) else None,
        help=about,
        key=name,
        bind="query-params",
        persist_state="session",
        width=width,
    )
    return None if given is None else int(given)


def real(name: str, label: str, limits: tuple[float, float], about: str | None = None) -> float:
    """A number, 1 at first."""
    checked(name, between(*limits))
    given = st.number_input(
        label,
        *limits,
        1.0,
        0.1,
        format="%g",
        help=about,
        key=name,
        bind="query-params",
        persist_state="session",
        width=130,
    )
    return float(given)


def _of_link(name: str, possible: Callable[[str], bool]) -> None:
    """Names a value that a link asks for in vain, once: what other vectors or another sentence forbid is no fault."""
    if name not in st.session_state:
        checked(name, possible)
