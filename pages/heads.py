"""Heads: several heads side by side, what each sees, and what each adds to the output."""

import streamlit as st

from dashboard import frame
from dashboard import inputs as shared
from dashboard.attention import findings as told
from dashboard.attention import settings
from dashboard.heads import computed, draw, explain, findings, inputs, outputs, subspaces
from dashboard.language import _

view = frame.require()
sentence = _(
    "Several heads of attention side by side: where each looks, what it can see, and what it adds to the output. "
    "Choose a sentence and how many heads share its components; point at a cell for its weight."
)
frame.heading(view, _("Heads"), sentence)
finding = st.container()
asked = settings.asked(view, several=True)


@frame.part
def contributed(view, asked, survey):
    """What the choice of a word changes."""
    outputs.contributions(view, asked, survey, inputs.token(asked))


if asked is not None:
    survey = computed.survey(view, asked)
    finding.markdown(findings.of_heads(asked, survey))
    for note in told.notes(asked.sentence):
        st.caption(note)
    draw.maps(view, asked, survey)
    st.caption(draw.notes(asked, survey))
    labels = [_("Distances"), _("Spread"), _("Subspaces"), _("Concat and W_O"), _("Contributions"), _("Sharing")]
    distances, spread, seen, blocks, added, sharing = shared.opened_tab(labels)
    if distances.open:
        with distances:
            draw.distances(view, survey)
    if spread.open:
        with spread:
            draw.spreads(view, survey)
    if seen.open:
        with seen, frame.errors_shown():
            found = computed.subspaces(view, asked, inputs.part())
            subspaces.subspaces(view, asked, found, computed.head_ranks(view, asked))
    if blocks.open:
        with blocks:
            outputs.blocks(view, asked, survey)
    if added.open:
        with added:
            contributed(view, asked, survey)
    if sharing.open:
        with sharing:
            draw.sharing(view, asked, survey)

    frame.details(lambda: explain.heads(view, asked, survey), lambda: draw.takeaway(view, asked, survey))
