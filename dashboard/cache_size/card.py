"""The card of Cache size: what a token takes under each layout."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.plots.kv_cache import layout_bars
from dashboard.cache_size import findings
from dashboard.draw import figure
from dashboard.language import _
from dashboard.view import View

MODEL = "DeepSeek-V3"


def card(view: View, query: str) -> None:  # noqa: ARG001 - the cache depends on no vectors
    """DeepSeek-V3's token, as it is and as it would be."""
    s = ac.kv_cache.sizes(ac.kv_cache.PRESETS[MODEL], 1)
    st.markdown(findings.of_token(MODEL, s))
    drawn = layout_bars({MODEL: s}, style=view.style)
    figure(drawn, findings.alt_bars({MODEL: s}, "binary"), "card-cache-bars")
    st.caption(_("It depends on the model alone, not on the vectors."))
