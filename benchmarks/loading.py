"""Loading files of vectors against its peers: time, and peak memory in units of the float32 matrix.

Run as `python -m benchmarks.loading`. Every time is the median of alternating runs of all contestants in this process;
targets are printed beside the ratios. A further kind of file is one more contest in `contests`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import gensim
import numpy as np
import pandas as pd
import polars as pl
from gensim.models import KeyedVectors

import attention_core as ac
from benchmarks.similarity import medians

ROOT = Path(__file__).resolve().parents[1]
OURS = "ac.load"

PEAK = """
import io, sys
import attention_core as ac

def peak():
    status = open("/proc/self/status").read()  # getrusage would count what this process was forked from
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])

ac.load(io.BytesIO(b"river 0.5 1\\nstone 2 3\\n"), name="small.txt")
before = peak()
loaded = ac.load(sys.argv[1])
print((peak() - before) / loaded.matrix.nbytes)
"""


@dataclass(frozen=True)
class Contest:
    """One file read by several contestants.

    Attributes:
        title: what the file is.
        path: the file that `OURS` reads, whose peak memory is taken too.
        contestants: name -> reads the file.
        targets: name -> how many times as long as `OURS` this one should at least take.
        memory: how many matrices the peak should at most be.
    """

    title: str
    path: Path
    contestants: dict[str, Callable[[], object]]
    targets: dict[str, float] = field(default_factory=dict)
    memory: float = 3.5


def write_glove(path: Path, words: list[str], matrix: np.ndarray) -> Path:
    """A GloVe text of five decimals."""
    with path.open("w") as file:
        for word, row in zip(words, matrix.tolist(), strict=True):
            file.write(f"{word} {' '.join([f'{value:.5f}' for value in row])}\n")
    return path


def write_binary(path: Path, words: list[str], matrix: np.ndarray) -> Path:
    """word2vec binary, with a newline after each row as the original program writes it."""
    with path.open("wb") as file:
        file.write(b"%d %d\n" % matrix.shape)
        for word, row in zip(words, matrix.astype("<f4"), strict=True):
            file.write(word.encode() + b" " + row.tobytes() + b"\n")
    return path


def with_gensim(path: Path, binary: bool = False) -> Callable[[], object]:
    return lambda: KeyedVectors.load_word2vec_format(str(path), no_header=not binary, binary=binary)


def with_polars(path: Path) -> Callable[[], pl.DataFrame]:
    return lambda: pl.read_csv(path, separator=" ", has_header=False, quote_char=None)


def words_and_matrix(read: Callable[[], pl.DataFrame]) -> Callable[[], object]:
    """What `ac.load` returns, made of a table."""

    def run() -> object:
        table = read()
        return table.to_series(0).to_list(), table[:, 1:].cast(pl.Float32).to_numpy(order="c")

    return run


def contests(folder: Path, count: int, dimension: int) -> list[Contest]:
    """All kinds of files."""
    matrix = np.random.default_rng(0).normal(0, 0.4, (count, dimension))
    words = [f"{'abcdefgh'[: i % 8]}{i}" for i in range(count)]
    spaced = [f"new {word}" if i % 100 == 50 else word for i, word in enumerate(words)]
    clean = write_glove(folder / "clean.txt", words, matrix)
    careful = write_glove(folder / "careful.txt", spaced, matrix)
    binary = write_binary(folder / "vectors.bin", words, np.tile(matrix, 3))
    polars = with_polars(clean)
    return [
        Contest(
            "clean GloVe text",
            clean,
            {
                OURS: lambda: ac.load(clean),
                "polars.read_csv": polars,
                "polars, words and float32 matrix": words_and_matrix(polars),
                "pandas.read_csv": lambda: pd.read_csv(clean, sep=" ", quoting=3, header=None, engine="c"),
                "gensim": with_gensim(clean),
            },
            {"gensim": 12, "polars.read_csv": 1},
        ),
        Contest(
            "GloVe text with a space in 1 % of the words, which gensim cannot read: it reads the clean one",
            careful,
            {OURS: lambda: ac.load(careful), "gensim": with_gensim(clean)},
            {"gensim": 3},
        ),
        Contest(
            "word2vec binary of three times the dimension",
            binary,
            {OURS: lambda: ac.load(binary), "gensim": with_gensim(binary, binary=True)},
            {"gensim": 7},
        ),
    ]


def peak(path: Path) -> float:
    """The most memory that `OURS` takes beyond what a process holds that has read a small file, in matrices."""
    command = [sys.executable, "-c", PEAK, str(path)]
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return float(result.stdout)


def report(contest: Contest, rounds: int) -> None:
    """Runs a contest and prints its table."""
    times = medians(contest.contestants, rounds)
    print(f"\n{contest.title} ({contest.path.stat().st_size / 1e6:.0f} MB)")
    for name, seconds in times.items():
        target = f"target >= {contest.targets[name]:g}" if name in contest.targets else ""
        ratio = "" if name == OURS else f"{seconds / times[OURS]:.2f} x {OURS}"
        print(f"  {name:<34}{seconds:>8.3f} s   {ratio:<20}{target}")
    print(f"  peak memory of {OURS}: {peak(contest.path):.2f} x the matrix (target <= {contest.memory:g})")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print(f"gensim {gensim.__version__}, polars {pl.__version__} ({pl.thread_pool_size()} threads)", end=", ")
    print(f"pandas {pd.__version__}; {given.words:,} x {given.dimension}")
    with tempfile.TemporaryDirectory() as folder:
        for contest in contests(Path(folder), given.words, given.dimension):
            report(contest, given.rounds)


if __name__ == "__main__":
    main()
