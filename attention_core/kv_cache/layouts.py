"""What a layer keeps of one token: keys and values of many heads, of few, of one, or a latent in their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from attention_core.kv_cache.formats import SCALED, Format
from attention_core.kv_cache.presets import ModelPreset

LAYOUTS: Mapping[str, str] = MappingProxyType(
    {
        "mha": "MHA",
        "gqa": "GQA",
        "mqa": "MQA",
        "mla": "MLA",
        "expanded": "MLA with keys and values kept",
    }
)
"""Layouts by name, with their labels."""
GROUPS = 8
"""Key and value heads of GQA where a model has none of its own: as many as Llama 2 70B and most models since."""


@dataclass(frozen=True)
class Part:
    """One kind of vectors that a layer keeps.

    Attributes:
        name: "keys", "values", "latent", "rotary key" or "indexer keys".
        heads: how many of them for each token.
        size: components of each.
        fixed: whether each component takes a byte, whatever the format of the cache.
    """

    name: str
    heads: int
    size: int
    fixed: bool = False

    def bytes(self, kept: Format) -> int:
        """For one token in one layer."""
        if self.fixed:
            return self.heads * self.size
        if kept.scaled_latent and self.name == "latent":
            return self.heads * (kept.vector_bytes(self.size) + 4 * -(-self.size // SCALED))
        if kept.scaled_latent and self.name == "rotary key":
            return self.heads * 2 * self.size
        return self.heads * kept.vector_bytes(self.size)


@dataclass(frozen=True)
class Layout:
    """What a layer keeps of one token.

    Attributes:
        name: a key of `LAYOUTS`.
        parts: its vectors.
    """

    name: str
    parts: tuple[Part, ...]

    @property
    def numbers(self) -> int:
        """How many numbers, those of an indexer left out."""
        return sum(part.heads * part.size for part in self.parts if not part.fixed)

    def bytes(self, kept: Format) -> int:
        """For one token in one layer."""
        return sum(part.bytes(kept) for part in self.parts)


def own_layout(preset: ModelPreset) -> str:
    """The layout that the model itself has.

    Example:
        >>> from attention_core.kv_cache import PRESETS
        >>> [own_layout(PRESETS[name]) for name in ("DeepSeek-V3", "Qwen2.5-72B", "Falcon-7B", "Phi-2")]
        ['mla', 'gqa', 'mqa', 'mha']
    """
    if preset.latent is not None:
        return "mla"
    if preset.kv_heads == preset.heads:
        return "mha"
    return "mqa" if preset.kv_heads == 1 else "gqa"


@lru_cache(maxsize=256)
def layouts(preset: ModelPreset) -> Mapping[str, Layout | str]:
    """The model's own layout, and what the same layers and heads would keep under the others.

    MHA: each query head has a key and a value of its own. GQA: the model's own groups, or else as many as the largest
    divisor of its query heads up to 8 that is neither 1 nor all. MQA: one key and one value. MLA: the model's own
    latent, or else one of 4·d and a rotary key of d/2 components, where d is the size of a head (what DeepSeek-V2 has:
    its paper, section 2.1.4). A model with MLA would use heads of its nope and value sizes, since MHA turns the key
    itself; what it would hold if it kept the keys and values that its latent expands to is "expanded".

    Returns:
        By name: the layout, or why there is none.

    Example:
        >>> from attention_core.kv_cache import PRESETS
        >>> {name: layout.numbers for name, layout in layouts(PRESETS["DeepSeek-V3"]).items()}
        {'mha': 32768, 'gqa': 2048, 'mqa': 256, 'mla': 576, 'expanded': 40960}
        >>> layouts(PRESETS["Falcon-7B"])["gqa"]
        '71 heads form no equal groups of fewer than all and more than one, up to 8 groups'
    """
    groups = _groups(preset)
    found: dict[str, Layout | str] = {
        "mha": _of_heads("mha", preset, preset.heads),
        "gqa": _of_heads("gqa", preset, groups)
        if groups
        else f"{preset.heads} heads form no equal groups of fewer than all and more than one, up to {GROUPS} groups",
        "mqa": _of_heads("mqa", preset, 1),
        "mla": _latent(preset),
    }
    if preset.latent is not None:
        keys = Part("keys", preset.heads, preset.qk_head_dim)
        found["expanded"] = Layout("expanded", (keys, Part("values", preset.heads, preset.v_head_dim)))
    own = found[own_layout(preset)]
    if preset.indexer_bytes and isinstance(own, Layout):
        indexer = Part("indexer keys", 1, preset.indexer_bytes, fixed=True)
        found[own.name] = Layout(own.name, (*own.parts, indexer))
    return MappingProxyType(found)


def _groups(preset: ModelPreset) -> int | None:
    if own_layout(preset) == "gqa":
        return preset.kv_heads
    fitting = (n for n in range(min(GROUPS, preset.heads - 1), 1, -1) if preset.heads % n == 0)
    return next(fitting, None)


def _of_heads(name: str, preset: ModelPreset, heads: int) -> Layout:
    return Layout(name, (Part("keys", heads, preset.qk_nope_head_dim), Part("values", heads, preset.v_head_dim)))


def _latent(preset: ModelPreset) -> Layout | str:
    if preset.latent is not None:
        rank, rope = preset.latent.kv_lora_rank, preset.latent.qk_rope_head_dim
    else:
        rank, rope = 4 * preset.v_head_dim, 2 * -(-preset.qk_head_dim // 4)  # an even size, since pairs turn
    if rank > preset.hidden:
        return f"a latent of 4 · {preset.v_head_dim} components is larger than the hidden state of {preset.hidden}"
    return Layout("mla", (Part("latent", 1, rank), Part("rotary key", 1, rope)))
