"""The card of Rankings: how far the measures agree."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from dashboard import cache
from dashboard.language import _
from dashboard.rankings import draw
from dashboard.view import View


def card(view: View, query: str) -> None:
    """The share of the five closest that two measures have in common."""
    st.markdown(_("Share of the five neighbours that two measures have in common"))
    draw.agreement(view, cache.agreed(view, query, 5, tuple(ac.MEASURES)), "overlap")
