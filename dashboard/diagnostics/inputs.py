"""The choices of Diagnostics: which measure is carried over, and to where."""

from __future__ import annotations

import streamlit as st

from attention_core.export.stores import STORES
from dashboard.diagnostics.findings import named
from dashboard.language import _
from dashboard.links import checked, one_of

ADVISED = "advised"


def measure(advised: str) -> str:
    """The measure to carry over: the advised one unless another is chosen."""
    options = [ADVISED, *next(iter(STORES.values()))]
    checked("diagnostics_measure", one_of(options))
    chosen = st.segmented_control(
        _("Measure to carry over (advised: {measure})").format(measure=named(advised)),
        options,
        default=ADVISED,
        required=True,
        key="diagnostics_measure",
        bind="query-params",
        persist_state="session",
    )
    return advised if chosen == ADVISED else str(chosen)


def store() -> str:
    """Where the vectors are stored."""
    options = list(STORES)
    checked("store", one_of(options))
    chosen = st.segmented_control(
        _("Where the vectors are stored"),
        options,
        default=options[0],
        required=True,
        key="store",
        bind="query-params",
        persist_state="session",
    )
    return str(chosen)
