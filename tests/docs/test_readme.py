"""The README says what is there, and its code prints what it says."""

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import safetensors.numpy

import attention_core as ac

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("code", PYTHON)
def test_the_code_prints_what_its_comments_say(code, capsys):
    exec(code, {})
    said = re.findall(r"print\(.*\)\s+# (.*)", code)
    assert said
    assert capsys.readouterr().out.splitlines() == said


@pytest.mark.parametrize("measure", ac.MEASURES.values(), ids=lambda m: m.name)
def test_every_measure_is_named(measure):
    assert f"**{measure.label}**" in README


@pytest.mark.parametrize("loader", ac.LOADERS.values(), ids=lambda x: x.name)
def test_every_format_has_an_example(loader):
    assert loader.label in [label for label, *_ in FORMATS]


FORMATS = re.findall(r"^\| \*\*(.*?)\*\*.*? \| `(.*?)`(.*) \|$", README.partition("## Your own")[2], flags=re.MULTILINE)


@pytest.mark.parametrize(("label", "example", "rest"), FORMATS, ids=[label for label, *_ in FORMATS])
def test_every_example_of_a_format_is_read(label, example, rest):
    words, vectors, file = ["king", "queen"], np.array([[0.5, -0.25], [1, 0]], np.float32), io.BytesIO()
    if re.match(r"b\"|pandas|numpy|safetensors", example):
        content = (
            eval(
                example,
                {
                    "numpy": np,
                    "pandas": pd,
                    "safetensors": safetensors,
                    "words": words,
                    "vectors": vectors,
                    "file": file,
                },
            )
            or file.getvalue()
        )
    else:
        content = example.replace("⏎", "\n").encode()
    e = ac.load(io.BytesIO(content), words=io.BytesIO(b"king\nqueen\n") if "second file" in rest else None, name="file")
    assert e.source == f"file ({label})"
    assert list(e.words) == words
    assert e.matrix[:, :2].tolist() == vectors.tolist()


@pytest.mark.parametrize("page", sorted((ROOT / "pages").glob("*.py")), ids=lambda p: p.stem)
def test_every_page_is_named(page):
    title = page.read_text().split('"""')[1].partition(":")[0]
    assert f"**{title}**" in README


@pytest.mark.parametrize("sample", ac.SAMPLES)
def test_every_sample_is_documented(sample):
    assert ac.SAMPLES[sample].file in (ROOT / "data" / "README.md").read_text()


@pytest.mark.parametrize("command", ["make app", "make test", "make check", "make bench"])
def test_every_command_exists(command):
    assert command in README
    assert re.search(rf"^{command.split()[1]}:", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)


def test_every_link_leads_somewhere():
    for document in ROOT.glob("*.md"):
        for target in re.findall(r"\]\((?!http)([^)#]+)", document.read_text()):
            assert (ROOT / target).exists(), f"{document.name}: {target}"


def test_pins_are_exact():
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-bench.txt"):
        for line in (ROOT / name).read_text().splitlines():
            assert (
                not line
                or line.startswith(("#", "-r "))
                or re.fullmatch(r'[\w.-]+==[\w.]+(; sys_platform == "linux")?', line)
            ), f"{name}: {line}"


def test_an_architecture_fits_a_page():
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 70
