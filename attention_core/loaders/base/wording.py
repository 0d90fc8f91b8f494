"""How refusals and warnings name files, words and sizes that came from outside."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST_NAME = 80
_LONGEST_WORD = 60


def file_name(given: str) -> str:
    r"""The last part of a path or of an upload's name, printable and short.

    Example:
        >>> file_name("/home/someone/vectors.vec"), file_name("C:\\data\\a.txt"), file_name("..\x00/")
        ('vectors.vec', 'a.txt', 'file')
    """
    last = re.split(r"[/\\]", given.replace("\x00", ""))[-1].strip()
    shown = "".join(c if c.isprintable() else "\ufffd" for c in last)
    if len(shown) > _LONGEST_NAME:
        shown = f"{shown[: _LONGEST_NAME - 20]}…{shown[-19:]}"
    return shown or "file"


def quoted(text: str) -> str:
    r"""A word in typographic quotes, shortened, with characters that do not print written as escapes.

    Example:
        >>> quoted("lamp"), quoted("a\u00a0b")
        ('“lamp”', '“a\\xa0b”')
    """
    shown = text if len(text) <= _LONGEST_WORD else f"{text[: _LONGEST_WORD - 1]}…"
    return f"“{printable(shown)}”"


def printable(text: str) -> str:
    """A text in which characters that do not print are written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def listed(parts: Iterable[str], conjunction: str = "and") -> str:
    """Parts as one reads them aloud.

    Example:
        >>> listed(["line 3", "line 5", "line 6"])
        'line 3, line 5 and line 6'
    """
    *before, last = parts
    return f"{', '.join(before)} {conjunction} {last}" if before else last


def counted(count: int, singular: str, plural: str = "") -> str:
    """A count with its noun.

    Example:
        >>> counted(1, "row"), counted(1200, "row"), counted(2, "entry", "entries")
        ('1 row', '1,200 rows', '2 entries')
    """
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


def size(count: int) -> str:
    """A number of bytes in decimal units, with the exact count where it is small.

    Example:
        >>> size(512), size(2_500_000), size(2_000_000_000)
        ('512 bytes', '2.5 MB', '2.0 GB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**4)):
        if count >= factor:
            return f"{count / (1000 if unit == 'kB' else factor):,.1f} {unit}"
    return counted(count, "byte")
