"""How a map and its faithfulness are computed."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from dashboard.language import _
from dashboard.view import View


def method(view: View, projection: ac.Projection) -> None:
    """The method with the numbers at hand."""
    n, d = len(view.embeddings), view.embeddings.dimension
    if projection.options is None:
        st.latex(r"C = \tfrac{1}{n} \sum_i (x_i - \bar{x})(x_i - \bar{x})^\top, \qquad y_i = V^\top (x_i - \bar{x})")
        st.markdown(
            _(
                "PCA (Pearson 1901): V holds the eigenvectors of the covariance C of all {n:,} vectors of {d} "
                "components with the largest eigenvalues; the share of an axis is its eigenvalue divided by the sum of "
                "all. C is summed in float64 over every word, drawn or not. An axis points to where its largest "
                "component is positive."
            ).format(n=n, d=d)
        )
        return
    options = projection.options
    st.latex(
        r"\mathrm{KL}(P \parallel Q) = \sum_{i \neq j} p_{ij} \log \frac{p_{ij}}{q_{ij}}, \qquad "
        r"q_{ij} \propto \left(1 + \lVert y_i - y_j \rVert^2\right)^{-1}"
    )
    st.markdown(
        _(
            "t-SNE (van der Maaten and Hinton 2008) by scikit-learn, Barnes–Hut, 1,000 iterations from the principal "
            "components, perplexity {perplexity}, seed {seed}, on one thread of a process of its own. Cosine means "
            "that vectors are divided by their norms first. It keeps who is near whom: distances between clusters, "
            "their sizes and the axes mean nothing, and another seed or perplexity gives another picture."
        ).format(perplexity=options.perplexity or _("as large as possible up to 30"), seed=options.seed)
    )


def faithfulness(found: ac.Faithfulness | None) -> None:
    """The two figures with the numbers at hand, where they were worked out."""
    if found is None:
        return
    st.latex(r"T(k) = 1 - \frac{2}{m k (2m - 3k - 1)} \sum_i \sum_{j \in U_k(i)} (r(i, j) - k)")
    st.markdown(
        _(
            "Trustworthiness (Venna and Kaski 2001) with m = {m:,} words drawn and k = {k}: U holds the words that are "
            "among the k nearest of word i in the picture and not in the space, r is their rank in the space by the "
            "measure. Both figures look for neighbours among the words drawn, in float64, ties in file order, and are "
            "means over a random sample of these words with seed 0; intervals are ± 1.96 standard errors with the "
            "correction for a finite number of words. Additive scores are left out: their weights are untrained."
        ).format(m=found.drawn, k=found.k)
    )
