"""Words and file names come from strangers: how they may stand in Markdown."""

from __future__ import annotations

import re

from attention_core.plots.theme import printable

WORD_JOINER = "\u2060"
"""Has no width and no shape, and keeps a word together."""


def quoted(word: str, length: int = 40) -> str:
    """The word as a Markdown code span, in which nothing is interpreted.

    The fence is longer than any run of backticks inside (CommonMark 0.31, 6.1); line ends become spaces.

    Example:
        >>> quoted("![](http://x/y.png)"), quoted("a`b")
        ('`![](http://x/y.png)`', '`` a`b ``')
    """
    line = printable(word)
    line = line if len(line) <= length else line[: length - 1] + "…"
    line = line.replace(":material/", f":{WORD_JOINER}material/")  # Streamlit looks for icons even inside code
    if "`" not in line and line.strip():
        return f"`{line}`"
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    return f"{fence} {line} {fence}"
