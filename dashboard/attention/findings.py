"""What every page on attention says of its sentence."""

from __future__ import annotations

import attention_core as ac
from dashboard.language import _
from dashboard.untrusted import quoted

EVEN = 0.1
"""Of the entropy of even weights: with less, the softmax has picked one key."""


def of_picking(entropy: float, most: float) -> str:
    """What to do where the scores are so far apart that the softmax leaves one weight; nothing elsewhere.

    Args:
        entropy: mean of the rows, in nats.
        most: mean of what even weights would have.
    """
    if not entropy < EVEN * most:
        return ""
    return _("The scores lie so far apart that nearly all weight is on one token: raise the temperature to spread it.")


def notes(sentence: ac.attention.Sentence) -> list[str]:
    """What was not in the vocabulary, and what was done about it."""
    found = []
    done = {
        "skip": _("left out"),
        "random": _("given a random vector as long as the median word's"),
        "refuse": _("refused"),
    }
    for one in sentence.unknown:
        nearest = ", ".join(map(quoted, one.nearest[:3]))
        spelled = _(" (nearest spellings: {nearest})").format(nearest=nearest) if nearest else ""
        what = _("{word} has no vector and is {done}{spelled}.")
        found.append(what.format(word=quoted(one.word), done=done[sentence.treatment], spelled=spelled))
    if sentence.left_out:
        marks = " ".join(map(quoted, sentence.left_out[:10]))
        found.append(_("Punctuation without a vector is left out: {marks}.").format(marks=marks))
    return found[:10]
