"""What a decoded token costs in each form of MLA: numbers held, numbers moved, operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attention_core.attention.latent.config import LatentConfig
from attention_core.errors import AttentionError

Form = Literal["naive", "expanded", "absorbed"]
FORMS: tuple[Form, ...] = ("naive", "expanded", "absorbed")


@dataclass(frozen=True)
class Cost:
    """Of one token in one layer, from its query, latent and rotary key to what the heads give.

    The projections before and after (W^DQ, W^UQ, W^DKV, W^O) are the same in every form and left out.

    Attributes:
        held: numbers in the cache, the token's own included.
        moved: numbers that must be read at least: the cache once, and the matrices W^UK and W^UV.
        operations: multiplications and additions of the matrix products, two for each pair of factors.
    """

    held: int
    moved: int
    operations: int


def costs(config: LatentConfig, tokens: int) -> dict[Form, Cost]:
    """Each form's cost of decoding one token over a cache.

    Args:
        config: the sizes.
        tokens: that the cache holds, the decoded one included.

    Raises:
        AttentionError: fewer tokens than 1.

    Example:
        >>> v3 = costs(LatentConfig(7168, 128, 1536, 512, 128, 64, 128), tokens=4096)
        >>> round(v3["naive"].operations / v3["absorbed"].operations), v3["expanded"].held / v3["absorbed"].held
        (117, 71.11111111111111)
    """
    if tokens < 1:
        raise AttentionError(f"A cache of {tokens} tokens was asked for. Give 1 or more.")
    heads, rank = config.num_heads, config.kv_lora_rank
    per_head = config.qk_nope_head_dim + config.v_head_dim
    matrices = heads * per_head * rank  # W^UK and W^UV, which also are the products of one token with them
    over_keys = heads * tokens * (config.qk_head_dim + config.v_head_dim)
    over_latents = heads * tokens * (config.cached + rank)
    latents, expanded = tokens * config.cached, tokens * config.expanded
    return {
        "naive": Cost(latents, latents + matrices, 2 * (tokens * matrices + over_keys)),
        "expanded": Cost(expanded, expanded + matrices, 2 * (matrices + over_keys)),
        "absorbed": Cost(latents, latents + matrices, 2 * (matrices + over_latents)),
    }
