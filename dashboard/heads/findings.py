"""Sentences that say what several heads do to a sentence."""

from __future__ import annotations

import math

from attention_core.attention.head_contributions import HeadContributions
from attention_core.attention.head_profile import PerQuery
from attention_core.attention.head_subspaces import HeadSubspaces
from attention_core.attention.stages import Survey
from attention_core.plots.theme import number, percent
from dashboard.attention.asked import Asked
from dashboard.attention.findings import of_picking
from dashboard.language import _, plural
from dashboard.untrusted import quoted

ALIKE = 1e-6
"""Distances up to here are rounding."""


def of_heads(asked: Asked, survey: Survey) -> str:
    """How far the heads lie apart, and which is the most focused."""
    heads, n = asked.settings.heads, len(asked.sentence)
    if heads == 1:
        return _("One head sees all components of the vectors: there is nothing to compare it with. Choose more heads.")
    if n == 1:
        return _("With a single token there is a single weight in each head, 1: only contributions tell them apart.")
    entropy = survey.profile.entropy
    sentences = [_apart(heads, len(asked.asking), survey), _focus(entropy)]
    if entropy.mean is not None and entropy.even_mean is not None:
        sentences.append(of_picking(float(entropy.mean.mean()), entropy.even_mean))
    return " ".join(filter(None, sentences))


def _apart(heads: int, queries: int, survey: Survey) -> str:
    far, near = survey.distances.pair(farthest=True), survey.distances.pair(farthest=False)
    if far is None or near is None:
        return _("No token has a key that it may attend to, so the heads cannot be compared.")
    values = survey.distances.values
    if values[far] <= ALIKE:
        return _("All {heads} heads spread their weights alike.").format(heads=heads)
    if heads == 2:
        return _(
            "Over {n} queries, the two heads spread their weights {far} apart, where 1 is no key in common."
        ).format(n=f"{queries:,}", far=number(values[far]))
    return _(
        "Over {n} queries, heads {a} and {b} spread their weights most differently, {far} apart where 1 is no key in "
        "common; heads {c} and {d} most alike, {near}."
    ).format(
        n=f"{queries:,}",
        a=far[0] + 1,
        b=far[1] + 1,
        far=number(values[far]),
        c=near[0] + 1,
        d=near[1] + 1,
        near=number(values[near]),
    )


def _focus(entropy: PerQuery) -> str:
    mean, even = entropy.mean, entropy.even_mean
    if mean is None or even is None:
        return ""
    few, many = (number(math.exp(end)) for end in (mean.min(), mean.max()))
    if few == many:
        return ""
    return _(
        "Head {focused} is the most focused, with weights as if on {few} keys, and head {wide} the least, on {many}; "
        "even weights would lie on {even}."
    ).format(
        focused=int(mean.argmin()) + 1,
        few=few,
        wide=int(mean.argmax()) + 1,
        many=many,
        even=number(math.exp(even)) if even < math.log(1000) else f"{math.exp(even):,.0f}",
    )


def sampled(survey: Survey) -> str:
    """That the distances are those of a sample of queries, with the largest error; “” where all were taken."""
    taken, total = int(survey.distances.queries.max()), survey.distances.total
    if taken == total or len(survey.distances.values) < 2:
        return ""
    return _("From {taken} of {total} queries, drawn at random: standard errors of at most {error}.").format(
        taken=f"{taken:,}", total=f"{total:,}", error=number(float(survey.distances.errors.max()), 2)
    )


def of_subspaces(found: HeadSubspaces) -> str:
    """What share of the sentence the heads see, and how their subspaces lie to each other."""
    held = found.held
    if not math.isfinite(held[0]):
        return _("The vectors do not vary, so no share of their variance can be named: undefined for a single token.")
    most, least = int(held.argmax()), int(held.argmin())
    said = _(
        "Block {most} sees {high} of the variance of these vectors in {rank} of {size} dimensions, block {least} sees "
        "{low}; a random subspace as large as the first would hold {chance}."
    ).format(
        most=most + 1,
        high=percent(held[most]),
        rank=int(found.ranks[most]),
        size=found.size,
        least=least + 1,
        low=percent(held[least]),
        chance=percent(float(found.by_chance[most])),
    )
    return said if len(held) > 1 else ""


def of_contributions(word: str, found: HeadContributions) -> str:
    """Who adds most to the output of a word, and who works against it."""
    shares = found.shares
    if shares is None:
        return _("The output of {word} is 0: shares and cosines are undefined.").format(word=quoted(word))
    most = int(shares.argmax())
    said = _("Head {head} makes {share} of the output of {word}, by projection.").format(
        head=most + 1, share=percent(float(shares[most])), word=quoted(word)
    )
    against = int((shares < 0).sum())
    if against:
        said += " " + plural("{n} head works against it.", "{n} heads work against it.", against).format(n=against)
    return said


def of_sharing(asked: Asked) -> str:
    """Which form of attention this is and what it saves."""
    heads, groups = asked.settings.heads, asked.settings.groups
    if groups == heads:
        return plural(
            "One query head with its own keys and values: single-head attention.",
            "{n} query heads, each with keys and values of its own: multi-head attention (MHA).",
            heads,
        ).format(n=heads)
    kind = _("multi-query attention (MQA)") if groups == 1 else _("grouped-query attention (GQA)")
    return _(
        "{heads} query heads read {groups} key and value heads, {size} each: {kind}. A cache holds {share} of MHA's."
    ).format(heads=heads, groups=groups, size=heads // groups, kind=kind, share=f"{groups}/{heads}")
