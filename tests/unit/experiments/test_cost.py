"""What attention costs, measured in a process that tells the truth, can be stopped and never outlives its parent."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import attention_core as ac
from attention_core.experiments.cost import Cost, Run, available_memory, cost, full_matrix_bytes
from attention_core.experiments.cost_process import FORMS

MODULE = sys.modules["attention_core.experiments.cost"]
linux = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is read from Linux's /proc")
SEEN = []


@pytest.fixture(scope="module")
def measured():
    return cost(2_048, progress=lambda *at: SEEN.append(at))


def test_every_form_is_timed(measured):
    assert measured.n == 2_048 and not measured.left_out and set(measured.runs) == set(FORMS)
    assert all(0 < run.seconds < 10 for run in measured.runs.values())
    assert sorted(SEEN) == SEEN and {total for _, total in SEEN} == {12} and SEEN[0] == (0, 12)


@linux
def test_the_full_matrix_takes_two_matrices_and_the_others_do_not(measured):
    peaks = {form: run.peak for form, run in measured.runs.items()}
    assert full_matrix_bytes(2_048) == 2 * 2_048**2 * 4
    assert full_matrix_bytes(2_048) <= peaks["full"] < 1.2 * full_matrix_bytes(2_048)
    assert 0 < peaks["tiled"] < full_matrix_bytes(2_048) / 3 and 0 < peaks["fused"] < full_matrix_bytes(2_048) / 3


def before(**seconds):
    return Cost(1_024, {form: Run(taken, 1) for form, taken in seconds.items()}, {"full": "reasons"})


def test_what_would_take_too_long_is_left_out_and_stays_out(monkeypatch):
    ran = []
    monkeypatch.setattr(MODULE, "_run", lambda settings, report: ran.append(settings["forms"]) or lines(settings))
    found = cost(2_048, before(tiled=0.5, fused=0.76))
    assert ran == [["tiled"]] and found.left_out["full"] == "reasons"
    assert found.left_out["fused"] == "would take about 3.0 s a run, and 3 s are allowed"
    assert cost(4_096, found).left_out["fused"] == found.left_out["fused"]


def lines(settings):
    return [{"form": form, "peak": 5} for form in settings["forms"]] + [
        {"form": form, "seconds": 0.1} for form in settings["forms"]
    ]


def test_what_would_take_too_much_memory_is_left_out(monkeypatch):
    monkeypatch.setattr(MODULE, "_run", lambda settings, report: lines(settings))
    monkeypatch.setattr(MODULE, "available_memory", lambda: 4 * full_matrix_bytes(1_024) - 1)
    found = cost(1_024)
    assert found.left_out == {"full": "would take 0.0 GB, more than a quarter of the 0.0 GB free"}
    assert set(found.runs) == {"tiled", "fused"}
    monkeypatch.setattr(MODULE, "available_memory", lambda: None)
    assert not cost(1_024).left_out


def test_where_nothing_is_allowed_nothing_runs(monkeypatch):
    monkeypatch.setattr(MODULE, "_run", lambda *_: pytest.fail("it ran"))
    assert cost(2_048, before(tiled=5, fused=5)).runs == {}


@pytest.mark.parametrize("n", [0, 15, 65_537])
def test_a_length_that_is_not_possible_is_refused(n):
    with pytest.raises(ac.AttentionError, match=f"A length of {n:,} was asked for. Choose from 16 to 65,536."):
        cost(n)


@linux
def test_the_memory_that_is_free_is_less_than_what_the_machine_has():
    assert 0 < available_memory() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def children():
    named = [
        Path(f"/proc/{pid}/cmdline") for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    ]
    return [path for path in named if path.exists() and "cost_process" in path.read_text()]


@linux
def test_stopping_ends_the_process_and_leaves_no_zombie():
    seen = []

    def stop(done, total):
        seen.append(children())  # a process that has just been started may not have its name yet
        if seen[-1]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cost(16_384, progress=stop)
    assert len(seen[-1]) == 1 and children() == []


@pytest.mark.parametrize(
    ("program", "answer"),
    [
        ("raise MemoryError('no room')", r"ended with code 1 .* MemoryError: no room\. Free memory"),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
            "ended with code -9 before it was done: no message",
        ),
    ],
)
def test_what_goes_wrong_in_the_process_becomes_a_message(monkeypatch, tmp_path, program, answer):
    broken = tmp_path / "a" / "b" / "broken.py"
    broken.parent.mkdir(parents=True)
    broken.write_text(program)
    monkeypatch.setattr(MODULE, "PROGRAM", broken)
    with pytest.raises(ac.AttentionError, match=answer):
        cost(64)


@linux
def test_the_process_ends_when_the_one_that_started_it_is_killed():
    code = (
        "import os\n"
        "from attention_core.experiments.cost import cost\n"
        "told = lambda *_: print(open(f'/proc/self/task/{os.getpid()}/children').read(), flush=True)\n"
        "cost(16384, progress=told)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline and (status := Path(f"/proc/{child}/status")).exists():
        if "zombie" in status.read_text():
            break  # ended; whoever adopted it has not looked yet
        time.sleep(0.1)
    else:
        assert not Path(f"/proc/{child}").exists()
