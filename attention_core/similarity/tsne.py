"""t-SNE in a process of its own, which can be stopped at any moment and never outlives who asked for it."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from tempfile import TemporaryFile
from typing import IO

import numpy as np
from numpy.typing import NDArray

from attention_core.errors import ScoringError

PROGRAM = Path(__file__).with_name("tsne_process.py")
MOST = 2_000
"""Words at most: beyond, it takes minutes, and the picture is too full to read."""
ITERATIONS = 1_000
POLL = 0.1
"""Seconds between two looks at the process."""
DISTANCES = ("cosine", "euclidean")


@dataclass(frozen=True)
class TsneOptions:
    """What t-SNE runs with.

    Attributes:
        perplexity: about how many neighbours each word minds, from 1 to (n − 1) / 3; None for 30 or the most that n
            words allow.
        distance: "cosine", for which vectors are divided by their norms first, or "euclidean".
        seed: of what is random in it.
    """

    perplexity: float | None = None
    distance: str = "cosine"
    seed: int = 0


def largest_perplexity(n: int) -> float:
    """The most that n words allow: t-SNE looks at 3·perplexity neighbours of each.

    Example:
        >>> largest_perplexity(2000), largest_perplexity(4)
        (666.3333333333334, 1.0)
    """
    return (n - 1) / 3


def tsne(
    vectors: NDArray[np.float32],
    dimensions: int,
    options: TsneOptions,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.float64]:
    """Points whose neighbourhoods are like those of the vectors, by scikit-learn's `TSNE` on one thread.

    One thread, since several add up in another order each time, and the picture would not be the same twice. It starts
    from the principal components (Kobak and Berens 2019), or at random where there are fewer of these than dimensions.

    Args:
        vectors: (n, d) float32, n from 4 to 2,000.
        dimensions: 2 or 3.
        options: a zero vector has no place under cosine.
        progress: called with (iterations done, 1,000) about ten times a second; what it raises ends the process.

    Returns:
        (n, dimensions) float64.

    Raises:
        ScoringError: too few or too many words, vectors that are all equal or zero, options that do not fit, or a
            process that ended without a result.
    """
    ready = _prepared(vectors, options)
    perplexity = _perplexity(len(vectors), options)
    settings = {
        "n_components": dimensions,
        "perplexity": perplexity,
        "random_state": options.seed,
        "max_iter": ITERATIONS,
        "init": "pca" if min(ready.shape) >= dimensions else "random",
    }
    with TemporaryFile() as sent:
        np.save(sent, ready)
        sent.seek(0)
        found = _run(json.dumps(settings), sent, progress or (lambda _done, _total: None))
    points: NDArray[np.float64] = np.load(io.BytesIO(found), allow_pickle=False).astype(np.float64)
    return points


def _prepared(vectors: NDArray[np.float32], options: TsneOptions) -> NDArray[np.float32]:
    """Centred, and scaled so that no square overflows: neither changes what t-SNE sees."""
    n = len(vectors)
    if not 4 <= n <= MOST:
        raise ScoringError(f"t-SNE takes 4 to {MOST:,} words here, and {n:,} were given. Give another number of rows.")
    if options.distance not in DISTANCES:
        raise ScoringError(f"The distance “{options.distance}” is not known. Choose one of {', '.join(DISTANCES)}.")
    wide = vectors.astype(np.float64)
    if options.distance == "cosine":
        norms = np.linalg.norm(wide, axis=1)
        if not norms.all():
            raise ScoringError(
                f"{int((norms == 0).sum()):,} of {n:,} vectors are zero, and a zero vector has no cosine. "
                "Leave them out, or choose Euclidean distances."
            )
        wide /= norms[:, None]
    if (vectors == vectors[0]).all():
        raise ScoringError(f"All {n:,} vectors are equal, so that t-SNE has nothing to tell apart. Give other rows.")
    wide -= wide.mean(axis=0)
    wide /= np.abs(wide).max() or 1
    return wide.astype(np.float32)


def _perplexity(n: int, options: TsneOptions) -> float:
    most = largest_perplexity(n)
    if options.perplexity is None:
        return min(30.0, most)
    if not 1 <= options.perplexity <= most:
        raise ScoringError(
            f"A perplexity of {options.perplexity:g} was given, and {n:,} words allow 1 to {most:.4g}, a third of the "
            "other words. Choose one between."
        )
    return options.perplexity


def _run(settings: str, given: IO[bytes], report: Callable[[int, int], None]) -> bytes:
    """What the process writes; it is killed when `report` raises, and always waited for."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-u", str(PROGRAM), settings]
    with Popen(command, stdin=given, stdout=PIPE, stderr=PIPE, env=environment) as process:  # noqa: S603 - no shell
        try:
            found = said = None
            while found is None or said is None:
                try:
                    found, said = process.communicate(timeout=POLL)
                except TimeoutExpired as running:
                    report(_iterations(running.stderr or b""), ITERATIONS)
        finally:
            process.kill()
    if process.returncode:
        lines = said.decode(errors="replace").strip().splitlines() or ["no message"]
        raise ScoringError(
            f"t-SNE ended with code {process.returncode} before it was done: {lines[-1][:200]}. "
            "Draw fewer words, or use PCA."
        )
    return found


def _iterations(said: bytes) -> int:
    """The last iteration that scikit-learn told of, every 50."""
    told = re.findall(rb"Iteration (\d+)", said)
    return int(told[-1]) if told else 0
