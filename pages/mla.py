"""MLA: keys and values of all heads through one small latent, which alone is cached."""

import streamlit as st

from attention_core.attention import latent
from dashboard import frame, inputs
from dashboard.language import _
from dashboard.mla import cached, draw, explain, findings, walk
from dashboard.mla import inputs as choices

view = frame.require()
frame.heading(
    view,
    _("MLA"),
    _(
        "Multi-head latent attention: keys and values of all heads pass through one small latent, which alone is "
        "cached."
    ),
)
finding = st.container()
asked = choices.asked()
finding.markdown(findings.of_cache(asked))
draw.flow(view, asked)


@frame.part
def walked(view):
    """What the sentence, the step and the head change."""
    walk.walk(view, choices.sentence(view))


@frame.part
def squeezed(view, found):
    """What the size of the latent changes."""
    rank = choices.rank(found)
    st.markdown(findings.of_low_rank(found, rank))
    draw.low_rank(view, found, rank)


labels = [_("Step by step"), _("Three forms"), _("Low rank"), _("Rotary key")]
steps, forms, low_rank, rotary = inputs.opened_tab(labels)
if steps.open:
    with steps:
        walked(view)
if forms.open:
    with forms, frame.errors_shown():
        sentence = choices.sentence(view)
        x = view.compute.tensor(sentence.matrix[: walk.SHOWN], "float64")
        side = latent.side_by_side(walk.layer(view), x)
        st.markdown(findings.of_forms(side, asked.config, asked.tokens))
        draw.forms(view, asked)
        timing = draw.times(view, asked)
if low_rank.open:
    with low_rank, frame.errors_shown():
        with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
            one, heads, seed = choices.one_sentence(view), choices.low_rank_heads(view), choices.seed()
        squeezed_through = (choices.sentence(view) if one else None, heads, seed)
        squeezed(view, cached.low_rank(view, *squeezed_through))
if rotary.open:
    with rotary, frame.errors_shown():
        draw.folding(view, asked)


def computed():
    """The layer's formulas, and those of the open tab."""
    explain.layer(asked)
    explain.costs(asked)
    if low_rank.open:
        explain.low_rank(cached.low_rank(view, *squeezed_through))


def along():
    """Costs, and what the open tab shows."""
    if low_rank.open:
        draw.take_low_rank(view, cached.low_rank(view, *squeezed_through), *squeezed_through)
    else:
        draw.take_costs(view, asked, timing if forms.open else None)


frame.details(computed, along)
