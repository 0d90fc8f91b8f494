"""Map: the words as points in two or three dimensions, and how much of the space the picture keeps."""

import streamlit as st

from dashboard import cache, frame
from dashboard import inputs as shared
from dashboard.language import _
from dashboard.map import draw, explain, findings, inputs

view = frame.require()
frame.heading(view, _("Map"), _("The words as points, the neighbours of one among them, and how far to trust it."))
finding = st.container()
left, right = st.columns([1, 3])
with left:
    query = shared.query_word(view)
with right:
    picture = inputs.picture(view, query)
projection = cache.projection(view, picture)
found = frame.attempted(lambda: cache.faithfulness(view, picture))
if found is not None:
    comparison = cache.compare(view, query, 10, tuple(found.measures))
    finding.markdown(findings.of_map(projection, found, comparison))


@frame.part
def drawn(view, query, picture, projection, found):
    """Everything that moves no point: neighbours, groups, what is shown and selected."""
    left, middle, right = st.columns([2, 4, 4], vertical_alignment="bottom")
    with left:
        k = shared.neighbours()
    with middle:
        measures = shared.measures()
    with right:
        groups = inputs.groups(view)
    near = inputs.near()
    comparison = cache.compare(view, query, k, measures)
    wide, narrow = st.columns([5, 2])
    with wide:
        rows = draw.words(view, projection, comparison, groups, near)
        st.caption(findings.drawn(projection, comparison, view.seed))
        draw.selected(view, projection, comparison, groups, rows)
    if found is not None:
        with narrow:
            draw.faithfulness(view, projection, found)

    def computed():
        """How the picture is made, and what it is measured by."""
        explain.method(view, projection)
        explain.faithfulness(found)

    frame.details(computed, lambda: draw.takeaway(view, picture, projection, comparison, groups))


drawn(view, query, picture, projection, found)
