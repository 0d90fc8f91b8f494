"""How the figures of two vectors are computed: formulas with the numbers at hand, conventions and sources."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.plots.theme import number
from attention_core.similarity.invariance import joint_shift
from dashboard.language import _
from dashboard.two_vectors.draw import tex


def formulas(pair: ac.Pair) -> None:
    """Each measure's formula and score now; the plane, the moves, and what counts as unchanged."""
    for name, score in pair.scores.items():
        measure = ac.MEASURES[name]
        st.markdown(f"**{_(measure.label)}** · {_(measure.meaning)}")
        now = rf"\text{{{_('undefined')}}}" if score is None else tex(score, 17)
        st.latex(rf"{measure.formula} = {now}")
    if pair.projection is not None:
        st.markdown(_("**projection of b on a**, negative where b points away from a"))
        st.latex(rf"\frac{{a \cdot b}}{{\lVert a \rVert}} = {tex(pair.projection, 17)}")
    st.markdown(
        _(
            "Everything is computed in float64. The angle is 2·atan2(‖u − v‖, ‖u + v‖) of the unit vectors u and v "
            "(Kahan 2006), which keeps its digits near 0° and 180°, where the arc cosine loses half of them."
        )
    )
    st.markdown(
        _(
            "The plane: with two components it is drawn as it is. Otherwise its first direction is that of a, and the "
            "second is b made perpendicular to it (Gram-Schmidt, done twice), so lengths and angles in the picture are "
            "those of the {d:,} components. Moves of b stay in this plane: factor · R(degrees) b + shift · a."
        ).format(d=len(pair.a))
    )
    st.markdown(
        _(
            "Invariance is tried on these very vectors. Both are turned by 30° in their plane; a joint shift adds "
            "{step} to every component, which is as long as their mean length. A score counts as unchanged when it "
            "moves by at most 4·ε·d·(|s| + ‖∂s/∂a‖‖a‖ + ‖∂s/∂b‖‖b‖), with ε = 2.2e−16 and the derivatives of the "
            "measure: what rounding in float64 can do. “Not in general” marks a score that stayed although its "
            "measure does not promise it."
        ).format(step=number(joint_shift(pair)))
    )
    st.markdown(
        _(
            "Level curves are drawn from the scores of a with the points of a grid of 80 × 80 in the plane, between "
            "which they are interpolated; the axes reach a quarter past the longer vector."
        )
    )
