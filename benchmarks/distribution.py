"""Histograms of the scores of all pairs under three measures, against numpy and the bare matrix product.

Run as `python benchmarks/distribution.py`. Every time is the median of alternating runs of all contestants in this
process. Numpy's best form found counts the upper triangle in blocks that stay in a processor's cache, one product for
the three measures, and places scores in place; its plain form counts whole rows of the square matrix, a product for
each measure. Both get the range of the bins for nothing and do not know how exact they are.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import attention_core as ac
from benchmarks.similarity import Contest, medians, row

MEASURES = ("dot", "cosine", "euclidean")
BINS = 8_192


def ranges(matrix: np.ndarray) -> list[tuple[float, float]]:
    """From the lowest to the highest score that is possible."""
    longest = float(np.linalg.norm(matrix, axis=1).max())
    return [(-longest * longest, longest * longest), (-1.0, 1.0), (0.0, 2 * longest)]


def numpy_triangle(matrix: np.ndarray, height: int, width: int) -> Callable[[], object]:
    """np.bincount per pair in its best form."""
    norms = np.linalg.norm(matrix, axis=1)
    inverse, squares = 1 / norms, norms * norms
    bounds = ranges(matrix)
    buffer, whole = np.empty(height * width, np.float32), np.empty(height * width, np.intp)

    def place(scores: np.ndarray, counts: np.ndarray, low: float, high: float, kept: np.ndarray | None) -> None:
        scores -= low
        scores *= BINS / (high - low) * (1 - 1e-6)
        places = whole[: scores.size].reshape(scores.shape)
        np.copyto(places, scores, casting="unsafe")
        counts += np.bincount(places.ravel() if kept is None else places[kept], minlength=BINS)[:BINS]

    def run() -> object:
        counts = np.zeros((3, BINS), dtype=np.int64)
        for top in range(0, len(matrix), height):
            rows = slice(top, min(top + height, len(matrix)))
            for left in range(top, len(matrix), width):
                columns = slice(left, min(left + width, len(matrix)))
                product = matrix[rows] @ matrix[columns].T
                corner = np.arange(columns.start, columns.stop) > np.arange(rows.start, rows.stop)[:, None]
                kept = None if left >= rows.stop else corner
                scores = buffer[: product.size].reshape(product.shape)
                np.multiply(product, inverse[rows, None], out=scores)
                scores *= inverse[columns]
                place(scores, counts[1], *bounds[1], kept)
                np.multiply(product, -2, out=scores)
                scores += squares[rows, None]
                scores += squares[columns]
                np.maximum(scores, 0, out=scores)
                np.sqrt(scores, out=scores)
                place(scores, counts[2], *bounds[2], kept)
                place(product, counts[0], *bounds[0], kept)
        return counts

    return run


def numpy_rows(matrix: np.ndarray, height: int = 256) -> Callable[[], object]:
    """np.bincount per pair as one writes it first."""
    norms = np.linalg.norm(matrix, axis=1)
    unit = matrix / norms[:, None]
    bounds = ranges(matrix)

    def run() -> object:
        counts = np.zeros((3, BINS), dtype=np.int64)
        for top in range(0, len(matrix), height):
            rows = slice(top, top + height)
            squares = norms[rows, None] ** 2 + norms**2 - 2 * (matrix[rows] @ matrix.T)
            found = (matrix[rows] @ matrix.T, unit[rows] @ unit.T, np.sqrt(squares.clip(min=0)))
            for i, (scores, (low, high)) in enumerate(zip(found, bounds, strict=True)):
                places = ((scores - low) * (BINS / (high - low) * (1 - 1e-6))).astype(np.intp)
                counts[i] += np.bincount(places.clip(0, BINS - 1).ravel(), minlength=BINS)
        return counts

    return run


def bare_product(matrix: np.ndarray) -> Callable[[], object]:
    """The product of the upper triangle in blocks of rows, and nothing else."""
    vectors = torch.tensor(matrix)
    height = 256
    out = torch.empty(height * len(matrix))

    def run() -> object:
        for top in range(0, len(matrix), height):
            rows, rest = vectors[top : top + height], vectors[top:]
            torch.mm(rows, rest.mT, out=out[: len(rows) * len(rest)].view(len(rows), len(rest)))
        return out

    return run


def contest(matrix: np.ndarray) -> Contest:
    """Three histograms by each contestant."""
    embeddings = ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, "benchmark")
    return {
        "bare float32 product": bare_product(matrix),
        "ac.distributions, three measures": lambda: ac.distributions(embeddings, MEASURES),
        "np.bincount, triangle, 256 x 512": numpy_triangle(matrix, 256, 512),
        "np.bincount, triangle, 512 x 1024": numpy_triangle(matrix, 512, 1024),
        "np.bincount, square": numpy_rows(matrix),
    }


def report(name: str, times: dict[str, float]) -> None:
    ours, bare = times["ac.distributions, three measures"], times["bare float32 product"]
    print(f"\n{name}")
    row("bare float32 product", bare)
    row("ac.distributions, three measures", ours, f"{ours / bare:.2f} x the product")
    for peer in (name for name in times if name.startswith("np.")):
        row(peer, times[peer], f"{times[peer] / ours:.2f} x ac.distributions", "target >= 3")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {BINS:,} bins")
    corpora = {
        "glove-en, 8,170 x 50, all 33,370,365 pairs": ac.sample("glove-en").matrix,
        "normal, 20,000 x 300, all 199,990,000 pairs": np.random.default_rng(0)
        .standard_normal((20_000, 300))
        .astype(np.float32),
    }
    for name, matrix in corpora.items():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        embeddings = ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, "benchmark")
        ac.distributions(embeddings, MEASURES)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        report(name, medians(contest(matrix), given.rounds))
        print(f"  ac.distributions raised the peak memory by {grown:.0f} MiB")


if __name__ == "__main__":
    main()
