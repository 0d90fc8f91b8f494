"""Sentences about attention over a sentence, each from its figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from attention_core.attention.stages import PAIRS, Link, Made, Stage, Sum, Swap
from attention_core.plots.theme import number
from dashboard.attention.findings import of_picking
from dashboard.language import _, plural
from dashboard.step_by_step.walk import Walk
from dashboard.untrusted import quoted

SHOWN = 6
"""Terms of a row that are written out."""


def of_walk(walk: Walk) -> str:
    """How far the weights spread, what each token keeps, and the largest weight between two tokens."""
    entropy, most = walk.spread.entropy, walk.spread.most
    seen = most.isfinite() & entropy.isfinite()
    sentences = []
    if bool(seen.any()):
        sentences.append(_spread(walk, seen))
    empty, undefined = int(most.isneginf().sum()), int(entropy.isnan().sum())
    if empty:
        some = plural(
            "{count} token may attend to none: its weights and its output are 0.",
            "{count} tokens may attend to none: their weights and outputs are 0.",
            empty,
        )
        sentences.append(some.format(count=empty))
    if undefined:
        some = plural(
            "The weights of {count} token are undefined, because a zero vector has no direction.",
            "The weights of {count} tokens are undefined, because a zero vector has no direction.",
            undefined,
        )
        sentences.append(some.format(count=undefined))
    return " ".join(sentences)


def _spread(walk: Walk, seen: torch.Tensor) -> str:
    if len(walk.sentence) == 1:
        return _("{word} is alone: the softmax of one number is 1, whatever the number.").format(
            word=quoted(walk.sentence.tokens[0])
        )
    mean, most = (float(each[seen].mean()) for each in (walk.spread.entropy, walk.spread.most))
    own = float(walk.spread.own[seen].mean())
    sentence = _(
        "A token spreads its weight over {width} tokens on average (entropy {entropy} of at most {most} nats) and "
        "keeps {own} for itself"
    ).format(width=number(math.exp(mean)), entropy=number(mean), most=number(most), own=number(own))
    link = walk.strongest
    if picked := of_picking(mean, most):
        return f"{sentence}. {picked}"
    if link is None or walk.sentence.tokens[link.query] == walk.sentence.tokens[link.key]:
        return f"{sentence}."
    return _("{sentence}; the largest weight between two words is {weight}, of {query} on {key}.").format(
        sentence=sentence, weight=number(link.weight), query=_token(walk, link.query), key=_token(walk, link.key)
    )


def _token(walk: Walk, place: int) -> str:
    return quoted(walk.sentence.tokens[place])


def of_positions(walk: Walk) -> str:
    """How large the added positions are beside the vectors; nothing where none are added."""
    if walk.settings.positions != "sinusoidal":
        return ""
    lengths = [torch.linalg.vector_norm(each, dim=1).mean().item() for each in
               (walk.stages.x, walk.stages.positioned - walk.stages.x)]  # fmt: skip
    return _("Positions of mean norm {position} are added to vectors of mean norm {vector}.").format(
        position=number(lengths[1]), vector=number(lengths[0])
    )


def of_cell(walk: Walk, made: Made) -> str:
    """What the chosen number is, and what became of it."""
    row = walk.row_word(made.stage, made.row)
    if made.stage not in PAIRS:
        value = _("undefined") if made.value is None else number(made.value, 6)
        return _("{row}, component {column} of {stage}: {value}").format(
            row=row, column=made.column + 1, stage=made.stage, value=value
        )
    key = _token(walk, made.column)
    score, scaled, weight = made.way
    if score is None or scaled is None:
        return _("The score of {query} with {key} is undefined, because a zero vector has no direction.").format(
            query=row, key=key
        )
    sentence = _("{query} asks, {key} answers: score {score}, times {factor} is {scaled}").format(
        query=row, key=key, score=number(score, 6), factor=number(walk.head.factor, 4), scaled=number(scaled, 6)
    )
    if made.masked:
        return _("{sentence}; it is masked, so the weight is exactly 0.").format(sentence=sentence)
    if weight is None:
        return _("{sentence}; the weight is undefined, because another score of its row is.").format(sentence=sentence)
    return _("{sentence}; the softmax of its row makes it {weight}.").format(
        sentence=sentence, weight=number(weight, 6)
    )


def of_row(walk: Walk, row: int, found: Sum) -> str:
    """The row of the output as a sum, its largest terms first."""
    order = found.weights.argsort(descending=True, stable=True).tolist()
    largest = [
        f"{number(float(found.weights[i]))} · V({_token(walk, int(found.keys[i]))})"
        for i in order[:SHOWN]
        if float(found.weights[i]) > 0
    ]
    if not largest:
        return _("The output of {word} is 0: it may attend to no token.").format(word=quoted(walk.asking[row]))
    more = " + …" if int((found.weights > 0).sum()) > len(largest) or found.rest_weight > 0 else ""
    return _("The output of {word} = {terms}").format(word=quoted(walk.asking[row]), terms=" + ".join(largest) + more)


def of_word(walk: Walk, row: int, nearest: Sequence[Sequence[tuple[str, float]]], cosine: float) -> str:
    """What a word turned into: its nearest words before, and those of its output."""
    before, after = (", ".join(quoted(word) for word, _score in found) for found in nearest)
    return _(
        "{word}, near {before} before, turned into a vector near {after}; the two have a cosine of {cosine}."
    ).format(word=quoted(walk.asking[row]), before=before, after=after, cosine=number(cosine))


def of_swap(walk: Walk, found: Swap) -> str:
    """Whether the swap can be seen in any token's output."""
    one, other = (_token(walk, place) for place in (found.first, found.second))
    named = {"one": one, "other": other}
    if found.largest is None:
        return _("The outputs are undefined, because a zero vector has no direction.")
    if not found.visible:
        return _(
            "Word order is invisible: with {one} and {other} swapped, no component of any token's output moves by more "
            "than {largest}, which rounding explains (up to {tolerance}). Choose positions or a mask to bring it in."
        ).format(largest=number(found.largest, 2), tolerance=number(found.tolerance, 2), **named)
    most = int(found.differences.argmax())
    causes = [
        *([_("positions")] if walk.settings.positions != "none" else []),
        *([_("the mask")] if walk.settings.mask != "none" else []),
    ]
    return _(
        "Word order shows, by {causes}: with {one} and {other} swapped, the output of {word} moves by up to {largest} "
        "in a component; rounding explains {tolerance}."
    ).format(
        causes=_(" and ").join(causes) or _("rounding alone"),
        word=_token(walk, most),
        largest=number(found.largest),
        tolerance=number(found.tolerance, 2),
        **named,
    )


