"""Step by step: a sentence on its way through attention, with every matrix between the words and the output."""

import streamlit as st

from dashboard import frame
from dashboard.attention import inputs as shared
from dashboard.inputs import opened_tab
from dashboard.language import _
from dashboard.step_by_step import compare, draw, explain, findings, inputs
from dashboard.step_by_step.walk import Walk, begin

view = frame.require()
frame.heading(
    view,
    _("Step by step"),
    _("A sentence on its way through attention: every matrix between words and output, and what made each number."),
)
finding = st.container()
sentence = shared.sentence(view)
for note in findings.notes(sentence):
    st.caption(note)
settings = shared.settings(view)
walk = begin(view, sentence, settings, inputs.head(settings))
finding.markdown(findings.of_walk(walk))


@frame.part
def steps(view, stages, sentence, number):
    """Everything that moves no number: which stage, which cell, which tab."""
    walk = Walk.along(sentence, stages, number)
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
        (words, lambda: compare.words(view, walk)),
        (order, lambda: compare.order(view, walk)),
        (two, lambda: compare.pinned(view, walk)),
        (numbers, lambda: compare.numbers(walk, name, cell[0])),
    ):
        if tab.open:
            with tab, frame.errors_shown():
                show()

    frame.details(lambda: explain.computed(view, walk), lambda: explain.along(view, walk))


steps(view, walk.stages, sentence, walk.head.number)
