"""How the stages are computed: formulas with the sizes at hand, conventions and sources."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.attention.stages import stage_names
from attention_core.export.stages import stages_code, stages_csv
from dashboard import cache, draw
from dashboard.attention.explain import conventions
from dashboard.language import _
from dashboard.step_by_step.formulas import formula
from dashboard.step_by_step.walk import Walk
from dashboard.view import View


def computed(view: View, walk: Walk) -> None:
    """Every stage's formula, and what is decided about masks, projections, positions and unknown words."""
    for name in stage_names(walk.settings):
        st.latex(rf"\text{{{name}}} \quad {formula(walk.stages, name)}")
    width = "float64" if len(walk.sentence) <= cache.EXACT else "float32"
    measure = ac.MEASURES[walk.settings.score]
    st.markdown(
        _(
            "softmax(QKᵀ/√d)·V is Vaswani et al. 2017, equation 1; here any score takes the place of QKᵀ, as a number "
            "that is higher where a query and a key are closer ({measure} now). It is multiplied by scale/temperature "
            "= {factor:.6g}. All of it is computed in {width}: up to {exact} tokens in float64, beyond in float32."
        ).format(measure=_(measure.label), factor=walk.head.factor, width=width, exact=cache.EXACT)
    )
    if measure.needs_weights:
        st.markdown(_("The weights of this score are untrained (seed {seed}).").format(seed=view.seed))
    conventions(view)


def along(view: View, walk: Walk) -> None:
    """Every pair as CSV and the Python that computes all stages."""
    number = walk.head.number
    code = stages_code(draw.loading(view), walk.sentence, walk.settings, number, cache.principal_step(view))
    draw.takeaway(
        lambda: stages_csv(walk.sentence, walk.stages, number, view.embeddings, view.settings),
        "step_by_step.csv",
        code,
    )
