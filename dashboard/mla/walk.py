"""One layer of MLA step by step, with the vectors of a sentence as hidden states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from attention_core.attention import LatentAttention, LatentConfig, Sentence, latent
from attention_core.plots.latent_steps import Block, matrices
from attention_core.plots.theme import number
from dashboard.draw import figure
from dashboard.inputs import one_of_few
from dashboard.language import _
from dashboard.mla import inputs
from dashboard.untrusted import quoted
from dashboard.view import View

HEADS, QUERY_RANK, RANK, NOPE, ROPE, VALUE = 2, 6, 5, 4, 2, 3
SHOWN = 12
"""Tokens that are drawn."""


@dataclass(frozen=True)
class Step:
    """A step on the way.

    Attributes:
        formula: in LaTeX.
        says: what happens, in English.
        blocks: the matrices to draw.
        shares: whether they are weights.
    """

    formula: str
    says: str
    blocks: Callable[[latent.LatentSteps, int], list[Block]]
    shares: bool = False


STEPS = {
    "h": Step(
        r"h_t",
        "The hidden states: here the vectors of the words.",
        lambda s, _h: [Block("h", s.hidden)],
    ),
    "query": Step(
        r"c^Q_t = \mathrm{RMSNorm}(W^{DQ} h_t), \quad [q^C_{t,i};\, q^R_{t,i}] = W^{UQ}_i c^Q_t, "
        r"\quad q^R \text{ turned}",
        "A latent for the query (not cached), and from it the query of each head: a part without position and a part "
        "that RoPE turns by the token's position.",
        lambda s, h: [
            Block("c<sup>Q</sup>", np.zeros((0, 0)) if s.query_latent is None else s.query_latent),
            Block("q<sup>C</sup>", s.query_nope[h]),
            Block("q<sup>R</sup>", s.query_rope[h]),
        ],
    ),
    "cache": Step(
        r"[c_t;\, k^R_t] = W^{DKV} h_t, \quad c_t \leftarrow \mathrm{RMSNorm}(c_t), \quad k^R_t \text{ turned}",
        "What is cached, for all heads together: the normalised latent, and one rotary key, which comes from h and not "
        "from the latent. The key is neither normalised nor split by head.",
        lambda s, _h: [Block("c", s.latent), Block("k<sup>R</sup>", s.rope_key)],
    ),
    "keys": Step(
        r"[k^C_{t,i};\, v_{t,i}] = W^{UKV}_i c_t",
        "Keys and values of the head, made from the latent. The absorbed form never makes them.",
        lambda s, h: [Block("k<sup>C</sup>", s.key_nope[h]), Block("v", s.values[h])],
    ),
    "absorb": Step(
        r"q^C \cdot W^{UK} c = ({W^{UK}}^{\top} q^C) \cdot c",
        "$W^{UK}$ moves into the query: it now has as many components as the latent, and meets the cache itself.",
        lambda s, h: [Block("W<sup>UK⊤</sup> q<sup>C</sup>", s.absorbed_query[h]), Block("c", s.latent)],
    ),
    "weights": Step(
        r"a = \mathrm{softmax}\big(s\,(\tilde q \cdot c + q^R \cdot k^R)\big)",
        "The weights of the head: each row is a token that asks, each column one that answers, none later.",
        lambda s, h: [Block("a", s.weights[h])],
        shares=True,
    ),
    "values": Step(
        r"o_{t,i} = W^{UV}_i \sum_j a_{tj} c_j",
        "Cached latents are mixed first; then $W^{UV}$ makes the head's value of the mixture.",
        lambda s, h: [Block("Σ a c", s.mixed_latent[h]), Block("o", s.head_outputs[h])],
    ),
    "output": Step(
        r"u_t = W^O [o_{t,1}; \dots; o_{t,n_h}]",
        "The heads joined and projected: what the layer adds to the hidden state.",
        lambda s, _h: [Block("u", s.output)],
    ),
}


def small(view: View) -> LatentConfig:
    """A configuration whose matrices fit on a page, for vectors of any size."""
    d = view.embeddings.dimension
    return LatentConfig(d, HEADS, min(QUERY_RANK, d), min(RANK, d), NOPE, ROPE, VALUE)


def layer(view: View) -> LatentAttention:
    """Its layer, with random weights in float64."""
    return LatentAttention(small(view), dtype=torch.float64).to(view.compute.device)


def walk(view: View, sentence: Sentence) -> None:
    """The chosen step of the chosen head: what happens, and its matrices."""
    attention, config = layer(view), small(view)
    x = view.compute.tensor(sentence.matrix[:SHOWN], "float64")
    found, tokens = latent.steps(attention, x), sentence.tokens[:SHOWN]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        name = one_of_few("mla_step", _("Step"), tuple(STEPS))
        head = inputs.head(config.num_heads)
    step = STEPS[name]
    st.markdown(_(step.says))
    st.markdown(f"${step.formula}$")  # in the line: it breaks on a phone, where a block of its own would scroll
    blocks = [block for block in step.blocks(found, head) if block.values.size]
    if name == "weights":
        blocks = [Block(block.name, block.values, tokens) for block in blocks]
    alt = _("Matrices of the step {step}; rows are the tokens {tokens}").format(step=name, tokens=", ".join(tokens))
    figure(matrices(blocks, tokens, view.style, step.shares), alt, "step")
    if name == "absorb" and len(tokens) > 1:
        st.markdown(_meeting(found, head, tokens))
    st.caption(
        _(
            "{heads} heads, query latent {q}, latent {rank}, heads of {nope} + {rope} and values of {v} components; "
            "weights are random (seed 0), untrained: the way is DeepSeek's, the weights mean nothing."
        ).format(
            heads=config.num_heads,
            q=config.q_lora_rank,
            rank=config.kv_lora_rank,
            nope=config.qk_nope_head_dim,
            rope=config.qk_rope_head_dim,
            v=config.v_head_dim,
        )
        + (
            _(" The first {shown} of {n} tokens are drawn.").format(shown=SHOWN, n=len(sentence))
            if len(sentence) > SHOWN
            else ""
        )
    )


def _meeting(found: latent.LatentSteps, head: int, tokens: tuple[str, ...]) -> str:
    """Both products of the last token with the first."""
    made = float(found.query_nope[head, -1] @ found.key_nope[head, 0])
    folded = float(found.absorbed_query[head, -1] @ found.latent[0])
    return _(
        "{last} with {first}: $q^C \\cdot k^C$ = {made}, from the latent itself {folded}; they differ by {difference}."
    ).format(
        last=quoted(tokens[-1]),
        first=quoted(tokens[0]),
        made=number(made, 6),
        folded=number(folded, 6),
        difference=number(abs(made - folded), 2),
    )
