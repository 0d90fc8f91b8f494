"""How the figures of MLA are computed: formulas with the numbers at hand, conventions and sources."""

from __future__ import annotations

import streamlit as st

from attention_core.attention import LatentConfig, latent
from attention_core.attention.rotary import Yarn
from attention_core.export.latent import TOKENS
from dashboard.language import _
from dashboard.mla.inputs import Asked

V3 = LatentConfig(7168, 128, 1536, 512, 128, 64, 128, yarn=Yarn(40, mscale=1.0, mscale_all_dim=1.0))


def layer(asked: Asked) -> None:
    """The formulas of the layer with its sizes, and the scale."""
    config = asked.config
    st.latex(
        r"\begin{aligned} c^Q &= \mathrm{RMSNorm}(W^{DQ} h) & [c;\,k^R] &= W^{DKV} h \\ "
        r"[q^C_i;\,q^R_i] &= W^{UQ}_i c^Q & [k^C_i;\,v_i] &= W^{UKV}_i\,\mathrm{RMSNorm}(c) \end{aligned}"
    )
    st.latex(
        r"o_i = \sum_j \mathrm{softmax}_j\!\left(\frac{q^C_i \cdot k^C_{ij} + \mathrm{RoPE}(q^R_i) \cdot "
        rf"\mathrm{{RoPE}}(k^R_j)}}{{\sqrt{{{config.qk_nope_head_dim} + {config.qk_rope_head_dim}}}}}\right) v_{{ij}}, "
        r"\qquad u = W^O [o_1; \dots; o_{n_h}]"
    )
    st.markdown(
        _(
            "Multi-head latent attention (MLA) of DeepSeek-V2 (2024, section 2.1, eq. 9–19 and 37–47) and V3. RMSNorm "
            "is on the latents alone, the rotary key comes from h (eq. 15) and is one for all heads, pairs (2i, 2i + "
            "1) turn. Where a model stretches its context by YaRN, the scale is multiplied further: in DeepSeek-V3 it "
            "is {scale} in all, as (0.1·ln 40 + 1)²/√192."
        ).format(scale=f"{V3.scale:.6f}")
    )


def costs(asked: Asked) -> None:
    """What is held and computed, with the sizes and the context at hand."""
    config, found = asked.config, latent.costs(asked.config, asked.tokens)
    st.latex(
        rf"\text{{cached}} = {config.kv_lora_rank} + {config.qk_rope_head_dim} = {config.cached}, \qquad "
        rf"\text{{expanded}} = {config.num_heads} \cdot ({config.qk_head_dim} + {config.v_head_dim}) "
        rf"= {config.expanded}"
    )
    st.markdown(
        _(
            "Operations are the multiplications and additions of one token's products from query and latent to the "
            "heads' values; projections that all forms share are left out. At n = {n:,}: naive {naive:,} = 2·(n·W + "
            "n·heads·({qk} + {v})), expanded {expanded:,} = 2·(W + n·heads·({qk} + {v})), absorbed {absorbed:,} = "
            "2·(W + n·heads·({cached} + {rank})), with W = heads·({nope} + {v})·{rank}, the numbers of $W^{{UK}}$ and "
            "$W^{{UV}}$."
        ).format(
            n=asked.tokens,
            naive=found["naive"].operations,
            expanded=found["expanded"].operations,
            absorbed=found["absorbed"].operations,
            qk=config.qk_head_dim,
            nope=config.qk_nope_head_dim,
            v=config.v_head_dim,
            cached=config.cached,
            rank=config.kv_lora_rank,
        )
    )


def low_rank(found: latent.LowRank) -> None:
    """The two ways to choose a latent, and what is measured."""
    st.latex(r"[W_K; W_V] \approx U_r\, D_r, \qquad \text{cached: } D_r x \in \mathbb{R}^r")
    st.markdown(
        _(
            "$W_Q$, $W_K$ and $W_V$ are random normal with variance 1/d, in float64, without masks and positions. “Of "
            "the weights alone” is the truncated singular value decomposition of $[W_K; W_V]$, the best of its rank "
            "for vectors that point everywhere alike (Eckart and Young 1936). “Of these vectors” keeps the principal "
            "axes of the keys and values of {vectors:,} vectors. The error is ‖Ô − O‖/‖O‖ over {tokens:,} tokens, of a "
            "sentence the first {most} at most, before $W_O$. A latent of as many numbers as h has components loses "
            "nothing: it can be h."
        ).format(vectors=found.vectors, tokens=found.tokens, most=TOKENS)
    )
