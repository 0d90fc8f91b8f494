"""The map, what is selected in it, and what it keeps of the space."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

import attention_core as ac
from attention_core.export.map import map_code, map_csv, map_table
from attention_core.plots.map import Window, kept_neighbours, word_map
from attention_core.similarity.projection import Rows
from dashboard import cache, draw
from dashboard.language import _, plural
from dashboard.map import findings
from dashboard.map.picture import Picture
from dashboard.view import View

Groups = Mapping[str, Rows]


def words(view: View, projection: ac.Projection, comparison: ac.Comparison, groups: Groups, near: bool) -> list[int]:
    """The map; the rows of the words selected in it."""
    drawn = word_map(view.embeddings, projection, comparison, groups, Window(near), view.style)
    alt = findings.alt(projection, comparison)
    if projection.dimensions == 3:
        draw.figure(drawn, alt, "map")
        return []
    points = draw.selectable(drawn, alt, "map")
    return sorted({int(point["customdata"][0]) for point in points})


def selected(view: View, projection: ac.Projection, comparison: ac.Comparison, groups: Groups, rows: list[int]) -> None:
    """The selected words as a table to download, or how to select some."""
    if projection.dimensions == 3:
        st.caption(_("Drag to turn the map. Words can be selected in two dimensions."))
        return
    if not rows:
        st.caption(_("Choose the lasso or the box beside the map and draw around words: they are listed here."))
        return
    table = map_table(view.embeddings, projection, comparison, groups, rows)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(plural("{n:,} word is selected.", "{n:,} words are selected.", len(rows)).format(n=len(rows)))
        st.download_button(
            _("Download {name}").format(name="selected.csv"),
            data=lambda: map_csv(table, view.embeddings, projection, view.settings),
            file_name="selected.csv",
            mime="text/csv",
            on_click="ignore",
            key="csv-selected",
        )
    st.dataframe(table, hide_index=True, key="selected")


def faithfulness(view: View, projection: ac.Projection, found: ac.Faithfulness) -> None:
    """How much variance the axes hold, how many neighbours are kept, and how far the picture can be trusted."""
    if projection.method == "pca":
        held = ", ".join(findings.axes(cache.principal_axes(view), projection.dimensions))
        st.markdown(_("**Variance held**: {held}").format(held=held))
    if not any(kept.overlap for kept in found.measures.values()):
        return
    st.markdown(_("**Neighbours kept** of a word's {k} closest").format(k=found.k))
    overlaps = [
        f"{_(ac.MEASURES[name].label)} {kept.overlap.value:.3g}"
        for name, kept in found.measures.items()
        if kept.overlap
    ]
    alt = _("Neighbours that the picture keeps, of {k}: {overlaps}").format(k=found.k, overlaps=", ".join(overlaps))
    draw.figure(kept_neighbours(found, view.style), alt, "kept")
    asked = max(kept.asked for kept in found.measures.values())
    st.caption(
        _(
            "Bars: mean over {asked:,} of {drawn:,} words drawn, with its 95 % interval; dotted: points at random."
        ).format(asked=asked, drawn=found.drawn)
    )
    st.markdown(_("**Trustworthiness** (1: no word is near here that is not near in the space; 0.5: at random)"))
    st.markdown(findings.trust_table(found))
    for name, kept in found.measures.items():
        if kept.why:
            st.caption(f"{_(ac.MEASURES[name].label)}: {_(kept.why)}.")


def takeaway(
    view: View, picture: Picture, projection: ac.Projection, comparison: ac.Comparison, groups: Groups
) -> None:
    """All words drawn as CSV, and Python."""
    code = map_code(
        draw.loading(view), projection, comparison.query, (picture.limit, picture.seed), weights_seed=view.seed
    )
    draw.takeaway(
        lambda: map_csv(
            map_table(view.embeddings, projection, comparison, groups), view.embeddings, projection, view.settings
        ),
        "map.csv",
        code,
    )
