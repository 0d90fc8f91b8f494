"""The widgets of MLA: whose sizes, what is weighed, what is looked at."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

import attention_core as ac
from attention_core.attention import LatentConfig
from attention_core.kv_cache import PRESETS
from attention_core.kv_cache.presets import Standing
from dashboard.attention.findings import notes
from dashboard.attention.inputs import one_of_many
from dashboard.attention.inputs import sentence as sentence_box
from dashboard.inputs import one_of_few
from dashboard.language import _
from dashboard.links import between, checked
from dashboard.view import View

OWN = "your own sizes"
USUAL = "DeepSeek-V3"
LIMIT = 1_000_000
SIZES = {
    "mla_hidden": ("hidden size", 2048, "hidden_size"),
    "mla_heads": ("heads", 16, "num_heads"),
    "mla_q_rank": ("query latent (0: none)", 0, "q_lora_rank"),
    "mla_kv_rank": ("latent", 512, "kv_lora_rank"),
    "mla_nope": ("key without position", 128, "qk_nope_head_dim"),
    "mla_rope": ("rotary key", 64, "qk_rope_head_dim"),
    "mla_value": ("value", 128, "v_head_dim"),
    "mla_layers": ("layers", 27, "layers"),
}
"""By URL name: the sizes of a configuration of one's own, where they start, and their names in `LatentConfig`."""
DTYPES = {"float32": 4, "bfloat16": 2, "float8": 1}
"""Bytes of a cached number."""
BUNDLED, ONE = "bundled sentences", "one sentence"
CONTEXTS = ("4096", "256", "1024", "16384", "65536", "262144", "1048576")
"""Tokens whose cache is weighed, the usual count first."""


@dataclass(frozen=True)
class Asked:
    """A model and what of its cache is weighed.

    Attributes:
        name: of the model, or `OWN`.
        config: the sizes of a layer.
        layers: how many.
        source: where the sizes were read; "" for one's own.
        dtype: of a cached number.
        tokens: in the cache.
        indexer: bytes that a sparse attention’s indexer keeps beside, for a token and layer.
        standing: how the sizes were come by.
    """

    name: str
    config: LatentConfig
    layers: int
    source: str
    dtype: str
    tokens: int
    indexer: int = 0
    standing: Standing = "own"

    @property
    def itemsize(self) -> int:
        """Bytes of a cached number."""
        return DTYPES[self.dtype]


def asked() -> Asked:
    """Whose sizes, and what of the cache is weighed.

    Raises:
        AttentionError: sizes that are impossible together.
    """
    models = {preset.name: preset for preset in PRESETS.values() if preset.latent is not None}
    names = sorted(models, key=lambda name: name != USUAL)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        name = one_of_many("mla_model", _("Sizes of"), [*names, OWN], width=230)
        dtype = one_of_few("mla_dtype", _("Cached in"), tuple(DTYPES), "bfloat16")
        tokens = int(one_of_many("mla_tokens", _("Tokens in the cache"), CONTEXTS))
    if name == OWN:
        sizes = _own()
        config = LatentConfig(*sizes[:7])  # type: ignore[arg-type] # seven of them
        if sizes[-1] < 1:
            raise ac.AttentionError(f"{sizes[-1]} layers were asked for. Give 1 or more.")
        return Asked(_(OWN), config, sizes[-1], "", dtype, tokens)
    model = models[name]
    assert model.latent is not None  # noqa: S101 - chosen so
    config = LatentConfig(
        model.hidden,
        model.heads,
        model.latent.q_lora_rank,
        model.latent.kv_lora_rank,
        model.qk_nope_head_dim,
        model.latent.qk_rope_head_dim,
        model.v_head_dim,
    )
    return Asked(name, config, model.layers, model.source, dtype, tokens, model.indexer_bytes, model.standing)


def _own() -> list[int]:
    """The sizes in the order of `LatentConfig`, and the layers; what is impossible is refused where it is used."""
    found = []
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for key, (label, usual, name) in SIZES.items():
            checked(key, between(-LIMIT, LIMIT))
            given = st.number_input(
                _(label),
                -LIMIT,
                LIMIT,
                usual,
                help=f"`{name}`",
                key=key,
                bind="query-params",
                persist_state="session",
                width=190,
            )
            found.append(int(given))
    return found


def head(heads: int) -> int:
    """Which head's matrices to look at, counted from 0."""
    return int(one_of_few("mla_head", _("Head"), [str(i + 1) for i in range(heads)])) - 1


def sentence(view: View) -> ac.attention.Sentence:
    """The sentence of the reader's choice, and what of it has no vector."""
    found = sentence_box(view)
    for note in notes(found):
        st.caption(note)
    return found


def one_sentence(view: View) -> bool:
    """Whether attention over one sentence is asked for, and not over all bundled ones, where there are any."""
    if not ac.attention.sentences(view.embeddings):
        return True
    return one_of_few("mla_over", _("Attention over"), [BUNDLED, ONE]) == ONE


def low_rank_heads(view: View) -> int:
    """Among how many heads the vectors' components are divided: some that divide them."""
    d = view.embeddings.dimension
    options = [str(heads) for heads in (1, 2, 4, 5, 8) if d % heads == 0]
    return int(one_of_few("mla_split", _("Heads"), options))


def seed() -> int:
    """Of the random weights."""
    checked("mla_seed", between(0, 10_000))
    return int(
        st.number_input(
            _("Seed of W"), 0, 10_000, 0, key="mla_seed", bind="query-params", persist_state="session", width=130
        )
    )


def rank(found: ac.attention.latent.LowRank) -> int:
    """Which of the sizes of the latent to read off."""
    options = [str(r) for r in found.ranks]
    usual = min(options, key=lambda r: abs(int(r) - found.kept / 4))
    checked("mla_rank", lambda value: value in options)
    if st.session_state.get("mla_rank", usual) not in options:
        st.session_state["mla_rank"] = usual
    return int(
        st.select_slider(
            _("Size r of the latent"), options, usual, key="mla_rank", bind="query-params", persist_state="session"
        )
    )
