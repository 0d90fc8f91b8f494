"""The widgets of Scaling and softmax."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from attention_core.experiments.scores import MOST, row
from attention_core.experiments.variance import DISTRIBUTIONS, LONGEST
from dashboard.inputs import numbers, one_of_few
from dashboard.language import _
from dashboard.links import anything, between, checked
from dashboard.view import View

VECTORS = "vectors"
PAIRS = ("1000", "10000", "100000")
SEEDS = 10_000
ROWS: dict[str, tuple[float, ...]] = {
    "1, 2, 3": (1.0, 2.0, 3.0),
    "10, 11, 12": (10.0, 11.0, 12.0),
    "10, 20, 30": (10.0, 20.0, 30.0),
}
"""Rows of scores by name: the second is the first with 9 added, the third the first times 10."""
OWN = "own"
EXAMPLE = "2, 5, 1, 8, 3, 12, 4, 6, 12.5, 0, 7, 9"


@dataclass(frozen=True)
class Drawn:
    """What is drawn for the variance of dot products.

    Attributes:
        components: a distribution; None for the vectors at hand.
        d: components of each vector.
        size: pairs.
        seed: of the draw.
    """

    components: str | None
    d: int
    size: int
    seed: int


def drawn(view: View) -> Drawn:
    """Distribution, d_k, number of pairs and seed."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = one_of_few("scaling_components", _("Components"), (*DISTRIBUTIONS, VECTORS))
        longest = view.embeddings.dimension if chosen == VECTORS else LONGEST
        if st.session_state.get("scaling_d", 0) > longest:
            st.session_state["scaling_d"] = longest  # possible with other components
        d = _whole("scaling_d", _("d_k, from 1 to {longest:,}").format(longest=longest), (1, longest), 64)
        size = int(one_of_few("scaling_pairs", _("Pairs"), PAIRS, PAIRS[1]))
        seed = _whole("scaling_seed", _("Seed"), (0, SEEDS), 0)
    return Drawn(None if chosen == VECTORS else chosen, d, size, seed)


def _whole(name: str, label: str, ends: tuple[int, int], usual: int) -> int:
    low, high = ends
    checked(name, between(low, high))
    return int(
        st.number_input(
            label,
            low,
            high,
            min(usual, high),
            key=name,
            bind="query-params",
            persist_state="session",
            width=130,
        )
    )


@dataclass(frozen=True)
class Changed:
    """A row of scores and what is done to it.

    Attributes:
        scores: the row that is shown as bars.
        own: the reader's own.
        shift: added to every score.
        factor: what every score is multiplied by.
    """

    scores: tuple[float, ...]
    own: tuple[float, ...]
    shift: float
    factor: float


def scores() -> tuple[float, ...]:
    """The reader's own scores.

    Raises:
        ScoringError: one of them is no number or too large, there is none, or there are too many.
    """
    checked("scaling_scores", anything)
    text = st.text_input(
        _("Your own scores"),
        EXAMPLE,
        max_chars=2_000,
        help=_("1 to {most} numbers with commas or spaces between them.").format(most=MOST),
        key="scaling_scores",
        bind="query-params",
        persist_state="session",
    )
    found = numbers(text or "", _("your scores"))
    row(found)
    return found


def changed() -> Changed:
    """Which row, your own, the shift and the factor.

    Raises:
        ScoringError: see `scores`.
    """
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        chosen = one_of_few("scaling_row", _("Scores"), (*ROWS, OWN))
        shift = _slider("scaling_shift", _("Shift: add to every score"), (-100.0, 100.0, 9.0, 1.0))
    with right:
        own = scores()
        factor = _slider("scaling_factor", _("Factor: multiply every score"), (0.1, 20.0, 10.0, 0.1))
    return Changed(ROWS.get(chosen, own), own, shift, factor)


def _slider(name: str, label: str, scale: tuple[float, float, float, float]) -> float:
    low, high, usual, step = scale
    checked(name, between(low, high))
    return st.slider(label, low, high, usual, step, key=name, bind="query-params", persist_state="session")


def tiles() -> tuple[tuple[float, ...], int]:
    """The reader's own scores, and how many of them a tile holds.

    Raises:
        ScoringError: see `scores`.
    """
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        found = scores()
    with right:
        return found, _place("scaling_tile", _("Scores in a tile"), len(found), 4)


def step(count: int) -> int:
    """After which tile the state is shown, from 1."""
    return _place("scaling_step", _("Tiles taken"), count, 1)


def _place(name: str, label: str, most: int, usual: int) -> int:
    """A number from 1 to `most`; a slider needs two of them."""
    checked(name, between(1, most))
    if st.session_state.get(name, 1) > most:
        st.session_state[name] = most  # there were more before
    if most == 1:
        st.caption(_("{label}: 1, all there is.").format(label=label))
        return 1
    return st.slider(label, 1, most, min(usual, most), key=name, bind="query-params", persist_state="session")
