"""Blocks of work on a pool of threads, each of which computes on one core.

Torch splits every operation over all cores and waits for the slowest: hundreds of short operations then wait hundreds
of times for a core that something else is using. Here each thread does whole blocks by itself, and they meet once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Barrier
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(function: Callable[[Item], Result], items: Iterable[Item], device: str = "cpu") -> list[Result]:
    """The results in order; `function` may not call `each`. On a GPU, and with one thread, one after the other.

    Example:
        >>> each(lambda x: x * x, [1, 2, 3])
        [1, 4, 9]
    """
    threads = torch.get_num_threads()
    if device != "cpu" or threads == 1:
        return [function(item) for item in items]
    return list(_pool(threads).map(function, items))


@lru_cache(maxsize=2)
def _pool(threads: int) -> ThreadPoolExecutor:
    pool = ThreadPoolExecutor(threads, thread_name_prefix="search", initializer=_use_one_core)
    together = Barrier(threads)
    list(pool.map(lambda _: together.wait(), range(threads)))  # all have started
    torch.set_num_threads(threads)  # also the default of threads to come, which _use_one_core changed
    return pool


def _use_one_core() -> None:
    torch.get_num_threads()  # torch's first use of a thread sets its number from the default
    torch.set_num_threads(1)
