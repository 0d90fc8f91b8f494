"""In how many directions each head works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import svdvals
from scipy.special import entr

from attention_core.attention.projections import PARTS, Projections


@dataclass(frozen=True, eq=False)
class HeadRanks:
    """In how many directions each head works: exp of the entropy of its singular values (Roy and Vetterli 2007).

    It is the size of a head where all directions count alike, and near 1 where one does; NaN for a matrix of zeros.

    Attributes:
        scores: (heads,), of W_Qᵀ·W_K, which decides where a head looks.
        values: (heads,), of W_O·W_V, which decides what it passes on.
        size: the most that `scores` can be: the rows of a head.
    """

    scores: NDArray[np.float64]
    values: NDArray[np.float64]
    size: int


def head_ranks(projections: Projections, heads: int, progress: Callable[[int, int], None] | None = None) -> HeadRanks:
    """The effective rank of each head's two products (its QK and OV circuits, Elhage et al. 2021).

    Args:
        projections: blocks of rows of q, k and v, and of columns of o, are heads.
        heads: number of query heads.
        progress: called with (done, total) heads; may raise to stop.

    Raises:
        AttentionError: heads that do not fit the matrices.

    Example:
        >>> found = head_ranks(Projections.identity(6), heads=2)
        >>> found.scores.round(6).tolist(), found.values.round(6).tolist(), found.size
        ([3.0, 3.0], [3.0, 3.0], 3)
    """
    q, k, v = (projections.blocks(part, heads) for part in PARTS)
    width = len(v[0])
    o = np.eye(heads * width) if projections.o is None else projections.o.detach().cpu().double().numpy()
    scores, values = np.zeros(heads), np.zeros(heads)
    for head in range(heads):
        kv = head * len(k) // heads
        scores[head] = _effective_rank(q[head].T, k[kv])
        values[head] = _effective_rank(o[:, head * width : (head + 1) * width], v[kv])
        if progress:
            progress(head + 1, heads)
    return HeadRanks(scores, values, len(q[0]))


def _effective_rank(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Of left·right without forming it: (m, r) and (r, n), whose r is small.

    The singular values are those of the product of their triangles.
    """
    first, second = (np.asarray(np.linalg.qr(tall, mode="r")) for tall in (left, right.T))
    sizes = svdvals(first @ second.T)
    total = sizes.sum()
    return float(np.exp(entr(sizes / total).sum())) if total > 0 else float("nan")
