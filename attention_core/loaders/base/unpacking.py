"""The file in a gzip file or in a zip archive of one file, unpacked under the limits before it is looked at."""

from __future__ import annotations

import gzip
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile
from typing import IO, BinaryIO, cast

from attention_core.loaders.base.source import Source
from attention_core.loaders.base.wording import counted, file_name, listed, quoted, size

FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    OSError,
)
"""What the standard library raises for damaged, encrypted or unusual archives."""

RATIO = 200
"""Vectors hardly shrink to a tenth; a file that grows more than this was made to fill the memory."""
_SUSPECT = 10**7
_BLOCK = 2**20
_IN_MEMORY = 2**26
_NOT_CONTENT = ("__MACOSX/", ".DS_Store")


@contextmanager
def unpacked(source: Source) -> Iterator[Source]:
    """The packed file as a source of its own, or the source as it is.

    An archive with arrays of numpy or a pickle inside is a format itself and stays as it is.

    Raises:
        EmbeddingsError: an archive of several files, a damaged one, or one that unpacks to more than the limits allow
            or to more than `RATIO` times its size.
    """
    if source.head.startswith(b"\x1f\x8b"):
        name = source.name[:-3] if source.name.lower().endswith(".gz") else source.name
        with _copied(gzip.GzipFile(fileobj=_rewound(source)), source) as file:
            yield source.inner(file, name, "gzip")
    elif source.head.startswith(b"PK\x03\x04") and (archive := _archive(source)):
        with archive, _copied(_opened(archive, source), source) as file:
            yield source.inner(file, file_name(_members(archive)[0]), "zip")
    else:
        yield source


def _rewound(source: Source) -> BinaryIO:
    source.file.seek(0)
    return source.file


def _archive(source: Source) -> zipfile.ZipFile | None:
    """The zip archive to unpack; None for one that is a format itself, and for what only begins like an archive."""
    try:
        archive = zipfile.ZipFile(source.file)
    except FAULTS:
        return None
    members = _members(archive)
    itself = any(name.endswith((".npy", "data.pkl")) for name in members)
    return archive if members and not itself else None


def _members(archive: zipfile.ZipFile) -> list[str]:
    names = [info.filename for info in archive.infolist() if not info.filename.endswith("/")]
    return [name for name in names if not (name.startswith(_NOT_CONTENT[0]) or name.endswith(_NOT_CONTENT[1]))]


def _opened(archive: zipfile.ZipFile, source: Source) -> IO[bytes]:
    members = _members(archive)
    if len(members) > 1:
        shown = listed([quoted(name) for name in members[:3]])
        raise source.refusal(
            f"the zip archive holds {counted(len(members), 'file')}, such as {shown}, where one is expected",
            "Unpack it and choose the file that holds the vectors",
        )
    try:
        return archive.open(members[0])
    except FAULTS as error:
        raise source.refusal(
            f"the archive cannot be unpacked ({error})", "Unpack it yourself, or fetch it again"
        ) from None


@contextmanager
def _copied(packed: IO[bytes] | gzip.GzipFile, source: Source) -> Iterator[BinaryIO]:
    with packed, SpooledTemporaryFile(_IN_MEMORY) as copy:
        count = 0
        while block := _read(packed, source):
            count += len(block)
            source.check_bytes(count, "the unpacked file")
            if count > max(_SUSPECT, RATIO * source.size):
                raise source.refusal(
                    f"it unpacks to more than {RATIO} times its {size(source.size)}, which no file of vectors does",
                    "Unpack it yourself if it can be trusted",
                )
            copy.write(block)
            source.report(min(source.file.tell(), source.size), 2 * source.size)
        yield cast(BinaryIO, copy)


def _read(packed: IO[bytes] | gzip.GzipFile, source: Source) -> bytes:
    try:
        return packed.read(_BLOCK)
    except FAULTS as error:
        raise source.refusal(f"the archive is damaged or cut ({error})", "Fetch or write the file again") from None
