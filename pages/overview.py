"""Overview: one word, four lists, and where to look further."""

import streamlit as st

import attention_core as ac
from dashboard import cache, draw, findings, frame, inputs
from dashboard.language import _

view = frame.require()
frame.heading(
    view, _("Attention Scope"), _("Which similarity measure should I use for these vectors, and what changes if I do?")
)
finding = st.container()
left, _right = st.columns([1, 2])
with left:
    query = inputs.query_word(view)

measures = tuple(ac.MEASURES)
comparison = cache.compare(view, query, 5, measures)
finding.markdown(findings.of_comparison(view, query, comparison))
bars = cache.bars(view, query, 5, measures)
for column, name in zip(st.columns(len(measures)), measures, strict=True):
    with column:
        draw.ranked_column(comparison[name], bars[name], view.seed)

lists, agreement = st.columns([1, 1])
with agreement:
    st.subheader(_("Shared neighbours"), anchor=False)
    alt = findings.alt_agreement(cache.agreed(view, query, 5, measures), "overlap", "overlap")
    draw.figure(cache.agreements(view, query, 5, measures, "overlap"), alt, "agreement")
with lists:
    st.subheader(_("Look further"), anchor=False)
    st.page_link("pages/rankings.py", label=_("Rankings: all neighbours, scores, norms and agreement"))
