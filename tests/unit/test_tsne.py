"""t-SNE in its process: what it gives, what is refused, and that it ends when it is stopped."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import attention_core as ac
from attention_core.similarity import tsne as module

PROGRAM = "tsne_process.py"


def embeddings(n=40, d=5, seed=0):
    """Two clusters of n / 2 words."""
    rng = np.random.default_rng(seed)
    middles = np.where(np.arange(n) < n / 2, 3.0, -3.0)[:, None]
    return ac.Embeddings([f"w{i}" for i in range(n)], rng.standard_normal((n, d)) + middles, "two clusters")


def children():
    """The processes that this one started and did not wait for, zombies too."""
    found = []
    for task in Path(f"/proc/{os.getpid()}/task").iterdir():
        found += (task / "children").read_text().split()
    named = [Path(f"/proc/{child}/cmdline") for child in found]
    return [path for path in named if path.exists() and PROGRAM in path.read_text()]


SEEN = []


@pytest.fixture(scope="module")
def clusters():
    """Of 250 words, so that it takes long enough to be seen at work."""
    options = ac.TsneOptions(distance="euclidean", seed=2)
    return ac.project(embeddings(n=250), "t-sne", options=options, progress=lambda *at: SEEN.append(at))


def test_clusters_stay_apart(clusters):
    near, far = clusters.points[:125], clusters.points[125:]
    between = np.linalg.norm(near.mean(axis=0) - far.mean(axis=0))
    assert between > np.linalg.norm(near - near.mean(axis=0), axis=1).mean()


def test_what_it_ran_with_stands_in_the_result(clusters):
    assert clusters.method == "t-sne" and clusters.explained is None and len(clusters) == 250
    assert clusters.options == ac.TsneOptions(distance="euclidean", seed=2)


def test_a_seed_gives_the_same_picture_again(clusters):
    again = ac.project(embeddings(n=250), "t-sne", options=clusters.options)
    np.testing.assert_array_equal(again.points, clusters.points)


def test_three_dimensions_of_two_components_that_are_huge():
    e = embeddings(n=9, d=2)
    huge = ac.Embeddings(e.words, e.matrix * np.float32(1e37), "huge")
    options = ac.TsneOptions(perplexity=2, distance="euclidean")
    found = ac.project(huge, "t-sne", dimensions=3, options=options)
    assert found.points.shape == (9, 3) and np.isfinite(found.points).all() and np.ptp(found.points, axis=0).all()


def test_zero_vectors_are_left_out_under_cosine_and_counted(monkeypatch):
    monkeypatch.setattr("attention_core.similarity.projection.tsne", lambda x, *_: np.zeros((len(x), 2)))
    matrix = embeddings(n=9).matrix.copy()
    matrix[[2, 5]] = 0
    found = ac.project(ac.Embeddings([f"w{i}" for i in range(9)], matrix, "x"), "t-sne")
    assert (
        found.rows.tolist() == [0, 1, 3, 4, 6, 7, 8]
        and found.why == "zero vectors have no cosine and are left out: 2 here"
    )


def test_of_many_words_two_thousand_are_drawn(monkeypatch):
    monkeypatch.setattr("attention_core.similarity.projection.tsne", lambda x, *_: np.zeros((len(x), 2)))
    found = ac.project(embeddings(n=2_500), "t-sne")
    assert len(found) == 2_000 and found.total == 2_500


@pytest.mark.parametrize(
    ("n", "options", "answer"),
    [
        (3, {}, "takes 4 to 2,000 words here, and 3 were given"),
        (2_001, {"rows": True}, "takes 4 to 2,000 words here, and 2,001 were given"),
        (40, {"perplexity": 14.0}, "A perplexity of 14 was given, and 40 words allow 1 to 13,"),
        (40, {"perplexity": 0.5}, "A perplexity of 0.5"),
        (40, {"distance": "dot"}, "Choose one of cosine, euclidean"),
    ],
)
def test_what_does_not_fit_is_refused(n, options, answer):
    rows = range(n) if options.pop("rows", False) else None
    with pytest.raises(ac.ScoringError, match=answer):
        ac.project(embeddings(n=n), "t-sne", rows=rows, options=ac.TsneOptions(**options))


@pytest.mark.parametrize(("value", "answer"), [(1.0, "All 6 vectors are equal"), (0.0, "takes 4 to 2,000 words here")])
def test_vectors_that_are_all_equal_are_refused(value, answer):
    with pytest.raises(ac.ScoringError, match=answer):
        ac.project(ac.Embeddings(list("abcdef"), np.full((6, 3), value), "x"), "t-sne")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_stopping_ends_the_process_and_leaves_no_zombie():
    seen = []

    def stop(done, total):
        seen.append((done, total))
        assert len(children()) == 1
        raise KeyboardInterrupt

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ac.project(embeddings(n=1_500), "t-sne", progress=stop)
    assert time.monotonic() - started < 2 and seen == [(0, 1_000)] and children() == []


def test_progress_tells_iterations(clusters):
    assert sorted(SEEN) == SEEN and SEEN[-1][0] >= 50 and {total for _, total in SEEN} == {1_000}


def test_what_goes_wrong_in_the_process_becomes_a_message(monkeypatch, tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("raise MemoryError('no room for 5 numbers')")
    monkeypatch.setattr(module, "PROGRAM", broken)
    with pytest.raises(ac.ScoringError, match=r"ended with code 1 .* MemoryError: no room for 5 numbers\. Draw fewer"):
        ac.project(embeddings(), "t-sne")


def test_a_process_that_is_killed_becomes_a_message(monkeypatch, tmp_path):
    broken = tmp_path / "killed.py"
    broken.write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    monkeypatch.setattr(module, "PROGRAM", broken)
    with pytest.raises(ac.ScoringError, match="ended with code -9 before it was done: no message"):
        ac.project(embeddings(), "t-sne")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_the_process_ends_soon_after_the_one_that_started_it_was_killed():
    code = (
        "import numpy as np, attention_core as ac, os\n"
        "x = np.random.default_rng(0).standard_normal((2000, 50))\n"
        "e = ac.Embeddings([str(i) for i in range(2000)], x, 'x')\n"
        "told = lambda *_: print(open(f'/proc/self/task/{os.getpid()}/children').read(), flush=True)\n"
        "ac.project(e, 't-sne', progress=told)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 8
    while time.monotonic() < deadline and (status := Path(f"/proc/{child}/status")).exists():
        if "zombie" in status.read_text():
            break  # ended; whoever adopted it has not looked yet
        time.sleep(0.1)
    else:
        assert not Path(f"/proc/{child}").exists()
