"""Overview: one word, four lists, and where to look further."""

import streamlit as st

import attention_core as ac
from dashboard import cache, cards, frame, inputs
from dashboard.language import _
from dashboard.rankings import draw, findings

view = frame.require()
question = _("Which similarity measure should I use for these vectors, and what changes if I do?")
frame.heading(view, _("Attention Scope"), question)
finding = st.container()
left, right = st.columns([1, 2], vertical_alignment="bottom")
with left:
    query = inputs.query_word(view)
with right:
    st.page_link("pages/diagnostics.py", label=_("**Diagnostics** answers it for these vectors, with its reasons"))

comparison = cache.compare(view, query, 5, tuple(ac.MEASURES))
finding.markdown(findings.of_comparison(view, query, comparison))
draw.ranked_lists(view, comparison)
cards.draw(view, query)
