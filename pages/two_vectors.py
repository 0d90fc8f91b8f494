"""Two vectors: angle, projection, products and scores of a pair, and where all points with one score lie."""

import streamlit as st

import attention_core as ac
from dashboard import cache, frame, inputs
from dashboard.language import _
from dashboard.two_vectors import asked as two
from dashboard.two_vectors import draw, explain, findings

view = frame.require()
frame.heading(
    view,
    _("Two vectors"),
    _("What lies between two vectors: their angle, their products one by one, and what each measure makes of them."),
)
asked = two.choose(view)


@frame.part
def together(view, asked):
    """Everything that a move and the tabs change."""
    finding = st.container()
    turns = cache.pair(view, asked.a, asked.b, ac.Move()).plane.turns
    pair = cache.pair(view, asked.a, asked.b, two.move(turns))
    finding.markdown(findings.of_pair(asked, pair))
    draw.scores(view, pair)
    left, right = st.columns(2)
    with left:
        draw.picture(view, asked, pair)
    with right:
        draw.terms(view, asked, pair)

    labels = [_("Level curves"), _("When b moves"), _("Invariance")]
    levels, sweeps, invariance = inputs.opened_tab(labels)
    if levels.open:
        with levels:
            draw.levels(view, asked, pair)
    if sweeps.open:
        with sweeps:
            draw.sweeps(view, pair)
    if invariance.open:
        with invariance:
            draw.invariance(pair)

    frame.details(lambda: explain.formulas(pair), lambda: draw.takeaway(view, asked, pair))


together(view, asked)
