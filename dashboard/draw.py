"""Drawing what the core gives: figures with their alternative text, and what the reader takes along."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go
import streamlit as st

import attention_core as ac
from attention_core.export import ranking_code, ranking_csv, ranking_table
from dashboard import findings
from dashboard.language import _
from dashboard.sidebar import FILE
from dashboard.view import View

TOOLBAR = {"displaylogo": False, "modeBarButtons": [["toImage"]]}


def figure(fig: go.Figure, alt: str, key: str) -> None:
    """A figure at full width, described in words for those who do not see it."""
    st.plotly_chart(fig, theme=None, alt=alt, key=key, config=TOOLBAR)


def ranked_lists(view: View, comparison: ac.Comparison, bars: Mapping[str, go.Figure]) -> None:
    """A column for each measure, and below what must be said about ties, undefined scores and weights."""
    for column, (name, ranking) in zip(st.columns(len(bars)), comparison.rankings.items(), strict=True):
        measure = ac.MEASURES[name]
        arrow = "↑" if measure.best == "highest" else "↓"
        with column:
            st.markdown(f"**{_(measure.label)} {arrow}**", help=_(measure.meaning))
            if len(ranking.order):
                words = ", ".join(ranking.words[:10])
                alt = _("{measure}, closest first: {words}").format(measure=_(measure.label), words=words)
                figure(bars[name], alt, f"bars-{name}")
            else:
                st.markdown(_("Undefined: {why}.").format(why=_(ranking.why)) if ranking.why else _("No other word."))
    notes = findings.notes(comparison, view.seed)
    if notes:
        st.caption(" ".join(notes))


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
