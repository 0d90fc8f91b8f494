"""What a reader should know about a configuration that can be read, but may not mean what it says."""

from __future__ import annotations

from attention_core.kv_cache.config_fields import Fields
from attention_core.kv_cache.layouts import own_layout
from attention_core.kv_cache.presets import PRESETS, ModelPreset
from attention_core.kv_cache.sizes import sizes


def checks(preset: ModelPreset, fields: Fields) -> list[str]:
    """Notes, one sentence each or two."""
    return [*_head_size(preset), *_windows(preset, fields), *_more_layers(fields), *_against_known(preset, fields)]


def _head_size(preset: ModelPreset) -> list[str]:
    if preset.latent is not None or preset.qk_head_dim * preset.heads == preset.hidden:
        return []
    return [
        f"A head has {preset.qk_head_dim} components, not the hidden size over the heads, "
        f"{preset.hidden}/{preset.heads} = {preset.hidden / preset.heads:g}."
    ]


def _windows(preset: ModelPreset, fields: Fields) -> list[str]:
    longest = fields.count("max_position_embeddings", least=0)
    bounded = preset.layers - preset.window_counts[None]
    if not bounded:
        return []
    widths = ", ".join(f"{window:,}" for window in sorted(filter(None, preset.window_counts)))
    told = [
        f"{bounded} of {preset.layers} layers hold at most {widths} tokens. Programs that ignore the windows hold more."
    ]
    if longest and all(window >= longest for window in preset.window_counts if window is not None):
        told.append(f"With at most {longest:,} positions these windows leave nothing out.")
    return told


def _more_layers(fields: Fields) -> list[str]:
    extra = fields.count("num_nextn_predict_layers", least=0)
    if not extra:
        return []
    return [f"{'One layer more' if extra == 1 else f'{extra} layers more'}, to predict further tokens: not counted."]


def _against_known(preset: ModelPreset, fields: Fields) -> list[str]:
    """A model of the same family and shape that holds something else: early copies of Llama 3.1 405B's, for one."""
    shape, family = (preset.hidden, preset.layers, preset.heads), _letters(fields.kind.removesuffix("_text"))
    known = [
        other
        for other in PRESETS.values()
        if (other.hidden, other.layers, other.heads) == shape and _letters(other.name).startswith(family)
    ]
    ours = sizes(preset, 1 << 17).total
    theirs = {other.name: sizes(other, 1 << 17).total for other in known}
    if not theirs or ours in theirs.values():
        return []
    name, count = next(iter(theirs.items()))
    other = PRESETS[name]
    heads = ""
    if "mla" not in (own_layout(preset), own_layout(other)) and preset.kv_heads != other.kv_heads:
        heads = f" It has {other.kv_heads} key and value heads, this configuration {preset.kv_heads}."
    return [
        f"{name} has the same hidden size, layers and query heads, and its cache at 131,072 tokens is "
        f"{count / ours:.3g} times as large.{heads} Check which of the two is right."
    ]


def _letters(name: str) -> str:
    """A name without what separates its parts, which model_type and the names of models do differently."""
    return "".join(filter(str.isalnum, name.lower()))
