"""An opened file: its name, its size, its first bytes, and its blocks under the limits."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import BinaryIO, TypeVar, cast

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.choices import Choices
from attention_core.loaders.base.encodings import encoding_of, to_utf8
from attention_core.loaders.base.limits import Limits, Progress
from attention_core.loaders.base.wording import size

T = TypeVar("T")

_HEAD = 2**20
_BLOCK = 2**21


class Source:
    """A file being loaded. Loaders read `head` to recognise, and `blocks` or `file` to read.

    Attributes:
        file: the opened binary file, seekable.
        name: its printable name, without folders.
        size: its length in bytes, within the limits.
        limits: what may be asked for.
        head: its first bytes (1 MiB, or the whole of a smaller file).
        packing: “gzip” or “zip” for a file that was unpacked, else empty.
        listed: whether the words come in a second file.
        choices: what the reader decided.
        path: where the file stands on this machine, when it was given as a path and read as it is.
    """

    def __init__(self, file: BinaryIO, name: str, limits: Limits, progress: Progress | None = None) -> None:
        self.file, self.name, self.limits, self._progress = file, name, limits, progress
        self.packing, self.listed, self.choices = "", False, Choices()
        self.path: Path | None = None
        self._looks: dict[object, object] = {}
        self._reading = Lock()
        self.size = file.seek(0, io.SEEK_END)
        self.check_bytes(self.size, "the file")
        if not self.size:
            raise self.refusal("the file is empty (0 bytes)", "Choose a file with content")
        file.seek(0)
        self.head = file.read(_HEAD)

    def refusal(self, found: str, remedy: str) -> EmbeddingsError:
        """The error to raise: what was found and expected, and what to do, each without its full stop."""
        return EmbeddingsError(f"{self.name}: {found}. {remedy}.")

    def report(self, done: int, total: int) -> None:
        """Tell the caller how far the load is; whatever the caller raises there ends it."""
        if self._progress is not None:
            self._progress(done, total)

    def inner(self, file: BinaryIO, name: str, packing: str) -> Source:
        """The source of a file that was inside this one; its progress is the second half of the whole."""
        inner = Source(file, name, self.limits, lambda done, total: self.report(total + done, 2 * total))
        inner.packing = packing
        return inner

    def blocks(self) -> Iterator[bytes]:
        """The file's bytes from its start, about 1 MiB at a time, reporting progress; the next are read meanwhile."""
        done = 0
        with ThreadPoolExecutor(1) as reader:
            ahead = reader.submit(self._read, 0, _BLOCK)
            while block := ahead.result():
                done += len(block)
                ahead = reader.submit(self._read, done, _BLOCK)
                self.report(done, self.size)
                yield block

    def _read(self, start: int, count: int) -> bytes:
        """Bytes of the file, of which nothing counts that was added since."""
        with self._reading:
            self.file.seek(start)
            return self.file.read(min(count, self.size - start))

    @cached_property
    def encoding(self) -> str:
        """What a text is written in, as far as `head` shows."""
        return encoding_of(self.head)

    def text_blocks(self) -> Iterator[bytes]:
        """`blocks` as UTF-8 without a byte order mark, whatever the encoding."""
        return to_utf8(self.blocks(), self.encoding)

    @cached_property
    def text_head(self) -> bytes:
        """`head` as UTF-8 without a byte order mark; it may end inside a line."""
        return b"".join(to_utf8([self.head], self.encoding))

    @property
    def head_is_all(self) -> bool:
        """Whether `head` is the whole file."""
        return self.size == len(self.head)

    @cached_property
    def ends_with_newline(self) -> bool:
        """Whether the last line of a text is whole; a file cut on its way lacks this newline."""
        return (
            self._read(max(self.size - 4, 0), 4).replace(b"\x00", b"").endswith(b"\n")
        )  # the zeros of UTF-16 and UTF-32

    def once(self, look: Callable[[Source], T]) -> T:
        """What a look at the file shows: several loaders ask for the same one, which is taken once."""
        if look not in self._looks:
            self._looks[look] = look(self)
        return cast(T, self._looks[look])

    def check_bytes(self, count: int, what: str) -> None:
        """Raise `EmbeddingsError` when `what` takes more bytes than the limits allow."""
        if count > self.limits.bytes:
            raise self.refusal(
                f"{what} takes {size(count)}, more than the {size(self.limits.bytes)} that may be loaded",
                "Keep fewer words, or load it where the limit is higher",
            )

    def check_shape(self, rows: int, dimensions: int) -> None:
        """Raise `EmbeddingsError` when a matrix of that shape is more than the limits allow."""
        for count, limit, what in (
            (rows, self.limits.rows, "rows"),
            (dimensions, self.limits.dimensions, "dimensions"),
        ):
            if count > limit:
                raise self.refusal(
                    f"{count:,} {what} were found or declared, more than the {limit:,} that may be loaded",
                    f"Keep fewer {what}, or load the file where the limit is higher",
                )
        self.check_bytes(4 * rows * dimensions, f"a matrix of {rows:,} x {dimensions:,}")
