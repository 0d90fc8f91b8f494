"""The figures and tables of Diagnostics."""

from __future__ import annotations

import pandas as pd
import streamlit as st

import attention_core as ac
from attention_core.export.diagnostics import diagnostics_code, diagnostics_csv
from attention_core.plots import diagnostics as plots
from attention_core.plots import hubness as hub_plots
from attention_core.plots.theme import number, percent
from dashboard import cache, draw
from dashboard.diagnostics import findings
from dashboard.diagnostics.findings import named
from dashboard.draw import figure
from dashboard.language import _, plural
from dashboard.untrusted import quoted
from dashboard.view import View

SHOWN = 500
"""Rows of a table of words; the file has all."""


def hubs(view: View, found: ac.Neighbourhoods) -> None:
    """The distribution of N_k under each measure, on shared axes."""
    edges = hub_plots.bin_edges(found.hubness)
    highest = max(int(hub_plots.words_per_bin(hub, edges).max()) for hub in found.hubness.values())
    for column, (name, hub) in zip(st.columns(len(found.hubness)), found.hubness.items(), strict=True):
        with column:
            st.markdown(f"**{named(name)}** · {_skewness(hub)}")
            figure(hub_plots.hub_histogram(hub, edges, highest, view.style), findings.alt_hubs(hub), f"hubs-{name}")
    st.caption(_hubs_note(found))


def _skewness(hub: ac.Hubness) -> str:
    if hub.skewness is None:
        return _("skewness undefined, because {why}").format(why=_(hub.why))
    if hub.interval is None:
        return _("skewness {value}").format(value=number(hub.skewness))
    low, high = (number(value) for value in hub.interval)
    return _("skewness {value}, 95 % {low} to {high}").format(value=number(hub.skewness), low=low, high=high)


def _hubs_note(found: ac.Neighbourhoods) -> str:
    note = _("How many of the lists of the {k} closest words each word is in; lists of {of}. Grey: in none.").format(
        k=found.k, of=findings.of(found)
    )
    if found.sampled:
        note += " " + _("Counts are over the sample; the skewness is estimated for the lists of all words.")
    for name, hub in found.hubness.items():
        if hub.left_out:
            note += " " + plural(
                "By {measure} {count:,} list is left out: its scores are undefined or all tie.",
                "By {measure} {count:,} lists are left out: their scores are undefined or all tie.",
                hub.left_out,
            ).format(measure=named(name), count=hub.left_out)
    return note


def _stopped() -> None:
    st.markdown(_("This rests on the closest words of all words: the search for them was stopped, see above."))


def hub_tables(view: View, found: ac.Neighbourhoods | None) -> None:
    """The hubs by name, and the words in no list."""
    if found is None:
        _stopped()
        return
    norms = view.embeddings.norms
    for column, (name, hub) in zip(st.columns(len(found.hubness)), found.hubness.items(), strict=True):
        with column:
            st.markdown(f"**{named(name)}**")
            rows = [view.embeddings.index(entry.word) for entry in hub.hubs]
            table = {
                _("word"): [entry.word for entry in hub.hubs],
                _("lists"): [entry.lists for entry in hub.hubs],
                _("norm"): norms[rows],
            }
            if found.sampled:
                table[_("share, 95 %")] = [_share(hub, entry.lists) for entry in hub.hubs]
            st.dataframe(pd.DataFrame(table), hide_index=True, key=f"hubs-table-{name}")
            if hub.antihub_share is None:
                st.markdown(_("Words in no list are undefined, because {why}.").format(why=_(hub.why)))
                continue
            lonely = hub.antihubs
            st.markdown(
                _("In no list: {count:,} words ({share}).").format(count=len(lonely), share=percent(hub.antihub_share))
            )
            if lonely:
                st.dataframe(pd.DataFrame({_("in no list"): lonely[:SHOWN]}), hide_index=True, key=f"lonely-{name}")
            if len(lonely) > SHOWN:
                st.caption(_("The first {shown:,} of the file; the CSV has all.").format(shown=SHOWN))
    if found.sampled:
        st.caption(
            _("In none of the lists of {of}: words in nobody's list are at most so many.").format(of=findings.of(found))
        )


def _share(hub: ac.Hubness, count: int) -> str:
    found = hub.share_interval(count)
    share = number(100 * count / hub.lists)
    return f"{share} %" if found is None else f"{share} % ({number(100 * found.low)}–{number(100 * found.high)})"


def overlap(view: View, found: ac.Neighbourhoods | None) -> None:
    """How much of their lists every two measures share."""
    if found is None:
        _stopped()
        return
    names = list(found.lists)
    parts = [
        f"{named(a)} – {named(b)} {_('undefined') if one.mean is None else percent(one.mean)}"
        for (a, b), one in found.overlap.items()
        if names.index(a) < names.index(b)
    ]
    alt = _("Common words among the ten closest: {parts}").format(parts=", ".join(parts))
    figure(hub_plots.overlap_bars(found.overlap, names, view.style), alt, "overlap")
    note = _("Mean over the lists of {of}.").format(of=findings.of(found))
    st.caption(f"{note} {_('Whiskers: 95 % interval.')}" if found.sampled else note)


