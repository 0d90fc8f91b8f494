"""Blocks of queries on several threads give what one thread gives."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

import attention_core as ac
from attention_core.similarity import search
from attention_core.similarity.parallel import one_thread

PRODUCT = ("dot", "cosine", "euclidean")


@pytest.fixture
def threads():
    """Changes how many threads torch may use, and restores it."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def test_blocks_side_by_side_find_what_one_after_the_other_find(threads, monkeypatch):
    monkeypatch.setattr(search, "QUERIES", 16)
    matrix = np.random.default_rng(0).standard_normal((1511, 9)).astype(np.float32)
    embeddings = ac.Embeddings([f"w{i}" for i in range(1511)], matrix, "test")
    words = list(embeddings.words[:150])
    threads(1)
    alone = ac.rank(embeddings, words, k=5, measures=PRODUCT)
    threads(2)
    together = ac.rank(embeddings, words, k=5, measures=PRODUCT)
    assert torch.get_num_threads() == 2
    for name in PRODUCT:
        np.testing.assert_array_equal(together[name].indices, alone[name].indices)
        np.testing.assert_array_equal(together[name].scores, alone[name].scores)


def test_what_fails_in_a_block_is_raised(threads, monkeypatch):
    def broken(*_args):
        raise MemoryError("no room")

    monkeypatch.setattr(search, "QUERIES", 16)
    monkeypatch.setattr(search, "candidates", broken)
    matrix = np.random.default_rng(1).standard_normal((1511, 9)).astype(np.float32)
    embeddings = ac.Embeddings([f"w{i}" for i in range(1511)], matrix, "test")
    threads(2)
    with pytest.raises(MemoryError, match="no room"):
        ac.rank(embeddings, list(embeddings.words[:150]), k=5, measures=PRODUCT)
    assert torch.get_num_threads() == 2


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc, and torch brings this OpenMP on Linux")
def test_threads_of_torch_that_only_wait_are_ended(threads):
    def alive():
        return len(list(Path("/proc/self/task").iterdir()))

    threads(2)
    torch.ones(2_000, 200) @ torch.ones(200, 2_000)
    before = alive()
    with one_thread() as allowed:
        assert allowed == 2
        until = time.monotonic() + 10
        while alive() == before and time.monotonic() < until:
            time.sleep(0.01)
        assert alive() < before
    assert (torch.ones(2_000, 200) @ torch.ones(200, 2_000)).unique().tolist() == [200]
