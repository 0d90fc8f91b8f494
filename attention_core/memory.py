"""How much memory there is and is held, on the CPU and on GPUs."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

import torch

from attention_core.errors import AttentionCoreError

PROC, CGROUP = Path("/proc"), Path("/sys/fs/cgroup")


def available(device: str = "cpu") -> int | None:
    """Bytes that can still be taken: of the GPU, or of the machine within what its container may use; None if unknown.

    Example:
        >>> (available() or 1) > 0
        True
    """
    if device.startswith("cuda"):
        return int(torch.cuda.mem_get_info(device)[0])
    found = [free for free in (_of_machine(), _of_container()) if free is not None]
    return min(found, default=None)


def check_room(needed: int, what: str, advice: str, refusal: type[AttentionCoreError], device: str = "cpu") -> None:
    """Refuses what would take more memory than is free, before anything of it is taken.

    Args:
        needed: bytes.
        what: would take them, as the subject of a sentence.
        advice: what to do, a sentence.
        refusal: what is raised.
        device: where they would be; nothing takes memory on "meta".

    Example:
        >>> check_room(1 << 60, "A cache", "Give fewer tokens.", AttentionCoreError)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        attention_core.errors.AttentionCoreError: A cache would take 1,152,921,504,606,846,976 bytes ...
    """
    free = None if device.startswith("meta") else available(device)
    if free is not None and needed > free:
        raise refusal(
            f"{what} would take {needed:,} bytes ({needed / 2**30:,.1f} GiB), and {free:,} ({free / 2**30:,.1f} GiB) "
            f"are free on {device}. {advice}"
        )


def held(device: str = "cpu") -> int | None:
    """Bytes that this process holds in memory, or torch's allocator on a GPU; None if unknown."""
    if device.startswith("cuda"):
        return int(torch.cuda.memory_allocated(device))
    try:
        return int((PROC / "self" / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def trim() -> None:
    """Gives back what glibc keeps of freed memory, which new arrays would take without the process growing."""
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)


def _of_machine() -> int | None:
    try:
        line = next(line for line in (PROC / "meminfo").read_text().splitlines() if line.startswith("MemAvailable:"))
        return int(line.split()[1]) * 1024
    except (OSError, ValueError, StopIteration):
        return None


def _of_container() -> int | None:
    try:
        most, now = ((CGROUP / name).read_text().strip() for name in ("memory.max", "memory.current"))
        return None if most == "max" else max(0, int(most) - int(now))
    except (OSError, ValueError):
        return None
