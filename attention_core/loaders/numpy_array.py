"""A numpy array (.npy): vectors only, so the words come from a list beside it.

Float32 vectors in a file on this machine stay there: they are mapped into memory, page by page as they are used.
"""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from attention_core.loaders.base import Contents, Loader, Source
from attention_core.loaders.base.arrays import MAGIC, StoredArray, open_array, read_matrix
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
    mapped = _mapped(array, source)
    contents = Contents(read_matrix(array, source) if mapped is None else mapped)
    if mapped is not None:
        source.file.seek(array.bytes, io.SEEK_CUR)
    surplus = source.size - source.file.tell()
    if not surplus:
        return contents
    return replace(contents, warnings=(f"{counted(surplus, 'byte')} after the end of the array were not read.",))


def _mapped(array: StoredArray, source: Source) -> NDArray[np.float32] | None:
    """The values where they stand, or None when they have to be converted or came without a path."""
    plain = array.dtype == np.dtype("<f4") and len(array.shape) == 2 and 0 not in array.shape and not array.by_column
    if source.path is None or not plain:
        return None
    source.check_shape(*array.shape)
    return np.memmap(source.path, array.dtype, "r", source.file.tell(), array.shape)


LOADER = Loader(
    name="numpy-array",
    label="NumPy array",
    description="A .npy array of the shape (words, dimensions), with the words in a second file, one on each line.",
    extensions=(".npy",),
    recognises=recognises,
    read=read,
    holds_words=False,
)
