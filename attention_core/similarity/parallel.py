"""The same work on many small parts, on threads of our own instead of torch's."""

from __future__ import annotations

from _thread import start_new_thread
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from ctypes import CDLL
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

import torch

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def one_thread() -> Iterator[int]:
    """Torch splits nothing meanwhile; gives how many threads the caller may split its work among.

    On small blocks torch's threads wait for each other longer than they compute, and for some 10 ms after each of its
    calls they go on waiting at full speed, in the way of everybody else: they are ended, which takes 0.1 ms.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    _end_waiting()
    try:
        yield threads
    finally:
        torch.set_num_threads(threads)


def _end_waiting() -> None:
    for runtime in _runtimes():
        runtime.omp_pause_resource_all(1)


@cache
def _runtimes() -> list[CDLL]:
    """The OpenMP that torch brings on Linux: its own call ends threads that wait, and the next product starts them."""
    found = map(CDLL, map(str, Path(torch.__file__).parent.glob("lib/libgomp*")))
    return [runtime for runtime in found if hasattr(runtime, "omp_pause_resource_all")]


@contextmanager
def mapped(work: Callable[[T], R], parts: Iterable[T], threads: int) -> Iterator[Iterator[R]]:
    """What `map` gives, in order; when the caller raises, what was not begun is dropped."""
    if threads == 1:
        yield map(work, parts)
        return
    pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
    try:
        yield pool.map(work, parts)
    finally:
        pool.shutdown(cancel_futures=True)


def shared(work: Callable[[Iterator[T]], R], parts: Sequence[T], threads: int) -> list[R]:
    """What the work gives on each thread; each takes the next part when it is done with one.

    The caller's is one of them: two new threads are often started on the same processor, and stay there for a while.
    When its work raises, what was not begun is dropped.
    """
    left, threads = iter(parts), min(threads, len(parts))
    if threads <= 1:
        return [work(left)]
    others = [_begun(partial(work, left)) for _ in range(threads - 1)]
    try:
        own = work(left)
    except BaseException:
        deque(left, maxlen=0)
        raise
    finally:
        wait(others)
    return [own, *(other.result() for other in others)]


def _begun(work: Callable[[], R]) -> Future[R]:
    """The work on a new thread, without waiting for it to start as executors do."""
    begun: Future[R] = Future()

    def run() -> None:
        torch.set_num_threads(1)
        try:
            begun.set_result(work())
        except BaseException as error:
            begun.set_exception(error)

    start_new_thread(run, ())
    return begun
