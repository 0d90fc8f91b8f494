"""The card of Step by step: the attention map of a sentence."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.attention.sentence import first_words, sentences
from attention_core.attention.stages import Settings, matrix
from attention_core.plots.heat import Grid, heat_map, numbered
from dashboard import cache
from dashboard.attention.asked import Asked
from dashboard.draw import figure
from dashboard.step_by_step import findings
from dashboard.step_by_step.draw import array
from dashboard.step_by_step.walk import begin
from dashboard.view import View

FIRST = 8
"""Tokens, where no bundled sentence is in these vectors' language."""


def card(view: View, query: str) -> None:
    """Plain scaled dot-product attention over a bundled sentence, one with the query word where there is one."""
    walk = begin(view, Asked(_sentence(view, query), Settings()), 0)
    st.markdown(findings.of_walk(walk))
    values = array(matrix(walk.stages, walk.head, "softmax"))
    names = numbered(walk.sentence.tokens, len(walk.sentence))
    drawn = heat_map(Grid(values, names, names, ("query", "key"), whole=False, width=330), view.style, height=300)
    figure(drawn, findings.alt_map(walk, "softmax", values.shape), "card-attention")


def _sentence(view: View, query: str) -> ac.attention.Sentence:
    known = [one.text for one in sentences(view.embeddings)]
    text = next((one for one in known if query in one.split()), known[0] if known else None)
    if text is None:
        return first_words(view.embeddings, min(FIRST, len(view.embeddings)))
    return cache.sentence(view, text, "skip", 0)
