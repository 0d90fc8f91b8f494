"""Files in gzip files and zip archives: read as if they stood alone, and bombs refused before they fill anything."""

import contextlib
import gzip
import io
import struct
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from attention_core.errors import EmbeddingsError
from attention_core.loaders import Limits, load

FORMATS = Path(__file__).parents[2] / "cases/formats"
TEXT = b"river 0.5 1\nstone 2 3\n"


def zipped(*files, method=zipfile.ZIP_DEFLATED):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as writer:
        for name, content in files:
            writer.writestr(name, content)
    return archive.getvalue()


@pytest.mark.parametrize("name", ["glove_text.txt", "word2vec_text.txt", "wide.csv", "vectors.npz"])
def test_a_packed_file_gives_what_the_file_gives(read, name):
    content = (FORMATS / name).read_bytes()
    plain = read(content, name)
    for packed, given in ((gzip.compress(content), f"{name}.gz"), (zipped((name, content)), "all.zip")):
        found = read(packed, given)
        assert found.fingerprint == plain.fingerprint
        assert found.source == plain.source[:-1] + (", gzip)" if given.endswith("gz") else ", zip)")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_every_method_of_zip(read, method):
    assert read(zipped(("v.txt", TEXT), method=method), "upload").words == ("river", "stone")


def test_what_archivers_add_is_no_file_of_its_own(read):
    archive = zipped(("v/", b""), ("v/v.txt", TEXT), ("__MACOSX/v/._v.txt", b"x"), ("v/.DS_Store", b"x"))
    assert read(archive, "v.zip").source == "v.txt (GloVe text, zip)"


def test_two_members_of_gzip_are_one_file(read):
    assert read(gzip.compress(TEXT) + gzip.compress(b"lamp 1 1\n"), "v.gz").words == ("river", "stone", "lamp")


def test_words_may_be_packed_too(read):
    array = io.BytesIO()
    np.save(array, np.eye(2, dtype=np.float32))
    words = gzip.compress(b"river\nstone\n")
    assert read(gzip.compress(array.getvalue()), "v.npy.gz", words=words).words == ("river", "stone")


def test_several_files_are_refused_by_name(refusal):
    message = refusal(zipped(("a.txt", TEXT), ("b.txt", TEXT)), "v.zip")
    assert all(part in message for part in ("2 files", "“a.txt” and “b.txt”", "Unpack"))


def test_the_total_is_bounded(refusal):
    message = refusal(gzip.compress(TEXT * 10_000), "v.gz", limits=Limits(bytes=100_000))
    assert "unpacked" in message and "100" in message


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: zipped(("v.txt", content))])
def test_a_bomb_is_refused_early(refusal, pack):
    bomb = pack(b"river " + b" " * 100_000_000)
    tracemalloc.start()
    try:
        assert "200 times" in refusal(bomb, "v")
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


def test_a_declared_size_is_not_believed(refusal):
    archive = bytearray(zipped(("v.txt", TEXT * 1000)))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = archive.index(signature) + offset
        archive[start : start + 4] = struct.pack("<I", 7)
    refusal(bytes(archive), "v.zip")


@pytest.mark.parametrize("packed", [gzip.compress(TEXT * 50, mtime=0), zipped(("v.txt", TEXT * 50))])
def test_cut_or_damaged_anywhere(packed):
    whole = load(io.BytesIO(packed)).words
    for end in range(len(packed)):
        with pytest.raises(EmbeddingsError):
            load(io.BytesIO(packed[:end]))
        changed = packed[:end] + bytes([packed[end] ^ 0x55]) + packed[end + 1 :]
        with contextlib.suppress(EmbeddingsError):
            assert load(io.BytesIO(changed)).words == whole


def test_an_encrypted_archive(refusal):
    archive = bytearray(zipped(("v.txt", TEXT)))
    archive[6] |= 1
    archive[archive.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in refusal(bytes(archive), "v.zip")


def test_progress_goes_on_from_unpacking_to_reading():
    shares = []
    content = gzip.compress(np.random.default_rng(0).bytes(10).hex().encode() + b" 1 2\n" + TEXT * 200_000)
    load(io.BytesIO(content), progress=lambda done, total: shares.append(done / total))
    assert shares == sorted(shares) and shares[-1] == 1 and any(share < 0.5 for share in shares)
