"""What attention costs as sequences grow: time and memory of the full matrix, of tiles, and of torch's fused kernel.

Each length is measured in a process of its own on one thread, which can be stopped at any moment and never outlives who
asked for it; lengths and forms stop before the machine suffers.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen, TimeoutExpired
from tempfile import TemporaryFile
from typing import IO, Any

from attention_core.errors import AttentionError
from attention_core.experiments.cost_process import FORMS

PROGRAM = Path(__file__).with_name("cost_process.py")
LENGTHS = (512, 1024, 2048, 4096, 8192, 16384)
LONGEST = 65_536
ROUNDS = 3
SLOWEST = 3.0
"""Seconds that one run may be expected to take."""
SHARE = 0.25
"""Of the memory that is free, how much a run may be expected to take."""
POLL = 0.1
"""Seconds between two looks at the process."""


@dataclass(frozen=True)
class Run:
    """One form of attention at one length.

    Attributes:
        seconds: median of the runs, which alternate with those of the other forms.
        peak: bytes that the process held at most beyond what it held before the call, the output among them; None
            where the system does not tell.
    """

    seconds: float
    peak: int | None


@dataclass(frozen=True)
class Cost:
    """The forms of attention at one length.

    Attributes:
        n: queries, and keys.
        runs: by form, a key of `FORMS`.
        left_out: by form, why it was not run.
    """

    n: int
    runs: Mapping[str, Run]
    left_out: Mapping[str, str]


def cost(n: int, before: Cost | None = None, progress: Callable[[int, int], None] | None = None) -> Cost:
    """Time and peak memory of one head of 64 components, float32, one thread, for n queries and n keys.

    Peak memory is the high-water mark that Linux keeps of a process, set back before each run (proc(5), clear_refs).

    Args:
        n: from 16 to 65,536.
        before: at a shorter length; a form that would take longer than three seconds by it is left out, as one is that
            would take more than a quarter of the free memory.
        progress: called with (runs done, runs) about ten times a second; what it raises ends the process.

    Raises:
        AttentionError: a length that is not possible, or a process that ended before it was done.
    """
    if not 16 <= n <= LONGEST:
        raise AttentionError(f"A length of {n:,} was asked for. Choose from 16 to {LONGEST:,}.")
    left_out = {name: why for name in FORMS if (why := _left_out(name, n, before, available_memory()))}
    forms = [name for name in FORMS if name not in left_out]
    if not forms:
        return Cost(n, {}, left_out)
    report = progress or (lambda _done, _total: None)
    lines = _run({"n": n, "forms": forms, "rounds": ROUNDS}, lambda done: report(done, len(forms) * (ROUNDS + 1)))
    runs = {}
    for name in forms:
        found = [line for line in lines if line["form"] == name]
        runs[name] = Run(median(line["seconds"] for line in found if "seconds" in line), found[0]["peak"])
    return Cost(n, runs, left_out)


def full_matrix_bytes(n: int) -> int:
    """Two (n, n) matrices in float32, scores and weights, which the plain form holds at once.

    Example:
        >>> full_matrix_bytes(8192)
        536870912
    """
    return 2 * 4 * n * n


def available_memory() -> int | None:
    """Bytes that can be taken before the machine, or the container, has none left; None where nothing tells."""
    found = []
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        kilobytes = meminfo.read_text().partition("MemAvailable:")[2].split()
        found += [1024 * int(kilobytes[0])] if kilobytes else []
    limit, used = (Path("/sys/fs/cgroup") / name for name in ("memory.max", "memory.current"))
    if limit.exists() and used.exists() and (most := limit.read_text().strip()).isdigit():
        found.append(max(0, int(most) - int(used.read_text())))
    return min(found, default=None)


def _left_out(name: str, n: int, before: Cost | None, available: int | None) -> str:
    """Why a form is not run at this length; "" where it is."""
    needed = full_matrix_bytes(n) if name == "full" else 0
    if available is not None and needed > SHARE * available:
        return f"would take {needed / 1e9:.1f} GB, more than a quarter of the {available / 1e9:.1f} GB free"
    if before is None:
        return ""
    if name not in before.runs:
        return before.left_out[name]
    expected = before.runs[name].seconds * (n / before.n) ** 2
    return f"would take about {expected:.1f} s a run, and {SLOWEST:g} s are allowed" if expected > SLOWEST else ""


def _run(settings: Mapping[str, object], report: Callable[[int], None]) -> list[dict[str, Any]]:
    """The lines that the process writes, one after each run; it is killed when `report` raises, and waited for."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROGRAM.parents[2]),
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "MALLOC_MMAP_THRESHOLD_": "131072",  # freed arrays go back, or the next run would find their memory held
    }
    command = [sys.executable, "-P", "-u", str(PROGRAM), json.dumps(settings)]
    with TemporaryFile() as told, TemporaryFile() as said:
        # the process ends itself when its standard input does, with us
        with Popen(command, stdin=PIPE, stdout=told, stderr=said, env=environment) as process:  # noqa: S603 - no shell
            try:
                while process.poll() is None:
                    report(len(_lines(told)))
                    _wait(process)
            finally:
                process.kill()
        if process.returncode:
            last = (_lines(said) or [b"no message"])[-1].decode(errors="replace")[:200]
            raise AttentionError(
                f"The process that measures attention ended with code {process.returncode} before it was done: {last}. "
                "Free memory, or measure shorter sequences."
            )
        return [json.loads(line) for line in _lines(told)]


def _wait(process: Popen[bytes]) -> None:
    try:
        process.wait(POLL)
    except TimeoutExpired:
        return


def _lines(file: IO[bytes]) -> list[bytes]:
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), size, 0).splitlines()
