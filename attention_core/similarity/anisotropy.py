"""How the cosines of pairs spread, before and after the common direction is taken out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.similarity.blocks import BLOCK, Progress

PAIRS = 50_000
"""Pairs drawn at most: a bin's share of 5 % is then off by 0.1 percentage points (one standard error)."""
VANISHES = 1e-12


@dataclass(frozen=True, eq=False)
class Cosines:
    """Cosines of the same pairs of different words.

    Attributes:
        before: (p,) as the vectors are; pairs with a zero vector are left out.
        after: (p',) with the mean of all vectors subtracted from each; pairs with a vector that is the mean left out.
        drawn: how many pairs were drawn.
        of: how many there are; equal to `drawn` when all were taken.
    """

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    drawn: int
    of: int


def cosines(embeddings: Embeddings, seed: int = 0, progress: Progress | None = None) -> Cosines:
    """The cosines of all pairs, or of 50,000 drawn with replacement where there are more.

    Args:
        embeddings: n words.
        seed: of the draw.
        progress: called as progress(done, total); what it raises ends the work.

    Example:
        >>> found = cosines(Embeddings(["a", "b", "c"], [[1, 0], [0, 2], [3, 0]], "three words"))
        >>> found.before.tolist(), found.of
        ([0.0, 1.0, 0.0], 3)
    """
    n, matrix = len(embeddings), embeddings.matrix
    total = n * (n - 1) // 2
    if total <= PAIRS:
        first, second = np.triu_indices(n, 1)
    else:
        rng = np.random.default_rng(seed)
        first = rng.integers(0, n, PAIRS)
        second = (first + rng.integers(1, n, PAIRS)) % n
    mean = matrix.mean(axis=0, dtype=np.float64)
    reach = float(np.linalg.norm(mean)) + embeddings.longest
    parts: tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]] = ([], [])
    step = max(1, BLOCK // matrix.shape[1])
    for start in range(0, len(first), step):
        a, b = (matrix[rows[start : start + step]].astype(np.float64) for rows in (first, second))
        parts[0].append(_cosines(a, b, 0.0))
        parts[1].append(_cosines(a - mean, b - mean, VANISHES * reach))
        if progress is not None:
            progress(min(start + step, len(first)), len(first))
    before, after = (np.concatenate([*found, np.empty(0)]) for found in parts)
    return Cosines(before, after, len(first), total)


def _cosines(a: NDArray[np.float64], b: NDArray[np.float64], vanishes: float) -> NDArray[np.float64]:
    sizes = np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1)
    kept = (sizes[0] > vanishes) & (sizes[1] > vanishes)
    products = np.einsum("pd,pd->p", a[kept], b[kept]) / (sizes[0][kept] * sizes[1][kept])
    clipped: NDArray[np.float64] = np.clip(products, -1, 1)
    return clipped
