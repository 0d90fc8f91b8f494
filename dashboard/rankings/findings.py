"""Sentences that say what the figures at hand show; none is written that they do not support."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import attention_core as ac
from attention_core.plots.theme import number, percent
from attention_core.similarity.differences import Difference, Entrant, difference
from dashboard import cache
from dashboard.language import _, plural
from dashboard.untrusted import quoted
from dashboard.view import View

EQUAL_NORMS = 1e-5
"""Norms whose spread is below this part of their median count as equal in a sentence."""


def of_comparison(view: View, query: str | tuple[float, ...], comparison: ac.Comparison) -> str:
    """What separates or unites the measures shown, in one or two sentences of Markdown."""
    if len(view.embeddings) == 1 and comparison.index is not None:
        return _("There is no other word to compare {query} with.").format(query=_name(query))
    telling = [name for name, ranking in comparison.rankings.items() if _tells(ranking)]
    sentences = list(_silent(comparison))
    if len(telling) == 1:
        sentences.append(_closest(comparison[telling[0]], _name(query)))
    elif len(telling) > 1:
        first, second = ("dot", "cosine") if {"dot", "cosine"} <= set(telling) else telling[:2]
        full = cache.compare(view, query, comparison.k, tuple(dict.fromkeys(("dot", first, second))))
        pair = difference(view.embeddings, full, first, second)
        if pair.norm_spread < EQUAL_NORMS and {first, second} == {"dot", "cosine"}:
            sentences.append(_of_unit_vectors(view, comparison, query))
        else:
            sentences.append(_of_pair(pair, _name(query)))
    return " ".join(sentences)


def _tells(ranking: ac.Ranking) -> bool:
    """Whether there is an order at all: the words shown do not all tie with the next one."""
    return len(ranking.order) > 0 and not (ranking.cut_in_tie and ranking.ranks[0] == ranking.ranks[-1])


def _silent(comparison: ac.Comparison) -> Iterator[str]:
    undefined = [_(ac.MEASURES[name].label) for name, ranking in comparison.rankings.items() if not len(ranking.order)]
    if undefined:
        yield plural(
            "The query is a zero vector: {measures} is undefined.",
            "The query is a zero vector: {measures} are undefined.",
            len(undefined),
        ).format(measures=_list(undefined))
    for name, ranking in comparison.rankings.items():
        if len(ranking.order) and not _tells(ranking):
            tied = _("By {measure} at least {count:,} words tie for rank {rank}, so its list says nothing.")
            count = int((ranking.all_ranks == ranking.ranks[0]).sum())
            yield tied.format(measure=_(ac.MEASURES[name].label), count=count, rank=ranking.ranks[0])


def _name(query: str | tuple[float, ...]) -> str:
    return quoted(query) if isinstance(query, str) else _("the vector")


def _closest(ranking: ac.Ranking, query: str) -> str:
    return _("The closest word to {query} by {measure} is {word}, with a score of {score}.").format(
        query=query,
        measure=_(ac.MEASURES[ranking.measure].label),
        word=quoted(ranking.words[0]),
        score=number(float(ranking.scores[0])),
    )


def _of_unit_vectors(view: View, comparison: ac.Comparison, query: str | tuple[float, ...]) -> str:
    norms = view.embeddings.norms
    a, b = comparison["dot"], comparison["cosine"]
    moved = int((a.order != b.order).sum())
    same = _("they put all words in the same order")
    differ = _("of {n:,} places in the full order {moved:,} differ").format(n=len(a.order), moved=moved)
    return _("All norms are {low} to {high}, so dot product and cosine should agree on {query}: {result}.").format(
        low=number(float(norms.min()), 8),
        high=number(float(norms.max()), 8),
        query=_name(query),
        result=differ if moved else same,
    )


def _of_pair(found: Difference, query: str) -> str:
    first, second = (_(ac.MEASURES[name].label) for name in (found.first, found.second))
    named = {"First": first[0].upper() + first[1:], "first": first, "second": second, "query": query}
    if not found.only_first:
        same = _("{First} and {second} name the same {k} neighbours of {query}").format(k=found.k, **named)
        order = _(", in the same order.") if found.same_order else _(", in another order.")
        return same + order
    shared = _("{First} and {second} share {shared} of {k} neighbours of {query}").format(
        shared=found.shared, k=found.k, **named
    )
    if {found.first, found.second} == {"dot", "cosine"}:
        entrants = found.only_first if found.first == "dot" else found.only_second
        return f"{shared}; {_entering(entrants)}. {_because(entrants[0], found.k)}"
    words = ", ".join(quoted(entrant.word) for entrant in found.only_first[:3])
    return _("{shared}; only {first} names {words}.").format(shared=shared, words=words, **named)


def _entering(entrants: tuple[Entrant, ...]) -> str:
    some = entrants[:3]
    return plural(
        "{words} enters by dot product, with norm {norms}, longer than {shares} of all words",
        "{words} enter by dot product, with norms {norms}, longer than {shares} of all words",
        len(some),
    ).format(
        words=_list([quoted(entrant.word) for entrant in some]),
        norms=_list([number(entrant.norm) for entrant in some]),
        shares=_list([percent(entrant.longer_than) for entrant in some]),
    )


def _because(entrant: Entrant, k: int) -> str:
    if entrant.rank_at_median <= k:
        return ""
    cause = _("its length brings it in") if entrant.longer_than > 0.5 else _("its shortness brings it in")
    return _("At the median norm {word} would rank {rank:,} instead of {now}: {cause}.").format(
        word=quoted(entrant.word), rank=entrant.rank_at_median, now=entrant.rank, cause=cause
    )


def _list(items: list[str]) -> str:
    return items[0] if len(items) == 1 else _("{most} and {last}").format(most=", ".join(items[:-1]), last=items[-1])


def notes(comparison: ac.Comparison, seed: int) -> list[str]:
    """What must be said about the lists: weights, ties, a cut inside a tie, undefined scores."""
    rankings = comparison.rankings
    labels = {name: _(ac.MEASURES[name].label) for name in rankings}
    found = [
        _("The {measure} weights are untrained (seed {seed}): their order is arbitrary.").format(
            measure=label, seed=seed
        )
        for name, label in labels.items()
        if ac.MEASURES[name].needs_weights
    ]
    if any(ranking.ties for ranking in rankings.values()):
        found.append(_("Words with equal scores share a rank and keep the order of the file."))
    cut = [labels[name] for name, ranking in rankings.items() if ranking.cut_in_tie]
    if cut:
        sentence = _("The list is cut inside a tie ({measures}): the next word scores the same as the last one shown.")
        found.append(sentence.format(measures=", ".join(cut)))
    found += [
        f"{ranking.why[0].upper()}{ranking.why[1:]}."
        for ranking in rankings.values()
        if ranking.why and len(ranking.order)
    ]
    return found


def alt_ranks(comparison: ac.Comparison) -> str:
    """What the bump chart shows, without its picture."""
    parts = [f"{_(ac.MEASURES[name].label)}: {', '.join(r.words[:5])}" for name, r in comparison.rankings.items()]
    return _("Ranks of the neighbours under each measure; closest five by {parts}").format(parts="; ".join(parts))


def alt_agreement(comparison: ac.Comparison, statistic: str, attribute: str) -> str:
    """Every cell of the heat map in words."""
    names = list(comparison.rankings)
    cells = []
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            value = getattr(comparison.agreement[a, b], attribute)
            cells.append(f"{a}–{b} {_('undefined') if value is None else number(value)}")
    return _("Agreement of the measures, {statistic}: {cells}").format(statistic=statistic, cells=", ".join(cells))


def alt_norms(view: View, comparison: ac.Comparison) -> str:
    """The medians that the figure of norms compares."""
    norms = view.embeddings.norms
    medians = [
        f"{_(ac.MEASURES[name].label)} {number(float(np.median(norms[ranking.indices])))}"
        for name, ranking in comparison.rankings.items()
        if len(ranking.order)
    ]
    return _("Norms of all words, median {all}; medians of the neighbours: {medians}").format(
        all=number(float(np.median(norms))), medians=", ".join(medians)
    )
