"""Which two vectors, and what is done to the second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

import attention_core as ac
from attention_core.plots.plane import Names
from attention_core.similarity.sweeps import RANGES, Parameter
from dashboard import cache, inputs
from dashboard.cache import Query
from dashboard.inputs import one_of_few
from dashboard.language import _
from dashboard.links import anything, between, checked
from dashboard.untrusted import quoted
from dashboard.view import View

WORDS, PLANE, NUMBERS = KINDS = ("words", "plane", "numbers")
EXAMPLE = {"two": NUMBERS, "vec_a": "1, 2, 3, 4", "vec_b": "2, 0, 1, 3", "scale_b": 1.0, "turn_b": 0.0, "shift_b": 0.0}
"""The worked example, by URL name: (1, 2, 3, 4)·(2, 0, 1, 3) = 17."""
FEWEST, MOST = 2, 8
"""Components of a typed vector."""
REACH = 5.0
"""How far a slider moves a coordinate from 0."""
POINTS = {"a_x": 4.0, "a_y": 1.0, "b_x": 1.5, "b_y": 3.0}
"""Where the vectors that sliders move start."""


@dataclass(frozen=True)
class Asked:
    """Two vectors, each a word's or typed; of words, one name each.

    Attributes:
        a: the first.
        b: the second, before any move.
    """

    a: Query
    b: Query

    @property
    def of_words(self) -> bool:
        """Whether both are vectors of words."""
        return isinstance(self.a, str)

    @property
    def names(self) -> Names:
        """What figures call the two."""
        return (self.a, self.b) if isinstance(self.a, str) and isinstance(self.b, str) else ("a", "b")

    @property
    def quoted(self) -> Names:
        """What sentences in Markdown call the two."""
        return (quoted(self.names[0]), quoted(self.names[1])) if self.of_words else ("a", "b")


def choose(view: View) -> Asked:
    """The two vectors: words of the vocabulary, points of the plane, or typed numbers.

    Raises:
        UnknownWordError: a word that is not in the vocabulary.
        ScoringError: text that is not 2 to 8 numbers.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        kind = one_of_few("two", _("Two vectors of"), KINDS)
        st.button(_("Worked example: (1, 2, 3, 4) · (2, 0, 1, 3)"), on_click=st.session_state.update, kwargs=EXAMPLE)
    return _words(view) if kind == WORDS else _points() if kind == PLANE else _numbers()


def _words(view: View) -> Asked:
    left, right = st.columns(2)
    with left:
        first = inputs.query_word(view)
    with right:
        return Asked(first, inputs.second_word(view, cache.closest_word(view, first)))


def _points() -> Asked:
    values = {}
    columns = dict(zip("ab", st.columns(2, gap="medium"), strict=True))
    for key, start in POINTS.items():
        vector, axis = key.split("_")
        title = _("{vector}, component {i}").format(vector=vector, i=1 + "xy".index(axis))
        with columns[vector]:
            values[key] = _dial(key, Dial(title, -REACH, REACH, start, 0.1))
    return Asked((values["a_x"], values["a_y"]), (values["b_x"], values["b_y"]))


def _numbers() -> Asked:
    left, right = st.columns(2)
    with left:
        first = _typed("vec_a", _("Vector a"))
    with right:
        return Asked(first, _typed("vec_b", _("Vector b")))


def _typed(key: str, title: str) -> tuple[float, ...]:
    checked(key, anything)
    text = st.text_input(
        title,
        str(EXAMPLE[key]),
        max_chars=400,
        help=_("{low} to {high} numbers with commas or spaces between them.").format(low=FEWEST, high=MOST),
        key=key,
        bind="query-params",
        persist_state="session",
    )
    found = inputs.numbers(text or "", title)
    if not FEWEST <= len(found) <= MOST:
        raise ac.ScoringError(
            f"{title} has {len(found)} numbers, and {FEWEST} to {MOST} are expected. Separate them by commas or spaces."
        )
    return found


def move(turns: bool) -> ac.Move:
    """What is done to b; vectors on a line cannot be turned."""
    dials: dict[Parameter, tuple[str, str, float, float]] = {
        "factor": ("scale_b", _("Scale b: this factor"), 1.0, 0.05),
        "degrees": ("turn_b", _("Turn b: degrees"), 0.0, 1.0),
        "shift": ("shift_b", _("Shift b: this many times a"), 0.0, 0.05),
    }
    values: dict[Parameter, float] = {}
    for column, (parameter, (key, title, start, step)) in zip(st.columns(3), dials.items(), strict=True):
        with column:
            dial = Dial(title, *RANGES[parameter], start, step)
            values[parameter] = _dial(key, dial, disabled=parameter == "degrees" and not turns)
    return ac.Move(values["factor"], values["degrees"] if turns else 0.0, values["shift"])


class Dial(NamedTuple):
    """A number that can be moved or typed: its title, bounds, start and the step of its slider."""

    title: str
    low: float
    high: float
    start: float
    step: float


def _dial(key: str, dial: Dial, disabled: bool = False) -> float:
    """A slider, whose value the link carries, and beside it the same number to type."""
    checked(key, between(dial.low, dial.high))
    typed = f"{key}_typed"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        value = st.slider(
            *dial,
            key=key,
            disabled=disabled,
            bind="query-params",
            persist_state="session",
        )
        st.session_state[typed] = value
        st.number_input(
            _("{title}, as a number").format(title=dial.title),
            dial.low,
            dial.high,
            step=dial.step,
            format="%g",
            key=typed,
            disabled=disabled,
            label_visibility="collapsed",
            width=80,
            on_change=lambda: st.session_state.update({key: st.session_state[typed]}),
        )
    return value
