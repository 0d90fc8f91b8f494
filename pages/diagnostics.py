"""Diagnostics: which measure fits these vectors, and what in them decides it."""

import streamlit as st

from dashboard import frame, inputs
from dashboard.diagnostics import answer, draw, explain
from dashboard.language import _

view = frame.require()
frame.heading(
    view, _("Diagnostics"), _("Which similarity measure to use for these vectors, and what in the vectors decides it.")
)
reasons, carried = st.columns([4, 3], gap="medium")
with reasons:
    given, found = answer.answer(view)
with carried:
    if given.measure is not None:
        st.subheader(_("Carry it over"), anchor=False)
        answer.settings(view, given.measure)

if found is not None:
    draw.hubs(view, found)
labels = [_("Hubs"), _("Overlap"), _("Norms"), _("Anisotropy"), _("Dimensions"), _("Duplicates")]
hubs, overlap, norms, anisotropy, dimensions, duplicates = inputs.opened_tab(labels)
if hubs.open:
    with hubs:
        draw.hub_tables(view, found)
if overlap.open:
    with overlap:
        draw.overlap(view, found)
if norms.open:
    with norms:
        draw.norms(view)
if anisotropy.open:
    with anisotropy, frame.errors_shown():
        draw.anisotropy(view)
if dimensions.open:
    with dimensions, frame.errors_shown():
        draw.spectrum(view)
if duplicates.open:
    with duplicates, frame.errors_shown():
        draw.duplicates(view, found)


def computed():
    """The rules and the figures that they rest on."""
    explain.rules(given)
    explain.figures(view, found)


frame.details(computed, lambda: draw.takeaway(view, found))
