"""The figures and tables of Step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from torch import Tensor

from attention_core.attention.stages import (
    PAIRS,
    Pooling,
    Stage,
    made,
    matrix,
    pooled,
    weighted,
)
from attention_core.plots.attending import entropy_bars, weighted_sum
from attention_core.plots.heat import CLICKABLE, Grid, heat_map, numbered
from attention_core.plots.strip import Small, strip
from attention_core.plots.terms import term_bars
from dashboard import draw
from dashboard.language import _
from dashboard.step_by_step import findings, inputs
from dashboard.step_by_step.formulas import formula
from dashboard.step_by_step.walk import Walk
from dashboard.view import View

MOST = 500
"""Rows and columns of a heat map."""


def array(tensor: Tensor) -> NDArray[Any]:
    """Numbers as figures take them."""
    found: NDArray[Any] = tensor.detach().cpu().numpy()
    return found


def strip_of(view: View, walk: Walk, chosen: Stage) -> None:
    """All stages, small; a click chooses one."""
    small = [Small(name, array(found.values), found.shape) for name, found in walk.small.items()]
    cut = list(walk.small).index("scores")
    alt = _("All stages: {stages}").format(stages=", ".join(f"{s.name} {s.shape[0]} × {s.shape[1]}" for s in small))
    drawn = strip([small[:cut], small[cut:]], chosen, view.style)
    draw.clickable(drawn, alt, "strip", inputs.choose_stage)


def large(view: View, walk: Walk, name: Stage, cell: tuple[int, int], how: Pooling) -> None:
    """The chosen stage; a click on a cell chooses it."""
    whole = matrix(walk.stages, walk.head, name)
    found = pooled(whole, MOST, how)
    shape = tuple(found.values.shape)
    rows = numbered(walk.sentence.tokens, shape[0], walk.first(name), found.block[0])
    columns = numbered(walk.columns(name), shape[1], 0, found.block[1])
    titles = ("query", "key") if name in PAIRS else ("token", "component")
    grid = Grid(array(found.values), rows, columns, titles, found.is_whole)
    height = min(640, max(280, 90 + 36 * shape[0]))
    drawn = heat_map(grid, view.style, cell, height)
    alt = findings.alt_map(walk, name, found.shape)
    st.latex(formula(walk.stages, name))
    if grid.clickable:
        draw.clickable(drawn, alt, "map-of-stage", inputs.choose_cell)
    else:
        draw.figure(drawn, alt, "map-of-stage")
    st.caption(" ".join(_map_notes(walk, name, found.shape, found.block, how)))


def _map_notes(walk: Walk, name: Stage, shape: tuple[int, int], block: tuple[int, int], how: Pooling) -> list[str]:
    said = []
    if block != (1, 1):
        what = _("{rows:,} × {columns:,} numbers are drawn in blocks of {down} × {across}, each by its {how}.")
        said.append(what.format(rows=shape[0], columns=shape[1], down=block[0], across=block[1], how=_(how)))
    if name in ("masked", "softmax") and walk.head.mask is not None:
        count = int((~walk.head.mask).sum())
        said.append(_("Grey: masked, {count:,} of {all:,} pairs.").format(count=count, all=walk.head.mask.numel()))
    if shape[0] * shape[1] <= CLICKABLE:
        said.append(_("Click a cell to see what made it."))
    return said


def cell_terms(view: View, walk: Walk, name: Stage, cell: tuple[int, int]) -> None:
    """What made the number in a cell, term by term."""
    found = made(walk.stages, walk.head.number, name, *cell)
    st.markdown(findings.of_cell(walk, found))
    if found.terms is None:
        if name in ("Q", "K") and walk.settings.positions == "rope":
            st.markdown(_("RoPE mixes two sums in this number; without positions its terms are shown."))
        elif name in ("X", "X + P"):
            st.markdown(_("This number is given: it is where attention begins."))
        return
    total = float(found.terms.running[-1])
    alt = _("{count} terms, whose sum is {total}").format(count=len(found.terms.products), total=f"{total:.8g}")
    drawn = term_bars(found.terms, view.style, 340, found.counted, _("term"))
    draw.figure(drawn, alt, "cell-terms")


def spread(view: View, walk: Walk) -> None:
    """The entropy of each row, and the largest weights."""
    left, right = st.columns([3, 2])
    with left:
        st.markdown(_("**Entropy of each row**, and the most it could be (the line): 0 is all weight on one token."))
        found = walk.spread
        drawn = entropy_bars(walk.asking, array(found.entropy), array(found.most), walk.stages.first, view.style)
        draw.figure(drawn, findings.of_walk(walk), "entropy")
    with right:
        st.markdown(_("**Largest weights**"))
        st.markdown(findings.largest(walk))


def row_sum(view: View, walk: Walk, row: int) -> None:
    """A row of the output as the sum of values, each times its weight."""
    found = weighted(walk.head, row)
    st.markdown(findings.of_row(walk, row, found))
    tokens = walk.sentence.tokens
    pairs = zip(found.keys.tolist(), found.weights.tolist(), strict=True)
    names = [f"{weight:.3g} · V({key + 1} {tokens[key]})" for key, weight in pairs]
    terms = array(found.terms)
    if found.others:
        names.append(_("{weight} on {count:,} others").format(weight=f"{found.rest_weight:.3g}", count=found.others))
        terms = np.vstack([terms, array(found.rest)])
    drawn = weighted_sum(names, terms, array(found.output), view.style)
    draw.figure(drawn, _("Values times weights, and their sum"), "row-sum")
