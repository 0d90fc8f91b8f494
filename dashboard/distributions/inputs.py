"""The widgets of Score distributions."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from attention_core.plots.theme import number
from dashboard.language import _
from dashboard.links import between, checked, flag, one_of

LARGEST = 1_000_000
"""A link may ask for scores up to this size."""


def logarithmic() -> bool:
    """Whether the vertical axes are logarithmic."""
    checked("distributions_log", flag)
    return st.toggle(
        _("Logarithmic"),
        key="distributions_log",
        bind="query-params",
        persist_state="session",
        help=_("Shows the few pairs at the ends, among them the closest."),
    )


def score(measure: str, example: float) -> float | None:
    """A score to look up; None while there is none."""
    key = f"score_{measure}"
    checked(key, between(-LARGEST, LARGEST))
    return st.number_input(
        _("Is this score a lot?"),
        value=None,
        format="%.4g",
        placeholder=_("a score, such as {example}").format(example=number(example)),
        key=key,
        bind="query-params",
        persist_state="session",
    )


def groups(names: Collection[str]) -> tuple[str, ...]:
    """The word groups to look at."""
    options = list(names)
    checked("distributions_groups", one_of(options), several=True)
    chosen = st.pills(
        _("Word groups"),
        options,
        selection_mode="multi",
        default=options[:1],
        key="distributions_groups",
        bind="query-params",
        persist_state="session",
    )
    return tuple(name for name in options if name in chosen)
