"""A numpy archive (.npz) of an array of words and a matrix of vectors."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.arrays import Readable, StoredArray, open_array, read_matrix, read_ranks, read_words
from attention_core.loaders.base.naming import VECTOR_NAMES, WORD_NAMES, known
from attention_core.loaders.base.unpacking import FAULTS
from attention_core.loaders.base.wording import listed, quoted

_MOST_MEMBERS = 100


def recognises(source: Source) -> bool:
    """Whether the file is a zip archive in which some member is a .npy array."""
    if not source.head.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(source.file) as archive:
            return any(name.endswith(".npy") for name in archive.namelist())
    except FAULTS:
        return False


def read(source: Source) -> Contents:
    """The matrix and its words, found by their usual names, else as the only arrays of that kind.

    An array “rank” of one whole number for each row is taken for the words' places by frequency.

    Raises:
        EmbeddingsError: no matrix, or words or vectors that would have to be unpickled.
    """
    with zipfile.ZipFile(source.file) as archive:
        members = _Members(archive, source)
        vectors = members.find(VECTOR_NAMES, lambda array: len(array.shape) == 2 and array.dtype.kind in "fiu")
        words = members.find(WORD_NAMES, lambda array: len(array.shape) == 1 and array.dtype.kind in "US")
        if vectors is None:
            found = listed([quoted(name) for name in members.names[:5]])
            raise source.refusal(
                f"a matrix named “vectors” is expected, found {found}",
                "Save with numpy.savez(file, words=words, vectors=matrix)",
            )
        if words is None:
            members.refuse_objects()
        strings = None if words is None else read_words(members.open(words), source)
        matrix = read_matrix(members.open(vectors), source)
        return Contents(matrix, strings, frequency_rank=members.ranks(len(matrix)))


@dataclass(frozen=True)
class _Member:
    """A member of the archive, opened for reading; a damaged one is refused."""

    file: Readable
    refusal: Callable[[str], EmbeddingsError]

    def read(self, size: int, /) -> bytes:
        try:
            return self.file.read(size)
        except FAULTS as error:
            raise self.refusal(str(error)) from None


class _Members:
    """The .npy arrays of an archive, by name without the ending."""

    def __init__(self, archive: zipfile.ZipFile, source: Source) -> None:
        self._archive, self._source = archive, source
        arrays = [info for info in archive.infolist() if info.filename.endswith(".npy")][:_MOST_MEMBERS]
        self._infos = {PurePosixPath(info.filename).stem: info for info in arrays}
        self.names = list(self._infos)

    def open(self, name: str) -> StoredArray:
        """The array of that name, its header read and checked."""
        info = self._infos[name]
        self._source.check_bytes(info.file_size, quoted(name))
        try:
            file = self._archive.open(info)
        except FAULTS as error:
            raise self._damaged(name, str(error)) from None
        member = _Member(file, lambda reason: self._damaged(name, reason))
        return open_array(member, info.file_size, quoted(name), self._source)

    def find(self, names: Sequence[str], fits: Callable[[StoredArray], bool]) -> str | None:
        """The member with the first of these names, else the only one that fits."""
        return next(iter(known(names, self.names)), None) or self._only(fits)

    def _only(self, fits: Callable[[StoredArray], bool]) -> str | None:
        fitting = []
        for name in self.names:
            try:
                fitting += [name] if fits(self.open(name)) else []
            except EmbeddingsError:
                continue  # refused when it turns out to be needed: see `refuse_objects`
        return fitting[0] if len(fitting) == 1 else None

    def ranks(self, count: int) -> NDArray[np.int64] | None:
        """The whole numbers named “rank”, where there is one for each row."""
        if "rank" not in self.names:
            return None
        try:
            found = self.open("rank")
        except EmbeddingsError:
            return None  # of another kind, and nothing that the vectors need
        fits = found.shape == (count,) and found.dtype.kind in "iu"
        return read_ranks(found) if fits else None

    def refuse_objects(self) -> None:
        """Raise the refusal of the first member that cannot be read: it may have held the words."""
        for name in self.names:
            self.open(name)

    def _damaged(self, name: str, reason: str) -> EmbeddingsError:
        return self._source.refusal(f"{quoted(name)} cannot be unpacked ({reason})", "Fetch or write the file again")


LOADER = Loader(
    name="numpy-archive",
    label="NumPy archive",
    description="A .npz archive with an array “words” of strings and a matrix “vectors” with one row for each.",
    extensions=(".npz",),
    recognises=recognises,
    read=read,
)
