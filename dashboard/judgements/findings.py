"""Sentences that say what judgements, analogies and retrieval show; none is written that the figures do not support."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attention_core as ac
from attention_core.plots.estimates import decimal
from attention_core.plots.theme import number, percent
from attention_core.similarity.bootstrap import Interval, Margin
from dashboard.judgements.chosen import Chosen
from dashboard.language import _, plural
from dashboard.untrusted import quoted
from dashboard.view import View

FEW = 20
"""Below so many pairs or queries the bootstrap's intervals are too narrow."""


def of_judgements(found: ac.Judgements) -> str:
    """Which measure agrees best with people, and which differences can be told."""
    trained = {name: judged.rho for name, judged in found.items() if not ac.MEASURES[name].needs_weights}
    rhos = {name: rho for name, rho in trained.items() if rho is not None}
    if not rhos:
        return _undefined(next(iter(found.values())).why)
    best = max(rhos, key=lambda name: rhos[name])
    judged = found[best]
    sentence = _("{Measure} agrees best with people on {n} pairs: ρ = {rho} ({interval}).").format(
        Measure=_upper(_label(best)),
        n=f"{judged.covered:,}",
        rho=decimal(rhos[best]),
        interval=_spread(judged.interval),
    )
    return f"{sentence} {of_margins(best, found.margins)}"


def of_retrieval(found: ac.Retrieval) -> str:
    """Which measure finds most of what is relevant, and which differences can be told."""
    trained = {name: figures.ndcg for name, figures in found.items() if not ac.MEASURES[name].needs_weights}
    ndcg = {name: estimate for name, estimate in trained.items() if estimate is not None}
    if not ndcg:
        return _undefined(found.why)
    best = max(ndcg, key=lambda name: ndcg[name].value)
    sentence = _("{Measure} has the highest nDCG@{k} over {n} queries: {value} ({interval}).").format(
        Measure=_upper(_label(best)),
        k=found.k,
        n=f"{len(found.queries):,}",
        value=decimal(ndcg[best].value),
        interval=_spread(ndcg[best].interval),
    )
    return f"{sentence} {of_margins(best, found.margins['ndcg'])}"


def of_margins(best: str, margins: Sequence[Margin]) -> str:
    """How far the best trained measure leads the others, and where no difference can be told."""
    shown = [m for m in margins if best in (m.first, m.second)]
    shown = [m for m in shown if not any(ac.MEASURES[name].needs_weights for name in (m.first, m.second))]
    beaten = [m for m in shown if m.told and m.first == best]
    alike = [m for m in shown if m.value == 0 and m.interval == (0, 0)]
    open_ = [m for m in shown if m not in beaten and m not in alike]
    sentences = []
    if beaten:
        sentences.append(
            _("It beats {others}.").format(
                others=_list([_("{measure} by {value} ({interval})").format(**_named(m, best)) for m in beaten])
            )
        )
    if alike:
        others = _list([_named(m, best)["measure"] for m in alike])
        sentences.append(
            plural("{others} does exactly as well.", "{others} do exactly as well.", len(alike)).format(
                others=_upper(others)
            )
        )
    sentences += [
        _("No difference from {measure} can be told: {value}, interval {interval}.").format(**_named(m, best))
        for m in open_
    ]
    return " ".join(sentences)


def _named(margin: Margin, best: str) -> dict[str, str]:
    other = margin.second if margin.first == best else margin.first
    return {"measure": _label(other), "value": decimal(margin.value), "interval": _spread(margin.interval)}


def of_answers(answers: Mapping[str, ac.Answered]) -> str:
    """How many questions each method answers right, and what happens when their own words may be answers."""
    total = answers["3CosAdd"].total
    if not total.covered:
        return right_answers(answers)
    allowed = _(
        "If a question's own words may be answers, 3CosAdd answers {share} right: in {own} of the questions it then "
        "gives one of them."
    ).format(share=_percent(total.accuracy_allowed), own=percent(total.own / total.covered))
    return f"{right_answers(answers)} {allowed}"


def right_answers(answers: Mapping[str, ac.Answered]) -> str:
    """How many questions each method answers right, the most first."""
    first = next(iter(answers.values()))
    if first.why:
        return _undefined(first.why)
    shares = [
        f"{_method(method)} {_percent(found.accuracy)} ({_percents(found.total.interval)})"
        for method, found in sorted(answers.items(), key=lambda item: -item[1].total.right)
    ]
    return _("Answered right of {n} questions: {shares}.").format(n=f"{first.covered:,}", shares=_list(shares))


def of_analogy(
    words: tuple[str, ...], answers: Mapping[str, Sequence[tuple[str, float]]], chosen: Chosen | None
) -> str:
    """What each method answers first, and what the table of questions has as the answer, if it asks this."""
    if not any(answers.values()):
        return _undefined(_("a word has a zero vector, or there is no other word"))
    by_word: dict[str, list[str]] = {}
    for method, found in answers.items():
        by_word.setdefault(found[0][0], []).append(_method(method))
    asked = " : ".join(map(quoted, words[:2])) + f" :: {quoted(words[2])} : ?"
    parts = [f"{quoted(word)} ({', '.join(methods)})" for word, methods in by_word.items()]
    sentence = _("{asked} The first answers: {parts}.").format(asked=asked, parts=_list(parts))
    return f"{sentence} {_expected(words, answers, chosen)}"


