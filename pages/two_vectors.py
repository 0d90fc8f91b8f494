"""Two vectors: angle, projection, products and scores of a pair, and where all points with one score lie."""

import streamlit as st

import attention_core as ac
from dashboard import cache, frame, inputs
from dashboard.language import _
from dashboard.two_vectors import draw, explain, findings
from dashboard.two_vectors import pair as two

view = frame.require()
frame.heading(
    view,
    _("Two vectors"),
    _("What lies between two vectors: their angle, their products one by one, and what each measure makes of them."),
)
pair = two.choose(view)


@frame.part
def together(view, pair):
    """Everything that a move and the tabs change."""
    finding = st.container()
    turns = cache.geometry(view, pair.a, pair.b, ac.Move()).plane.turns
    g = cache.geometry(view, pair.a, pair.b, two.move(turns))
    finding.markdown(findings.of_pair(pair, g))
    draw.scores(view, g)
    left, right = st.columns(2)
    with left:
        draw.picture(view, pair, g)
    with right:
        draw.terms(view, pair, g)

    labels = [_("Level curves"), _("When b moves"), _("Invariance")]
    levels, sweeps, invariance = inputs.opened_tab(labels)
    if levels.open:
        with levels:
            draw.levels(view, pair, g)
    if sweeps.open:
        with sweeps:
            draw.sweeps(view, g)
    if invariance.open:
        with invariance:
            draw.invariance(g)

    computed = st.expander(_("How this is computed"), key="computed", on_change="rerun")
    if computed.open:
        with computed:
            explain.geometry(g)
    along = st.expander(_("Take it with you"), key="along", on_change="rerun")
    if along.open:
        with along:
            draw.takeaway(view, pair, g)


together(view, pair)
