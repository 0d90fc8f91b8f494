"""Cache size: what the KV cache of a model takes, as it is and under other layouts."""

import streamlit as st

from dashboard import frame, inputs
from dashboard.cache_size import draw, explain, findings, upload
from dashboard.cache_size import inputs as choices
from dashboard.language import _

view = frame.require()
frame.heading(
    view,
    _("Cache size"),
    _("What the keys and values of earlier tokens take in memory, for real models and under each layout."),
)
finding = st.container()
with frame.errors_shown():
    upload.configuration()
asked = choices.asked(upload.own())
finding.markdown(findings.of_sizes(asked))
draw.bars(view, asked)

labels = [_("Against the context"), _("What fits"), _("Savings"), _("Measured"), _("All models")]
context, fits, savings, measured, presets = inputs.opened_tab(labels)
if context.open:
    with context:
        draw.lines(view, asked)
if fits.open:
    with fits:
        draw.fits(asked)
if savings.open:
    with savings:
        draw.savings(asked)
if measured.open:
    with measured:
        draw.measured(view, asked)
if presets.open:
    with presets:
        draw.presets(asked)

frame.details(lambda: explain.computed(asked), lambda: draw.takeaway(asked))
