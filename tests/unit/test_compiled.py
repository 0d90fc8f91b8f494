"""Loops run in machine code wherever the package stands."""

import threading
import time

import numpy as np
import pytest
from numba import config
from numba.core import caching, codegen

from attention_core import compiled as module
from attention_core.compiled import compiled


def total(values):
    found = 0.0
    for value in values:
        found += 1 / value
    return found


def test_where_no_folder_takes_the_code_it_is_made_for_each_process(monkeypatch):
    for impl in (caching.CompileResultCacheImpl, caching.CacheImpl):
        monkeypatch.setattr(impl, "_locator_classes", [])
    made = compiled(total)
    assert made(np.array([1.0, 2.0])) == 1.5
    assert made.stats.cache_path is None


def test_division_by_zero_is_infinite_as_in_numpy():
    assert compiled(total)(np.array([0.0, 1.0])) == np.inf


def harmonic(terms):
    found = 0.0
    for term in range(1, terms + 1):
        found += 1 / term
    return found


def test_other_threads_run_meanwhile():
    made = compiled(harmonic)
    assert made(2) == 1.5
    worker = threading.Thread(target=made, args=(200_000_000,))
    worker.start()
    steps = 0
    while worker.is_alive():
        steps += 1
        time.sleep(0.001)
    assert steps > 20  # holding Python's lock, the loop would end before the second


@pytest.mark.parametrize(
    ("host", "set_before", "expected"),
    [
        ("+avx512f,+avx512bf16", None, "+avx512f,+avx512bf16,-prefer-256-bit"),
        ("+avx512f,-avx512bf16", None, None),
        ("+neon", None, None),
        ("+avx512f,+avx512bf16", "+avx2", "+avx2"),
    ],
)
def test_whole_registers_are_used_where_they_are_quick(host, set_before, expected, monkeypatch):
    monkeypatch.setattr(codegen, "get_host_cpu_features", lambda: host)
    monkeypatch.setattr(config, "CPU_FEATURES", set_before)
    module._numba.__wrapped__()
    assert expected == config.CPU_FEATURES
