"""What each head can see of the vectors: the subspaces that its rows of W_Q, W_K and W_V span."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import orth, subspace_angles

from attention_core.attention.projections import Part, Projections
from attention_core.errors import AttentionError


@dataclass(frozen=True, eq=False)
class HeadSubspaces:
    """The row spaces of one of W_Q, W_K and W_V, one for each block of rows: each query head, or key and value head.

    Attributes:
        part: which of the three.
        size: components of the vectors.
        ranks: (blocks,), dimensions of each.
        held: (blocks,), the share of the vectors' variance in each; NaN where the vectors do not vary.
        seen: (blocks, token), the share of each vector's squared length in each; NaN for a vector of zeros.
        overlap: (blocks, blocks), the mean squared cosine of the principal angles: 0 at right angles, 1 where the
            smaller lies within the other; NaN beside a subspace of no dimension.
        angles: (blocks, blocks, 2), the smallest and the largest principal angle in degrees, NaN there too.
    """

    part: Part
    size: int
    ranks: NDArray[np.int64]
    held: NDArray[np.float64]
    seen: NDArray[np.float64]
    overlap: NDArray[np.float64]
    angles: NDArray[np.float64]

    @property
    def by_chance(self) -> NDArray[np.float64]:
        """(blocks,), the share that a random subspace of as many dimensions holds on average: rank/size."""
        return self.ranks / self.size


def head_subspaces(
    projections: Projections,
    heads: int,
    vectors: ArrayLike,
    part: Part = "key",
    progress: Callable[[int, int], None] | None = None,
) -> HeadSubspaces:
    """The subspace that each head sees, how much of the vectors lies in it, and the angles between heads' subspaces.

    A head meets a vector x through W·x alone, so what lies at right angles to the rows of its block of W is invisible
    to it. Bases and principal angles are scipy's (Björck and Golub 1973; Knyazev and Argentati 2002).

    Args:
        projections: of W (rows, size), blocks of rows are heads.
        heads: number of query heads.
        vectors: (token, size), whose variance about their mean is shared out.
        part: which matrix.
        progress: called with (done, total) pairs of heads; may raise to stop.

    Raises:
        AttentionError: heads or vectors that do not fit the matrices, or another part.

    Example:
        >>> p = Projections.identity(4)
        >>> found = head_subspaces(p, heads=2, vectors=[[0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
        >>> found.held.tolist(), found.seen.tolist(), found.overlap.round(9).tolist()
        ([0.9, 0.1], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
    """
    x = np.asarray(vectors, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != projections.q.shape[1]:
        raise AttentionError(
            f"Vectors (token, {projections.q.shape[1]}) are expected, found {x.shape}. Give those that are projected."
        )
    centred = x - x.mean(axis=0)
    bases = [orth(block.T) for block in projections.blocks(part, heads)]  # (size, rank)
    overlap, angles = _between(bases, progress)
    return HeadSubspaces(
        part,
        size=x.shape[1],
        ranks=np.array([basis.shape[1] for basis in bases]),
        held=np.array([_ratio(((centred @ basis) ** 2).sum(), (centred**2).sum()) for basis in bases]),
        seen=np.array([_ratio(((x @ basis) ** 2).sum(axis=1), (x**2).sum(axis=1)) for basis in bases]),
        overlap=overlap,
        angles=angles,
    )


def _between(
    bases: list[NDArray[np.float64]], progress: Callable[[int, int], None] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Overlap and extreme angles of every two subspaces."""
    overlap, angles = np.full((len(bases),) * 2, np.nan), np.full((len(bases), len(bases), 2), np.nan)
    pairs = list(combinations_with_replacement(range(len(bases)), 2))
    for done, (a, b) in enumerate(pairs, 1):
        if min(bases[a].shape[1], bases[b].shape[1]):
            found = subspace_angles(bases[a], bases[b])
            overlap[a, b] = overlap[b, a] = (np.cos(found) ** 2).mean()
            angles[a, b] = angles[b, a] = np.rad2deg([found.min(), found.max()])
        if progress:
            progress(done, len(pairs))
    return overlap, angles


def _ratio(part: ArrayLike, whole: ArrayLike) -> NDArray[np.float64]:
    """Shares; NaN of nothing."""
    part, whole = np.asarray(part), np.asarray(whole)
    shares: NDArray[np.float64] = np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
    return shares
