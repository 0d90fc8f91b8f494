"""From the heads to the output, drawn: joined, times W_O, and who adds what."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core.attention.stages import Survey
from attention_core.plots.head_bars import Bars, head_bars
from attention_core.plots.head_blocks import Side, block_picture
from attention_core.plots.theme import number
from dashboard.attention.asked import Asked
from dashboard.draw import figure
from dashboard.heads import findings
from dashboard.heads.draw import listed, names
from dashboard.language import _
from dashboard.view import View


def blocks(view: View, asked: Asked, survey: Survey) -> None:
    """The joined heads times W_O."""
    joined = survey.stages.concatenated.cpu().double().numpy()
    o = survey.stages.projections.o
    weights = np.eye(joined.shape[1]) if o is None else o.cpu().double().numpy()
    heads, tokens = asked.settings.heads, Side(len(joined), tokens=asked.asking)
    sides = Side(joined.shape[1], heads), Side(len(weights))
    matrices = (
        (_("Concat"), joined, tokens, sides[0]),
        (_("· W_Oᵀ"), weights.T, sides[0], sides[1]),
        (_("= output"), joined @ weights.T, tokens, sides[1]),
    )
    keys = ("heads-concat", "heads-o", "heads-output")
    for column, key, (name, matrix, rows, columns) in zip(st.columns(3), keys, matrices, strict=True):
        with column:
            shape = f"{matrix.shape[0]:,} × {matrix.shape[1]:,}"
            st.markdown(f"**{name}** ({shape})")
            alt = _("{name}, a matrix of {shape}").format(name=name, shape=shape)
            figure(block_picture(matrix, rows, columns, view.style), alt, key)
    width = joined.shape[1] // heads
    st.caption(
        _(
            "Head i fills columns {width}·(i − 1) + 1 to {width}·i of Concat and meets the same rows of W_Oᵀ alone. "
            "Each matrix has a scale of its own, centred on 0; orange is negative. The bias is not in the output here. "
            "Below, the Frobenius norm of each head's rows, the root of the sum of their squares: how much W_O takes "
            "from the head."
        ).format(width=width)
    )
    sizes = np.asarray(np.linalg.norm(weights.reshape(len(weights), heads, width), axis=(0, 2)))
    bars = Bars(names(heads), sizes, _("Frobenius norm of the head's block of W<sub>O</sub>"))
    figure(head_bars(bars, view.style), _("Norms of the blocks of W_O: {v}").format(v=listed(sizes)), "heads-norms")


def contributions(view: View, asked: Asked, survey: Survey, token: int) -> None:
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
