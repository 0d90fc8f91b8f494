"""How the distributions are computed: formulas with the numbers at hand, conventions and sources."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

import attention_core as ac
from attention_core.plots.theme import number
from dashboard.language import _
from dashboard.view import View


def computed(view: View, found: Mapping[str, ac.Distribution]) -> None:
    """What was counted, how exactly, and what it is compared with."""
    n, d = len(view.embeddings), view.embeddings.dimension
    st.markdown(_("A word is paired with every other word. Of {n:,} words there are").format(n=n))
    st.latex(rf"\binom{{n}}{{2}} = \frac{{{n} \cdot {n - 1}}}{{2}} = {n * (n - 1) // 2}")
    st.markdown(
        _(
            "pairs, and twice as many where (a, b) and (b, a) score differently. Dot product, cosine and Euclidean "
            "distance are read off one product, block by block, and all pairs are counted while pairs × (dimensions + "
            "300) stays below 4·10¹¹. Otherwise, and for the additive score, {size:,} pairs are drawn at random with "
            "replacement; each share then has the 95 % interval of Clopper and Pearson (1934), and each bin the "
            "binomial standard error."
        ).format(size=ac.Sampling().size)
    )
    for name, shown in found.items():
        if shown.pairs and not shown.constant:
            told = _(
                "**{measure}**: {bins:,} fine bins from the lowest to the highest score; a score may be counted on the "
                "other side of an edge if it lies within {rounding} of it. Mean {mean} ({low} to {high}), standard "
                "deviation {deviation}: each pair counts as the middle of its bin."
            )
            st.markdown(
                told.format(
                    measure=_(ac.MEASURES[name].label),
                    bins=len(shown.counts),
                    rounding=number(shown.rounding, 2),
                    mean=number(shown.mean.value, 5),
                    low=number(shown.mean.low, 5),
                    high=number(shown.mean.high, 5),
                    deviation=number(shown.deviation, 4),
                )
            )
    st.markdown(_("The dotted line: vectors of the same norms in random directions, whose cosine c has the density"))
    st.latex(rf"f(c) \propto (1 - c^2)^{{(d - 3)/2}}, \quad d = {d}")
    st.markdown(
        _(
            "as normalised Gaussian vectors have it. 524,288 pairs of norms and cosines are drawn with seed 0; the "
            "additive score, which c does not decide, is taken on Gaussian vectors. Pairs so close that the product of "
            "rounded numbers cannot tell their distance are computed anew from differences, in float64. A share is one "
            "of pairs with two different words; an exact twin is a pair as any other."
        )
    )