def swapped_sentence(walk: Walk, found: Swap) -> str:
    """Both orders, as text."""
    tokens = list(walk.sentence.tokens)
    before = " ".join(tokens[:40])
    tokens[found.first], tokens[found.second] = tokens[found.second], tokens[found.first]
    return f"{before}  →  {' '.join(tokens[:40])}"


def alt_map(walk: Walk, stage: Stage, shape: Sequence[int]) -> str:
    """What the large map shows, without its picture."""
    what = _("{stage}, {rows} × {columns}, of the sentence {text}").format(
        stage=stage, rows=shape[0], columns=shape[1], text=" ".join(walk.sentence.tokens[:12])
    )
    link = walk.strongest
    if stage != "softmax" or link is None:
        return what
    return _("{what}; largest weight between two words {link}").format(what=what, link=said(walk, link))


def said(walk: Walk, link: Link) -> str:
    """A weight in plain text."""
    tokens = walk.sentence.tokens
    return f"{tokens[link.query]} → {tokens[link.key]} {number(link.weight)}"


def of_pinned(walk: Walk, place: tuple[int, int], now: float, before: float) -> str:
    """Where two settings differ most."""
    if now == before:
        return _("Both settings give the same weights.")
    return _("The weights differ most for {query} on {key}: {now} now, {before} pinned.").format(
        query=quoted(walk.asking[place[0]]),
        key=_token(walk, place[1]),
        now=number(now),
        before=number(before),
    )


def largest(walk: Walk) -> str:
    """The largest weights, as a table in Markdown."""
    lines = [f"| {_('query')} | {_('key')} | {_('weight')} |", "|---|---|--:|"]
    for link in walk.largest:
        query, key = (quoted(f"{i + 1} {walk.sentence.tokens[i]}").replace("|", "\\|") for i in (link.query, link.key))
        lines.append(f"| {query} | {key} | {link.weight:.4g} |")
    return "\n".join(lines)
