"""The bundled files are the ones that data/README.md describes."""

import hashlib
import re

import pytest

from attention_core.samples import DATA, SAMPLES

ROWS = re.findall(r"^\| (\S+) \| .* \| ([0-9a-f]{64}) \|$", (DATA / "README.md").read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize(("name", "sha256"), ROWS)
def test_a_file_has_the_hash_that_is_written_down(name, sha256):
    assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == sha256


def test_every_file_is_described():
    files = {path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if path.is_file()}
    assert files - {"README.md"} == {name for name, _ in ROWS}


def test_every_sample_is_described():
    assert {sample.file for sample in SAMPLES.values()} <= {name for name, _ in ROWS}
