"""safetensors: a header in JSON, then tensors; one matrix is read, with the words from the header or from a list.

The format is described at https://github.com/huggingface/safetensors. Its own library wants a path or the whole file in
memory, so that the header is read here, and the numbers in blocks as those of an array are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.arrays import Readable, StoredArray, read_matrix
from attention_core.loaders.base.naming import VECTOR_NAMES, WORD_NAMES, known
from attention_core.loaders.base.wording import listed, quoted, size

_LONGEST_HEADER = 2**24  # bytes; as objects of Python it may take 25 times as many
_TYPES = {"F16": "<f2", "BF16": "<f4", "F32": "<f4", "F64": "<f8"}
"""As what the numbers are read: those of BF16 are widened on the way."""

_NAMED = 5


@dataclass(frozen=True)
class _Tensor:
    """A tensor as the header describes it, its values between two offsets after the header."""

    name: str
    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def is_matrix(self) -> bool:
        return len(self.shape) == 2 and self.kind in _TYPES

    @property
    def bytes(self) -> int:
        """How many bytes a matrix of that shape and type takes."""
        return self.shape[0] * self.shape[1] * (2 if self.kind == "BF16" else np.dtype(_TYPES[self.kind]).itemsize)

    def __str__(self) -> str:
        return f"{quoted(self.name)} ({self.kind[:9]}, {' x '.join(map(str, self.shape[:9])) or 'one number'})"


@dataclass(frozen=True)
class _Widened:
    """Numbers in bfloat16 as float32, of which they are the upper half."""

    file: Readable

    def read(self, size: int, /) -> bytes:
        values = self.file.read(size // 2)
        halves = np.frombuffer(values, "<u2", len(values) // 2)  # of a file that is cut meanwhile
        return (halves.astype("<u4") << 16).tobytes()


def recognises(source: Source) -> bool:
    """Whether the file begins with a length of 8 bytes and an object in JSON."""
    return source.head[6:9] == b"\x00\x00{"


def read(source: Source) -> Contents:
    """The matrix, found by its usual names or as the only one; its words, when the header's metadata lists them.

    Raises:
        EmbeddingsError: a damaged header, no matrix or several, or a tensor that asks for more bytes than there are.
    """
    header = _header(source)
    words = _words(header.pop("__metadata__", None))
    tensor = _matrix([_tensor(name, entry, source) for name, entry in header.items()], source)
    return Contents(read_matrix(_opened(tensor, source), source), words)


def _header(source: Source) -> dict[str, Any]:
    """The header; the file is left where it ends."""
    length = int.from_bytes(source.head[:8], "little")
    if length > source.size - 8:
        raise source.refusal(
            f"the header declares {size(length)} for itself, but only {size(source.size - 8)} follow, so the file "
            "looks cut",
            "Fetch or write the file again",
        )
    if length > _LONGEST_HEADER:
        raise source.refusal(
            f"the header takes {size(length)}, more than the {size(_LONGEST_HEADER)} that are read",
            "Keep the words in a list of their own, one on each line",
        )
    source.file.seek(8)
    try:
        header = json.loads(source.file.read(length).decode())
    except (ValueError, RecursionError):
        raise _damaged(source, "no JSON") from None
    if not isinstance(header, dict):
        raise _damaged(source, "no object")
    return header


def _damaged(source: Source, found: str) -> EmbeddingsError:
    return source.refusal(
        f"the header of a safetensors file is expected, found {found}", "Write the file again with safetensors"
    )


def _words(metadata: object) -> list[str] | None:
    """The words that the metadata, texts by name, list in JSON under one of their usual names."""
    if not isinstance(metadata, dict):
        return None
    for name in known(WORD_NAMES, metadata):
        try:
            words = json.loads(metadata[name])
        except (ValueError, TypeError, RecursionError):
            continue
        if isinstance(words, list) and all(isinstance(word, str) for word in words):
            return words
    return None


def _tensor(name: str, entry: object, source: Source) -> _Tensor:
    match entry:
        case {"dtype": str(kind), "shape": [*shape], "data_offsets": [begin, end]} if all(
            type(number) is int and 0 <= number < 2**63 for number in (*shape, begin, end)
        ):
            return _Tensor(name, kind, tuple(shape), begin, end)
    raise _damaged(source, f"no type, shape and offsets of {quoted(name)}")


def _matrix(tensors: list[_Tensor], source: Source) -> _Tensor:
    """The only matrix, or of several the one with the likeliest of the usual names."""
    matrices = {tensor.name: tensor for tensor in tensors if tensor.is_matrix}
    names = list(matrices) if len(matrices) == 1 else known(VECTOR_NAMES, matrices)
    if names:
        return matrices[names[0]]
    found = [str(tensor) for tensor in (matrices.values() or tensors)]
    found = found[:_NAMED] + ([f"{len(found) - _NAMED:,} more"] if len(found) > _NAMED else [])
    raise source.refusal(
        f"one matrix of {listed(_TYPES, 'or')} numbers, or one named “vectors”, is expected, found "
        f"{listed(found) if found else 'no tensor'}",
        'Save it with safetensors.numpy.save_file({"vectors": matrix}, file)',
    )


def _opened(tensor: _Tensor, source: Source) -> StoredArray:
    """The matrix, its file positioned at the first value, once its shape, its offsets and the file agree."""
    label, start, held = quoted(tensor.name), source.file.tell(), tensor.end - tensor.begin
    if held != tensor.bytes:
        raise source.refusal(
            f"the shape of {label} asks for {tensor.bytes:,} bytes, but its offsets hold {held:,}",
            "Write the file again with safetensors",
        )
    if start + tensor.end > source.size:
        raise source.refusal(
            f"{label} ends at byte {start + tensor.end:,}, but the file has only {source.size:,}, so it looks cut",
            "Fetch or write the file again",
        )
    source.file.seek(start + tensor.begin)
    file = _Widened(source.file) if tensor.kind == "BF16" else source.file
    return StoredArray(file, label, np.dtype(_TYPES[tensor.kind]), tensor.shape, by_column=False)


LOADER = Loader(
    name="safetensors",
    label="safetensors",
    description="A .safetensors matrix, with its words in the metadata or in a second file, one on each line.",
    extensions=(".safetensors",),
    recognises=recognises,
    read=read,
)
