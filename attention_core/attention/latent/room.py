"""How much memory what is shown of MLA may take."""

from __future__ import annotations

from attention_core.errors import AttentionError

ROOM = 1 << 30
"""Bytes that a form's caches, or its weights, and what it makes of them may take together."""


def within_room(needed: int, what: str, advice: str) -> None:
    """Refuses what would take more than `ROOM`, before it is allocated.

    Args:
        needed: bytes.
        what: takes them.
        advice: what to do, a sentence.

    Raises:
        AttentionError: it would.
    """
    if needed > ROOM:
        raise AttentionError(
            f"{what} would take {needed:,} bytes, more than the {ROOM:,} that are set aside for it. {advice}"
        )
