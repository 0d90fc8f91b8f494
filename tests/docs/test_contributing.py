"""The three recipes of CONTRIBUTING.md work as they are written, in a copy of the project."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPES = dict(
    re.findall(
        r"^## Add a (.*?)\n.*?```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL | re.MULTILINE
    )
)


@pytest.fixture
def project(tmp_path):
    for name in ("attention_core", "dashboard", "pages", "data", "tests", ".streamlit"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    if (known := ROOT / ".mypy_cache").exists():  # of a check before: mypy then reads the new file alone
        shutil.copytree(known, tmp_path / ".mypy_cache")
    return tmp_path


def python(project, *arguments):
    found = subprocess.run([sys.executable, *arguments], cwd=project, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def written(project, path, recipe):
    """The recipe's file, which passes the checks that `make check` makes."""
    (project / path).write_text(RECIPES[recipe])
    python(project, "-m", "ruff", "check", path)
    python(project, "-m", "ruff", "format", "--check", path)
    python(project, "-m", "mypy", "--strict", path)


def test_a_measure_is_one_file(project):
    written(project, "attention_core/measures/manhattan.py", "measure")
    code = "import attention_core as ac; e = ac.sample('glove-en'); print(ac.compare(e, 'king', 3)['manhattan'].words)"
    assert "prince" in python(project, "-c", code)
    python(project, "-m", "pytest", "-q", "tests/properties/test_measures.py", "-k", "manhattan")


def test_a_page_is_one_file_and_one_line(project):
    (project / "pages/lengths.py").write_text(RECIPES["page"])
    frame = project / "dashboard/frame.py"
    line = '        _("Similarity"): [st.Page("pages/lengths.py", title=_("Lengths"), url_path="lengths"),'
    frame.write_text(frame.read_text().replace('        _("Similarity"): [', line))
    code = (
        "from streamlit.testing.v1 import AppTest\n"
        "app = AppTest.from_file('app.py', default_timeout=60).switch_page('pages/lengths.py').run()\n"
        "assert not app.exception, app.exception\n"
        "print(app.dataframe[0].value)"
    )
    assert "emperor" in python(project, "-c", code)
    python(project, "-m", "pytest", "-q", "tests/architecture", "-k", "lengths")


def test_a_format_is_one_file(project):
    written(project, "attention_core/loaders/piped_rows.py", "file format")
    (project / "x.psv").write_text("king|0.5|1\nqueen|1|2\n")
    code = "import attention_core as ac; print(ac.load('x.psv'), ac.load('x.psv').words)"
    assert "(rows with bars)', 2 x 2) ('king', 'queen')" in python(project, "-c", code)
    (project / "bad.psv").write_text("king|0.5|1\nqueen|1\n")
    code = "import attention_core as ac\ntry: ac.load('bad.psv')\nexcept ac.EmbeddingsError as e: print(e)"
    assert "line 2: 2 numbers expected, found “queen|1”" in python(project, "-c", code)
