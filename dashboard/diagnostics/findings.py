"""The answer to “which measure?”, and the figures that it rests on, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

import attention_core as ac
from attention_core.plots.theme import number, percent
from attention_core.similarity.advice import told_apart
from dashboard import cache
from dashboard.language import _
from dashboard.untrusted import quoted
from dashboard.view import View


def training(view: View) -> ac.Training | None:
    """What is known of how the vectors were trained: nothing, for a file."""
    return None if view.uploaded else ac.SAMPLES[view.settings.get("source", next(iter(ac.SAMPLES)))].training


def advice(view: View, found: ac.Neighbourhoods | None = None, centred: ac.Hubness | None = None) -> ac.Advice:
    """The core's advice for this view."""
    return ac.advice(cache.geometry(view), found, centred, training(view))


def named(measure: str) -> str:
    """The measure's label."""
    return _(ac.MEASURES[measure].label)


def of(found: ac.Neighbourhoods) -> str:
    """How many query words the figures speak of: “8,170 words”, or “2,000 of 400,000 words”."""
    if found.sampled:
        return _("{asked:,} of {n:,} words").format(asked=len(found.asked), n=len(found.embeddings))
    return _("{n:,} words").format(n=len(found.embeddings))


def answer(given: ac.Advice, geometry: ac.Geometry, found: ac.Neighbourhoods | None) -> str:
    """One or two sentences: which measure, and the figure that decides it."""
    if given.measure is None:
        if len(geometry.norms) < 2:
            return _("**There is nothing to choose.** There is only one word, so no measure has anything to rank.")
        return _("**No measure can be advised.** Fewer than two of the vectors have a direction: the others are zero.")
    norms = geometry.norms
    said = {
        "measure": named(given.measure),
        "low": number(float(norms.min())),
        "high": number(float(norms.max())),
        "model": given.training.model if given.training else "",
    }
    if given.rule == "any":
        return _("**The choice hardly matters: use {measure}.** {why}").format(why=_alike(geometry, found), **said)
    if given.rule == "not yet" or found is None:
        sentence = _(
            "**Probably {measure}.** Norms run from {low} to {high}, so the measures rank differently; which of them "
            "spreads its neighbours more evenly is not known yet."
        )
        return sentence.format(**said)
    if given.rule == "trained with":
        sentence = _("**Use {measure}:** {model} was trained with it, and its neighbours here are spread well. {skews}")
    else:
        sentence = _("**Use {measure}:** its lists of closest words are spread over the words most evenly. {skews}")
    told = [sentence.format(skews=_skews(found), **said)]
    if given.as_even:
        untold = _("The sample does not tell {measure} from {others} in this: their intervals overlap.")
        told.append(untold.format(others=_(" or ").join(map(named, given.as_even)), **said))
    return " ".join(told)


def _alike(geometry: ac.Geometry, found: ac.Neighbourhoods | None) -> str:
    norms = geometry.norms
    low, high = number(float(norms.min()), 8), number(float(norms.max()), 8)
    shared = found.overlap["dot", "cosine"].mean if found else None
    if found is None or shared is None:
        return _("All norms are {low} to {high}.").format(low=low, high=high)
    return _(
        "All norms are {low} to {high}, and dot product and cosine share {share} of the ten closest words."
    ).format(low=low, high=high, share=percent(shared))


def _skews(found: ac.Neighbourhoods) -> str:
    parts = [f"{named(name)} {_skew(hub)}" for name, hub in found.hubness.items()]
    return _("Skewness of how many lists of ten a word is in, of {of}: {parts}.").format(
        of=of(found), parts=", ".join(parts)
    )


def _skew(hub: ac.Hubness) -> str:
    if hub.skewness is None:
        return _("undefined")
    if hub.interval is None:
        return number(hub.skewness)
    low, high = (number(value) for value in hub.interval)
    return _("{value} (95 % interval {low} to {high})").format(value=number(hub.skewness), low=low, high=high)


def reasons(
    given: ac.Advice, geometry: ac.Geometry, found: ac.Neighbourhoods | None, centred: ac.Hubness | None
) -> list[str]:
    """What differs, why, and what to do: each with its figure, in Markdown."""
    if given.measure is None:
        return []
    differ = [*_shared(found), *_hubs(found), *_lengths(geometry, found)]
    todo = [_trained(given), *_direction(given, geometry, found, centred), *_normalise(given)]
    sure = _(
        "**How sure?** Evenly spread lists are not yet right ones: that takes judgements, of people or of searches."
    )
    return [*differ, *todo, sure]


def cosine(value: float | None) -> str:
    """A cosine that may be nearly zero, without powers of ten."""
    if value is None:
        return _("undefined")
    return number(value) if abs(value) >= 1e-3 else f"{value:.4f}".replace("-", "−")


def _shared(found: ac.Neighbourhoods | None) -> Iterator[str]:
    if found is None:
        return
    names = list(found.lists)
    parts = [
        f"{named(a)} {_('and')} {named(b)} {_share(one)}"
        for (a, b), one in found.overlap.items()
        if names.index(a) < names.index(b) and one.mean is not None
    ]
    if parts:
        yield _("**What differs.** Of the ten closest words two measures share: {parts}.").format(
            parts=", ".join(parts)
        )


