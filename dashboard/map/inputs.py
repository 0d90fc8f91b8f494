"""The widgets of Map."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

import attention_core as ac
from attention_core.similarity.projection import Rows
from attention_core.similarity.tsne import DISTANCES, MOST, largest_perplexity
from dashboard.inputs import one_of_few
from dashboard.language import _
from dashboard.links import between, checked, flag, one_of
from dashboard.map.picture import Picture
from dashboard.view import View

WORDS = (500, 1_000, 2_000, 5_000, 10_000)
"""How many words can be drawn at most; a browser moves 10,000 points fluidly."""
METHODS = ("PCA", "t-SNE")
PERPLEXITIES = (5, 15, 30, 50, 100)
SEEDS = 10_000
FIRST = 3
"""Groups that are coloured before anything is chosen."""


def picture(view: View, query: str) -> Picture:
    """Everything that moves the points."""
    n = len(view.embeddings)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        tsne = one_of_few("map_method", _("Method"), METHODS) == METHODS[1]
        dimensions = int(one_of_few("map_dimensions", _("Dimensions"), ("2", "3")))
        limit = _words("tsne_words" if tsne else "map_words", n, MOST if tsne else WORDS[-1])
        distance, perplexity = _tsne(min(n, limit)) if tsne else (DISTANCES[0], None)
        checked("map_seed", between(0, SEEDS))
        seed = 0
        if tsne or n > limit:
            seed = int(
                st.number_input(
                    _("Seed"),
                    0,
                    SEEDS,
                    0,
                    key="map_seed",
                    bind="query-params",
                    persist_state="session",
                    width=120,
                    help=_("Of the sample of words, and of t-SNE: what moves with the seed was never in the vectors."),
                )
            )
    options = ac.TsneOptions(perplexity, distance, seed) if tsne else None
    return Picture(dimensions, options, limit, seed, query if n > limit else "")


def _words(name: str, n: int, most: int) -> int:
    """How many words are drawn at most."""
    fewer = [str(count) for count in WORDS if count <= most and count < n]
    options = [*fewer, "all"] if n <= most else fewer
    if len(options) == 1:
        return most
    chosen = one_of_few(name, _("Words"), options, options[-1])
    return most if chosen == "all" else int(chosen)


def _tsne(drawn: int) -> tuple[str, float | None]:
    """The distance and the perplexity; None where so few words leave no choice."""
    distance = one_of_few("map_distance", _("Distance"), DISTANCES)
    possible = [str(value) for value in PERPLEXITIES if value <= largest_perplexity(drawn)]
    if not possible:
        return distance, None
    return distance, float(
        one_of_few("map_perplexity", _("Perplexity"), possible, "30" if "30" in possible else possible[-1])
    )


def groups(view: View) -> Mapping[str, Rows]:
    """The word groups to colour; nothing is drawn where none occurs."""
    known = ac.word_groups(view.embeddings)
    found = {name: group.rows for name, group in known.items() if len(group.rows) > 1}
    if not found:
        return {}
    names = list(found)
    checked("map_groups", one_of(names), several=True)
    if not set(st.session_state.get("map_groups", ())) <= set(names):
        st.session_state["map_groups"] = names[:FIRST]
    chosen = st.multiselect(
        _("Word groups"),
        names,
        default=names[:FIRST],
        key="map_groups",
        bind="query-params",
        persist_state="session",
    )
    return {name: found[name] for name in chosen}


def near() -> bool:
    """Whether to show the query and its neighbours only."""
    checked("map_near", flag)
    return st.toggle(_("Zoom to the neighbours"), key="map_near", bind="query-params", persist_state="session")
