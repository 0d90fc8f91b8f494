"""The figures and tables of two vectors."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.export.two_vectors import pair_code, pair_csv
from attention_core.plots.levels import level_curves
from attention_core.plots.plane import plane_picture
from attention_core.plots.sweeps import TITLES, sweep_panels
from attention_core.plots.terms import term_bars
from attention_core.plots.theme import number
from attention_core.similarity.invariance import Invariance, joint_shift
from dashboard import cache, draw
from dashboard.draw import figure
from dashboard.language import _
from dashboard.two_vectors import findings
from dashboard.two_vectors.asked import Asked
from dashboard.view import View

LAWS = {
    "scale invariant": "b scaled by 2",
    "rotation invariant": "both turned by 30° in their plane",
    "shift invariant": "both shifted by {step} in every component",
    "symmetric": "a and b swapped",
}
"""What tests each property."""


def picture(view: View, asked: Asked, pair: ac.Pair) -> None:
    """The plane with both arrows, and the dot product by lengths and angle below it."""
    figure(plane_picture(pair, asked.names, view.style), findings.alt_plane(asked, pair), "plane")
    if pair.lengths_times_cosine is None:
        st.latex(r"\lVert a \rVert \lVert b \rVert \cos\theta")
        st.markdown(_("Undefined, because {why}.").format(why=_(pair.undefined)))
        return
    product = r" \cdot ".join(_factor(factor) for factor in (pair.norm_a, pair.norm_b, pair.scores["cosine"] or 0.0))
    st.latex(rf"\lVert a \rVert \lVert b \rVert \cos\theta = {product} = {tex(pair.lengths_times_cosine)}")


def terms(view: View, asked: Asked, pair: ac.Pair) -> None:
    """Every product, and the dot product as their sum below."""
    found = pair.terms(largest_first=asked.of_words)
    figure(term_bars(found, view.style), findings.alt_terms(pair), "terms")
    total = tex(pair.scores["dot"] or 0.0)
    if asked.of_words:
        st.latex(rf"\sum_{{i=1}}^{{{len(pair.a)}}} a_i b_i = {total}")
        return
    products = [rf"{_factor(a)} \cdot {_factor(b)}" for a, b in zip(pair.a.tolist(), pair.b.tolist(), strict=True)]
    rows = [" + ".join(products[start : start + 3]) for start in range(0, len(products), 3)]
    lines = r" \\ &\quad + ".join(rows)
    st.latex(rf"\begin{{aligned}} \sum_i a_i b_i &= {lines} \\ &= {total} \end{{aligned}}")


def tex(value: float, digits: int = 6) -> str:
    """A number in LaTeX, without zeros at its end."""
    mantissa, _e, exponent = f"{value:.{digits}g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _factor(value: float) -> str:
    return f"({tex(value, 3)})" if value < 0 else tex(value, 3)


def scores(view: View, pair: ac.Pair) -> None:
    """Angle, projection and every score."""
    entries = [(_("angle θ"), pair.angle, "°"), (_("projection of b on a"), pair.projection, "")]
    entries += [(_(ac.MEASURES[name].label), score, "") for name, score in pair.scores.items()]
    with st.container(horizontal=True, gap="medium", key="scores"):
        for label, value, unit in entries:
            st.metric(label, _("undefined") if value is None else number(value, 4) + unit, width="content")
    notes = [
        _("The {measure} weights are untrained (seed {seed}): the score means nothing.").format(
            measure=_(measure.label), seed=view.seed
        )
        for measure in ac.MEASURES.values()
        if measure.needs_weights
    ]
    if pair.plane.note:
        notes.append(_("{Note}.").format(Note=_(pair.plane.note).capitalize()))
    st.caption(" ".join(notes))


def levels(view: View, asked: Asked, pair: ac.Pair) -> None:
    """A map for each measure: where all points with one score lie."""
    found = cache.levels(view, asked.a, asked.b, pair.move)
    if found is None:
        st.markdown(_("Undefined, because {why}.").format(why=_(pair.plane.note)))
        return
    st.markdown(
        _("Every line joins points that score alike with **a**; the thick one joins all that score like **b**.")
    )
    names = list(found.scores)
    for start in range(0, len(names), 2):
        for column, name in zip(st.columns(2), names[start : start + 2], strict=False):
            with column:
                st.markdown(findings.through_b(pair, name), help=_(ac.MEASURES[name].meaning))
                if found.scores[name] is None:
                    st.markdown(_("Undefined, because {why}.").format(why=_(pair.undefined)))
                else:
                    if found.flat(name):
                        st.markdown(_("All points of the plane score alike."))
                    drawn = level_curves(found, pair, name, asked.names, view.style)
                    figure(drawn, findings.alt_levels(pair, name), f"levels-{name}")


def sweeps(view: View, pair: ac.Pair) -> None:
    """How every score moves while b is scaled, turned or shifted."""
    found = ac.sweeps(pair)
    for column, (parameter, sweep) in zip(st.columns(len(found)), found.items(), strict=True):
        with column:
            alt = _("Every score while {what}").format(what=_(TITLES[parameter]))
            figure(sweep_panels(sweep, pair, view.style), alt, f"sweep-{parameter}")
    if not pair.plane.turns:
        st.markdown(_("Turning is undefined, because {why}.").format(why=_(pair.plane.note)))


def invariance(pair: ac.Pair) -> None:
    """A table for each transformation: every score of these vectors before and after."""
    found, step = ac.invariances(pair), number(joint_shift(pair))
    laws = list(found)
    for start in range(0, len(laws), 2):
        for column, law in zip(st.columns(2), laws[start : start + 2], strict=False):
            rows = [[_(LAWS[law]).format(step=step), _("score"), _("verdict")], ["---"] * 3]
            rows += [_row(name, one) for name, one in found[law].items()]
            with column:
                st.markdown("\n".join(f"| {' | '.join(row)} |" for row in rows))
    if not pair.plane.turns:
        st.markdown(_("Turning is undefined, because {why}.").format(why=_(pair.plane.note)))


def _row(name: str, one: Invariance) -> list[str]:
    label, undefined = _(ac.MEASURES[name].label), _("undefined")
    before, after = (undefined if value is None else number(value) for value in (one.before, one.after))
    return [label, f"{before} → {after}", _verdict(one)]


def _verdict(found: Invariance) -> str:
    if found.change is None or found.tolerance is None:
        return _("undefined")
    if found.verdict == "changed":
        return _("changed by {change}").format(change=number(found.change))
    said = _("**unchanged**: {change} ≤ {tolerance}").format(
        change=number(abs(found.change), 2), tolerance=number(found.tolerance, 2)
    )
    return said if found.declared else _("{said}, for these two, not in general").format(said=said)


def takeaway(view: View, asked: Asked, pair: ac.Pair) -> None:
    """The products as CSV and the Python that computes all of it."""
    settings = {"first": str(asked.a), "second": str(asked.b), **view.settings}
    code = pair_code(draw.loading(view), asked.a, asked.b, pair, view.seed)
    embeddings = view.embeddings if asked.of_words else None
    draw.takeaway(lambda: pair_csv(pair, embeddings, settings), "two_vectors.csv", code)
