"""The card of Diagnostics: which measure to use."""

from __future__ import annotations

import streamlit as st

from attention_core.plots.diagnostics import norm_histogram
from attention_core.plots.hubness import top_hubs
from dashboard import cache
from dashboard.diagnostics import findings
from dashboard.draw import figure
from dashboard.language import _
from dashboard.view import View

QUICK = 9_000
"""Words up to which the answer is worked out on Overview; beyond, it says what the norms tell."""


def card(view: View, query: str) -> None:  # noqa: ARG001 - the same for every query
    """The answer in one sentence, and the words that are in the most lists."""
    geometry = cache.geometry(view)
    found = cache.neighbourhoods(view) if 1 < len(view.embeddings) <= QUICK else None
    st.markdown(findings.answer(findings.advice(view, found), geometry, found))
    if found is None or not any(hub.hubs for hub in found.hubness.values()):
        alt = _("How many words have which norm")
        figure(norm_histogram(geometry.norms, view.style, 220), alt, "card-norms")
        return
    alt = "; ".join(findings.alt_hubs(hub) for hub in found.hubness.values())
    figure(top_hubs(found.hubness, view.style), alt, "card-hubs")
