"""Overview: one word, four lists, and where to look further."""

import streamlit as st

import attention_core as ac
from dashboard import cache, draw, findings, frame, inputs
from dashboard.language import _

view = frame.require()
question = _("Which similarity measure should I use for these vectors, and what changes if I do?")
frame.heading(view, _("Attention Scope"), question)
finding = st.container()
left, right = st.columns([1, 2], vertical_alignment="bottom")
with left:
    query = inputs.query_word(view)

measures = tuple(ac.MEASURES)
comparison = cache.compare(view, query, 5, measures)
finding.markdown(findings.of_comparison(view, query, comparison))
draw.ranked_lists(view, comparison)

shared, further = st.columns([2, 1], gap="large")
with shared:
    st.markdown("**" + _("Share of the five neighbours that two measures have in common") + "**")
    draw.agreement(view, cache.agreed(view, query, 5, measures), "overlap")
with further:
    st.markdown("**" + _("Look further") + "**")
    with st.container(border=True):
        st.page_link("pages/rankings.py", label=_("Rankings"))
        more = _("More neighbours with scores and norms, ranks across measures, five statistics of agreement, a table.")
        st.caption(more)
