"""The lines of a text that a refusal speaks of."""

from __future__ import annotations

import re

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.lines import read_lines
from attention_core.loaders.base.source import Source

_LONGEST = 100


def excerpt(source: Source, error: EmbeddingsError) -> tuple[str, ...]:
    """The first line that the message names, and its neighbours, each with its number and shortened."""
    named = re.search(r"\bline (\d{1,12})\b", str(error).removeprefix(source.name))
    if named is None:
        return ()
    line = int(named[1])
    try:
        return _around(source, line)
    except EmbeddingsError:
        return ()  # a line too long to be read


def _around(source: Source, line: int) -> tuple[str, ...]:
    wanted = range(max(1, line - 1), line + 2)
    found: list[str] = []
    for block in read_lines(source):
        last = block.first + len(block)
        found += [
            f"{number}  {_shortened(block.texts[number - block.first])}"
            for number in wanted
            if block.first <= number < last
        ]
        if last > wanted[-1]:
            break
    return tuple(found)


def _shortened(text: bytes) -> str:
    shown = text[: 4 * _LONGEST].decode("utf-8", "replace")
    printable = "".join(c if c.isprintable() else "␣" for c in shown)
    return printable if len(printable) <= _LONGEST else f"{printable[: _LONGEST - 1]}…"
