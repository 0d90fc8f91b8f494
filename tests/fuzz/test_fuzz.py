"""A bounded run of the fuzz target: a fixed number of inputs from a fixed seed, so that only the code decides."""

import subprocess
import sys
from pathlib import Path

import pytest

TARGET = Path(__file__).with_name("load_anything.py")
RUNS = 15_000


def test_whatever_comes_in_is_read_or_refused(tmp_path):
    pytest.importorskip("atheris", reason="atheris has wheels for Linux only")
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    options = (f"-runs={RUNS}", "-seed=7", "-max_total_time=150", "-timeout=30", "-rss_limit_mb=3000", "-max_len=8000")
    command = [sys.executable, TARGET, *options, f"-artifact_prefix={tmp_path}/", inputs, TARGET.parents[1] / "cases"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-5000:]
