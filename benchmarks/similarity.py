"""Exact search against its peers: one product for three measures, and the additive score.

Run as `python -m benchmarks.similarity`. Every time is the median of alternating runs of all contestants in this
process, so that a ratio compares what ran under the same load; targets are printed beside the ratios.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import attention_core as ac
from attention_core.measures.additive import AdditiveWeights

PRODUCT_MEASURES = ("dot", "cosine", "euclidean")
QUERIES = 256
"""In one bare product, so that its result does not have to be larger than caches allow."""
Contest = dict[str, Callable[[], object]]


def medians(contest: Contest, rounds: int) -> dict[str, float]:
    """Seconds of each contestant: the median over rounds, each of which runs every one once."""
    for run in contest.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in contest}
    for _ in range(rounds):
        for name, run in contest.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: float(np.median(values)) for name, values in times.items()}


def corpora(n: int, d: int) -> dict[str, np.ndarray]:
    """A random normal one, and one as embeddings are: a common direction, few strong axes, norms over a factor 10."""
    rng = np.random.default_rng(0)
    normal = rng.standard_normal((n, d))
    axes = rng.standard_normal((n, d)) * (np.arange(1, d + 1) ** -0.5) + 0.5 * rng.standard_normal(d)
    lengths = np.exp(rng.normal(0, 0.5, size=(n, 1)))
    return {"normal": normal.astype(np.float32), "anisotropic": (axes * lengths).astype(np.float32)}


def product_contest(matrix: np.ndarray, words: list[str], rows: np.ndarray, k: int) -> Contest:
    """Three measures by the bare product, by this project, and by three flat indexes of faiss."""
    import faiss

    embeddings = ac.Embeddings(words, matrix, "benchmark")
    asked = [words[row] for row in rows]
    keys, queries = torch.tensor(matrix), torch.tensor(matrix[rows])
    out = torch.empty(min(len(rows), QUERIES), len(matrix))
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    indexes = [
        faiss.IndexFlatIP(matrix.shape[1]),
        faiss.IndexFlatIP(matrix.shape[1]),
        faiss.IndexFlatL2(matrix.shape[1]),
    ]
    for index, values in zip(indexes, (matrix, unit, matrix), strict=True):
        index.add(values)

    def multiply() -> None:
        for block in queries.split(QUERIES):
            torch.mm(block, keys.mT, out=out[: len(block)])

    def with_faiss(threshold: int) -> Callable[[], None]:
        def search() -> None:
            faiss.cvar.distance_compute_blas_threshold = threshold
            for index, values in zip(indexes, (matrix, unit, matrix), strict=True):
                index.search(values[rows], k + 1)  # it finds the query itself

        return search

    return {
        "bare float32 product": multiply,
        "ac.rank, three measures": lambda: ac.rank(embeddings, asked, k=k, measures=PRODUCT_MEASURES),
        "three faiss searches, best": with_faiss(1),
        "three faiss searches, default": with_faiss(20),
    }


def tanh_by_queries(keys: torch.Tensor, queries: torch.Tensor, v: torch.Tensor, block: int) -> Callable[[], object]:
    """The best elementwise form found: a block of words with all queries, in place, in float32."""
    buffer = torch.empty(block, *queries.shape)
    out = torch.empty(len(keys), len(queries))

    def run() -> object:
        for start in range(0, len(keys), block):
            part = keys[start : start + block, None]
            terms = torch.add(part, queries, out=buffer[: len(part)]).tanh_()
            torch.mv(terms.view(-1, len(v)), v, out=out[start : start + block].view(-1))
        return out.topk(10, dim=0)

    return run


def additive_contest(matrix: np.ndarray, words: list[str], rows: np.ndarray, k: int) -> Contest:
    """The elementwise float32 score at several block sizes, keys already projected, and this project."""
    embeddings = ac.Embeddings(words, matrix, "benchmark")
    asked = [words[row] for row in rows]
    weights = AdditiveWeights.random(matrix.shape[1], matrix.shape[1], hidden=64, seed=0)
    keys = torch.tensor(matrix) @ weights.w_key.mT
    queries = torch.tensor(matrix[rows]) @ weights.w_query.mT
    blocks = {
        f"torch tanh, blocks of {block}": tanh_by_queries(keys, queries, weights.v, block)
        for block in (128, 256, 512, 1024)
    }
    return {"ac.rank, warm": lambda: ac.rank(embeddings, asked, k=k, measures=["additive"], weights=weights), **blocks}


def row(name: str, seconds: float, ratio: str = "", target: str = "") -> None:
    print(f"  {name:<34}{seconds * 1e3:>10.1f} ms   {ratio:<26}{target}")


def report_product(title: str, times: dict[str, float], most: float, least: float) -> None:
    """Ours should take at most `most` bare products, and faiss at its best at least `least` times as long as ours."""
    ours = times["ac.rank, three measures"]
    bare = times["bare float32 product"]
    print(f"\n{title}, exact top 10 by dot, cosine and Euclidean")
    row("bare float32 product", bare)
    row("ac.rank, three measures", ours, f"{ours / bare:.2f} x the product", f"target <= {most}")
    peers = ("three faiss searches, best", f"target >= {least}"), ("three faiss searches, default", "")
    for peer, target in peers:
        row(peer, times[peer], f"{times[peer] / ours:.2f} x ac.rank", target)


def report_additive(times: dict[str, float], cold: float) -> None:
    ours = times["ac.rank, warm"]
    best = min((name for name in times if name.startswith("torch")), key=times.__getitem__)
    print("\nnormal: 16 queries, exact top 10 by the additive score, hidden 64")
    for name, seconds in times.items():
        row(name, seconds)
    print(f"  best peer / ac.rank, both with the corpus side warm: {times[best] / ours:.2f} (target >= 5)")
    row("ac.rank, cold (powers made)", cold)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    words = [f"w{i}" for i in range(given.words)]
    rows = np.arange(64) * (given.words // 64)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {given.words:,} x 300 float32")
    for name, matrix in corpora(given.words, 300).items():
        times = medians(product_contest(matrix, words, rows, 10), given.rounds)
        report_product(f"{name}: 64 queries", times, 1.6, 2.5)
    small = corpora(10_000, 50)["normal"]
    times = medians(product_contest(small, [f"w{i}" for i in range(10_000)], np.arange(10_000), 10), 3)
    report_product("normal, 10,000 x 50: all words", times, 6, 1)
    matrix = corpora(given.words, 300)["normal"]
    contest = additive_contest(matrix, words, rows[:16], 10)
    start = time.perf_counter()
    contest["ac.rank, warm"]()
    cold = time.perf_counter() - start
    report_additive(medians(contest, given.rounds), cold)


if __name__ == "__main__":
    main()
