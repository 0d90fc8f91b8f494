"""The figures and tables of rankings."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.export.rankings import ranking_code, ranking_csv, ranking_table
from attention_core.plots.agreement import STATISTICS, agreement_map
from attention_core.plots.norms import neighbour_norms
from attention_core.plots.rankings import bump, ranked_bars, word_colours
from dashboard import draw
from dashboard.draw import figure
from dashboard.language import _
from dashboard.rankings import findings
from dashboard.view import View


def ranked_lists(view: View, comparison: ac.Comparison) -> None:
    """A column for each measure, and below what must be said about ties, undefined scores and weights."""
    colours, norms = word_colours(comparison), view.embeddings.norms
    rankings = comparison.rankings.items()
    for column, (name, ranking) in zip(st.columns(len(rankings)), rankings, strict=True):
        measure = ac.MEASURES[name]
        arrow = "↑" if measure.best == "highest" else "↓"
        with column:
            st.markdown(f"**{_(measure.label)} {arrow}**", help=_(measure.meaning))
            if len(ranking.order):
                words = ", ".join(ranking.words[:10])
                alt = _("{measure}, closest first: {words}").format(measure=_(measure.label), words=words)
                figure(ranked_bars(ranking, norms, colours, view.style), alt, f"bars-{name}")
            else:
                st.markdown(_("Undefined: {why}.").format(why=_(ranking.why)) if ranking.why else _("No other word."))
    notes = findings.notes(comparison, view.seed)
    if notes:
        st.caption(" ".join(notes))


def rank_lines(view: View, comparison: ac.Comparison) -> None:
    """Each word's rank across the measures."""
    figure(bump(comparison, word_colours(comparison), view.style), findings.alt_ranks(comparison), "ranks")


def agreement(view: View, comparison: ac.Comparison, statistic: str) -> None:
    """How far every pair of measures agrees."""
    alt = findings.alt_agreement(comparison, statistic, STATISTICS[statistic])
    figure(agreement_map(comparison, statistic, view.style), alt, "agreement")


def norms(view: View, comparison: ac.Comparison) -> None:
    """The neighbours' norms among all norms."""
    figure(neighbour_norms(view.embeddings, comparison, view.style), findings.alt_norms(view, comparison), "norms")


def ranking_rows(view: View, comparison: ac.Comparison) -> None:
    """The rankings as a table."""
    st.dataframe(ranking_table(view.embeddings, comparison), hide_index=True, key="rows")


def takeaway(view: View, query: str | tuple[float, ...], comparison: ac.Comparison) -> None:
    """The rankings as CSV and Python."""
    settings = {"k": str(comparison.k), **view.settings}
    code = ranking_code(draw.loading(view), query, comparison, view.seed)
    draw.takeaway(lambda: ranking_csv(view.embeddings, comparison, settings), "rankings.csv", code)
