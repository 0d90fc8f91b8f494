"""A numpy array (.npy): vectors only, so the words come from a list beside it."""

from __future__ import annotations

from dataclasses import replace

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.arrays import MAGIC, open_array, read_matrix
from attention_core.loaders.base.wording import counted


def recognises(source: Source) -> bool:
    """Whether the file begins with the magic string of .npy."""
    return source.head.startswith(MAGIC)


def read(source: Source) -> Contents:
    """The matrix, whatever its number type, byte order and memory order.

    Raises:
        EmbeddingsError: objects, another shape than (n, d), or fewer bytes than the shape asks for.
    """
    source.file.seek(0)
    array = open_array(source.file, source.size, "the array", source)
    contents = Contents(read_matrix(array, source))
    surplus = source.size - source.file.tell()
    if not surplus:
        return contents
    return replace(contents, warnings=(f"{counted(surplus, 'byte')} after the end of the array were not read.",))


LOADER = Loader(
    name="numpy-array",
    label="NumPy array",
    description="A .npy array of the shape (words, dimensions), with the words in a second file, one on each line.",
    extensions=(".npy",),
    recognises=recognises,
    read=read,
)
