"""Sentences that say what lies between two vectors."""

from __future__ import annotations

import attention_core as ac
from attention_core.plots.theme import number
from dashboard.language import _
from dashboard.two_vectors.asked import Asked


def of_pair(asked: Asked, pair: ac.Pair) -> str:
    """Angle, lengths and products in one or two sentences of Markdown, and what a move has changed."""
    return " ".join(filter(None, [relation(asked, pair), _products(pair), _moved(pair)]))


def relation(asked: Asked, pair: ac.Pair) -> str:
    """What the two vectors are to each other."""
    a, b = asked.quoted
    if pair.move != ac.Move():
        b = _("{b}, moved,").format(b=b)
    dot, distance = (_score(pair, name) for name in ("dot", "euclidean"))
    if pair.undefined:
        sentence = _("{why}: angle and cosine are undefined. The dot product is {dot}, the distance {distance}.")
        return sentence.format(why=_(pair.undefined), dot=dot, distance=distance)
    if pair.scores["euclidean"] == 0:
        same = _("{a} and {b} are one vector: angle and distance are 0, the dot product is the squared length, {dot}.")
        return same.format(a=a, b=b, dot=dot)
    return _(
        "{a} and {b} enclose {angle}°: the dot product {dot} is their lengths, {norm_a} and {norm_b}, times the "
        "cosine, {cosine}."
    ).format(
        a=a,
        b=b,
        angle=number(pair.angle or 0.0),
        dot=dot,
        norm_a=number(pair.norm_a),
        norm_b=number(pair.norm_b),
        cosine=_score(pair, "cosine"),
    )


def _products(pair: ac.Pair) -> str:
    terms = pair.terms()
    (up, gained), (down, lost) = terms.positive, terms.negative
    if not down:
        return ""
    return _("Its positive products ({up:,} of {d:,}) sum to {gained}, its negative ones ({down:,}) to {lost}.").format(
        d=len(terms.products), up=up, gained=number(gained), down=down, lost=number(lost)
    )


def _moved(pair: ac.Pair) -> str:
    if pair.move == ac.Move():
        return ""
    before = pair.with_move(ac.Move())
    changes = [
        _("{measure} {before} → {after}").format(
            measure=_(ac.MEASURES[name].label), before=_score(before, name), after=_score(pair, name)
        )
        for name in pair.scores
    ]
    return _("The move of b changes {changes}.").format(changes=", ".join(changes))


def _score(pair: ac.Pair, name: str) -> str:
    value = pair.scores[name]
    return _("undefined") if value is None else number(value)


def alt_plane(asked: Asked, pair: ac.Pair) -> str:
    """What the picture of the plane shows."""
    angle = _("undefined") if pair.angle is None else f"{number(pair.angle)}°"
    projection = _("undefined") if pair.projection is None else number(pair.projection)
    return _(
        "{a} and {b} as arrows of lengths {norm_a} and {norm_b}; angle {angle}, projection of the second on the first "
        "{projection}, distance {distance}"
    ).format(
        a=asked.names[0],
        b=asked.names[1],
        norm_a=number(pair.norm_a),
        norm_b=number(pair.norm_b),
        angle=angle,
        projection=projection,
        distance=_score(pair, "euclidean"),
    )


def alt_terms(pair: ac.Pair) -> str:
    """What the bars of the products show."""
    terms = pair.terms(largest_first=True)
    first = ", ".join(
        f"{number(product)} ({_('component')} {i + 1})"
        for i, product in zip(terms.components[:3].tolist(), terms.products[:3].tolist(), strict=True)
    )
    return _("{d:,} products, the largest in size {first}; their sum is {dot}").format(
        d=len(terms.products), first=first, dot=_score(pair, "dot")
    )


def through_b(pair: ac.Pair, measure: str) -> str:
    """A measure and b's score under it, as the heading of its level curves."""
    return _("**{measure}** · b scores {score}").format(
        measure=_(ac.MEASURES[measure].label), score=_score(pair, measure)
    )


def alt_levels(pair: ac.Pair, measure: str) -> str:
    """What one measure's level curves show."""
    return _("Level curves of {measure} with a over the plane; the one through b has the score {score}").format(
        measure=_(ac.MEASURES[measure].label), score=_score(pair, measure)
    )