def _expected(words: tuple[str, ...], answers: Mapping[str, Sequence[tuple[str, float]]], chosen: Chosen | None) -> str:
    asked = tuple(word.lower() for word in words)
    table = [] if chosen is None else chosen.questions.words
    same = {asked, (asked[0], asked[2], asked[1])}  # b − a + c either way
    wanted = next((q[3] for q in table if tuple(word.lower() for word in q[:3]) in same), None)
    if wanted is None:
        return ""
    right = [_method(method) for method, found in answers.items() if found and found[0][0].lower() == wanted.lower()]
    if not right:
        listed = sum(wanted.lower() in (word.lower() for word, _score in found) for found in answers.values())
        return _(
            "The table expects {word}, which no method gives first and {count} of {all} have among their five."
        ).format(word=quoted(wanted), count=listed, all=len(answers))
    return _("The table expects {word}, as {methods} answer.").format(word=quoted(wanted), methods=_list(right))


def notes(view: View, judgements: ac.Judgements) -> str:
    """What must be said about judged pairs: coverage, scale, repeated and identical pairs, weights."""
    first, table = next(iter(judgements.values())), judgements.table
    told = [_("{covered} of {pairs} pairs are covered.").format(covered=f"{first.covered:,}", pairs=f"{first.pairs:,}")]
    told.append(
        _("People's scores run from {low} to {high}.").format(
            low=f"{min(table.scores):g}", high=f"{max(table.scores):g}"
        )
    )
    if judgements.zero:
        told.append(
            plural(
                "{n} pair is left out since a vector is zero, and zero has no cosine.",
                "{n} pairs are left out since a vector is zero, and zero has no cosine.",
                judgements.zero,
            ).format(n=judgements.zero)
        )
    for count, one, many in (
        (table.identical, "{n} pair is of a word with itself", "{n} pairs are of a word with itself"),
        (table.repeated, "{n} pair occurs again", "{n} pairs occur again"),
    ):
        if count:
            told.append(_("{what}, and counts.").format(what=plural(one, many, count).format(n=count)))
    if any(ac.MEASURES[name].needs_weights for name in judgements):
        told.append(untrained(view))
    return " ".join(filter(None, [*told, few(first.covered), missing(first.missing)]))


def few(count: int) -> str:
    """What must be said about intervals from few pairs or queries, or "" where there are enough or none."""
    if not 0 < count < FEW:
        return ""
    return _(
        "Resampling only {n} understates how uncertain the estimates are: read the intervals as too narrow."
    ).format(n=count)


def untrained(view: View) -> str:
    """What must be said about additive weights."""
    return _("The additive weights are untrained (seed {seed}): their agreement is an accident of the seed.").format(
        seed=view.seed
    )


def missing(words: Sequence[str], shown: int = 30) -> str:
    """The words outside the vocabulary, or "" where there is none."""
    if not words:
        return ""
    more = _(" and {n} more").format(n=f"{len(words) - shown:,}") if len(words) > shown else ""
    return _("Not among the vectors: {words}{more}.").format(words=", ".join(map(quoted, words[:shown])), more=more)


def alt_estimates(judgements: ac.Judgements) -> str:
    """The figure of correlations in words."""
    parts = [
        f"{_label(name)} {_('undefined') if judged.rho is None else decimal(judged.rho)} ({_spread(judged.interval)})"
        for name, judged in judgements.items()
    ]
    return _("Spearman's rho with people: {parts}").format(parts=", ".join(parts))


def alt_margins(margins: Sequence[Margin]) -> str:
    """The figure of differences in words."""
    parts = [f"{_label(m.first)} − {_label(m.second)} {decimal(m.value)} ({_spread(m.interval)})" for m in margins]
    return _("Differences of two measures: {parts}").format(parts=", ".join(parts))


def alt_answers(answers: Mapping[str, ac.Answered]) -> str:
    """The figure of accuracies in words."""
    parts = [
        f"{_method(method)} {_percent(found.accuracy)} / {_percent(found.total.accuracy_allowed)}"
        for method, found in answers.items()
    ]
    return _("Share answered right, own words excluded / allowed: {parts}").format(parts=", ".join(parts))


def alt_retrieval(found: ac.Retrieval) -> str:
    """The figure of retrieval in words."""
    parts = [
        f"{_label(name)} nDCG {_('undefined') if each.ndcg is None else decimal(each.ndcg.value)}"
        for name, each in found.items()
    ]
    return _("Recall, mean reciprocal rank and nDCG of each measure: {parts}").format(parts=", ".join(parts))


def _undefined(why: str) -> str:
    return _("Undefined, because {why}.").format(why=why)


def _label(measure: str) -> str:
    return _(ac.MEASURES[measure].label)


def _method(method: str) -> str:
    return _label(method) if method in ac.MEASURES else method


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _spread(interval: Interval | None) -> str:
    if interval is None:
        return _("no interval")
    return _("{low} to {high}").format(low=decimal(interval[0]), high=decimal(interval[1]))


def _percent(share: float | None) -> str:
    return _("undefined") if share is None else f"{number(100 * share)} %"


def _percents(interval: Interval | None) -> str:
    low, high = interval or (0.0, 1.0)
    return _("{low} to {high} %").format(low=number(100 * low), high=number(100 * high))


def _list(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else _("{most} and {last}").format(most=", ".join(items[:-1]), last=items[-1])
