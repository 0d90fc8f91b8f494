"""What is decided on every page on attention."""

from __future__ import annotations

import streamlit as st

from attention_core.attention.sentence import MOST_TOKENS
from dashboard import cache
from dashboard.language import _
from dashboard.view import View


def conventions(view: View) -> None:
    """What is decided about masks, projections, positions and unknown words."""
    st.markdown(
        _(
            "**Masks.** Of several masks, all must allow a pair. Masked scores become −∞ and their weights exactly 0; "
            "a token that may attend to none has weights and an output of exactly 0. A window counts the token itself. "
            "Where fewer tokens ask than answer, they are the last ones: bottom-right lets the last of them see the "
            "last token, top-left lets the first of them see the first token alone."
        )
    )
    st.markdown(
        _(
            "**Q, K and V.** identity: the vectors themselves. random: normal weights of variance 1/{d}. orthogonal: "
            "each head sees a random subspace, all at right angles, and W_O turns back. pca: the same with the "
            "principal axes of every {step}. word of the vectors, the first head those of most variance. own: the "
            "matrices of your file. With several heads, each takes a block of components, and the scale is that of one "
            "head."
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
