"""Sentences that say what lies between two vectors."""

from __future__ import annotations

import attention_core as ac
from attention_core.plots.theme import number
from dashboard.language import _
from dashboard.two_vectors.pair import Pair


def of_pair(pair: Pair, g: ac.Geometry) -> str:
    """Angle, lengths and products in one or two sentences of Markdown, and what a move has changed."""
    return " ".join(filter(None, [relation(pair, g), _products(g), _moved(g)]))


def relation(pair: Pair, g: ac.Geometry) -> str:
    """What the two vectors are to each other."""
    a, b = pair.quoted
    dot, distance = (_score(g, name) for name in ("dot", "euclidean"))
    if g.undefined:
        why = _(g.undefined)
        sentence = _("{Why}: angle and cosine are undefined. The dot product is {dot}, the distance {distance}.")
        return sentence.format(Why=why[0].upper() + why[1:], dot=dot, distance=distance)
    if pair.a == pair.b and g.move == ac.Move():
        same = _("Both vectors are {a}: angle and distance are 0, and the dot product is the squared length, {dot}.")
        return same.format(a=a, dot=dot)
    return _(
        "{a} and {b} enclose {angle}°: the dot product {dot} is their lengths, {norm_a} and {norm_b}, times the "
        "cosine, {cosine}."
    ).format(
        a=a,
        b=b,
        angle=number(g.angle or 0.0),
        dot=dot,
        norm_a=number(g.norm_a),
        norm_b=number(g.norm_b),
        cosine=_score(g, "cosine"),
    )


def _products(g: ac.Geometry) -> str:
    terms = g.terms()
    (up, gained), (down, lost) = terms.positive, terms.negative
    if not down:
        return ""
    return _("Its positive products ({up:,} of {d:,}) sum to {gained}, its negative ones ({down:,}) to {lost}.").format(
        d=len(terms.products), up=up, gained=number(gained), down=down, lost=number(lost)
    )


def _moved(g: ac.Geometry) -> str:
    if g.move == ac.Move():
        return ""
    before = g.with_move(ac.Move())
    changes = [
        _("{measure} {before} → {after}").format(
            measure=_(ac.MEASURES[name].label), before=_score(before, name), after=_score(g, name)
        )
        for name in g.scores
    ]
    return _("The move of b changes {changes}.").format(changes=", ".join(changes))


def _score(g: ac.Geometry, name: str) -> str:
    value = g.scores[name]
    return _("undefined") if value is None else number(value)


def alt_plane(pair: Pair, g: ac.Geometry) -> str:
    """What the picture of the plane shows."""
    angle = _("undefined") if g.angle is None else f"{number(g.angle)}°"
    projection = _("undefined") if g.projection is None else number(g.projection)
    return _(
        "{a} and {b} as arrows of lengths {norm_a} and {norm_b}; angle {angle}, projection of the second on the first "
        "{projection}, distance {distance}"
    ).format(
        a=pair.names[0],
        b=pair.names[1],
        norm_a=number(g.norm_a),
        norm_b=number(g.norm_b),
        angle=angle,
        projection=projection,
        distance=_score(g, "euclidean"),
    )


def alt_terms(g: ac.Geometry) -> str:
    """What the bars of the products show."""
    terms = g.terms(largest_first=True)
    first = ", ".join(
        f"{number(product)} ({_('component')} {i + 1})"
        for i, product in zip(terms.components[:3].tolist(), terms.products[:3].tolist(), strict=True)
    )
    return _("{d:,} products, the largest in size {first}; their sum is {dot}").format(
        d=len(terms.products), first=first, dot=_score(g, "dot")
    )


def through_b(g: ac.Geometry, measure: str) -> str:
    """A measure and b's score under it, as the heading of its level curves."""
    return _("**{measure}** · b scores {score}").format(measure=_(ac.MEASURES[measure].label), score=_score(g, measure))


def alt_levels(g: ac.Geometry, measure: str) -> str:
    """What one measure's level curves show."""
    return _("Level curves of {measure} with a over the plane; the one through b has the score {score}").format(
        measure=_(ac.MEASURES[measure].label), score=_score(g, measure)
    )
