"""The widgets of Cache size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

import attention_core as ac
from attention_core.kv_cache.units import Family
from dashboard.inputs import one_of_few
from dashboard.language import _
from dashboard.links import between, checked, flag, one_of

LONGEST = 1 << 20
CONTEXTS = sorted({2**p for p in range(21)} | {3 * 2**p for p in range(19)} | {10**p for p in range(7)})
"""Steps of the slider: powers of two and what lies halfway, and powers of ten."""
USUAL = ("DeepSeek-V3", "Qwen2.5-72B", "Llama-3.1-405B")
MOST_MODELS, MOST_BATCH = 6, 100_000
OWN = "config.json"
"""How the reader's own configuration is called among the models; no link carries it."""
GIGABYTES = 1_000_000
GB = 10**9


@dataclass(frozen=True)
class Asked:
    """What the page is asked.

    Attributes:
        sizes: of each model, by the name that the reader chose it by.
        memory: bytes of the memory that the reader speaks of.
        weights: bytes of it, and of each GPU, that the weights take.
        gpus: names of the GPUs whose memory is drawn.
        family: of the units.
        counted: whether the shortcut 2·d·L is shown.
    """

    sizes: Mapping[str, ac.kv_cache.CacheSizes]
    memory: int
    weights: int
    gpus: tuple[str, ...]
    family: Family
    counted: bool

    @property
    def workload(self) -> ac.kv_cache.Workload:
        """The same for all models."""
        return next(iter(self.sizes.values())).workload

    @property
    def room(self) -> int:
        """Bytes left for a cache; 0 where the weights take more than there is."""
        return max(0, self.memory - self.weights)


def asked(own: ac.kv_cache.ModelPreset | None) -> Asked:
    """The choices, in two rows.

    Raises:
        CacheError: no model is chosen.
    """
    presets = _models(own)
    left, middle, right = st.columns([5, 2, 3], vertical_alignment="bottom")
    with left:
        tokens = _tokens()
    with middle:
        about = _("Sequences held at the same time, one for each user who is served.")
        batch = _count("cache_batch", _("Users at a time"), 1, MOST_BATCH, 20, about)
    with right:
        dtype = _dtype()
    if not presets:
        raise ac.CacheError(_("No model is chosen. Choose one or more."))
    columns = st.columns([2, 2, 4.5, 1.8, 2.2], vertical_alignment="bottom")
    with columns[0]:
        memory = _count("cache_memory", _("Memory, GB"), 1, GIGABYTES, 80)
    with columns[1]:
        weights = _count("cache_weights", _("Weights in it, GB"), 0, GIGABYTES, 0, help_of_weights())
    with columns[2]:
        gpus = _gpus()
    with columns[3]:
        family = {"GiB": "binary", "GB": "decimal"}[one_of_few("cache_unit", _("Units"), ["GiB", "GB"])]
    with columns[4]:
        counted = _shortcut()
    found = {name: ac.kv_cache.sizes(preset, tokens, batch, dtype) for name, preset in presets.items()}
    return Asked(found, memory * GB, weights * GB, gpus, "binary" if family == "binary" else "decimal", counted)


def help_of_weights() -> str:
    """What is subtracted."""
    return _(
        "Subtracted from the memory and from that of each GPU. The presets do not hold how many parameters a model "
        "has: type what the weights take, such as 140 for 70 billion parameters of 2 bytes."
    )


def _models(own: ac.kv_cache.ModelPreset | None) -> dict[str, ac.kv_cache.ModelPreset]:
    presets = ac.kv_cache.PRESETS
    options = [*([] if own is None else [OWN]), *presets]
    checked("cache_models", one_of(options), several=True)
    kept = st.session_state.get("cache_models")
    if kept is not None and not set(kept) <= set(options):
        st.session_state["cache_models"] = [name for name in kept if name in options]
    chosen = st.multiselect(
        _("Models"),
        options,
        default=list(USUAL),
        max_selections=MOST_MODELS,
        key="cache_models",
        bind="query-params",
        persist_state="session",
    )
    return {name: own if name == OWN and own is not None else presets[name] for name in chosen}


def _tokens() -> int:
    checked("cache_tokens", one_of([str(context) for context in CONTEXTS]))
    return int(
        st.select_slider(
            _("Tokens of each sequence"),
            [str(context) for context in CONTEXTS],
            value="32768",
            key="cache_tokens",
            bind="query-params",
            persist_state="session",
        )
    )


def _dtype() -> str:
    formats = ac.kv_cache.FORMATS
    checked("cache_dtype", one_of(formats))
    chosen: str = st.selectbox(
        _("Format of the cache"),
        list(formats),
        index=list(formats).index("bfloat16"),
        key="cache_dtype",
        help=_("flashmla: float8 with scales for a latent, and bfloat16 for its rotary key, as FlashMLA keeps them."),
        bind="query-params",
        persist_state="session",
    )
    return chosen


def _count(key: str, label: str, low: int, high: int, usual: int, help: str | None = None) -> int:
    checked(key, between(low, high))
    value = st.number_input(label, low, high, usual, key=key, help=help, bind="query-params", persist_state="session")
    return int(value)


def _gpus() -> tuple[str, ...]:
    names = list(ac.kv_cache.GPUS)
    checked("cache_gpus", one_of(names), several=True)
    chosen = st.multiselect(
        _("Memory of GPUs"),
        names,
        default=["RTX 4090", "H100", "B200"],
        key="cache_gpus",
        bind="query-params",
        persist_state="session",
    )
    return tuple(name for name in names if name in chosen)


def _shortcut() -> bool:
    checked("cache_shortcut", flag)
    return st.toggle(
        _("Count 2·d·L"),
        key="cache_shortcut",
        bind="query-params",
        persist_state="session",
        help=_("How tutorials often count: the hidden size in place of heads, and MLA without its rotary key."),
    )
