"""The cards of Overview: what each page has to say about these vectors, in one finding and one small figure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from dashboard import frame
from dashboard.cache_size.card import card as cache_size
from dashboard.diagnostics.card import card as diagnostics
from dashboard.distributions.card import card as distributions
from dashboard.heads.card import card as heads
from dashboard.judgements.card import card as judgements
from dashboard.language import _
from dashboard.map.card import card as words_map
from dashboard.mla.card import card as mla
from dashboard.rankings.card import card as rankings
from dashboard.scaling.card import card as scaling
from dashboard.step_by_step.card import card as step_by_step
from dashboard.two_vectors.card import card as two_vectors
from dashboard.view import View


class Card(NamedTuple):
    """A page, its title in English, and what draws its finding and its figure for (view, query word)."""

    page: str
    title: str
    draw: Callable[[View, str], None]


CARDS = (
    Card("rankings", "Rankings", rankings),
    Card("two_vectors", "Two vectors", two_vectors),
    Card("distributions", "Score distributions", distributions),
    Card("diagnostics", "Diagnostics", diagnostics),
    Card("judgements", "Human judgements", judgements),
    Card("map", "Map", words_map),
    Card("step_by_step", "Step by step", step_by_step),
    Card("heads", "Heads", heads),
    Card("scaling", "Scaling and softmax", scaling),
    Card("mla", "MLA", mla),
    Card("cache_size", "Cache size", cache_size),
)
"""In the order of the navigation; what takes longest to compute comes last."""
WIDE = 2
"""Cards side by side."""


def draw(view: View, query: str) -> None:
    """Every card, each with its own refusals: one that cannot be drawn does not hold up the next."""
    for start in range(0, len(CARDS), WIDE):
        for column, card in zip(st.columns(WIDE), CARDS[start : start + WIDE], strict=False):
            with column, st.container(border=True, key=f"card-{card.page}"):
                st.page_link(f"pages/{card.page}.py", label=f"**{_(card.title)}**")
                with frame.errors_shown():
                    card.draw(view, query)
