"""The card of Scaling and softmax: how dot products of these vectors spread."""

from __future__ import annotations

import streamlit as st

from attention_core.plots.dot_products import variance_lines
from dashboard.draw import figure
from dashboard.language import _
from dashboard.scaling import computed, findings
from dashboard.view import View

FEW = 1_000
"""Pairs drawn for the card."""


def card(view: View, query: str) -> None:  # noqa: ARG001 - it speaks of all words
    """The variance of q·k of pairs of words against the number of their components."""
    sweep = computed.products(view, None, FEW, 0)
    found = sweep[view.embeddings.dimension]
    st.markdown(findings.of_products(found, sweep))
    figure(variance_lines(sweep, None, view.style, height=260), findings.alt_variance(sweep), "card-variance")
    st.caption(_("{size:,} pairs for each number of components; bars: ± 1 standard error.").format(size=FEW))
