"""Work on the parts of a file by several threads, the results in the order of the parts."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from attention_core.errors import EmbeddingsError

Part = TypeVar("Part")
Result = TypeVar("Result")

_WORKERS = min(os.cpu_count() or 1, 8)


def in_order(work: Callable[[Part], Result], parts: Iterable[Part]) -> Iterator[Result]:
    """The results of `work` for all parts, of which a few are read and worked on ahead.

    The caller sees what `map` shows, the first error included: one met while reading ahead waits for its turn.

    Example:
        >>> list(in_order(len, ["a", "bc", "def"]))
        [1, 2, 3]
    """
    failed: list[EmbeddingsError] = []

    def readable() -> Iterator[Part]:
        try:
            yield from parts
        except EmbeddingsError as error:
            failed.append(error)

    with ThreadPoolExecutor(_WORKERS) as pool:
        begun: deque[Future[Result]] = deque()
        for part in readable():
            begun.append(pool.submit(work, part))
            if len(begun) > _WORKERS:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    if failed:
        raise failed[0]
