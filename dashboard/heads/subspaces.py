"""What each head sees of the vectors, drawn."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core.attention.head_ranks import HeadRanks
from attention_core.attention.head_subspaces import HeadSubspaces
from attention_core.plots.head_bars import Bars, head_bars
from attention_core.plots.heads import between_heads, word_shares
from attention_core.plots.theme import number
from dashboard.attention.asked import Asked
from dashboard.draw import figure
from dashboard.heads import findings
from dashboard.heads.draw import listed, names
from dashboard.language import _
from dashboard.view import View

MOST = 200
"""Words whose shares are drawn."""


def subspaces(view: View, asked: Asked, found: HeadSubspaces, ranks: HeadRanks) -> None:
    """How much of the vectors each subspace holds, of each word, and how the subspaces lie to each other."""
    count = len(found.ranks)
    st.markdown(findings.of_subspaces(found))
    left, right = st.columns(2)
    with left:
        st.markdown(f"**{_('Share of the variance of these vectors')}**")
        bars = Bars(
            names(count),
            100 * found.held,
            _("share of the variance (%)"),
            reference=100 * float(found.by_chance.mean()),
            beside=_("a random subspace"),
        )
        alt = _("Share of the variance in percent: {values}").format(values=listed(100 * found.held))
        figure(head_bars(bars, view.style), alt, "heads-held")
    with right:
        st.markdown(f"**{_('Overlap of the subspaces')}**")
        _overlap(view, found)
    st.markdown(f"**{_('Share of the squared length of each word')}**")
    _seen(view, asked, found)
    _directions(ranks)


def _overlap(view: View, found: HeadSubspaces) -> None:
    if len(found.ranks) == 1:
        st.markdown(_("There is one subspace, and no other to compare it with."))
        return
    said = [
        [_("angles {low}° to {high}°").format(low=number(low), high=number(high)) for low, high in row]
        for row in np.nan_to_num(found.angles).round(6).tolist()
    ]
    values = np.where(found.overlap < 1e-12, 0.0, found.overlap)
    drawn = between_heads(values, names(len(said)), _("mean cos² of principal angles"), said, view.style)
    figure(drawn, _("Overlap of the subspaces of every two heads"), "heads-overlap")
    st.caption(_("0: at right angles, nothing that both see; 1: one holds the other."))


def _seen(view: View, asked: Asked, found: HeadSubspaces) -> None:
    tokens = asked.sentence.tokens
    shown = tokens[:MOST]
    figure(
        word_shares(found.seen[:, : len(shown)], names(len(found.ranks)), shown, view.style),
        _("Share of each word's squared length in the subspace of each head"),
        "heads-seen",
    )
    if len(shown) < len(tokens):
        st.caption(_("The first {n} of {total} tokens.").format(n=len(shown), total=f"{len(tokens):,}"))


def _directions(ranks: HeadRanks) -> None:
    rows = {
        _("head"): names(len(ranks.scores)),
        _("effective rank of W_QᵀW_K"): ranks.scores,
        _("effective rank of W_O·W_V"): ranks.values,
    }
    st.markdown(f"**{_('In how many directions each head works, of {size}').format(size=ranks.size)}**")
    precise = dict.fromkeys(list(rows)[1:], st.column_config.NumberColumn(format="%.3g"))
    st.dataframe(rows, hide_index=True, key="heads-ranks", column_config=precise)
    st.caption(
        _(
            "Effective rank: how many equally strong directions a matrix would need; W_QᵀW_K makes scores, "
            "W_O·W_V outputs."
        )
    )
