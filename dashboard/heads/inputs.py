"""What Heads asks beside a sentence and how it is attended to: a word, and one of three matrices."""

from __future__ import annotations

from typing import cast

import streamlit as st

from attention_core.attention.projections import PARTS, Part
from dashboard.attention import inputs
from dashboard.attention.asked import Asked
from dashboard.inputs import one_of_few
from dashboard.language import _


def token(asked: Asked) -> int:
    """Which of the tokens that ask, from 0: the last at first."""
    most = len(asked.asking)
    return inputs.whole("heads_token", _("Output of token (1 to {most:,})").format(most=most), (1, most), most, 220) - 1


def chosen_token(asked: Asked) -> int:
    """The token that was chosen, also where its box is not drawn."""
    most = len(asked.asking)
    return min(int(st.session_state.get("heads_token") or most), most) - 1


def part() -> Part:
    """Which of the three matrices."""
    return cast(Part, one_of_few("heads_part", _("What the heads see as"), list(PARTS), "key"))
