"""Text in the encodings that announce themselves, as UTF-8."""

from __future__ import annotations

import codecs
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


def to_utf8(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks of a text as blocks of UTF-8 without a byte order mark.

    Without a mark the bytes pass through as they are. A code unit that stands for no character becomes U+FFFD.

    Example:
        >>> b"".join(to_utf8(["river 0.5".encode("utf-16")]))
        b'river 0.5'
    """
    stream = iter(blocks)
    first = next(stream, b"")
    mark, encoding = next((known for known in _MARKS if first.startswith(known[0])), (b"", "utf-8"))
    first = first[len(mark) :]
    if encoding == "utf-8":
        yield first
        yield from stream
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for block in chain([first], stream):
        yield decoder.decode(block).encode()
    yield decoder.decode(b"", final=True).encode()
