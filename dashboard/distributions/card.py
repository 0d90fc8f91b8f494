"""The card of Score distributions: how close a close pair is."""

from __future__ import annotations

import streamlit as st

from attention_core.plots.distributions import score_histogram
from attention_core.similarity.distribution import histogram
from dashboard import cache
from dashboard.distributions import findings
from dashboard.distributions.draw import neighbour_marks
from dashboard.draw import figure
from dashboard.language import _
from dashboard.view import View

FEW = 1 << 18
"""Pairs drawn for the card."""
MEASURE = "cosine"


def card(view: View, query: str) -> None:
    """The cosine of some pairs, and of the query with its closest neighbours."""
    found = cache.some_distributions(view, (MEASURE,), FEW)
    comparison = cache.compare(view, query, 5, (MEASURE,))
    st.markdown(findings.of_neighbours(query, comparison, found))
    shown, ranking = found[MEASURE], comparison[MEASURE]
    if not shown.pairs:
        st.markdown(_("Undefined: {why}.").format(why=_(shown.why)))
        return
    drawn = score_histogram(MEASURE, histogram(shown), None, neighbour_marks(ranking, shown), style=view.style)
    figure(drawn, findings.alt(shown, _("; below it the neighbours")), "card-distributions-scores")
    if shown.sampled:
        st.caption(_("From {pairs:,} of {all:,} pairs.").format(pairs=shown.pairs, all=shown.population))
