"""Rankings: the neighbours of one query under each measure, side by side."""

import streamlit as st

from attention_core.plots.agreement import STATISTICS
from dashboard import cache, frame, inputs
from dashboard.language import _
from dashboard.rankings import draw, explain, findings

view = frame.require()
frame.heading(
    view, _("Rankings"), _("The words closest to one query under each measure, and how far the measures agree.")
)
query = inputs.query(view)
cache.scored(view, query)


@frame.part
def neighbours(view, query):
    """Everything that k, the measures and the tabs change."""
    finding = st.container()
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        k = inputs.neighbours()
    with right:
        measures = inputs.measures()
    comparison = cache.compare(view, query, k, measures)
    finding.markdown(findings.of_comparison(view, query, comparison))
    draw.ranked_lists(view, comparison)

    labels = [_("Ranks across measures"), _("Agreement"), _("Norms"), _("Table")]
    ranks, agreement, norms, table = inputs.opened_tab(labels)
    if ranks.open:
        with ranks:
            draw.rank_lines(view, comparison)
    if agreement.open:
        with agreement:
            agreed = cache.agreed(view, query, k, measures)
            draw.agreement(view, agreed, inputs.statistic(STATISTICS))
            explain.undefined_agreement(agreed)
    if norms.open:
        with norms:
            draw.norms(view, comparison)
    if table.open:
        with table:
            draw.ranking_rows(view, comparison)

    frame.details(lambda: explain.scores(view, comparison), lambda: draw.takeaway(view, query, comparison))


neighbours(view, query)
