"""The same work on many small parts, on as many threads as torch may use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def mapped(work: Callable[[T], R], parts: Iterable[T]) -> Iterator[Iterator[R]]:
    """What `map` gives, in order; when the caller raises, what was not begun is dropped.

    Torch splits nothing further meanwhile: on small blocks its threads wait for each other longer than they compute.
    """
    threads = torch.get_num_threads()
    if threads == 1:
        yield map(work, parts)
        return
    torch.set_num_threads(1)
    pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
    try:
        yield pool.map(work, parts)
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)
