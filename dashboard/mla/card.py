"""The card of MLA: how small a latent the keys and values of these vectors pass through."""

from __future__ import annotations

import streamlit as st

from attention_core.plots.latent import low_rank_lines
from dashboard.draw import figure
from dashboard.mla import cached, findings
from dashboard.view import View


def card(view: View, query: str) -> None:  # noqa: ARG001 - the same for every query
    """The smallest latent whose attention is off by a tenth, and the error of all."""
    found = cached.small_low_rank(view)
    st.markdown(findings.of_card(found))
    rank = found.smallest("vectors", findings.OFF)
    figure(low_rank_lines(found, rank, view.style, height=260), findings.alt_low_rank(found), "card-low-rank")
