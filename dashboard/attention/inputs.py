"""The widgets that pages on attention share: which sentence, and how it is attended to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import attention_core as ac
from attention_core.attention.base import Align
from attention_core.attention.projections import Projections
from attention_core.attention.sentence import (
    MOST_CHARACTERS,
    MOST_TOKENS,
    TREATMENTS,
    Treatment,
    first_words,
    sentences,
)
from attention_core.attention.stages import MASKS, POSITIONS, PROJECTIONS, SCALES, Settings
from attention_core.attention.stages.settings import Mask, Position, Projection, Scale
from dashboard import cache
from dashboard.inputs import one_of_few
from dashboard.language import _
from dashboard.links import anything, between, checked, one_of
from dashboard.view import View

SAMPLE, TEXT, FILE = "sample", "text", "first words"
FREE = "free"
EACH = "one each"
OWN = "own weights"
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
SEEDS = 10_000
FIRST = 12
MOST_HEADS = 64
FEW = 8
Width: TypeAlias = int | Literal["stretch"]


def sentence(view: View) -> ac.attention.Sentence:
    """The sentence: a bundled one, one's own, or the first words of the file.

    Raises:
        AttentionError: nothing to read, no known word, unknown words that are refused, or too many tokens.
    """
    bundled = [one.text for one in sentences(view.embeddings)]
    kinds = [*([SAMPLE] if bundled else []), TEXT, FILE]
    with row():
        kind = one_of_few("sentence_by", _("Sentence"), kinds, kinds[0] if bundled else FILE)
        if kind == FILE:
            most = min(MOST_TOKENS, len(view.embeddings))
            return first_words(
                view.embeddings, whole("first", _("First words of the vectors"), (1, most), min(FIRST, most))
            )
        if kind == SAMPLE:
            text = one_of_many("sentence", _("Sample"), bundled, width="stretch")
        else:
            text = _text(view, bundled)
        unknown = one_of_few("unknown", _("Words without a vector"), TREATMENTS)
        seed = whole("unknown_seed", _("Seed of their vectors"), (0, SEEDS), 0) if unknown == "random" else 0
    return cache.sentence(view, text, cast(Treatment, unknown), seed)


def _text(view: View, bundled: Sequence[str]) -> str:
    checked("text", anything)
    usual = bundled[0] if bundled else " ".join(view.embeddings.words[:3])
    typed = st.text_area(
        _("Your sentence, of up to {most:,} tokens").format(most=MOST_TOKENS),
        usual,
        height=68,
        max_chars=MOST_CHARACTERS,
        key="text",
        bind="query-params",
        persist_state="session",
        width="stretch",
    )
    return typed or ""


@dataclass(frozen=True)
class Several:
    """What a page about several heads asks beyond the others: shared keys and values, and weights of one's own.

    Attributes:
        own: the reader's weights, which decide how many heads there can be; None before there are any.
    """

    own: Projections | None


def settings(view: View, several: Several | None = None) -> Settings:
    """How the sentence is attended to; where `own_weights` are asked for, with the projection of the identity.

    Args:
        view: its vectors are attended to, and its seed is that of the additive weights.
        several: of a page about several heads.

    Raises:
        AttentionError: a choice that is not possible.
    """
    with row():
        score = one_of_many("score", _("Score"), list(ac.MEASURES))
        scale = _scale()
        temperature = _number("temperature", _("Temperature"), (0.01, 100.0))
        mask = one_of_many("mask", _("Mask"), MASKS)
        size = whole("mask_size", _(SIZES[mask]), (1, MOST_TOKENS), 2) if mask in SIZES else 2
        asking = whole_or("asking", _("Last tokens that ask"), (1, MOST_TOKENS), _("all"))
        align = one_of_many("align", _("Alignment"), ALIGNMENTS) if asking and mask != "padding" else ALIGNMENTS[0]
    with row():
        about = _("Identity: the words' vectors themselves. What the others are is below, under How this is computed.")
        projection = one_of_many(
            "projection", _("Q, K and V"), [*PROJECTIONS, *([OWN] if several else [])], about=about
        )
        seed = whole("projection_seed", _("Seed of W"), (0, SEEDS), 0) if projection in SEEDED else 0
        positions = one_of_many("positions", _("Positions"), POSITIONS)
        heads, kv_heads = _several_heads(view, several) if several else (_heads(view.embeddings.dimension), None)
    return Settings(
        score=score,
        scale=scale,
        temperature=temperature,
        mask=cast(Mask, mask),
        mask_size=size,
        align=cast(Align, align),
        queries=asking,
        projection="identity" if projection == OWN else cast(Projection, projection),
        seed=seed,
        heads=heads,
        kv_heads=kv_heads,
        positions=cast(Position, positions),
        score_seed=view.seed,
    )


def _several_heads(view: View, several: Several) -> tuple[int, int | None]:
    own = several.own if own_weights() else None
    width = view.embeddings.dimension if own is None else len(own.q)
    heads = _heads(width, few_heads(width))
    return heads, _key_heads(heads, heads if own is None else own.kv_heads(heads))


def own_weights() -> bool:
    """Whether the reader's own weights are asked for."""
    return bool(st.session_state.get("projection", st.query_params.get("projection")) == OWN)


