"""Every intermediate of one MLA layer, as numbers that can be looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.attention.latent.module import LatentAttention
from attention_core.attention.scaled import scaled

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LatentSteps:
    """What happens to the hidden states h (token, hidden) on their way; causal, from position 0.

    Attributes:
        hidden: h.
        query_latent: (token, q_lora_rank), c^Q after its norm; None where queries are not compressed.
        query_nope: (heads, token, nope), q^C.
        query_rope: (heads, token, rope), q^R, turned.
        latent: (token, kv_lora_rank), c after its norm: cached.
        rope_key: (token, rope), k^R, turned, one for all heads: cached.
        key_nope: (heads, token, nope), k^C: made of c, never needed in the absorbed form.
        values: (heads, token, v): likewise.
        absorbed_query: (heads, token, kv_lora_rank), W^UKᵀ q^C, which meets the cached latent itself.
        weights: (heads, query, key).
        mixed_latent: (heads, token, kv_lora_rank), the weighted sum of cached latents, which W^UV makes values of.
        head_outputs: (heads, token, v).
        output: (token, hidden).
    """

    hidden: Floats
    query_latent: Floats | None
    query_nope: Floats
    query_rope: Floats
    latent: Floats
    rope_key: Floats
    key_nope: Floats
    values: Floats
    absorbed_query: Floats
    weights: Floats
    mixed_latent: Floats
    head_outputs: Floats
    output: Floats


@torch.no_grad()
def steps(attention: LatentAttention, x: Tensor) -> LatentSteps:
    """All of it for the tokens given: (token, hidden).

    Raises:
        AttentionError: hidden states that do not fit the layer.
    """
    config = attention.config
    final = attention(x)
    places = torch.arange(len(x), device=x.device)
    latent_q = attention.q_a_layernorm(attention.q_a_proj(x)) if config.q_lora_rank else None
    q, rows = attention.queries(x, places), attention.compressed(x, places)
    keys, values = attention.expanded(rows)
    heads = scaled(q, keys, values, causal=True, scale=config.scale)
    nope, rope = torch.split(q, [config.qk_nope_head_dim, config.qk_rope_head_dim], dim=-1)
    latent, rope_key = torch.split(rows, [config.kv_lora_rank, config.qk_rope_head_dim], dim=-1)
    return LatentSteps(
        hidden=_array(x),
        query_latent=None if latent_q is None else _array(latent_q),
        query_nope=_array(nope),
        query_rope=_array(rope),
        latent=_array(latent),
        rope_key=_array(rope_key),
        key_nope=_array(keys[..., : config.qk_nope_head_dim]),
        values=_array(values),
        absorbed_query=_array(nope @ attention.absorbed_weights()[0]),
        weights=_array(heads.weights),
        mixed_latent=_array(heads.weights @ latent),
        head_outputs=_array(heads.output),
        output=_array(final.output),
    )


def _array(tensor: Tensor) -> Floats:
    values: Floats = tensor.double().cpu().numpy()
    return values
