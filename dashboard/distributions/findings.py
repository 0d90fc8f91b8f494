"""Sentences that say what the distributions show."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, isfinite, log10

import attention_core as ac
from attention_core.plots.theme import number
from attention_core.similarity.distribution import Estimate
from dashboard.language import _, plural
from dashboard.untrusted import quoted


def share(value: float) -> str:
    """A share in percent, with two digits of what it lacks of 0 or 100 %.

    Example:
        >>> share(0.981), share(0.99939), share(1.0), share(0.0000042)
        ('98.1 %', '99.939 %', '100 %', '0.00042 %')
    """
    rest = min(value, 1 - value)
    if rest <= 0:
        return f"{100 * value:.0f} %"
    decimals = min(9, max(1, ceil(-log10(100 * rest)) + 1))
    shown = f"{100 * value:.{decimals}f}"
    return f"{shown} %"


def standing(found: ac.Distribution, score: float) -> str:
    """How many pairs are farther apart than a score says, and how rare closer ones are."""
    closer = found.percentile(score)
    if found.sampled and closer.value == 1:
        return _("closer than every pair drawn ({low} to 100 % of all pairs)").format(low=share(closer.low))
    told = _("closer than {share} of all pairs").format(share=share(closer.value))
    if found.sampled:
        told += _(" ({low} to {high})").format(low=share(closer.low), high=share(closer.high))
    rest = 1 - closer.value
    if 0 < rest < 0.01:
        told += _("; 1 pair in {n} is as close").format(n=f"{_rounded(1 / rest):,}")
    return told


def _rounded(value: float) -> int:
    size = 10 ** max(0, floor(log10(value)) - 2)
    return int(round(value / size) * size)


def of_neighbours(query: str, comparison: ac.Comparison, found: Mapping[str, ac.Distribution]) -> str:
    """What a typical pair scores, and where the closest neighbour of the query stands."""
    name = next((name for name in ("cosine", *found) if name in found and found[name].pairs), None)
    if name is None:
        return ""
    shown, ranking = found[name], comparison[name]
    label = _(ac.MEASURES[name].label)
    if shown.constant:
        return _("All pairs of words have the same {measure}, {score}.").format(
            measure=label, score=number(float(shown.edges[0]))
        )
    sentences = [
        _("Two words have a {measure} of {mean} on average; the middle half lies from {low} to {high}.").format(
            measure=label,
            mean=number(shown.mean.value),
            low=number(shown.quantile(0.25).value),
            high=number(shown.quantile(0.75).value),
        )
    ]
    if len(ranking.order) and isfinite(ranking.scores[0]):
        score = float(ranking.scores[0])
        sentences.append(
            _("The closest to {query} is {word} with {score}: {standing}.").format(
                query=quoted(query), word=quoted(ranking.words[0]), score=number(score), standing=standing(shown, score)
            )
        )
    return " ".join(sentences)


def under(found: ac.Distribution, embeddings: ac.Embeddings, expected: ac.Distribution | None) -> str:
    """What stands under a figure: how many pairs, the extremes, random directions."""
    pairs = (
        _("{pairs:,} of {population:,} pairs, drawn with seed {seed}") if found.sampled else _("All {pairs:,} pairs")
    )
    parts = [pairs.format(pairs=found.pairs, population=found.population, seed=found.seed)]
    if found.undefined:
        parts.append(
            plural(
                "{n:,} pair with a zero vector is left out: its score is undefined",
                "{n:,} pairs with a zero vector are left out: their score is undefined",
                found.undefined,
            ).format(n=found.undefined)
        )
    ends = [found.lowest, found.highest]
    if ac.MEASURES[found.measure].best == "lowest":
        ends.reverse()
    far, close = ends
    if far and close and not found.constant:
        parts.append(
            _("closest {a} – {b} {close}, farthest {c} – {d} {far}").format(
                a=quoted(embeddings.words[close.first], 18),
                b=quoted(embeddings.words[close.second], 18),
                close=number(close.score),
                c=quoted(embeddings.words[far.first], 18),
                d=quoted(embeddings.words[far.second], 18),
                far=number(far.score),
            )
        )
    if expected is not None and expected.pairs and not expected.constant and not found.constant:
        parts.append(_against_random(found, expected))
    return "; ".join(parts) + "."


def _against_random(found: ac.Distribution, expected: ac.Distribution) -> str:
    lowest = ac.MEASURES[found.measure].best == "lowest"
    bound = expected.quantile(0.01 if lowest else 0.99).value
    return _("{share} of the pairs are closer than {bound}, which 1 % of pairs in random directions are").format(
        share=share(1 - found.percentile(bound).value), bound=number(bound)
    )


def alt(found: ac.Distribution, marks: str) -> str:
    """What a histogram shows, in words."""
    label = _(ac.MEASURES[found.measure].label)
    if found.constant:
        return _("{measure}: all {pairs:,} pairs score {score}").format(
            measure=label, pairs=found.pairs, score=number(float(found.edges[0]))
        )
    ends = [number(found.quantile(share).value) for share in (0.01, 0.5, 0.99)]
    text = _("Histogram of {measure} over {pairs:,} pairs: 1 % lie below {low}, half below {middle}, 99 % below {high}")
    return text.format(measure=label, pairs=found.pairs, low=ends[0], middle=ends[1], high=ends[2]) + marks


def of_groups(found: Mapping[str, ac.GroupScores], groups: tuple[str, ...]) -> str:
    """Which measure separates the groups most, and which least."""
    separated = {name: scores.separation for name, scores in found.items() if scores.separation is not None}
    names = ", ".join(map(quoted, groups))
    if not separated:
        return _("No two words of {groups} are among these vectors, so there is no pair inside.").format(groups=names)
    ordered = sorted(separated, key=lambda name: -separated[name].value)
    told = _("Two words of {groups} are closer than one of them and another word in {shares} of the cases.")
    shares = ", ".join(
        f"{share(separated[name].value)}{_spread(separated[name])} ({_(ac.MEASURES[name].label)})" for name in ordered
    )
    return told.format(groups=names, shares=shares)


def _spread(estimate: Estimate) -> str:
    return "" if estimate.low == estimate.high else f" ± {100 * (estimate.high - estimate.low) / 2:.2g}"
