"""What the columns of a Parquet file unpack to, by the headers of its pages.

The footer may say less: a page of a few bytes can declare 2³¹ values, and readers believe it. The fields are those of
parquet.thrift (github.com/apache/parquet-format). The footer is read here too, because pyarrow's own metadata of a
column ends the whole process when it is damaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import BinaryIO

from attention_core.loaders.base.thrift import Struct, read_struct

_LONGEST_FOOTER = 2**26
_LONGEST_HEADER = 2**20
_USUAL_HEADER = 2**9


class _File(IntEnum):
    GROUPS, ENCRYPTION = 4, 8


class _Chunk(IntEnum):
    COLUMN, ENCRYPTION = 3, 8


class _Column(IntEnum):
    PACKED, DATA, DICTIONARY = 7, 9, 11


class _Page(IntEnum):
    UNPACKED, PACKED, DATA, DICTIONARY, DATA_V2 = 2, 3, 5, 7, 8


_COLUMNS = 1  # of a group of rows
_VALUES = 1  # of a page of each kind


@dataclass(frozen=True)
class Unpacked:
    """How many values (nulls included) and bytes the pages of a column hold once they are unpacked."""

    values: int = 0
    bytes: int = 0

    def __add__(self, other: Unpacked) -> Unpacked:
        return Unpacked(self.values + other.values, self.bytes + other.bytes)


class EncryptedError(ValueError):
    """The file, or a column of it, is encrypted."""


def unpacked_columns(file: BinaryIO, size: int) -> list[Unpacked]:
    """What each of the columns unpacks to, in the order of the schema's leaves.

    Raises:
        EncryptedError: a file of which any part is encrypted.
        ValueError: a damaged footer, or pages that do not fill their columns.
    """
    try:
        footer = _footer(file, size)
        groups = [group[_COLUMNS] for group in footer[_File.GROUPS]]
        if _File.ENCRYPTION in footer or any(_Chunk.ENCRYPTION in chunk for group in groups for chunk in group):
            raise EncryptedError
        return [
            sum((_unpacked(file, chunk[_Chunk.COLUMN]) for chunk in column), Unpacked())
            for column in zip(*groups, strict=True)
        ]
    except (IndexError, KeyError, TypeError, AttributeError):
        raise ValueError("the footer or a page header lacks what it must hold") from None


def _footer(file: BinaryIO, size: int) -> Struct:
    file.seek(max(size - 8, 0))
    tail = file.read(8)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != b"PAR1" or not 0 < length <= min(size - 12, _LONGEST_FOOTER):
        raise ValueError("the footer is missing")
    file.seek(size - 8 - length)
    return read_struct(file.read(length))[0]


def _unpacked(file: BinaryIO, column: Struct) -> Unpacked:
    """The sum over the pages of one column in one group of rows."""
    start = min(offset for offset in (column[_Column.DATA], column.get(_Column.DICTIONARY, 0)) if offset > 0)
    end = start + column[_Column.PACKED]
    total = Unpacked()
    while start < end:
        header, length = _header(file, start)
        start += length + header[_Page.PACKED]
        if header[_Page.PACKED] < 0 or header[_Page.UNPACKED] < 0 or start > end:
            raise ValueError("a page reaches beyond its column")
        if header.get(_Page.DICTIONARY, {_VALUES: 0})[_VALUES] > header[_Page.UNPACKED]:
            raise ValueError("a dictionary declares more values than it has bytes")
        counts = [header[kind][_VALUES] for kind in (_Page.DATA, _Page.DATA_V2) if kind in header]
        total += Unpacked(max(counts, default=0), header[_Page.UNPACKED])
    return total


def _header(file: BinaryIO, start: int) -> tuple[Struct, int]:
    """The page header at `start`, and its length."""
    file.seek(start)
    beginning = file.read(_USUAL_HEADER)
    try:
        return read_struct(beginning)
    except IndexError:
        return read_struct(beginning + file.read(_LONGEST_HEADER))
