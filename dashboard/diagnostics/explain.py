"""How the figures are computed: formulas with the numbers at hand, rules with their thresholds, sources."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.plots.theme import number
from attention_core.similarity import advice
from dashboard import cache
from dashboard.diagnostics.findings import named, of
from dashboard.language import _
from dashboard.view import View


def figures(view: View, found: ac.Neighbourhoods | None) -> None:
    """Each figure's formula, with the numbers of this page where they are short."""
    geometry = cache.geometry(view)
    _mean_cosine(geometry)
    if found is not None:
        _hubness(found)
    st.markdown(
        _(
            "**Effective dimension** · the participation ratio of the variances λ along the principal components "
            "(scikit-learn's PCA): d when all directions vary alike, 1 when one does."
        )
    )
    st.latex(r"\frac{(\sum_i \lambda_i)^2}{\sum_i \lambda_i^2}")
    st.markdown(
        _(
            "Of more than 8,192 vectors a sample is taken, and the interval is a delete-a-group jackknife. Of more "
            "than 1,024 dimensions only the first 128 components are computed, and the ratio is an upper bound."
        )
    )
    st.markdown(
        _(
            "**Norm and frequency** · Spearman's rho over all words, average ranks for ties. A negative value means "
            "that frequent words are longer, since rank 1 is the most frequent word."
        )
    )


def _mean_cosine(geometry: ac.Geometry) -> None:
    st.markdown(
        _(
            "**Mean cosine** · over all m(m − 1) ordered pairs of different words, exact without visiting a pair; u "
            "are the unit vectors, zero vectors are left out."
        )
    )
    m = len(geometry.norms) - len(geometry.zeros)
    value = "" if geometry.anisotropy is None else rf" = {geometry.anisotropy:.4f},\quad m = {m:,}"
    st.latex(r"\frac{\lVert \sum_i u_i \rVert^2 - m}{m(m-1)}" + value.replace(",", "{,}", value.count(",") - 1))


def _hubness(found: ac.Neighbourhoods) -> None:
    st.markdown(
        _(
            "**Hubness** · N is the number of lists of the {k} closest words that a word is in (Radovanović, "
            "Nanopoulos and Ivanović 2010); lists of {of}. Its skewness is the standardised third moment over all "
            "words: 0 for a symmetric distribution, large when few words are in very many lists."
        ).format(k=found.k, of=of(found))
    )
    st.latex(r"\frac{\frac1n\sum_i (N_i - \bar N)^3}{\left(\frac1n\sum_i (N_i - \bar N)^2\right)^{3/2}}")
    if found.sampled:
        st.markdown(
            _(
                "{of} were drawn (seed 0) and their lists taken among all words. Counts are of these lists. The "
                "skewness is that of the lists of all words, estimated from factorial moments, which sampling without "
                "replacement scales by known factors; its interval is a delete-a-group jackknife with 20 groups. "
                "Intervals of shares are Wilson's."
            ).format(of=of(found))
        )
    st.markdown(
        _(
            "A list whose scores are undefined, or all tie, is left out: it would only repeat the order of the file. "
            "The additive score is left out of this page: its weights are untrained, and so would be its lists."
        )
    )


def rules(given: ac.Advice) -> None:
    """How the answer follows from the figures."""
    st.markdown(
        _(
            "**The answer** · If dot product and cosine share {same} % of the closest words or more, the choice hardly "
            "matters. Else the measure of training is taken where the source tells it and its skewness is at most "
            "{even}, or {times} times the lowest; else the measure with the lowest skewness. This rests on how "
            "neighbours are spread, not on whether they are right: only judgements on such words can tell that."
        ).format(same=number(100 * advice.SAME_LISTS, 2), even=number(advice.EVEN, 1), times=number(advice.HUBBY, 1))
    )
    if given.against_training:
        st.markdown(
            _(
                "Here the {trained} of training is passed over: its skewness is more than {times} times the lowest."
            ).format(trained=named(given.against_training), times=number(advice.HUBBY, 1))
        )
    st.markdown(
        _(
            "**Centring** is advised where the mean cosine is {common} or more and it brings the skewness of cosine to "
            "{gain} % or less of what it was (Suzuki et al. 2013 show why it reduces hubs)."
        ).format(common=number(advice.COMMON, 1), gain=number(100 * advice.GAIN, 2))
    )
