"""What every page on attention says of its sentence."""

from __future__ import annotations

import attention_core as ac
from dashboard.language import _
from dashboard.untrusted import quoted


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
