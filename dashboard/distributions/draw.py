"""The figures and tables of score distributions."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Integral

import numpy as np
import streamlit as st

import attention_core as ac
from attention_core.export.distributions import (
    distribution_code,
    distribution_csv,
    groups_table,
    standing_table,
    summary_table,
)
from attention_core.plots.distributions import Mark, score_histogram
from attention_core.plots.theme import number
from attention_core.similarity.distribution import Histogram, histogram
from dashboard import cache, draw
from dashboard.distributions import findings, inputs
from dashboard.draw import figure
from dashboard.language import _
from dashboard.view import View

WIDE = 2
"""Figures side by side."""
PAIRS = 400
"""Pairs inside groups that are marked, at most: those of more are drawn at random."""


def histograms(view: View, comparison: ac.Comparison, found: Mapping[str, ac.Distribution], log: bool) -> None:
    """A figure for each measure with the query's neighbours marked, and a box that a score can be typed into."""
    names = [name for name in comparison.rankings if name in found]
    for start in range(0, len(names), WIDE):
        for column, name in zip(st.columns(WIDE, gap="medium"), names[start : start + WIDE], strict=False):
            with column, st.container(key=f"distribution-{name}"):
                _one(view, comparison[name], found[name], log)


def _one(view: View, ranking: ac.Ranking, found: ac.Distribution, log: bool) -> None:
    measure = ac.MEASURES[found.measure]
    arrow = "↑" if measure.best == "highest" else "↓"
    st.markdown(f"**{_(measure.label)} {arrow}**", help=_(measure.meaning))
    if not found.pairs:
        st.markdown(_("Undefined: {why}.").format(why=_(found.why)))
        return
    expected = cache.random_directions(view, found.measure)
    marks = neighbour_marks(ranking, found)
    drawn = score_histogram(found.measure, histogram(found), histogram(expected), marks, log, view.style)
    figure(drawn, findings.alt(found, _("; below it the neighbours")), f"scores-{found.measure}")
    st.caption(findings.under(found, view.embeddings, expected))
    score = inputs.score(found.measure, found.quantile(0.99).value)
    if score is not None:
        st.markdown(f"**{score:g}**: {findings.standing(found, score)}.")


def neighbour_marks(ranking: ac.Ranking, found: ac.Distribution) -> list[Mark]:
    """The neighbours' scores, each with its standing; undefined ones are left out."""
    scored = zip(ranking.words, ranking.scores.tolist(), strict=True)
    return [Mark(score, word, findings.standing(found, score)) for word, score in scored if isfinite(score)]


def neighbours(comparison: ac.Comparison, found: Mapping[str, ac.Distribution]) -> None:
    """Where each neighbour stands among all pairs."""
    table = standing_table(comparison, found)
    percent = st.column_config.NumberColumn(format="%.5f")
    shares = ["farther", "farther low", "farther high"]
    table[shares] *= 100
    names = dict(zip(shares, (_("% of pairs farther"), _("at least"), _("at most")), strict=True))
    st.dataframe(
        table.rename(columns=names),
        hide_index=True,
        key="standing",
        column_config={"score": st.column_config.NumberColumn(format="%.4f"), **dict.fromkeys(names.values(), percent)},
    )


def summary(found: Mapping[str, ac.Distribution]) -> None:
    """Mean, variance and quantiles of each measure."""
    table = summary_table(found)
    if len(table):
        labelled = table.assign(measure=[_(ac.MEASURES[name].label) for name in table["measure"]])
        written = labelled.set_index("measure").map(_written).T
        written.index.name = _("figure")
        st.dataframe(written, key="quantiles", height="content")


def _written(value: float) -> str:
    return f"{value:,}" if isinstance(value, Integral) else number(value, 6)


def groups(view: View, found: Mapping[str, ac.Distribution], log: bool) -> None:
    """The pairs inside chosen groups, marked below the scores of their words with all others."""
    known = ac.word_groups(view.embeddings)
    if not known:
        st.markdown(_("None of the words of the bundled groups is among these vectors."))
        return
    chosen = inputs.groups(known)
    if not chosen:
        st.markdown(_("Choose a group or more."))
        return
    scores = {name: cache.group_scores(view, name, chosen) for name in found if found[name].pairs}
    st.markdown(findings.of_groups(scores, chosen))
    for name in chosen:
        group = known[name]
        if len(group.words) < 2:
            st.caption(_("Of {group} there is one word only: no pair lies inside it.").format(group=name))
    names = list(scores)
    for start in range(0, len(names), WIDE):
        for column, name in zip(st.columns(WIDE, gap="medium"), names[start : start + WIDE], strict=False):
            with column:
                _group(view, scores[name], log)
    with st.expander(_("The pairs inside"), key="inside"):
        st.dataframe(groups_table(view.embeddings, list(scores.values())), hide_index=True, key="pairs-inside")


def _group(view: View, scores: ac.GroupScores, log: bool) -> None:
    measure = ac.MEASURES[scores.measure]
    if not len(scores.outward):
        st.markdown(_("{measure}: there is no other word to compare with.").format(measure=_(measure.label)))
        return
    low, high = float(scores.outward.min()), float(scores.outward.max())
    counts, edges = np.histogram(scores.outward, bins=80, range=(low, high) if high > low else None)
    words, shown = view.embeddings.words, np.arange(len(scores.within))
    if len(shown) > PAIRS:
        shown = np.sort(np.random.default_rng(0).choice(shown, PAIRS, replace=False))
    marks = [
        Mark(float(scores.within[i]), f"{words[scores.first[i]]} – {words[scores.second[i]]}") for i in shown.tolist()
    ]
    outward = Histogram(edges, counts.astype(np.int64), np.zeros(len(counts)))
    drawn = score_histogram(scores.measure, outward, None, marks, log, view.style)
    told = _(
        "{measure}: pairs of a group's word with another word; marked, {n:,} of {m:,} pairs inside a group"
    ).format(measure=_(measure.label), n=len(shown), m=len(scores.within))
    figure(drawn, told, f"groups-{scores.measure}")
    st.caption(_words(told, scores))


def _words(told: str, scores: ac.GroupScores) -> str:
    drawn = (
        _("; {others:,} of {outside:,} other words, drawn with seed {seed}")
        if scores.seed is not None
        else _("; all {outside:,} other words")
    )
    return told + drawn.format(others=scores.others, outside=scores.outside, seed=scores.seed) + "."


def takeaway(view: View, query: str, comparison: ac.Comparison, found: Mapping[str, ac.Distribution]) -> None:
    """The bins as CSV, and Python."""
    names = [name for name in comparison.rankings if name in found]
    shown = {name: found[name] for name in names}
    code = distribution_code(draw.loading(view), names, query, comparison.k, view.seed)
    draw.takeaway(lambda: distribution_csv(view.embeddings, shown, dict(view.settings)), "distributions.csv", code)
