"""The card of Map: a small picture, and what it keeps."""

from __future__ import annotations

import streamlit as st

from attention_core.plots.map import FEW, Window, word_map
from dashboard import cache
from dashboard.draw import figure
from dashboard.map import findings
from dashboard.map.picture import Picture
from dashboard.view import View


def card(view: View, query: str) -> None:
    """The query's five neighbours by cosine on a map of at most 1,000 words."""
    picture = Picture(2, None, FEW, 0, query if len(view.embeddings) > FEW else "")
    projection = cache.projection(view, picture)
    comparison = cache.compare(view, query, 5, ("dot", "cosine", "euclidean"))
    st.markdown(findings.of_map(projection, cache.faithfulness(view, picture)))
    drawn = word_map(view.embeddings, projection, comparison, {}, Window(width=460, height=360), view.style)
    figure(drawn, findings.alt(projection, comparison), "map")
