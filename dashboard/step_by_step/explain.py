"""How the stages are computed: formulas with the sizes at hand, conventions and sources."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.attention.sentence import MOST_TOKENS
from attention_core.attention.stages import stage_names
from attention_core.export.stages import stages_code, stages_csv
from dashboard import cache, draw
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
    _conventions(view)


def _conventions(view: View) -> None:
    st.markdown(
        _(
            "**Masks.** Masked scores become −∞ and their weights exactly 0; a token that may attend to none has "
            "weights and an output of exactly 0. A window counts the token itself. Where fewer tokens ask than answer, "
            "they are the last ones: bottom-right lets the last of them see the last token, top-left lets the first of "
            "them see the first token alone."
        )
    )
    st.markdown(
        _(
            "**Q, K and V.** identity: the vectors themselves. random: normal weights of variance 1/{d}. orthogonal: "
            "each head sees a random subspace, all at right angles, and W_O turns back. pca: the same with the "
            "principal axes of every {step}. word of the vectors, the first head those of most variance. With several "
            "heads, each takes a block of components, and the scale is that of one head."
        ).format(d=view.embeddings.dimension, step=cache.principal_step(view))
    )
    st.markdown(
        _(
            "**Positions.** sinusoidal: added to the vectors as in section 3.5 of that paper, unscaled. rope: pairs "
            "(2i, 2i + 1) of queries and keys turn by p·10000^(−2i/d) at position p (Su et al. 2021)."
        )
    )
    st.markdown(
        _(
            "**Tokens.** Words are looked up as written, then lower-cased; text of scripts without spaces is cut into "
            "the longest words of the vocabulary from the left; up to five words that are one label are one token. At "
            "most {most:,} tokens. A random vector depends on the word and the seed alone."
        ).format(most=MOST_TOKENS)
    )


def along(view: View, walk: Walk) -> None:
    """Every pair as CSV and the Python that computes all stages."""
    number = walk.head.number
    code = stages_code(draw.loading(view), walk.sentence, walk.settings, number, cache.principal_step(view))
    draw.takeaway(
        lambda: stages_csv(walk.sentence, walk.stages, number, view.embeddings, view.settings),
        "step_by_step.csv",
        code,
    )
