"""From the heads to the output, drawn: joined, times W_O, and who adds what."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core.attention.multi_head import merge_heads
from attention_core.attention.stages import Survey
from attention_core.plots.head_bars import Bars, head_bars
from attention_core.plots.head_blocks import head_blocks
from attention_core.plots.theme import number
from dashboard.draw import figure
from dashboard.heads import findings
from dashboard.heads.asked import Heads
from dashboard.heads.draw import listed, names
from dashboard.language import _
from dashboard.view import View


def blocks(view: View, survey: Survey) -> None:
    """The joined heads times W_O."""
    joined = merge_heads(survey.head_outputs).cpu().double().numpy()
    o = survey.projections.o
    weights = np.eye(joined.shape[1]) if o is None else o.cpu().double().numpy()
    heads = len(survey.head_outputs)
    output = joined @ weights.T
    alt = _("Joined heads {a}, W_O transposed {b} and their product {c} as heat maps").format(
        a=joined.shape, b=weights.T.shape, c=output.shape
    )
    figure(head_blocks(joined, weights, output, heads, view.style), alt, "heads-blocks")
    width = joined.shape[1] // heads
    sizes = np.linalg.norm(weights.reshape(len(weights), heads, width), axis=(0, 2))
    bars = Bars(names(heads), np.asarray(sizes), _("Frobenius norm of the head's block of W_O"))
    figure(head_bars(bars, view.style), _("Norms of the blocks of W_O: {v}").format(v=listed(sizes)), "heads-norms")
    st.caption(
        _(
            "Head i fills columns {width}·(i − 1) + 1 to {width}·i of Concat and meets those rows of W_Oᵀ alone. Each "
            "matrix has a scale of its own, centred on 0."
        ).format(width=width)
    )


def contributions(view: View, asked: Heads, survey: Survey, token: int) -> None:
    """What each head adds to the output of a word."""
    found, word = survey.contributions(token), asked.asking[token]
    st.markdown(findings.of_contributions(word, found))
    along = found.norms if found.along is None else found.along
    axis = _("length") if found.along is None else _("projection on the output, in units of the vectors")
    bars = Bars(names(len(along)), along, axis, marks=found.norms, marked=_("length"))
    alt = _("Contributions of the heads to the output of {word}: {values}").format(word=word, values=listed(along))
    figure(head_bars(bars, view.style), alt, "heads-contributions")
    total = float(np.linalg.norm(found.output))
    parts = [_("The bars sum to the length of the output, {total}.").format(total=number(total, 4))]
    if found.bias is not None:
        parts = [
            _("The bars and the bias, {bias}, sum to the length of the output, {total}.").format(
                bias=number(found.bias_along, 4), total=number(total, 4)
            )
        ]
    st.caption(" ".join([*parts, _("Diamonds: the length of what a head adds.")]))
    rows = {
        _("head"): names(len(found.norms)),
        _("length"): found.norms,
        _("along the output"): found.along,
        _("share"): found.shares,
        _("cosine"): found.cosines,
    }
    precise = dict.fromkeys(list(rows)[1:], st.column_config.NumberColumn(format="%.4g"))
    st.dataframe(rows, hide_index=True, key="heads-contributed", column_config=precise)
