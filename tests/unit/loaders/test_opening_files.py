"""Paths, uploads, names, progress; files that no loader recognises; the registry."""

import bz2
import gzip
import io
import pickle
import subprocess
import sys
import tarfile

import pytest

from attention_core import loaders
from attention_core.errors import EmbeddingsError
from attention_core.loaders import LOADERS, Limits, load

TEXT = b"river 0.5 1\nstone 2 3\n"


def test_paths_and_open_files_give_the_same(tmp_path):
    path = tmp_path / "secret folder" / "vectors.txt"
    path.parent.mkdir()
    path.write_bytes(TEXT)
    expected = load(path)
    assert expected.source == "vectors.txt (GloVe text)"
    with path.open("rb") as file:
        file.read()
        assert load(str(path)).fingerprint == load(file).fingerprint == expected.fingerprint
        assert not file.closed


def test_a_stream_that_cannot_be_rewound():
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def seek(self, *args):
            raise io.UnsupportedOperation

    assert load(Pipe(TEXT)).words == ("river", "stone")
    with pytest.raises(EmbeddingsError, match="may be loaded"):
        load(Pipe(TEXT), limits=Limits(bytes=5))


def test_paths_that_cannot_be_opened(tmp_path):
    for path in tmp_path / "missing.txt", tmp_path, "a\x00b":
        with pytest.raises(EmbeddingsError, match="cannot be opened") as caught:
            load(path)
        assert str(tmp_path.parent) not in str(caught.value)


def test_a_file_opened_as_text():
    with pytest.raises(EmbeddingsError, match='"rb"'):
        load(io.StringIO("river 0.5 1\n"))


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("/etc/vectors.vec", "vectors.vec"),
        ("C:\\Users\\me\\vectors.vec", "vectors.vec"),
        ("../../v.txt", "v.txt"),
        ("a\u202etxt.exe\n", "a\ufffdtxt.exe"),
        ("", "file"),
        ("/", "file"),
    ],
)
def test_the_name_of_an_upload_is_untrusted(given, shown):
    assert load(io.BytesIO(TEXT), name=given).source == f"{shown} (GloVe text)"


def test_a_long_name_keeps_its_ending():
    source = load(io.BytesIO(TEXT), name="x" * 5_000 + ".txt").source
    assert len(source) < 100 and ".txt (" in source


def test_the_ending_of_the_name_decides_nothing_alone():
    for ending in ".npy", ".csv", ".vec", ".parquet", "":
        assert load(io.BytesIO(TEXT), name=f"vectors{ending}").source == f"vectors{ending} (GloVe text)"


def test_progress_reaches_the_total_and_can_stop_the_load():
    seen = []
    content = b"".join(b"word%d 0.5 0.25 1\n" % i for i in range(200_000))
    load(io.BytesIO(content), progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 2 and seen == sorted(seen) and seen[-1] == (len(content), len(content))

    def stop(done, total):
        raise InterruptedError("stopped")

    with pytest.raises(InterruptedError):
        load(io.BytesIO(content), progress=stop)


def tarred():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("vectors.txt")
        member.size = len(TEXT)
        archive.addfile(member, io.BytesIO(TEXT))
    return file.getvalue()


class Canary:
    def __reduce__(self):
        return pytest.fail, ("unpickled",)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf", "blank"),
        (b"\n\n  \n", "blank"),
        *[(pickle.dumps(thing, protocol), "pickle") for protocol in range(6) for thing in (Canary(), {"a": 1}, [1.5])],
        (gzip.compress(gzip.compress(TEXT, mtime=0), mtime=0), "gzip"),
        (bz2.compress(TEXT), "bzip2"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"%PDF-1.7", "PDF"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"Once upon a time\nthere was a river.\n", "not a word followed by numbers"),
        (bytes(range(256)), "binary"),
        (TEXT.replace(b"\n", b"\r"), "carriage return"),
        (pickle.dumps(TEXT.decode() * 9), "pickle"),
        (b"PK\x05\x06" + bytes(18), "zip"),
        (tarred(), "tar"),
    ],
)
def test_what_cannot_be_read_is_named(refusal, content, named):
    message = refusal(content, "upload.bin")
    assert named in message
    if content.strip(b"\n "):
        assert named in ("blank", "pickle") or all(loader.label in message for loader in LOADERS.values())


def test_each_loader_describes_itself():
    for name, loader in LOADERS.items():
        assert name == loader.name and loader.label and loader.description.endswith(".")
        assert all(extension.startswith(".") for extension in loader.extensions)


def test_a_new_format_is_one_new_file(tmp_path, monkeypatch):
    (tmp_path / "shouted.py").write_text(
        "import numpy as np\n"
        "from attention_core.loaders.base import Contents, Loader\n"
        "LOADER = Loader('shouted', 'shouted text', 'Begins with a shout.', ('.shout',),\n"
        "    lambda source: source.head.startswith(b'HEY'),\n"
        "    lambda source: Contents(np.ones((1, 2), np.float32), ['hey']))\n"
    )
    monkeypatch.setattr(loaders, "__path__", [*loaders.__path__, str(tmp_path)])
    monkeypatch.setattr(loaders, "LOADERS", loaders._collect())
    assert load(io.BytesIO(b"HEY"), name="a.txt").source == "a.txt (shouted text)"
    monkeypatch.delitem(sys.modules, "attention_core.loaders.shouted")


def test_importing_the_loaders_is_light():
    code = (
        "import sys, attention_core.loaders\n"
        "print([m for m in ('torch', 'pandas', 'streamlit', 'sklearn', 'scipy', 'pyarrow') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
