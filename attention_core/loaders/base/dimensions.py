"""Which columns of a table are the dimensions of its vectors, and what is to be said of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from string import digits

from attention_core.loaders.base.naming import some


def dimensions(names: Sequence[str], word: int | None, numeric: Sequence[int]) -> tuple[int, ...]:
    """Columns named alike but for a number (d0, d1, …) are the vector; without such names, all columns of numbers.

    Args:
        names: of all columns.
        word: the column of words, which is no dimension.
        numeric: the columns that hold numbers.

    Example:
        >>> dimensions(["word", "rank", "d0", "d1"], 0, [1, 2, 3]), dimensions(["word", "x", "y"], 0, [1, 2])
        ((2, 3), (1, 2))
    """
    numeric = [i for i in numeric if i != word]
    alike = defaultdict(list)
    for i, name in enumerate(names):
        stem = name.strip().rstrip(digits)
        if i != word and stem != name.strip():
            alike[stem].append(i)
    groups = [group for group in alike.values() if len(group) > 1 and set(group) & set(numeric)]
    return tuple(groups[0] if len(groups) == 1 else numeric)


def left_out(names: Sequence[str]) -> tuple[str, ...]:
    """What to say of the columns that are neither words nor dimensions."""
    if not names:
        return ()
    return (f"Not part of the vectors: {'column' if len(names) == 1 else 'columns'} {some(names)}.",)


def unnumbered(names: Sequence[str]) -> tuple[str, ...]:
    """What to say of dimensions that are not numbered d0, d1, … under one name."""
    stems = {name.strip().rstrip(digits) for name in names}
    return () if len(stems) < 2 else (f"Taken as the dimensions of the vectors: columns {some(names)}.",)
