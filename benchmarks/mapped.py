"""Ranking vectors that stay on disk: time grows with the file, memory does not.

Run as `python -m benchmarks.mapped`. Each size runs in a process of its own, which may allocate 512 MiB beyond what it
holds after loading, whatever the file's size (Linux's RLIMIT_DATA counts what a process allocates, and no mapped file).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
DIMENSION = 300
QUERIES = 64

RANK = """
import resource, sys, threading, time
import attention_core as ac

def allocated(kind="RssAnon"):
    status = open("/proc/self/status").read()
    return 1024 * int(status.partition(f"{kind}:")[2].split()[0])

folder = sys.argv[1]
e = ac.load(f"{folder}/vectors.npy", words=f"{folder}/words.txt")
asked = list(e.words[:: len(e) // 64][:64])
small = ac.Embeddings(e.words[:20_000], e.matrix[:20_000], "for imports and kept buffers")
ac.rank(small, list(small.words[:64]))
before = allocated()
resource.setrlimit(resource.RLIMIT_DATA, (allocated("VmData") + (1 << 29), -1))
most, running = before, True

def watch():
    global most
    while running:
        most = max(most, allocated())
        time.sleep(0.005)

watcher = threading.Thread(target=watch, daemon=True)
watcher.start()
e.norms
start = time.perf_counter()
ac.rank(e, asked, k=10, measures=["dot", "cosine", "euclidean"])
seconds, running = time.perf_counter() - start, False
watcher.join()
print(seconds, most - before)
"""


def write(folder: Path, n: int) -> Path:
    """A float32 .npy of n vectors, written a block at a time, and its words."""
    rng = np.random.default_rng(0)
    mapped = np.lib.format.open_memmap(folder / "vectors.npy", "w+", np.float32, (n, DIMENSION))
    for start in range(0, n, 50_000):
        block = mapped[start : start + 50_000]
        block[:] = rng.standard_normal(block.shape, dtype=np.float32)
    mapped.flush()
    (folder / "words.txt").write_text("".join(f"w{i}\n" for i in range(n)))
    return folder / "vectors.npy"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="+", default=[125_000, 250_000, 500_000, 1_000_000, 2_000_000])
    given = parser.parse_args()
    print(f"mapped .npy files of n x {DIMENSION} float32; {QUERIES} queries ranked by three measures")
    print(f"{'n':>10}{'file':>10}{'rank':>10}{'per GB':>10}{'allocated':>12}{'of file':>9}")
    for n in given.sizes:
        with tempfile.TemporaryDirectory() as folder:
            size = write(Path(folder), n).stat().st_size
            command = [sys.executable, "-c", RANK, folder]
            run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
            seconds, memory = map(float, run.stdout.split())
        figures = f"{size / 1e9:>7.2f} GB{seconds:>8.2f} s{seconds / size * 1e9:>8.2f} s{memory / 1e6:>9.0f} MB"
        print(f"{n:>10,}{figures}{memory / size:>9.2f}", flush=True)


if __name__ == "__main__":
    main()