def norms(view: View) -> None:
    """The histogram of norms, and norm against frequency."""
    geometry = cache.geometry(view)
    left, right = st.columns(2)
    with left:
        figure(plots.norm_histogram(geometry.norms, view.style, plots.HEIGHT + 40), _("Histogram of norms"), "norms")
    with right:
        alt = _("Norm against frequency rank") if geometry.frequency_rank is not None else _("Norm against file order")
        figure(plots.norms_by_rank(geometry, view.embeddings.words, view.style), alt, "norms-by-rank")
    st.markdown(_norms_said(geometry))
    step = plots.shown_step(len(geometry.norms))
    drawn = _("One word in {step} is drawn").format(step=step) if step > 1 else _("Every word is drawn")
    st.caption(
        _("{drawn}; the large points are means of tenths of all {n:,} words.").format(
            drawn=drawn, n=len(geometry.norms)
        )
    )


def _norms_said(geometry: ac.Geometry) -> str:
    if geometry.norm_vs_rank is not None:
        return _("Spearman of norm and frequency rank: {rho}, over all {n:,} words.").format(
            rho=number(geometry.norm_vs_rank), n=len(geometry.norms)
        )
    said = _("Norm against frequency is undefined, because {why}.").format(why=_(geometry.why))
    if geometry.frequency_rank is None and geometry.norm_vs_row is not None:
        said += " " + _("Against the order of the file, which may or may not be by frequency: Spearman {rho}.").format(
            rho=number(geometry.norm_vs_row)
        )
    return said


def anisotropy(view: View) -> None:
    """The cosines of pairs before and after centring."""
    geometry, found = cache.geometry(view), cache.cosines(view)
    if geometry.anisotropy is None:
        st.markdown(_("The mean cosine is undefined, because fewer than two vectors have a direction."))
        return
    after = geometry.anisotropy_centred
    said = _("The mean cosine of all pairs of different words is {before}, and {after} after centring (both exact).")
    sentence = said.format(before=findings.cosine(geometry.anisotropy), after=findings.cosine(after))
    figure(plots.cosine_histogram(found, view.style), sentence, "cosines")
    st.markdown(sentence)
    if found.drawn < found.of:
        note = _("The histograms are of {drawn:,} pairs drawn from {of:,} (seed 0), the same for both.")
    else:
        note = _("The histograms are of all {of:,} pairs.")
    st.caption(note.format(drawn=found.drawn, of=found.of))


def spectrum(view: View) -> None:
    """How many dimensions the vectors use."""
    found = cache.spectrum(view)
    if found.effective_dimension is None:
        st.markdown(_("The effective dimension is undefined, because {why}.").format(why=_(found.why)))
        return
    sentence = _spectrum_said(found)
    figure(plots.variance_curve(found, view.style), sentence, "spectrum")
    st.markdown(sentence)
    if found.rows < found.of:
        note = _("From {rows:,} of {of:,} vectors (seed 0).").format(rows=found.rows, of=found.of)
        st.caption(note)


def _spectrum_said(found: ac.Spectrum) -> str:
    value = number(found.effective_dimension or 0.0)
    if found.interval is not None:
        low, high = (number(end) for end in found.interval)
        value = _("{value} (95 % interval {low} to {high})").format(value=value, low=low, high=high)
    elif not found.complete:
        value = _("at most {value}").format(value=value)
    held = _("more than {count:,}").format(count=len(found.variances))
    if found.components is not None:
        held = f"{found.components:,}"
    return _(
        "The effective dimension (participation ratio) is {value} of {d:,}; {held} principal components hold 90 % of "
        "the variance."
    ).format(value=value, d=found.dimension, held=held)


def duplicates(view: View, lists: ac.Neighbourhoods | None) -> None:
    """Zero vectors, twins and near-duplicates."""
    if lists is None:
        _stopped()
        return
    found = cache.duplicates(view)
    words = view.embeddings.words
    said = [
        plural("{count:,} zero vector", "{count:,} zero vectors", len(found.zeros)).format(count=len(found.zeros)),
        plural(
            "{count:,} group of words that share one vector",
            "{count:,} groups of words that share one vector",
            len(found.twins),
        ).format(count=len(found.twins)),
        plural(
            "{count:,} pair with a cosine of 0.999 or more",
            "{count:,} pairs with a cosine of 0.999 or more",
            len(found.near),
        ).format(count=len(found.near)),
    ]
    st.markdown(_("Found: {said}.").format(said="; ".join(said)))
    if found.zeros:
        shown = ", ".join(quoted(word) for word in found.zeros[:20])
        st.markdown(_("Zero vectors, which have no cosine: {words}").format(words=shown))
    if found.twins:
        groups = [" = ".join(group[:8]) for group in found.twins[:SHOWN]]
        st.dataframe(pd.DataFrame({_("words that share one vector"): groups}), hide_index=True, key="twins")
    if len(found.near):
        pairs = found.near[:SHOWN]
        table = {
            _("word"): [words[row] for row in pairs[:, 0].tolist()],
            _("near-duplicate"): [words[row] for row in pairs[:, 1].tolist()],
            _("cosine"): found.cosines[:SHOWN],
            _("distance"): found.distances[:SHOWN],
        }
        st.dataframe(pd.DataFrame(table), hide_index=True, key="near")
    note = _(
        "Twins and zero vectors are looked for among all words, near-duplicates among the {k} closest by cosine of "
        "{of}."
    )
    st.caption(note.format(k=found.k, of=findings.of(lists)))


def takeaway(view: View, found: ac.Neighbourhoods | None) -> None:
    """The figures of every word as CSV, and Python."""
    if found is None:
        _stopped()
        return
    draw.takeaway(
        lambda: diagnostics_csv(view.embeddings, found, view.settings),
        "diagnostics.csv",
        diagnostics_code(draw.loading(view)),
    )
