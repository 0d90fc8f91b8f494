"""The .npy format: its header, checked before anything is allocated, and its numbers, read in blocks.

The format is described in numpy.lib.format. Objects are never unpickled: only plain numbers and strings are read.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from attention_core.loaders.base.source import Source
from attention_core.loaders.base.wording import size

MAGIC = b"\x93NUMPY"

_LONGEST_HEADER = 2**16
_BLOCK = 2**20
_PLAIN_TYPE = re.compile(r"[<>=|]?(?:f[248]|[iu][1248]|b1|[US]\d{1,6})")


class Readable(Protocol):
    """A binary file, or a member of an archive."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` further bytes."""


@dataclass(frozen=True)
class StoredArray:
    """An array that stands in a file, from the file's position on.

    Attributes:
        file: positioned at the first value.
        label: what messages call it.
        dtype: plain numbers or strings.
        shape: as many axes as the writer gave.
        by_column: whether the first axis runs fastest (Fortran order).
    """

    file: Readable
    label: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    by_column: bool

    @property
    def bytes(self) -> int:
        """How many bytes the values take."""
        return math.prod(self.shape) * self.dtype.itemsize


def open_array(file: Readable, available: int, label: str, source: Source) -> StoredArray:
    """Read an array's header.

    Args:
        file: positioned at the magic string.
        available: how many bytes follow, the header's own included.
        label: what messages call the array.
        source: whose limits hold and whose refusals are raised.

    Raises:
        EmbeddingsError: no .npy header, values that would have to be unpickled, or a shape that asks for more bytes
            than there are.
    """
    header, length = _header(file, label, source)
    kind = header["descr"]
    if isinstance(kind, str) and "O" in kind:
        raise source.refusal(
            f"{label} holds Python objects, stored as a pickle, which is never opened because it can run any code",
            "Convert it before saving: words with numpy.array(words, dtype=str), vectors with .astype(numpy.float32)",
        )
    if not (isinstance(kind, str) and _PLAIN_TYPE.fullmatch(kind)):
        raise source.refusal(
            f"{label} holds values of the type {str(kind)[:60]}, where plain numbers or strings are expected",
            "Convert it before saving: words with numpy.array(words, dtype=str), vectors with .astype(numpy.float32)",
        )
    array = StoredArray(file, label, np.dtype(kind), header["shape"], header["fortran_order"])
    source.check_bytes(array.bytes, label)
    if array.bytes > available - length:
        raise source.refusal(
            f"{label} declares the shape {array.shape} ({size(array.bytes)}), but only {size(available - length)} "
            "follow, so the file looks cut",
            "Fetch or write the file again",
        )
    return array


def _header(file: Readable, label: str, source: Source) -> tuple[dict[str, Any], int]:
    """The three fields of the header, and how many bytes it took."""
    damaged = source.refusal(f"{label} has no valid .npy header", "Write the file again with numpy.save")
    start = file.read(8)
    width = 2 if start[6:7] == b"\x01" else 4
    length = int.from_bytes(file.read(width), "little")
    if start[:6] != MAGIC or start[6:7] not in (b"\x01", b"\x02", b"\x03") or length > _LONGEST_HEADER:
        raise damaged
    try:
        header = ast.literal_eval(file.read(length).decode("utf-8").strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise damaged from None
    if not isinstance(header, dict) or set(header) != {"descr", "fortran_order", "shape"}:
        raise damaged
    shape = header["shape"]
    if not isinstance(shape, tuple) or not all(type(n) is int and 0 <= n < 2**63 for n in shape):
        raise damaged
    return header, 8 + width + length


def read_matrix(array: StoredArray, source: Source) -> NDArray[np.float32]:
    """The (n, d) values in float32, converted block by block; values too large for it become inf.

    Raises:
        EmbeddingsError: an array that is not (n, d) numbers with n and d at least 1, or larger than the limits allow.
    """
    if len(array.shape) != 2 or 0 in array.shape or array.dtype.kind in "US":
        raise source.refusal(
            f"{array.label} has the shape {array.shape} and the type {array.dtype.name}, where numbers of the shape "
            "(words, dimensions) are expected",
            "Store one vector for each word, as the rows of a matrix",
        )
    source.check_shape(*array.shape)
    matrix = np.empty(array.shape, dtype=np.float32)
    target = matrix.T if array.by_column else matrix
    first = 0
    for block in _blocks(array, target.shape[1], source):
        with np.errstate(over="ignore"):
            target[first : first + len(block)] = block
        first += len(block)
    return matrix


def _blocks(array: StoredArray, width: int, source: Source) -> Iterator[NDArray[Any]]:
    """The values as they stand, whole runs of `width` at a time: rows, or columns in Fortran order."""
    run = width * array.dtype.itemsize
    done = 0
    while done < array.bytes:
        block = array.file.read(min(max(_BLOCK // run, 1) * run, array.bytes - done))
        if not block or len(block) % run:
            raise source.refusal(f"{array.label} ends before its last value", "Fetch or write the file again")
        done += len(block)
        source.report(done, array.bytes)
        yield np.frombuffer(block, array.dtype).reshape(-1, width)


def read_words(array: StoredArray, source: Source) -> list[str]:
    """The (n,) words of an array of strings, of bytes in UTF-8, or of whole numbers, which are written out.

    Raises:
        EmbeddingsError: another shape or type, or bytes and code points that are no text.
    """
    if len(array.shape) != 1 or array.dtype.kind not in "USiu":
        raise source.refusal(
            f"{array.label} has the shape {array.shape} and the type {array.dtype.name}, where a list "
            "of words is expected",
            "Save the words with numpy.array(words, dtype=str)",
        )
    source.check_shape(array.shape[0], 1)
    if not array.bytes:
        return [""] * array.shape[0]
    values = np.frombuffer(array.file.read(array.bytes), array.dtype)
    try:
        if array.dtype.kind == "S":
            return [word.decode() for word in values.tolist()]
        return [str(word) for word in values.tolist()]
    except ValueError:
        raise source.refusal(f"{array.label} holds bytes that are no text", "Save the words as UTF-8") from None


def read_ranks(array: StoredArray) -> NDArray[np.int64]:
    """The (n,) whole numbers of an array that holds nothing else."""
    return np.frombuffer(array.file.read(array.bytes), array.dtype).astype(np.int64)
