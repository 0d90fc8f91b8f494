"""How tutorials and calculators often count a cache: by the hidden size, and without the rotary key."""

from __future__ import annotations

from dataclasses import dataclass

from attention_core.kv_cache.presets import ModelPreset


@dataclass(frozen=True)
class Shortcut:
    """Counts that depart from what a model holds.

    Attributes:
        standard: 2·d·L numbers for a token, with the hidden size for d: right only where heads times their size is d.
        latent: kv_lora_rank·L numbers, without the rotary key; None without MLA.
        share: kv_lora_rank over heads times the size of a value; it leaves out the rotary key above and the factor 2 of
            keys and values below; None without MLA.
    """

    standard: int
    latent: int | None
    share: float | None


def shortcut(preset: ModelPreset) -> Shortcut:
    """The shortcut's counts for a model.

    Example:
        >>> from attention_core.kv_cache import PRESETS
        >>> shortcut(PRESETS["DeepSeek-V3"])
        Shortcut(standard=874496, latent=31232, share=0.03125)
    """
    standard = 2 * preset.hidden * preset.layers
    if preset.latent is None:
        return Shortcut(standard, None, None)
    rank = preset.latent.kv_lora_rank
    return Shortcut(standard, rank * preset.layers, rank / (preset.heads * preset.v_head_dim))
