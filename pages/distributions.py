"""Score distributions: what the scores of all pairs are, and where a score stands among them."""

import streamlit as st

import attention_core as ac
from attention_core.similarity.pairwise import require_pairs
from dashboard import cache, frame, inputs
from dashboard.distributions import draw, explain, findings
from dashboard.distributions.inputs import logarithmic
from dashboard.language import _

view = frame.require()
frame.heading(
    view,
    _("Score distributions"),
    _("What two words score as a rule, and where the neighbours of one word stand among all pairs."),
)
query = inputs.query_word(view)
require_pairs(view.embeddings)
cache.scored(view, query)
found = {}
for family in ac.families():
    with frame.errors_shown():
        found |= cache.distributions(view, family)


@frame.part
def shown(view, query, found):
    """Everything that k, the measures and the tabs change."""
    finding = st.container()
    left, middle, right = st.columns([3, 4, 2], vertical_alignment="bottom")
    with left:
        k = inputs.neighbours()
    with middle:
        measures = inputs.measures()
    with right:
        log = logarithmic()
    comparison = cache.compare(view, query, k, measures)
    chosen = {name: found[name] for name in measures if name in found}
    finding.markdown(findings.of_neighbours(query, comparison, chosen))
    draw.histograms(view, comparison, chosen, log)

    labels = [_("Neighbours"), _("Quantiles"), _("Word groups")]
    neighbours, quantiles, groups = inputs.opened_tab(labels)
    if neighbours.open:
        with neighbours:
            draw.neighbours(comparison, chosen)
    if quantiles.open:
        with quantiles:
            draw.summary(chosen)
    if groups.open:
        with groups:
            draw.groups(view, chosen, log)

    frame.details(lambda: explain.computed(view, chosen), lambda: draw.takeaway(view, query, comparison, chosen))


shown(view, query, found)
