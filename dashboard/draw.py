"""Drawing what the core gives: figures with their alternative text, and what the reader takes along."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

import attention_core as ac
from attention_core.export import ranking_code, ranking_csv, ranking_table
from attention_core.plots.agreement import STATISTICS, agreement_map
from attention_core.plots.norms import neighbour_norms
from attention_core.plots.rankings import bump, ranked_bars, word_colours
from attention_core.plots.theme import Figure
from dashboard import findings
from dashboard.language import _
from dashboard.sidebar import FILE
from dashboard.view import View

TOOLBAR = {"displaylogo": False, "modeBarButtons": [["toImage"]]}


class _Drawn(go.Figure):  # type: ignore[misc] # plotly has no types
    """A figure that Streamlit takes as it is: it checks every value of a dictionary, and none of a `go.Figure`."""

    def __init__(self, figure: Figure) -> None:
        object.__setattr__(self, "_figure", figure)

    def to_dict(self) -> Figure:
        """Plotly's dictionary of data and layout, all that Streamlit asks for."""
        figure: Figure = self._figure
        return figure


def figure(drawn: Figure, alt: str, key: str) -> None:
    """A figure at full width, described in words for those who do not see it."""
    st.plotly_chart(_Drawn(drawn), theme=None, alt=alt, key=key, config=TOOLBAR)


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
    """CSV, Python and the link."""
    settings = {"k": str(comparison.k), **view.settings}
    st.download_button(
        _("Download the rankings (CSV)"),
        data=lambda: ranking_csv(view.embeddings, comparison, settings),
        file_name="rankings.csv",
        mime="text/csv",
        on_click="ignore",
        key="csv",
    )
    name = view.settings.get("source", next(iter(ac.SAMPLES)))
    source = f"ac.load({_('your file')!r})" if name == FILE else f"ac.sample({name!r})"
    prepare = (".centred()" if "centre" in view.settings else "") + (
        ".normalised()" if "normalise" in view.settings else ""
    )
    st.code(ranking_code(source, prepare, query, comparison, view.seed), language="python")
    st.markdown(
        _(
            "The address of this page is a link to what you see: it names the vectors and every choice. "
            "An uploaded file stays here; its link asks the reader for the same file."
        )
    )
