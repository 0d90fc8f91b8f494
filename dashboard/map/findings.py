"""Sentences about a picture, each from its figures."""

from __future__ import annotations

import attention_core as ac
from attention_core.plots.theme import number
from attention_core.similarity.faithfulness import Estimate, Kept, nearest_in_picture
from attention_core.similarity.projection import PrincipalAxes
from dashboard.language import _, plural
from dashboard.rankings.findings import notes
from dashboard.untrusted import quoted


def of_map(projection: ac.Projection, found: ac.Faithfulness, comparison: ac.Comparison | None = None) -> str:
    """How much variance the picture holds, how many neighbours it keeps, and how many of those of the query."""
    sentences = [_variance(projection)] if projection.method == "pca" else []
    name = next((name for name in ("cosine", *found.measures) if _overlap(found, name)), None)
    if name is None:
        return " ".join([*sentences, _undefined(found)])
    kept, overlap = found[name], _overlap(found, name)
    assert overlap is not None  # noqa: S101 - chosen so
    sentences.append(_kept(found, name, kept, overlap))
    if comparison is not None and name in comparison.rankings:
        sentences += of_query(projection, comparison, name)
    return " ".join(sentences)


def _overlap(found: ac.Faithfulness, name: str) -> Estimate | None:
    return found.measures[name].overlap if name in found.measures else None


def _variance(projection: ac.Projection) -> str:
    if projection.explained is None:
        return _("The share of variance is undefined, because {why}.").format(why=_(projection.why))
    held = _("These {dimensions} axes hold {share} of the variance of all {n:,} words.").format(
        dimensions=projection.dimensions, share=shares(sum(projection.explained)), n=projection.total
    )
    filled = sum(share > 0 for share in projection.explained)
    if filled == projection.dimensions:
        return held
    only = _("The vectors fill only {m} of them.").format(m=filled)
    return f"{held} {only}"


def shares(share: float) -> str:
    """A part of the whole in percent, to 3 digits."""
    return f"{number(100 * share)} %"


def _undefined(found: ac.Faithfulness) -> str:
    why = next(iter(found.measures.values())).why
    return _("How faithful the picture is, is undefined, because {why}.").format(why=_(why))


def _kept(found: ac.Faithfulness, name: str, kept: Kept, overlap: Estimate) -> str:
    sentence = _("Of a word's {k} closest by {measure}, {kept} are among its {k} nearest in this picture").format(
        k=found.k, measure=_(ac.MEASURES[name].label), kept=number(overlap.value)
    )
    if overlap.value < found.k / 2:
        lesson = _("most of what lies side by side here is not close in the space")
    else:
        lesson = _("most of what lies side by side here is close in the space too")
    return _("{sentence} ({sure}; {chance} by chance): {lesson}.").format(
        sentence=sentence, sure=sure(overlap, kept.asked, found.drawn), chance=number(found.by_chance, 2), lesson=lesson
    )


def sure(estimate: Estimate, asked: int, drawn: int) -> str:
    """How well an estimate is known: its interval and its sample."""
    if asked == drawn or estimate.low is None or estimate.high is None:
        return _("{asked:,} of {drawn:,} words asked").format(asked=asked, drawn=drawn)
    return _("95 % interval {low} to {high}, {asked:,} of {drawn:,} words asked").format(
        low=number(estimate.low), high=number(estimate.high), asked=asked, drawn=drawn
    )


def of_query(projection: ac.Projection, comparison: ac.Comparison, name: str) -> list[str]:
    """How many of the query's own neighbours are its nearest points; nothing where it is not drawn."""
    ranking = comparison[name]
    if comparison.index is None or not len(projection.places([comparison.index])) or not len(ranking.order):
        return []
    nearest = nearest_in_picture(projection, comparison.index, ranking.k)
    kept = len(set(nearest.tolist()) & set(ranking.indices.tolist()))
    return [
        plural(
            "Of the {k} closest to {query} by {measure}, {kept} is among the {k} points nearest to it.",
            "Of the {k} closest to {query} by {measure}, {kept} are among the {k} points nearest to it.",
            kept,
        ).format(k=ranking.k, query=quoted(comparison.query), measure=_(ac.MEASURES[name].label), kept=kept)
    ]


def drawn(projection: ac.Projection, comparison: ac.Comparison, seed: int) -> str:
    """How many words are in the picture and which, and what must be said of the rings."""
    shown = len(projection)
    if shown == projection.total:
        sentences = [_("All {n:,} words are drawn.").format(n=shown)]
    else:
        what = _(
            "{m:,} of {n:,} words are drawn: the query, its 50 closest under each measure, all word groups, and a "
            "random sample of the others."
        )
        sentences = [what.format(m=shown, n=projection.total)]
    if projection.options and projection.why:
        sentences.append(f"{_(projection.why)[:1].upper()}{_(projection.why)[1:]}.")
    return " ".join([*sentences, *notes(comparison, seed)])


def alt(projection: ac.Projection, comparison: ac.Comparison) -> str:
    """What the map shows, without its picture."""
    parts = [f"{_(ac.MEASURES[name].label)}: {', '.join(r.words[:5])}" for name, r in comparison.rankings.items()]
    return _("Map of {m:,} words by {method}; the closest five words to {query} by {parts}").format(
        m=len(projection),
        method=projection.method,
        query=comparison.query,
        parts="; ".join(parts),
    )


def trust_table(found: ac.Faithfulness) -> str:
    """Every measure's trustworthiness with its interval, as a table in Markdown."""
    lines = [f"| {_('measure')} | {_('mean (95 % interval)')} |", "|---|---|"]
    for name, kept in found.measures.items():
        value = kept.trustworthiness
        if value is None:
            written = _("undefined")
        elif value.low is None or value.high is None or value.low == value.high:
            written = number(value.value)
        else:
            written = f"{number(value.value)} ({number(value.low)} – {number(value.high)})"
        lines.append(f"| {_(ac.MEASURES[name].label)} | {written} |")
    return "\n".join(lines)


def axes(found: PrincipalAxes, dimensions: int) -> list[str]:
    """The share of each axis, and what a third would add to two."""
    if found.shares is None:
        return [_("undefined, because {why}").format(why=_(found.why))]
    lines = [_("axis {i}: {share}").format(i=i, share=shares(s)) for i, s in enumerate(found.shares[:dimensions], 1)]
    if dimensions == 2 and len(found.shares) > 2:
        lines.append(_("a third would add {share}").format(share=shares(float(found.shares[2]))))
    return lines
