"""The three forms on the same hidden states: one output, two caches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from attention_core.attention.latent.cache import ExpandedCache, LatentCache
from attention_core.attention.latent.costs import Form
from attention_core.attention.latent.module import LatentAttention


@dataclass(frozen=True)
class SideBySide:
    """Token after token in each form.

    Attributes:
        differences: of each form, the largest absolute difference from the output without a cache.
        largest: the largest absolute value of that output.
        nbytes: of each form, the bytes of its cache at the end, counted from the tensors.
        tokens: how many.
    """

    differences: Mapping[Form, float]
    largest: float
    nbytes: Mapping[Form, int]
    tokens: int


@torch.no_grad()
def side_by_side(attention: LatentAttention, x: Tensor) -> SideBySide:
    """Decodes the tokens (token, hidden) one by one: naive, from an expanded cache, and absorbed.

    Raises:
        AttentionError: hidden states that do not fit the layer.

    Example:
        >>> from attention_core.attention.latent.config import LatentConfig
        >>> attention = LatentAttention(LatentConfig(10, 2, 6, 4, 3, 2, 5), dtype=torch.float64)
        >>> found = side_by_side(attention, torch.eye(10, dtype=torch.float64)[:7])
        >>> max(found.differences.values()) < 1e-14, found.nbytes["expanded"] / found.nbytes["absorbed"]
        (True, 3.3333333333333335)
    """
    wanted = attention(x).output
    config, n = attention.config, len(x)
    latents, again, expanded = (
        LatentCache(config, 1, n, x),
        LatentCache(config, 1, n, x),
        ExpandedCache(config, 1, n, x),
    )
    rows = torch.split(x[None], 1, dim=1)
    outputs: dict[Form, Tensor] = {
        "naive": torch.cat([attention.prefill(row, again).output for row in rows], dim=1)[0],
        "expanded": torch.cat([attention.decode(row, expanded).output for row in rows], dim=1)[0],
        "absorbed": torch.cat([attention.decode(row, latents).output for row in rows], dim=1)[0],
    }
    return SideBySide(
        {form: float((output - wanted).abs().max()) for form, output in outputs.items()},
        float(wanted.abs().max()),
        {"naive": again.nbytes, "expanded": expanded.nbytes, "absorbed": latents.nbytes},
        n,
    )
