"""How the figures are computed: formulas with the numbers at hand, conventions and sources."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.plots.theme import number
from dashboard.language import _
from dashboard.untrusted import quoted
from dashboard.view import View


def scores(view: View, comparison: ac.Comparison) -> None:
    """Each measure's formula and its best score now; what ties, zero vectors and agreement mean here."""
    for name, ranking in comparison.rankings.items():
        measure = ac.MEASURES[name]
        st.markdown(f"**{_(measure.label)}** · {_(measure.meaning)}")
        st.latex(measure.formula)
        if len(ranking.order):
            st.markdown(
                _("Closest here: {word}, {score}.").format(
                    word=quoted(ranking.words[0]), score=number(float(ranking.scores[0]), 6)
                )
            )
    st.markdown(
        _(
            "One query is scored against all {n:,} words in float64. The query's own row is left out, its exact twins "
            "stay. Scores that agree to 12 significant digits tie: they share a rank and keep the order of the file."
        ).format(n=len(view.embeddings))
    )
    if any(ac.MEASURES[name].needs_weights for name in comparison.rankings):
        st.markdown(
            _(
                "The additive weights are random (Xavier uniform, 64 hidden units). Untrained, they know nothing of "
                "meaning: change the seed in the sidebar, and the ranking changes with it."
            )
        )
    st.markdown(
        _(
            "Agreement: Kendall's tau-b and Spearman's rho over all words, ties counted; rank-biased overlap in its "
            "extrapolated form with p = 0.9 over the full rankings (Webber, Moffat and Zobel 2010), in which the first "
            "ten ranks carry 86 % of the weight; overlap is the share of common words among the first k, average "
            "overlap its mean over depths 1 to k."
        )
    )


def undefined_agreement(comparison: ac.Comparison) -> None:
    """Why statistics are undefined or leave words out, once for each reason."""
    reasons = dict.fromkeys(found.why for found in comparison.agreement.values() if found.why)
    for reason in reasons:
        st.caption(_("{reason}.").format(reason=reason[0].upper() + reason[1:]))
