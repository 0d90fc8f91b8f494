"""Text in the usual encodings, recognised and turned into UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain

_MARKS = (
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)
_NAMES = {
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32-le": "UTF-32",
    "utf-32-be": "UTF-32",
    "gb18030": "GB18030",
}
GUESSED = "gb18030"
"""The one that is told by what the text would say in it, and not by a mark or a pattern."""
_REPLACEMENT = "\ufffd".encode()
_NOT_UTF8 = b"\xff"
_SAMPLE = 2**16
_CHINESE = 0.9
"""The part of the characters beyond ASCII that must be common Chinese ones. A Western text that happens to decode as
GB18030 gives rare ones."""


def encoding_of(head: bytes) -> str:
    r"""The encoding that a text's first bytes announce or show; UTF-8 where they show no other.

    Example:
        >>> encoding_of("river 0.5".encode("utf-16")), encoding_of("河 0.5\n湖 1.5\n".encode("gb18030"))
        ('utf-16-le', 'gb18030')
    """
    marked = next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)
    if marked:
        return marked
    sample = head[:_SAMPLE]
    if re.match(rb"(?:[^\x00]\x00){8}", sample):
        return "utf-16-le"
    if re.match(rb"(?:\x00[^\x00]){8}", sample):
        return "utf-16-be"
    return "utf-8" if b"\x00" in sample or _is_utf8(sample) or not _is_chinese(sample) else GUESSED


def shown(encoding: str) -> str:
    """An encoding as messages name it; empty for UTF-8, which is what one expects."""
    return _NAMES.get(encoding, "")


def _is_utf8(sample: bytes) -> bool:
    """Whether it decodes; it may be cut inside its last character."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def _is_chinese(sample: bytes) -> bool:
    beyond = [c for c in sample.decode("gb18030", "replace") if c > "\x7f"]
    common = sum(len(c.encode("gb2312", "ignore")) > 0 for c in beyond)
    return common >= _CHINESE * len(beyond)


def to_utf8(blocks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Blocks of a text as blocks of UTF-8 without a byte order mark.

    UTF-8 passes through as it is. What stands for no character in another encoding becomes a byte that stands for
    none in UTF-8 either, so that it is noticed and told as one.

    Example:
        >>> b"".join(to_utf8(["river 0.5".encode("utf-16")], "utf-16-le"))
        b'river 0.5'
    """
    stream = iter(blocks)
    first = next(stream, b"")
    mark = next((mark for mark, marked in _MARKS if marked == encoding and first.startswith(mark)), b"")
    first = first[len(mark) :]
    if encoding == "utf-8":
        yield first
        yield from stream
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for block in chain([first], stream):
        yield decoder.decode(block).encode().replace(_REPLACEMENT, _NOT_UTF8)
    yield decoder.decode(b"", final=True).encode().replace(_REPLACEMENT, _NOT_UTF8)
