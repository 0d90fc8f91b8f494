"""The forward pass that fills a cache: keys and values of heads, or the latent of MLA."""

from __future__ import annotations

from math import sqrt
from typing import TypeAlias

import torch
from torch import Tensor

from attention_core.attention import Attention, AttentionOptions, LatentAttention, LatentConfig, attend, masks, rotary
from attention_core.attention.multi_head import multi_head
from attention_core.attention.projections import Projections
from attention_core.attention.scaled import scaled
from attention_core.kv_cache.layer_cache import LayerCache
from attention_core.kv_cache.layouts import Layout
from attention_core.kv_cache.presets import ModelPreset
from attention_core.kv_cache.storage import components

HIDDEN = 64
"""Components of the hidden state, and of a latent that is not cached; with a cached latent as many as that has."""


class _Indexer:
    """What a sparse attention keeps beside, to choose among tokens: one key for each, where the layout has any."""

    def __init__(self, layout: Layout, hidden: int, generator: torch.Generator, device: str) -> None:
        self.weights = {
            part.name: _normal(components(part), hidden, generator, device) for part in layout.parts if part.fixed
        }

    def keys(self, x: Tensor) -> dict[str, Tensor]:
        """(batch, 1, new, size) by name."""
        return {name: (x @ weights.mT).unsqueeze(-3) for name, weights in self.weights.items()}


class OfHeads:
    """A layer that caches keys and values of heads; each serves one query head.

    Attributes:
        hidden: components of its hidden states.
        projections: its weights.
    """

    hidden = HIDDEN

    def __init__(self, layout: Layout, seed: int, device: str) -> None:
        keys, values = layout.parts[:2]
        self.heads = keys.heads
        generator = torch.Generator().manual_seed(seed)
        rows = (keys.heads * keys.size, keys.heads * keys.size, values.heads * values.size)
        q, k, v = (_normal(count, HIDDEN, generator, device) for count in rows)
        self.projections = Projections(q, k, v, _normal(HIDDEN, rows[-1], generator, device))
        self.indexer = _Indexer(layout, HIDDEN, generator, device)

    def __call__(self, x: Tensor, cache: LayerCache) -> Tensor:
        """(batch, new, hidden) -> the same, after attending to all that is cached."""

        def attention(q: Tensor, k: Tensor, v: Tensor, _mask: Tensor | None) -> Attention[Tensor | None]:
            if q.shape[-1] % 2 == 0:
                places = _places(x, cache)
                q, k = rotary.rotate(q, places), rotary.rotate(k, places)
            seen = cache.append({"keys": k, "values": v, **self.indexer.keys(x)})
            return attend(
                q, seen["keys"], seen["values"], _window(x, seen["keys"], cache), AttentionOptions(need_weights=False)
            )

        return multi_head(x, self.projections, self.heads, attention=attention).output


class OfLatent:
    """A layer of multi-head latent attention: absorbed over its latent and rotary key, or over what they expand to.

    Attributes:
        hidden: components of its hidden states.
        attention: the layer itself.
    """

    def __init__(self, preset: ModelPreset, layout: Layout, seed: int, device: str) -> None:
        sizes = {part.name: part.size for part in layout.parts}
        self.keeps_latent = "latent" in sizes
        rank = sizes["latent"] if self.keeps_latent else HIDDEN
        self.hidden = max(HIDDEN, rank)
        heads = 1 if self.keeps_latent else preset.heads
        rope = sizes["rotary key"] if self.keeps_latent else preset.qk_head_dim - preset.qk_nope_head_dim
        config = LatentConfig(self.hidden, heads, 0, rank, preset.qk_nope_head_dim, rope, preset.v_head_dim)
        self.attention = LatentAttention(config, seed).to(device)
        self.indexer = _Indexer(layout, self.hidden, torch.Generator().manual_seed(seed), device)

    def __call__(self, x: Tensor, cache: LayerCache) -> Tensor:
        """(batch, new, hidden) -> the same, after attending to all that is cached."""
        attention, places = self.attention, _places(x, cache)
        q, rows = attention.queries(x, places), attention.compressed(x, places)
        if not self.keeps_latent:
            keys, values = attention.expanded(rows)
            seen = cache.append({"keys": keys, "values": values})
            may = _window(x, seen["keys"], cache)
            return attention.joined(scaled(q, seen["keys"], seen["values"], may, scale=attention.config.scale)).output
        rank, rope_size = attention.config.kv_lora_rank, attention.config.qk_rope_head_dim
        latent, rope = torch.split(rows.unsqueeze(1), [rank, rope_size], dim=-1)
        seen = cache.append({"latent": latent, "rotary key": rope, **self.indexer.keys(x)})
        held = torch.cat([seen["latent"], seen["rotary key"]], dim=-1).squeeze(1)
        return attention.joined(attention.absorbed(q, held, _window(x, held, cache))).output


Layer: TypeAlias = OfHeads | OfLatent


def layer(preset: ModelPreset, layout: Layout, seed: int, device: str = "cpu") -> Layer:
    """A layer with random weights that fills caches of this layout."""
    if layout.name in ("mla", "expanded"):
        return OfLatent(preset, layout, seed, device)
    return OfHeads(layout, seed, device)


def _normal(rows: int, columns: int, generator: torch.Generator, device: str) -> Tensor:
    return torch.randn(rows, columns, generator=generator).to(device) / sqrt(columns)


def _places(x: Tensor, cache: LayerCache) -> Tensor:
    """Positions of the new tokens."""
    return torch.arange(cache.length, cache.length + x.shape[-2], device=x.device)


def _window(x: Tensor, keys: Tensor, cache: LayerCache) -> Tensor:
    """Which of the keys seen each new token attends to: none later, and none that the window has dropped."""
    return masks.sliding_window(x.shape[-2], keys.shape[-2], cache.slots).to(x.device)