def row() -> DeltaGenerator:
    """Widgets side by side, in as many lines as they need."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="small")


def _scale() -> Scale | float:
    about = _("usual: 1/√d with the dot product, 1 with the other scores; d is the size of a head.")
    chosen = one_of_many("scale", _("Scale"), [*SCALES, FREE], about=about)
    return _number("scale_free", _("Times"), (-100.0, 100.0)) if chosen == FREE else cast(Scale, chosen)


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
    chosen = one_of_many("kv_heads", _("Key and value heads"), options, width=170)
    return None if chosen == EACH else int(chosen)


def _divisors(width: int) -> list[str]:
    return [str(heads) for heads in range(1, min(width, MOST_HEADS) + 1) if width % heads == 0]


def one_of_many(name: str, label: str, options: Sequence[str], width: Width = 130, about: str | None = None) -> str:
    """One of some options in a box that unfolds, which the link names as they stand.

    What was chosen before and is no option now gives way to the first.

    Args:
        name: in the URL.
        label: for readers.
        options: at least one, the usual one first.
        width: in pixels, or “stretch”.
        about: what the options mean, for those who ask.
    """
    _of_link(name, one_of(options))
    if st.session_state.get(name, options[0]) not in options:
        st.session_state[name] = options[0]
    chosen: str = st.selectbox(
        label, options, key=name, help=about, bind="query-params", persist_state="session", width=width
    )
    return chosen


def whole(name: str, label: str, limits: tuple[int, int], usual: int, width: int = 150) -> int:
    """A whole number; what is out of its limits, the usual one too, gives way to the nearest that is not."""
    usual = min(max(usual, limits[0]), limits[1])
    found = whole_or(name, label, limits, None, width, usual)
    return usual if found is None else found


def whole_or(
    name: str, label: str, limits: tuple[int, int], instead: str | None, width: int = 150, usual: int | None = None
) -> int | None:
    """The same, or None, for which `instead` stands in the box."""
    low, high = limits
    _of_link(name, between(low, high))
    before = st.session_state.get(name)
    if before is not None and not low <= before <= high:
        st.session_state[name] = min(max(before, low), high)
    given = st.number_input(
        label,
        low,
        high,
        usual,
        placeholder=instead,
        key=name,
        bind="query-params",
        persist_state="session",
        width=width,
    )
    return None if given is None else int(given)


def _of_link(name: str, possible: Callable[[str], bool]) -> None:
    """Names a value that a link asks for in vain, once: what other vectors or another sentence forbid is no fault."""
    if name not in st.session_state:
        checked(name, possible)


def _number(name: str, label: str, limits: tuple[float, float]) -> float:
    checked(name, between(*limits))
    given = st.number_input(
        label, *limits, 1.0, 0.1, format="%g", key=name, bind="query-params", persist_state="session", width=130
    )
    return float(given)
