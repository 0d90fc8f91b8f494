"""The figures and tables of Heads."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from torch import Tensor

from attention_core.attention.head_profile import PerQuery
from attention_core.attention.stages import Survey, written
from attention_core.export.heads import heads_code, heads_csv, heads_table
from attention_core.plots.head_bars import Bars, head_bars
from attention_core.plots.heads import between_heads, head_maps
from attention_core.plots.sharing import sharing_diagram
from attention_core.plots.theme import number
from dashboard import cache, draw
from dashboard.attention.asked import Asked
from dashboard.draw import figure
from dashboard.heads import computed, findings
from dashboard.heads.inputs import chosen_token
from dashboard.language import _
from dashboard.view import View


def names(count: int) -> list[str]:
    """The heads by number."""
    return [str(place + 1) for place in range(count)]


def titles(asked: Asked) -> list[str]:
    """The heads, and where they share keys and values, whose."""
    heads, groups = asked.settings.heads, asked.settings.groups
    if groups == heads:
        return [_("head {n}").format(n=place + 1) for place in range(heads)]
    return [_("{n} · kv {kv}").format(n=n + 1, kv=n // (heads // groups) + 1) for n in range(heads)]


def maps(view: View, asked: Asked, survey: Survey, key: str = "heads-maps") -> None:
    """The weights of every head."""
    tokens = asked.sentence.tokens
    drawn = head_maps(survey.maps, survey.open, titles(asked), asked.asking, tokens, view.style)
    alt = _("Weights of {heads} heads over {n} tokens, one heat map each; rows are queries, columns keys").format(
        heads=len(survey.maps), n=f"{len(tokens):,}"
    )
    figure(drawn, alt, key)


def notes(asked: Asked, survey: Survey) -> str:
    """How the maps are to be read."""
    said = [_("Rows: queries, columns: keys; all heads on one scale.")]
    if not survey.open.all():
        said.append(_("Grey: masked."))
    if survey.cell > 1:
        said.append(
            _("Each cell is the mean of {cell} × {cell} pairs of the {n} tokens.").format(
                cell=survey.cell, n=f"{len(asked.sentence):,}"
            )
        )
    return " ".join(said)


def distances(view: View, survey: Survey) -> None:
    """The matrix of distances between the heads' weights."""
    found = survey.distances
    if len(found.values) == 1:
        st.markdown(_("There is one head, and no pair of heads to compare."))
        return
    said = [[_("{n} queries").format(n=f"{n:,}") for n in row] for row in found.queries.tolist()]
    drawn = between_heads(found.values, names(len(said)), _("mean Jensen-Shannon distance"), said, view.style)
    far = found.pair(farthest=True)
    alt = _("Distances between the weights of {heads} heads").format(heads=len(said))
    if far is not None:
        alt += _("; the largest is {far} between heads {a} and {b}").format(
            far=number(found.values[far]), a=far[0] + 1, b=far[1] + 1
        )
    figure(drawn, alt, "heads-distances")
    meaning = _("Jensen-Shannon distance: 0 where two heads weigh all keys alike, 1 where they have no key in common.")
    st.caption(f"{meaning} {findings.sampled(survey) or _('Mean over all {n} queries.').format(n=f'{found.total:,}')}")


def spreads(view: View, survey: Survey) -> None:
    """Entropy and attended distance of each head."""
    left, right = st.columns(2)
    with left:
        _spread(view, survey.profile.entropy, _("entropy of the weights (nats)"), "heads-entropy")
    with right:
        _spread(view, survey.profile.distance, _("mean attended distance (tokens)"), "heads-distance")
    n = int(survey.profile.entropy.counts.sum())
    st.caption(
        _(
            "Entropy: 0 with all weight on one key. Attended distance: how many tokens away the keys lie, each by its "
            "weight. Bars: means over the {n} queries; lines: from the lowest to the highest query. Dashed: even "
            "weights over the allowed keys."
        ).format(n=f"{n:,}")
    )


def _spread(view: View, spread: PerQuery, axis: str, key: str) -> None:
    if spread.mean is None:
        st.markdown(_("Undefined, because no query has a key that it may attend to."))
        return
    bars = Bars(
        names(len(spread.mean)), spread.mean, axis, spread.low, spread.high, spread.even_mean, _("even weights")
    )
    alt = _("{axis}, by head: {values}").format(axis=axis, values=listed(spread.mean))
    figure(head_bars(bars, view.style), alt, key)


def listed(values: NDArray[np.float64], most: int = 12) -> str:
    """The first numbers, for the description of a figure."""
    shown = ", ".join(number(value) if np.isfinite(value) else _("undefined") for value in values[:most].tolist())
    return shown if len(values) <= most else f"{shown} …"


def sharing(view: View, asked: Asked, survey: Survey) -> None:
    """Which query heads read which keys and values."""
    heads, groups = asked.settings.heads, asked.settings.groups
    st.markdown(findings.of_sharing(asked))
    figure(sharing_diagram(heads, groups, view.style), findings.of_sharing(asked), "heads-sharing")
    found = survey.stages.projections
    rows = {
        _("matrix"): ["W_Q", "W_K", "W_V", "W_O"],
        _("shape"): [_shape(found.q), _shape(found.k), _shape(found.v), "–" if found.o is None else _shape(found.o)],
        _("heads"): [heads, groups, groups, heads],
    }
    st.dataframe(rows, hide_index=True, key="heads-shapes", width="content")
    kept = len(found.k) + len(found.v)
    said = _("A cache keeps {kept:,} numbers for each token and layer.")
    if groups < heads:
        said = _(
            "A cache keeps {kept:,} numbers for each token and layer, where {full:,} would be kept without sharing."
        )
    st.caption(said.format(kept=kept, full=kept * heads // groups))


def _shape(matrix: Tensor) -> str:
    return " × ".join(f"{size:,}" for size in matrix.shape)


def takeaway(view: View, asked: Asked, survey: Survey) -> None:
    """The figures of every head as CSV, and the Python that finds them."""
    ranks, token = computed.head_ranks(view, asked), chosen_token(asked)
    settings = {**view.settings, "attention": written(asked.settings)}
    draw.takeaway(
        lambda: heads_csv(heads_table(survey, ranks, token, asked.asking[token]), view.embeddings, settings),
        "heads.csv",
        heads_code(draw.loading(view), asked.sentence, asked.settings, token, cache.principal_step(view)),
    )
