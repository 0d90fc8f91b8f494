"""The card of Heads: the heads of one sentence."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.attention.sentence import first_words, sentences
from dashboard import cache
from dashboard.attention.asked import Asked
from dashboard.attention.settings import few_heads
from dashboard.heads import computed, draw, findings
from dashboard.view import View

WORDS = 8
"""First words of vectors that no bundled sentence fits."""


def card(view: View, query: str) -> None:  # noqa: ARG001 - every card takes the query word
    """A bundled sentence seen by several heads."""
    bundled = sentences(view.embeddings)
    e = view.embeddings
    words = cache.sentence(view, bundled[0].text, "skip", 0) if bundled else first_words(e, min(WORDS, len(e)))
    asked = Asked(words, ac.attention.Settings(heads=few_heads(e.dimension)))
    survey = computed.survey(view, asked)
    st.markdown(findings.of_heads(asked, survey))
    draw.maps(view, asked, survey, "card-heads-maps")
