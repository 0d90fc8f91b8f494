"""The card of Two vectors: the plane of the query and its closest word."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.plots.plane import plane_picture
from dashboard import cache
from dashboard.draw import figure
from dashboard.two_vectors import findings
from dashboard.two_vectors.asked import Asked
from dashboard.view import View


def card(view: View, query: str) -> None:
    """The dot product of a word and its closest one as lengths times cosine, and both in their plane."""
    asked = Asked(query, cache.closest_word(view, query))
    pair = cache.pair(view, asked.a, asked.b, ac.Move())
    st.markdown(findings.relation(asked, pair))
    figure(plane_picture(pair, asked.names, view.style, height=260), findings.alt_plane(asked, pair), "card-plane")
