"""Drawing what the core gives: figures with their alternative text, and what the reader takes along."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

import attention_core as ac
from attention_core.export import ranking_code, ranking_csv, ranking_table
from dashboard.language import _
from dashboard.sidebar import FILE
from dashboard.view import View

TOOLBAR = {"displaylogo": False, "modeBarButtons": [["toImage"]]}


def figure(fig: go.Figure, alt: str, key: str) -> None:
    """A figure at full width, described in words for those who do not see it."""
    st.plotly_chart(fig, theme=None, alt=alt, key=key, config=TOOLBAR)


def ranked_column(ranking: ac.Ranking, bars: go.Figure, seed: int) -> None:
    """One measure's heading, its bars, and what must be said about its ties and undefined scores."""
    measure = ac.MEASURES[ranking.measure]
    arrow = "↑" if measure.best == "highest" else "↓"
    heading = f"{_(measure.label)} {arrow}"
    st.markdown(f"**{heading}**", help=_(measure.meaning))
    if not len(ranking.order):
        st.markdown(_("Undefined: {why}.").format(why=_(ranking.why)))
        return
    words = ", ".join(ranking.words[:10])
    figure(
        bars, _("{measure}, closest first: {words}").format(measure=measure.label, words=words), f"bars-{measure.name}"
    )
    if measure.needs_weights:
        st.caption(_("Untrained weights, seed {seed}: the order is arbitrary.").format(seed=seed))
    if ranking.cut_in_tie:
        st.caption(_("The list is cut inside a tie: the next word scores the same as the last one shown."))
    if ranking.ties:
        st.caption(_("Words with equal scores share a rank and keep the order of the file."))
    if ranking.why:
        st.caption(_("{why}.").format(why=_(ranking.why)))


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
