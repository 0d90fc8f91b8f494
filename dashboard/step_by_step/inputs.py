"""The widgets of Step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import streamlit as st

from attention_core.attention.stages import POOLINGS, Pooling, Settings, Stage, read, stage_names, written
from dashboard.attention.inputs import one_of_many, row, whole, whole_or
from dashboard.inputs import one_of_few
from dashboard.language import _
from dashboard.links import anything, checked
from dashboard.step_by_step.walk import Walk

PINNED = "pinned"


def head(settings: Settings) -> int:
    """Which head to look at, from 0; only asked where there are several."""
    if settings.heads == 1:
        return 0
    return int(one_of_many("head", _("Look at head"), [str(h + 1) for h in range(settings.heads)], width=110)) - 1


def stage(settings: Settings) -> Stage:
    """The stage that is drawn large."""
    return cast(Stage, one_of_few("stage", _("Stage"), stage_names(settings), "softmax"))


def choose_stage(name: Any) -> None:
    """What a click on a small map does."""
    st.session_state["stage"] = name[0] if isinstance(name, list) else name


def pooling() -> Pooling:
    """How large matrices are drawn."""
    return cast(Pooling, one_of_few("pooling", _("Each cell of the map shows its block's"), POOLINGS))


def cell(walk: Walk, name: Stage, shape: tuple[int, int]) -> tuple[int, int]:
    """A row and a column of the stage, from 0: the largest weight between two words until one is chosen."""
    link = walk.strongest
    pair = walk.columns(name) is not None
    usual_row = (link.query if link else walk.stages.first) - walk.first(name)
    usual_column = link.key if link and pair else 0
    with row():
        chosen_row = whole_or("cell_row", _("Row"), (1, shape[0]), str(usual_row + 1), 110)
        chosen_column = whole_or("cell_column", _("Column"), (1, shape[1]), str(usual_column + 1), 110)
    return (chosen_row or usual_row + 1) - 1, (chosen_column or usual_column + 1) - 1


def choose_cell(place: Any) -> None:
    """What a click on a cell does."""
    st.session_state["cell_row"], st.session_state["cell_column"] = int(place[0]) + 1, int(place[1]) + 1


def swapped(tokens: Sequence[str]) -> tuple[int, int]:
    """Which two tokens swap places, from 0: at first the outermost that occur once, so that the order is another."""
    count, times = len(tokens), Counter(tokens)
    once = [place for place, token in enumerate(tokens, 1) if times[token] == 1]
    usual = (once[0], once[-1]) if len(once) > 1 else (1, count)
    with row():
        first = whole("swap_first", _("Swap token"), (1, count), usual[0], 120)
        second = whole("swap_second", _("with token"), (1, count), usual[1], 120)
    return first - 1, second - 1


def pinned(settings: Settings) -> Settings | None:
    """The settings to compare with; None before some are pinned.

    Raises:
        AttentionError: text that is no settings.
    """
    checked(PINNED, anything)
    with row():
        text = st.text_input(
            _("Pinned settings"),
            max_chars=400,
            placeholder=_("pin some, or write such as: mask=causal temperature=2"),
            key=PINNED,
            bind="query-params",
            persist_state="session",
            width=460,
        )
        now = {PINNED: written(settings)}
        st.button(_("Pin the present settings"), on_click=st.session_state.update, kwargs=now, key="pin")
    return read(text) if text.strip() else None
