"""The card of Two vectors: the plane of the query and its closest word."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.plots.plane import plane_picture
from dashboard import cache
from dashboard.draw import figure
from dashboard.two_vectors import findings
from dashboard.two_vectors.pair import Pair
from dashboard.view import View


def card(view: View, query: str) -> None:
    """The dot product of a word and its closest one as lengths times cosine, and both in their plane."""
    pair = Pair(query, cache.closest_word(view, query))
    g = cache.geometry(view, pair.a, pair.b, ac.Move())
    st.markdown(findings.relation(pair, g))
    figure(plane_picture(g, pair.names, view.style, height=260), findings.alt_plane(pair, g), "card-plane")
