"""Which layers of a configuration keep only a window of tokens, and which keep nothing."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from attention_core.errors import CacheError
from attention_core.kv_cache.config_fields import Fields

Windows: TypeAlias = tuple[int | None, ...]

FULL = {"full_attention", "attention", "global_attention", "indexed_attention"}
BOUNDED = {"sliding_attention": "sliding_window", "chunked_attention": "attention_chunk_size"}
"""Layers that hold as many tokens as another field says."""
PERIODS = {"gemma2": 2, "gpt_oss": 2, "gemma3_text": 6, "gemma3": 6, "cohere2": 4, "olmo3": 4, "exaone4": 4}
"""Families in which every so many-th layer is full and the others slide (transformers 5, configuration files)."""
SWITCHED = ("qwen2", "qwen3", "smollm3")
"""Families whose windows are off unless use_sliding_window says otherwise."""


def windows(fields: Fields, layers: int) -> Windows:
    """For each layer that keeps keys and values how many tokens it holds at most; None for all.

    Raises:
        CacheError: layer_types of another length, or of layers whose window is missing.
    """
    kinds = _kinds(fields, layers)
    others = Counter(kind for kind in kinds if kind not in FULL and kind not in BOUNDED)
    for kind, count in others.items():
        fields.notes.append(
            f"{count} of {layers} layers are {kind[:40]}, which keep no keys and values; what they keep in their place "
            "does not grow with the context and is not counted."
        )
    bounds = {kind: fields.needed(BOUNDED[kind], f"a layer of {kind}") for kind in set(kinds) & set(BOUNDED)}
    found = tuple(bounds.get(kind) for kind in kinds if kind not in others)
    shared = fields.count("num_kv_shared_layers", least=0) or 0
    if shared:
        fields.notes.append(f"The last {shared} layers use the keys and values of layers before them: not counted.")
        found = found[: max(0, len(found) - shared)]
    if not found:
        raise CacheError("No layer of the configuration keeps keys and values. Give a model with attention.")
    return found


def _kinds(fields: Fields, layers: int) -> list[str]:
    listed = fields.raw("layer_types")
    if isinstance(listed, list):
        if not all(isinstance(kind, str) for kind in listed):
            raise CacheError(
                "layer_types lists something that is no name of a kind of layers. Give names such as full_attention "
                "and sliding_attention."
            )
        if len(listed) != layers:
            raise CacheError(
                f"The configuration contradicts itself: layer_types has {len(listed)} entries for {layers} layers. "
                "Give one for each layer."
            )
        return listed
    if fields.kind == "llama4_text":
        return ["full_attention" if (i + 1) % 4 == 0 else "chunked_attention" for i in range(layers)]
    if _no_window(fields):
        return ["full_attention"] * layers
    first = 0
    if fields.kind.startswith(SWITCHED):
        first = fields.count("max_window_layers", least=0) or 0
    period = fields.count("sliding_window_pattern") or PERIODS.get(fields.kind, 0)
    return [_kind(i, first, period) for i in range(layers)]


def _kind(layer: int, first: int, period: int) -> str:
    slides = layer >= first and (not period or (layer + 1) % period != 0)
    return "sliding_attention" if slides else "full_attention"


def _no_window(fields: Fields) -> bool:
    switch = fields.flag("use_sliding_window")
    if switch is False or (switch is None and fields.kind.startswith(SWITCHED)):
        return True
    return not fields.count("sliding_window", least=0)
