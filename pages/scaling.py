"""Scaling and softmax: why the scale is there, and how the softmax neither overflows nor stores n × n numbers."""

import streamlit as st

import attention_core as ac
from dashboard import frame
from dashboard.inputs import opened_tab
from dashboard.language import _
from dashboard.scaling import computed, draw, explain, findings, inputs, takeaway

view = frame.require()
sentence = _(
    "Why attention divides by √d_k, and how a softmax neither overflows nor stores n × n numbers: four experiments, "
    "each with numbers that you can change."
)
frame.heading(view, _("Scaling and softmax"), sentence)
labels = [_("Variance"), _("Saturation"), _("Overflow"), _("Online softmax")]
variance, saturation, overflow, online = opened_tab(labels)

if variance.open:
    with variance, frame.errors_shown():
        finding = st.container()
        asked = inputs.drawn(view)
        sweep = computed.products(view, asked.components, asked.size, asked.seed)
        found = computed.product(view, asked.components, asked.d, asked.size, asked.seed)
        finding.markdown(findings.of_products(found, sweep))
        draw.products(view, found, sweep)
        frame.details(lambda: explain.variance(found), lambda: takeaway.products(view, asked, sweep, found))

if saturation.open:
    with saturation, frame.errors_shown():
        finding = st.container()
        chosen = inputs.changed()
        found = ac.experiments.changes(chosen.scores, chosen.shift, chosen.factor)
        finding.markdown(findings.of_saturation(found))
        draw.weights(view, found)
        curves = draw.rows(view, chosen)
        followed = st.container()
        frame.details(lambda: explain.saturation(found), lambda: takeaway.saturation(curves, chosen))
        with followed, frame.errors_shown():
            draw.gradients(view, computed.gradients(view))

if overflow.open:
    with overflow, frame.errors_shown():
        finding = st.container()
        scores = inputs.scores()
        found = ac.experiments.overflow(scores, view.compute)
        finding.markdown(findings.of_overflow(found))
        draw.overflow(view, found, scores)
        frame.details(lambda: explain.overflow(found), lambda: takeaway.overflow(found, scores))

if online.open:
    with online, frame.errors_shown():
        finding = st.container()
        scores, tile = inputs.tiles()
        found = ac.experiments.tile_by_tile(scores, tile)
        step = inputs.step(len(found.steps))
        finding.markdown(findings.of_tiles(found, step))
        draw.tiles(view, found, step)
        measured = st.container()
        frame.details(lambda: explain.tiles(found, step), lambda: takeaway.tiles(found))
        with measured, frame.errors_shown():
            draw.costs(view)
