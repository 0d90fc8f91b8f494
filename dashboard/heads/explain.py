"""How Heads is computed: formulas with the numbers at hand, conventions and sources."""

from __future__ import annotations

import streamlit as st

from attention_core.attention.stages import Survey
from dashboard.attention.asked import Asked
from dashboard.attention.explain import conventions
from dashboard.language import _
from dashboard.view import View


def heads(view: View, asked: Asked, survey: Survey) -> None:
    """The formulas of multi-head attention and of every figure about heads."""
    settings, p = asked.settings, survey.stages.projections
    shared = settings.heads // settings.groups
    size, width = len(p.q) // settings.heads, survey.stages.v.shape[-1]
    st.latex(
        r"\operatorname{Concat}(\text{head}_1,\dots,\text{head}_h)\,W_O^{\top},\qquad "
        r"\text{head}_i=\operatorname{softmax}\!\left(s\,Q_iK_{g(i)}^{\top}\right)V_{g(i)}"
    )
    st.latex(rf"h={settings.heads},\quad d_k={size},\quad d_v={width},\quad g(i)=\lceil i/{shared}\rceil")
    st.markdown(
        _(
            "Vaswani et al. (2017), section 3.2.2; shared keys and values: Shazeer (2019), Ainslie et al. (2023). The "
            "scale s is that of the score chosen above. Where heads share keys and values, those of identity, "
            "orthogonal, pca and of your own weights are the means of each group's (Ainslie et al., section 2.1); "
            "random ones are drawn anew."
        )
    )
    _of_weights()
    _of_matrices(p.q.shape[1])
    conventions(view)


def _of_weights() -> None:
    """Distances, entropy and attended distance."""
    st.latex(
        r"d(a,b)=\frac1n\sum_{q}\sqrt{\tfrac12\operatorname{KL}(a_q\Vert m_q)+\tfrac12\operatorname{KL}(b_q\Vert m_q)},"
        r"\qquad m_q=\tfrac12(a_q+b_q)"
    )
    st.markdown(
        _(
            "The Jensen-Shannon distance (Endres and Schindelin 2003), logarithms to base 2: 0 for equal weights, 1 "
            "with no key in common. Rows without an allowed key count nowhere. Entropy is −Σ w ln w in nats, its "
            "exponential the number of keys that even weights would need; attended distance is Σ w·|i − j| (Vig and "
            "Belinkov 2019). Means are over all queries of this sentence and have no sampling error, unless a sample "
            "is named."
        )
    )


def _of_matrices(size: int) -> None:
    """Subspaces, effective rank and contributions."""
    st.markdown(
        _(
            "A head meets a vector through W·x alone: what is at right angles to the rows of its block is invisible to "
            "it. Shares of variance are of the vectors of this sentence about their mean, with positions added where "
            "they are. Principal angles: Björck and Golub (1973); a random subspace of r of {size} dimensions holds "
            "r/{size} on average. Effective rank: exp of the entropy of the singular values (Roy and Vetterli 2007) of "
            "the two products that a head is made of (Elhage et al. 2021)."
        ).format(size=size)
    )
    st.latex(
        r"o=b_O+\sum_i c_i,\quad c_i=\text{head}_i\,W_{O,i}^{\top},\qquad "
        r"\lVert o\rVert=\frac{b_O\cdot o}{\lVert o\rVert}+\sum_i \frac{c_i\cdot o}{\lVert o\rVert}"
    )
