"""The card of Human judgements: how far each measure agrees with people."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.similarity.tables import JudgedPairs, Questions
from dashboard import cache
from dashboard.judgements import draw, findings
from dashboard.judgements.chosen import Chosen
from dashboard.language import _
from dashboard.view import View

QUICK = 5_000_000
"""Components of the vectors up to which the card answers analogies."""


def card(view: View, query: str) -> None:  # noqa: ARG001 - people's judgements are about no query
    """Rank correlations with people; where no bundled judgement covers the vectors, right answers to analogies."""
    pairs = cache.covering(view, JudgedPairs.__name__)
    if pairs:
        found = cache.judged(view, Chosen(ac.JUDGEMENTS[pairs[0]].read(), own=False))
        st.markdown(findings.of_judgements(found))
        draw.agreement(view, found)
        return
    none = _("No bundled judgement of similarity covers these vectors; the page takes a table of your own.")
    questions = cache.covering(view, Questions.__name__)
    if not questions or view.embeddings.matrix.size > QUICK:
        st.markdown(none)
        return
    answers = cache.answered(view, Chosen(ac.JUDGEMENTS[questions[0]].read(), own=False))
    st.markdown(f"{none} {findings.right_answers(answers)}")
    draw.accuracies(view, answers)
