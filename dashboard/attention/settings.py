"""The widgets that decide how a sentence is attended to."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import streamlit as st

import attention_core as ac
from attention_core.attention.base import Align
from attention_core.attention.projections import Projections
from attention_core.attention.sentence import MOST_TOKENS
from attention_core.attention.stages import MASKS, POSITIONS, PROJECTIONS, SCALES, SIZED, Settings
from attention_core.attention.stages.settings import Mask, Position, Projection, Scale
from dashboard.attention import inputs, weights
from dashboard.attention.asked import Asked
from dashboard.attention.inputs import SEEDS, one_of_many, real, row, whole, whole_or
from dashboard.language import _
from dashboard.links import anything, checked, one_of
from dashboard.view import View

FREE = "free"
EACH = "one each"
SIZES = {
    "window": "Window of tokens",
    "prefix": "Prefix of tokens",
    "block": "Block of tokens",
    "dilated": "Every … token",
    "padding": "Words before padding",
}
"""By mask: what its size is."""
ALIGNMENTS: tuple[Align, ...] = ("bottom-right", "top-left")
SEEDED = ("random", "orthogonal")
MOST_HEADS = 64
FEW = 8


def asked(view: View, several: bool = False) -> Asked | None:
    """The sentence and how it is attended to; None where weights of one's own are wanted and there are none yet.

    Args:
        view: its vectors are attended to, and its seed is that of the additive weights.
        several: whether there are several heads at first.

    Raises:
        AttentionError: a sentence, a choice or weights that are not possible.
    """
    sentence = inputs.sentence(view)
    place, own = st.container(), None
    if weights.asked_for():
        own = weights.own(view.embeddings.dimension)  # first, since a refused setting must leave room for another file
    with place:
        settings = _settings(view, None if own is None else own.projections, several)
    if weights.asked_for() and own is None:
        return None
    return Asked(sentence, settings, own or weights.WEIGHTS.found())


def _settings(view: View, own: Projections | None, several: bool) -> Settings:
    with row():
        about = _(
            "What makes queries, keys and values of the vectors. identity: they are the vectors themselves. random, "
            "orthogonal, pca: see How this is computed. own: matrices from a file of yours."
        )
        projection = one_of_many("projection", _("Q, K and V"), PROJECTIONS, about=about)
        seed = whole("projection_seed", _("Seed of W"), (0, SEEDS), 0) if projection in SEEDED else 0
        about = _("Attention alone sees a set of words without order; sinusoidal and rope say who stands where.")
        positions = one_of_many("positions", _("Positions"), POSITIONS, about=about)
        width = view.embeddings.dimension if own is None else len(own.q)
        heads = _heads(width, few_heads(width) if several else 1)
        kv_heads = _key_heads(heads, heads if own is None else own.kv_heads(heads)) if heads > 1 else None
        about = _("How close a query and a key are. dot: QKᵀ, as in the paper.")
        score = one_of_many("score", _("Score"), list(ac.MEASURES), about=about)
        scale = _scale()
        about = _("Scores are divided by it: below 1 the largest weights grow, above 1 all weights even out.")
        temperature = real("temperature", _("Temperature"), (0.01, 100.0), about)
        allowed = _allowed()
    return replace(
        allowed,
        score=score,
        scale=scale,
        temperature=temperature,
        projection=cast(Projection, projection),
        seed=seed,
        heads=heads,
        kv_heads=kv_heads,
        positions=cast(Position, positions),
        score_seed=view.seed,
    )


def _allowed() -> Settings:
    """Who may attend to whom: the mask, how many tokens ask, and the alignment."""
    masks = _masks()
    about = _("Fewer than all, as when a model writes on from tokens whose keys and values it has kept.")
    asking = whole_or("asking", _("Last tokens that ask"), (1, MOST_TOKENS), _("all"), about=about)
    aligned = asking and any(name != "padding" for name in masks)
    align = one_of_many("align", _("Alignment"), ALIGNMENTS) if aligned else ALIGNMENTS[0]
    return Settings(mask="+".join(masks.values()) or "none", queries=asking, align=cast(Align, align))


def _masks() -> dict[str, str]:
    """The masks that are chosen, by name, each as `Settings` writes it."""
    checked("mask", one_of(MASKS), several=True)
    chosen = st.pills(
        _("Mask: who may attend to whom"),
        MASKS,
        selection_mode="multi",
        help=_(
            "Which tokens (keys) a token (query) may attend to; the others get the weight 0. Of several masks, all "
            "must allow a pair. causal: no later token. window: the last few, itself among them. prefix: no later "
            "token, but the first few. block: its own block. dilated: every so many. padding: words, not what fills a "
            "batch up."
        ),
        key="mask",
        bind="query-params",
        persist_state="session",
    )
    return {name: _sized(name) if name in SIZED else name for name in MASKS if name in chosen}


def _sized(name: Mask) -> str:
    size = whole(f"mask_{name}", _(SIZES[name]), (1, MOST_TOKENS), 2)
    return f"{name}:{size}"


def _scale() -> Scale | float:
    about = _("usual: 1/√d with the dot product, 1 with the other scores; d is the size of a head.")
    chosen = one_of_many("scale", _("Scale"), [*SCALES, FREE], about=about)
    return real("scale_free", _("Times"), (-100.0, 100.0)) if chosen == FREE else cast(Scale, chosen)


def _heads(width: int, usual: int = 1) -> int:
    """A number of heads: one that divides the width, or another one typed, which is refused where it is used.

    Args:
        width: components that are cut into heads.
        usual: how many there are at first.

    Raises:
        AttentionError: no number.
    """
    checked("heads", anything)
    options = _divisors(width)
    if st.session_state.setdefault("_heads_width", width) != width and st.session_state.get("heads") not in options:
        st.session_state["heads"] = str(usual)  # the reader chose other vectors, which the last number does not divide
    st.session_state["_heads_width"] = width
    chosen = st.selectbox(
        _("Heads"),
        options,
        options.index(str(usual)),
        accept_new_options=True,
        key="heads",
        bind="query-params",
        persist_state="session",
        width=100,
    )
    typed = chosen or ""
    if not (typed.isdecimal() and len(typed) < 6 and int(typed)):
        raise ac.AttentionError(
            f"A number of heads from 1 up is expected, found “{typed[:40]}”. Choose one of {', '.join(options)}."
        )
    return int(typed)


def few_heads(width: int) -> int:
    """The most heads up to 8 that divide a width."""
    return max(heads for heads in range(1, FEW + 1) if width % heads == 0)


def _key_heads(heads: int, most: int) -> int | None:
    """How many key and value heads the query heads share, of `most` that there are; None for one each."""
    fewer = [count for count in _divisors(most) if int(count) < heads]
    options = [EACH, *fewer] if most == heads else fewer[::-1]
    about = _("Fewer than heads: neighbouring heads share keys and values (GQA), all of them with 1 (MQA).")
    chosen = one_of_many("kv_heads", _("Key and value heads"), options, width=170, about=about)
    return None if chosen == EACH else int(chosen)


def _divisors(width: int) -> list[str]:
    return [str(heads) for heads in range(1, min(width, MOST_HEADS) + 1) if width % heads == 0]
