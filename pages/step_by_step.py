"""Step by step: a sentence on its way through attention, with every matrix between the words and the output."""

import streamlit as st

from dashboard import frame
from dashboard.attention import findings as told
from dashboard.attention import settings
from dashboard.inputs import opened_tab
from dashboard.language import _
from dashboard.step_by_step import compare, draw, explain, findings, inputs
from dashboard.step_by_step.walk import begin

view = frame.require()
frame.heading(
    view,
    _("Step by step"),
    _(
        "A sentence on its way through attention, softmax(QKᵀ/√d_k)·V: every matrix between words and output. Click a "
        "stage, then a cell, to see what made the number; change a setting and see the weights move."
    ),
)
finding = st.container()
asked = settings.asked(view)


def steps(view, walk):
    """Everything that moves no number: which stage, which cell, which tab."""
    name = inputs.stage(walk.settings)
    draw.strip_of(view, walk, name)
    shape = walk.shape(name)
    left, right = st.columns([3, 2])
    with right:
        cell = inputs.cell(walk, name, shape)
        draw.cell_terms(view, walk, name, cell)
    with left:
        how = inputs.pooling() if max(shape) > draw.MOST else "max"
        draw.large(view, walk, name, cell, how)
    row = walk.query_of(name, cell[0])

    labels = [_("Spread"), _("Row as a sum"), _("Words"), _("Word order"), _("Two settings"), _("Numbers")]
    spread, summed, words, order, two, numbers = opened_tab(labels)
    for tab, show in (
        (spread, lambda: draw.spread(view, walk)),
        (summed, lambda: draw.row_sum(view, walk, row)),
        (words, lambda: compare.words(view, walk, row)),
        (order, lambda: compare.order(view, walk)),
        (two, lambda: compare.pinned(view, walk)),
        (numbers, lambda: compare.numbers(walk, name, cell[0])),
    ):
        if tab.open:
            with tab, frame.errors_shown():
                show()

    frame.details(lambda: explain.computed(view, walk), lambda: explain.along(view, walk))


if asked is not None:
    for note in told.notes(asked.sentence):
        st.caption(note)
    walk = begin(view, asked, inputs.head(asked.settings))
    finding.markdown(findings.of_walk(walk))
    if note := findings.of_positions(walk):
        st.caption(note)
    draw_steps = steps if walk.long else frame.part(steps)  # long work in a part could not be stopped
    draw_steps(view, walk)
