"""What Step by step sets side by side: words before and after, two word orders, two settings; and the numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
import torch

import attention_core as ac
from attention_core.attention.stages import PAIRS, Stage, Swap, matrix, pooled, swap
from attention_core.plots.attending import difference_bars
from attention_core.plots.heat import Grid, heat_map, numbered
from attention_core.plots.theme import Figure
from dashboard import cache, draw
from dashboard.attention.asked import Asked
from dashboard.kept import watching
from dashboard.language import _
from dashboard.progress import Progress
from dashboard.step_by_step import findings, inputs
from dashboard.step_by_step.draw import MOST, array
from dashboard.step_by_step.walk import Walk, begin
from dashboard.view import View

TOKENS = 60
"""Rows of the table of words."""
NEAREST = 3
CELLS = 250_000
"""Of the table of numbers; of larger stages it holds one row."""


def words(view: View, walk: Walk, row: int) -> None:
    """The nearest words of each vector before, and of each output after."""
    size = walk.stages.output.shape[1]
    if size != view.embeddings.dimension:
        said = _("The outputs have {size} components and the words {d}, so no word is near an output.")
        st.markdown(said.format(size=size, d=view.embeddings.dimension))
        return
    if walk.settings.projection == "random":
        st.markdown(
            _(
                "W_V and W_O are random: the outputs no longer lie in the space of the words, so their neighbours are "
                "accidents. Choose identity, orthogonal or pca to ask what a word turned into."
            )
        )
    shown = slice(0, TOKENS)
    before, after = walk.stages.x[walk.stages.first :][shown], walk.stages.output[shown]
    moved = torch.nn.functional.cosine_similarity(before, after, dim=1)
    nearest = _nearest(view, before, walk.asking), _nearest(view, after, None)
    if row < len(before) and bool(after[row].any()):
        st.markdown(findings.of_word(walk, row, [each[row] for each in nearest], float(moved[row])))
    table = {
        _("token"): numbered(walk.sentence.tokens, len(before), walk.stages.first),
        _("nearest before"): list(map(_listed, nearest[0])),
        _("nearest after"): list(map(_listed, nearest[1])),
        _("cosine of before and after"): [
            None if not bool(one.any()) else float(value) for one, value in zip(after, moved, strict=True)
        ],
    }
    st.dataframe(table, hide_index=True, key="nearest")
    notes = [
        _("Nearest by cosine among all {n:,} words; before, the word itself is left out.").format(
            n=len(view.embeddings)
        )
    ]
    if len(walk.asking) > TOKENS:
        notes.append(_("The first {shown} of {all:,} tokens.").format(shown=TOKENS, all=len(walk.asking)))
    st.caption(" ".join(notes))


def _nearest(view: View, vectors: torch.Tensor, own: tuple[str, ...] | None) -> list[list[tuple[str, float]]]:
    """The nearest words of each vector with their cosines, without its own; none for a zero vector."""
    found = ac.rank(view.embeddings, array(vectors), NEAREST + 1, ("cosine",), compute=view.compute)["cosine"]
    lines = []
    for i, (rows, scores) in enumerate(zip(found.indices.tolist(), found.scores.tolist(), strict=True)):
        known = [(view.embeddings.words[row], score) for row, score in zip(rows, scores, strict=True) if score == score]
        lines.append([(word, score) for word, score in known if own is None or word != own[i]][:NEAREST])
    return lines


def _listed(found: list[tuple[str, float]]) -> str:
    return ", ".join(f"{word} {score:.3f}" for word, score in found) or _("undefined: a zero vector")


def order(view: View, walk: Walk) -> None:
    """What changes when two tokens swap places."""
    if len(walk.sentence) == 1:
        st.markdown(_("One token has no order. Write two or more."))
        return
    first, second = inputs.swapped(walk.sentence.tokens)
    found = _swapped(view, walk.asked, first, second)
    st.text(findings.swapped_sentence(walk, found))
    st.markdown(findings.of_swap(walk, found))
    drawn = difference_bars(walk.sentence.tokens, array(found.differences), found.tolerance, view.style)
    draw.figure(drawn, _("Largest change of each token's output"), "swap")
    if walk.settings.queries is not None:
        st.caption(_("All tokens ask here, in both orders."))


@watching("Attending in both orders", holds="matrices")
def _swapped(view: View, asked: Asked, first: int, second: int, *, progress: Progress) -> Swap:
    x, weights = cache.vectors(view, asked.sentence), cache.projections(view, asked)
    return swap(x, asked.settings, first, second, weights, progress)


def pinned(view: View, walk: Walk) -> None:
    """The weights of two settings and their difference."""
    other = inputs.pinned(walk.settings)
    if other is None:
        st.markdown(_("Pin the present settings, change one above, and see both side by side here."))
        return
    before = begin(view, walk.asked.by(other), min(walk.head.number, other.heads - 1))
    if before.head.weights.shape != walk.head.weights.shape:
        raise ac.AttentionError(
            f"The weights of {tuple(before.head.weights.shape)} pinned and {tuple(walk.head.weights.shape)} now cannot "
            "be subtracted. Let as many tokens ask in both."
        )
    now, then = (pooled(each, MOST).values for each in (_weights(walk), _weights(before)))
    known = now.nan_to_num(nan=0, neginf=0), then.nan_to_num(nan=0, neginf=0)
    change = walk.head.weights.nan_to_num(nan=0) - before.head.weights.nan_to_num(nan=0)
    place = divmod(int(change.abs().argmax()), change.shape[1])
    st.markdown(findings.of_pinned(walk, place, float(walk.head.weights[place]), float(before.head.weights[place])))
    titles, keys = (_("pinned"), _("now"), _("now − pinned")), ("pinned", "now", "difference")
    top = float(max(each.max() for each in known))
    maps = zip(keys, titles, (then, now, known[0] - known[1]), ((0.0, top), (0.0, top), None), strict=True)
    for column, (key, title, values, span) in zip(st.columns(3), maps, strict=True):
        with column:
            st.markdown(f"**{title}**")
            draw.figure(_map(view, walk, values, span), _("Weights, {title}").format(title=title), f"two-{key}")
    st.caption(_("Both maps of weights share one scale. Masked pairs count as 0 in the difference."))


def _weights(walk: Walk) -> torch.Tensor:
    return matrix(walk.stages, walk.head, "softmax")


def _map(view: View, walk: Walk, values: torch.Tensor, span: tuple[float, float] | None) -> Figure:
    m, n = walk.head.weights.shape
    rows = numbered(walk.sentence.tokens, values.shape[0], walk.stages.first, -(-m // MOST))
    columns = numbered(walk.sentence.tokens, values.shape[1], 0, -(-n // MOST))
    grid = Grid(array(values), rows, columns, ("query", "key"), whole=False, width=170, span=span)
    return heat_map(grid, view.style, height=min(480, max(260, 90 + 30 * values.shape[0])))


def numbers(walk: Walk, name: Stage, row: int) -> None:
    """The chosen stage as a table; of a large one the chosen row."""
    values = matrix(walk.stages, walk.head, name)
    tokens = walk.rows(name)
    columns = numbered(walk.columns(name), values.shape[1])
    if values.numel() > CELLS:
        values = values[row : row + 1]
        st.caption(_("The stage has too many numbers for a table: this is the chosen row, {row}.").format(row=row + 1))
        table = pd.DataFrame({_("column"): columns, name: array(values[0])})
    else:
        rows = numbered(walk.sentence.tokens, len(tokens), walk.first(name))
        table = pd.DataFrame(array(values), columns=columns)
        table.insert(0, " ", rows)
    st.dataframe(table.replace(-np.inf, np.nan), hide_index=True, key="numbers")
    if name in PAIRS and walk.head.mask is not None:
        st.caption(_("Empty: masked."))