def _share(one: ac.Overlap) -> str:
    if one.interval is None:
        return percent(one.mean or 0.0)
    share, low, high = (number(100 * end) for end in (one.mean or 0.0, *one.interval))
    return _("{share} % (95 % interval {low} to {high})").format(share=share, low=low, high=high)


def _trained(given: ac.Advice) -> str:
    rule = _("**Training.** The rule is to use what the vectors were trained with.")
    if given.training is None:
        unknown = _(
            "A file does not tell that: where its model card names a measure, that outranks the figures on this page."
        )
        return f"{rule} {unknown}"
    known = {"model": given.training.model, "measure": named(given.training.measure), "source": given.training.source}
    if given.training.alike:
        return f"{rule} " + _("{model} was trained with the {measure} of two texts ({source}).").format(**known)
    carried = _(
        "{model} was trained on the {measure} of a word's vector and a second vector of its neighbour in the text "
        "({source}). Only the first kind is kept, so the rule does not settle how to compare two words."
    )
    return f"{rule} {carried.format(**known)}"


def _hubs(found: ac.Neighbourhoods | None) -> Iterator[str]:
    if found is None:
        return
    parts = []
    for name, hub in found.hubness.items():
        if hub.hubs and hub.antihub_share is not None:
            sentence = _("{measure} puts {word} into {lists:,} lists of ten and {share} of all words into none")
            parts.append(
                sentence.format(
                    measure=named(name),
                    word=quoted(hub.hubs[0].word),
                    lists=hub.hubs[0].lists,
                    share=percent(hub.antihub_share),
                )
            )
    if parts:
        yield _("**Hubs.** Of the lists of {of}, {parts}.").format(of=of(found), parts="; ".join(parts))


def _lengths(geometry: ac.Geometry, found: ac.Neighbourhoods | None) -> Iterator[str]:
    norms = geometry.norms
    rho = found.hubness["dot"].norm_correlation if found else None
    if geometry.spread <= 1e-3:
        return
    sentence = _("**Norms.** They run from {low} to {high} (median {median})").format(
        low=number(float(norms.min())), high=number(float(norms.max())), median=number(geometry.median)
    )
    if rho is not None:
        effect = _("; by dot product longer words are in more lists (Spearman {rho} between norm and lists)")
        if rho < 0:
            effect = _("; by dot product longer words are in fewer lists (Spearman {rho} between norm and lists)")
        sentence += effect.format(rho=number(rho))
    if geometry.norm_vs_rank is not None:
        means = geometry.decile_means()
        sentence += _(", and norm against frequency rank has a Spearman of {rho}: {first} in the most frequent tenth "
                      "of the words, {last} in the rarest").format(
            rho=number(geometry.norm_vs_rank), first=number(float(means[0])), last=number(float(means[-1]))
        )  # fmt: skip
    yield f"{sentence}."


def _direction(
    given: ac.Advice, geometry: ac.Geometry, found: ac.Neighbourhoods | None, centred: ac.Hubness | None
) -> Iterator[str]:
    if geometry.anisotropy is None or geometry.anisotropy_centred is None:
        return
    before, after = cosine(geometry.anisotropy), cosine(geometry.anisotropy_centred)
    if not given.common_direction:
        yield _(
            "**Centre?** No need: two words have a mean cosine of {before}, so the vectors share no direction worth "
            "taking out."
        ).format(before=before)
        return
    said = _(
        "**Centre?** Two words have a mean cosine of {before}, so 0 does not mean unrelated; centring brings it to "
        "{after}"
    ).format(before=before, after=after)
    hub = found.hubness["cosine"] if found else None
    if hub and centred and given.centre is not None:
        gain = _(" and the skewness of cosine from {old} to {new}. Centre, queries by the same mean.")
        if not told_apart(hub, centred):
            gain = _(
                ". The skewness of cosine goes from {old} to {new}: the sample does not tell whether that is a gain."
            )
        elif not given.centre:
            gain = _(", but the skewness of cosine goes from {old} to {new}: for rankings it is no gain.")
        said += gain.format(old=_skew(hub), new=_skew(centred))
        if given.centre and given.rule == "any":
            said += " " + _("Centred vectors differ in length again, so use cosine for them.")
    else:
        said += "."
    yield said


def _normalise(given: ac.Advice) -> Iterator[str]:
    if given.rule == "any":
        yield _("**Normalise?** It changes little here: the norms are equal, or as good as equal.")
    elif given.measure == "cosine":
        yield _(
            "**Normalise?** Cosine does it by itself. Where a store offers the inner product only, store unit vectors: "
            "dot product, cosine and Euclidean distance then rank alike."
        )
    elif given.measure is not None:
        yield _("**Normalise?** No: it would turn the {measure} into cosine.").format(measure=named(given.measure))


def alt_hubs(hub: ac.Hubness) -> str:
    """One measure's histogram in words."""
    most = f"{hub.hubs[0].word} {hub.hubs[0].lists:,}" if hub.hubs else _("none")
    share = _("undefined") if hub.antihub_share is None else percent(hub.antihub_share)
    return _("{measure}: words by the number of lists they are in; {share} in none, most: {most}").format(
        measure=named(hub.measure), share=share, most=most
    )
