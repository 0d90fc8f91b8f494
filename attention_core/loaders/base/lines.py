r"""Physical lines of a text: only \n and \r\n end one, whatever Unicode says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

import numpy as np

from attention_core.loaders.base.source import Source
from attention_core.loaders.base.wording import size

_SAMPLED = 2**18  # bytes
_NEWLINE = ord("\n")
_CONTAINER = re.compile(
    rb"\x80[\x02-\x05]|PK\x03\x04|\x1f\x8b|\x28\xb5\x2f\xfd|\xfd7zXZ|BZh[1-9]1AY|\x93NUMPY|(?s:.{257})ustar"
    rb"|(?s:.{6})\x00\x00\{|\xba\x16\x4f\x2f"
)
"""Pickle, zip, gzip, Zstandard, xz, bzip2, .npy, tar, safetensors and fastText's own .bin."""


@dataclass(frozen=True)
class Lines:
    r"""Consecutive whole lines.

    Attributes:
        text: the lines as UTF-8; only the last line of a file may lack its newline.
        first: the number of the first of them, from 1.

    Example:
        >>> lines = Lines(b"a\r\nb\nc", first=1)
        >>> len(lines), lines.texts, lines.ended, lines.after(2)
        (3, [b'a', b'b', b'c'], False, Lines(text=b'c', first=3))
    """

    text: bytes
    first: int

    def __len__(self) -> int:
        # bytes.count takes four times as long.
        newlines = np.count_nonzero(np.frombuffer(self.text, np.uint8) == _NEWLINE)
        return int(newlines) + bool(self.text) - self.ended

    @property
    def whole(self) -> bytes:
        r"""The lines, each of which ends in \n alone."""
        # One character is looked for much faster than two.
        text = self.text.replace(b"\r\n", b"\n") if b"\r" in self.text else self.text
        return text + b"\n" if text and not self.ended else text

    @cached_property
    def texts(self) -> list[bytes]:
        """The lines without their ends."""
        return self.whole.split(b"\n")[:-1]

    @property
    def ended(self) -> bool:
        """Whether the last line ends in a newline."""
        return self.text.endswith(b"\n")

    def after(self, count: int) -> Lines:
        """The lines that follow the first `count`."""
        rest = self.text.split(b"\n", count)[count:]
        return Lines(b"".join(rest), self.first + count)


def read_lines(source: Source) -> Iterator[Lines]:
    """All lines of a text file, about 1 MiB at a time.

    Raises:
        EmbeddingsError: a line far longer than a vector of the largest allowed dimension can be.
    """
    longest = 2**20 + 64 * source.limits.dimensions
    rest, first = b"", 1
    for block in source.text_blocks():
        end = block.rfind(b"\n") + 1
        whole = b"".join((rest, memoryview(block)[:end])) if end else b""
        rest = block[end:] if end else rest + block
        if len(rest) > longest:
            line = first + whole.count(b"\n")
            raise source.refusal(
                f"line {line} goes on for more than {size(longest)} without an end of line",
                "End each row with a newline",
            )
        if end:
            lines = Lines(whole, first)
            yield lines
            first += len(lines)
    if rest:
        yield Lines(rest, first)


def first_lines(source: Source, count: int) -> list[bytes]:
    """Up to `count` whole lines from the file's start, fewer when they are long.

    An empty list when the first line is longer than the head, and in a container whose stored text could pass for the
    file's own.
    """
    if _CONTAINER.match(source.head):
        return []
    *lines, rest = source.text_head.split(b"\n", count)
    lines = [line.removesuffix(b"\r") for line in lines]
    if rest and source.head_is_all and len(lines) < count:
        lines.append(rest)
    room = chain([0, 0], accumulate(map(len, lines)))  # so that two lines always fit
    return [line for line, used in zip(lines, room, strict=False) if used < _SAMPLED]


def decoded(text: bytes, end: bytes = b"\n") -> tuple[list[str], list[int]]:
    r"""Texts as strings, and the positions of those that are not UTF-8 (they hold U+FFFD now).

    Each of them ends in `end`, a character of ASCII that none of them holds.

    Example:
        >>> decoded(b"river\ncaf\xc3\n")
        (['river', 'caf\ufffd'], [1])
    """
    try:
        return text.decode().split(end.decode())[:-1], []  # one call each for all
    except UnicodeDecodeError:
        texts = text.split(end)[:-1]
        strings = [text.decode("utf-8", "replace") for text in texts]
        return strings, [i for i, text in enumerate(texts) if not _is_utf8(text)]


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
