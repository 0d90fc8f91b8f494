"""How a cache is sized: formulas with the numbers at hand, what other layouts stand for, conventions and sources."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.kv_cache.units import format_bytes
from dashboard.cache_size.inputs import Asked
from dashboard.language import _


def computed(asked: Asked) -> None:
    """The formula of each model, filled in; then what it does not count."""
    st.markdown(_("A cache holds for each layer, sequence and token what the layer's layout keeps:"))
    st.latex(
        r"\text{bytes} = \text{batch} \cdot \sum_{\text{layers}} \min(W, n) \cdot \text{bytes of a token},"
        r"\quad W = \infty \text{ without a window}"
    )
    for name, s in asked.sizes.items():
        st.markdown(f"**{name}**, {ac.kv_cache.LAYOUTS[s.own]}")
        st.latex(formula(s))
        _source(s.preset)
    st.markdown(
        _(
            "**As MHA** each query head keeps a key and a value. **As GQA** the model's own groups share one, or "
            "8 groups where it has none (the largest divisor of its heads up to 8). **As MQA** all heads share "
            "one. **As MLA** a layer keeps the model's own latent and rotary key, or a latent of 4·d and a rotary "
            "key of d/2 components for heads of size d, as DeepSeek-V2 has them (its paper, section 2.1.4): such "
            "a model would have to be trained anew, so this says what the cache would hold and nothing of "
            "quality. A model with MLA would use heads of its nope and value sizes as MHA, GQA or MQA; “keys and "
            "values kept” is what its latent expands to, "
            "the rotary part included."
        )
    )
    st.markdown(
        _(
            "Counted is what the numbers take: no paging, padding or fragments, no shared prefixes, no scales of "
            "quantised caches but those of FlashMLA's format (512 float8, four float32 scales and 64 bfloat16: 656 "
            "bytes for each token and layer of DeepSeek-V3). A window of W holds the current token too. GB are 10⁹ "
            "bytes, GiB "
            "2³⁰; an “80 GB” H100 reports 81,559 MiB, 85.5·10⁹ bytes."
        )
    )
    sources = "; ".join(f"{gpu.name} {format_bytes(gpu.memory)} ({gpu.source})" for gpu in ac.kv_cache.GPUS.values())
    st.caption(_("Memory as the drivers report it: {sources}.").format(sources=sources))


def formula(s: ac.kv_cache.CacheSizes) -> str:
    r"""The size of a cache with its numbers, in LaTeX.

    Example:
        >>> print(formula(ac.kv_cache.sizes(ac.kv_cache.PRESETS["DeepSeek-V3"], 100)))
        1 \cdot (61 \cdot 100) \cdot (512 + 64) \cdot 2 = 7{,}027{,}200
    """
    w = s.workload
    layers = " + ".join(
        f"{count} \\cdot {w.tokens if window is None else min(window, w.tokens)}"
        for window, count in s.preset.window_counts.items()
    )
    layout = s.layouts[s.own]
    if w.format.scaled_latent and s.own == "mla":
        each = f"({' + '.join(str(part.bytes(w.format)) for part in layout.parts)})"
    else:
        parts = [part for part in layout.parts if not part.fixed]
        numbers = " + ".join(f"{part.heads} \\cdot {part.size}" if part.heads > 1 else f"{part.size}" for part in parts)
        width = f"{w.format.bits // 8}" if w.format.bits >= 8 else r"\tfrac{1}{2}"
        each = f"({numbers}) \\cdot {width}"
        fixed = sum(part.bytes(w.format) for part in layout.parts if part.fixed)
        each = f"[{each} + {fixed}]" if fixed else each
    return f"{w.batch} \\cdot ({layers}) \\cdot {each} = {s.total:,}".replace(",", "{,}")


def _source(preset: ac.kv_cache.ModelPreset) -> None:
    told = {
        "first-hand": _("Read first-hand: {source}."),
        "second-hand": _("Read second-hand: {source}."),
        "inferred": _("Partly inferred: {source}."),
        "own": _("From {source}."),
    }[preset.standing]
    st.text(told.format(source=preset.source) + (f" {preset.note}." if preset.note else ""))
