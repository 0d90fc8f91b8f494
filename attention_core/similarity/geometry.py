"""What can be read off the vectors without comparing any two: norms, their order, and the mean of all cosines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.similarity.blocks import Progress, blocks

VANISHES = 1e-12
"""A vector this much shorter than what was subtracted to get it has no direction: it is rounding."""
DECILES = 10
SPREAD_OF_UNIT = 1e-6
"""Norms whose spread is below this part of their median differ by rounding only, so they have no order."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """Norms and directions of one set of vectors.

    Attributes:
        norms: (n,) Euclidean lengths.
        frequency_rank: (n,) each word's place in a corpus by frequency; None where the source does not tell.
        norm_vs_rank: Spearman's rho of norms and frequency ranks, in [-1, 1]; None where undefined.
        why: why `norm_vs_rank` is undefined, or "".
        norm_vs_row: the same against the rows of the file, whose order may or may not be by frequency.
        anisotropy: the mean cosine of all pairs of different words, exact; None with fewer than two directions.
        anisotropy_centred: the same after the mean vector is subtracted from each.
        zeros: (z,) rows of zero vectors, which have no direction and stand in no pair.
    """

    norms: NDArray[np.float64]
    frequency_rank: NDArray[np.int64] | None
    norm_vs_rank: float | None
    why: str
    norm_vs_row: float | None
    anisotropy: float | None
    anisotropy_centred: float | None
    zeros: NDArray[np.intp]

    @property
    def median(self) -> float:
        """The median norm."""
        return float(np.median(self.norms))

    @property
    def spread(self) -> float:
        """How far the norms lie apart, as a part of their median; 0 where all vectors are zero."""
        return float(np.ptp(self.norms) / (self.median or self.norms.max() or 1.0))

    def decile_means(self) -> NDArray[np.float64]:
        """(10,) the mean norm of each tenth of the words, most frequent first; fewer for fewer than ten words.

        Without frequency ranks, tenths of the file.
        """
        ordered = self.norms if self.frequency_rank is None else self.norms[np.argsort(self.frequency_rank)]
        return np.array([tenth.mean() for tenth in np.array_split(ordered, min(DECILES, len(ordered)))])


def geometry(embeddings: Embeddings, progress: Progress | None = None) -> Geometry:
    """Norms against frequency, and the mean cosine of all pairs before and after centring.

    The mean cosine of all m(m − 1) ordered pairs needs no pair: with unit vectors u it is (‖Σu‖² − m) / (m(m − 1)).

    Args:
        embeddings: n words.
        progress: called as progress(done, total) between blocks; what it raises ends the work.

    Example:
        >>> e = Embeddings(["a", "b", "c"], [[1, 0], [0, 2], [3, 0]], "x", frequency_rank=[2, 1, 3])
        >>> g = geometry(e)
        >>> round(g.anisotropy, 4), g.norm_vs_rank
        (0.3333, 0.5)
    """
    norms = embeddings.norms
    rows = np.arange(len(norms))
    even = bool(np.ptp(norms) <= SPREAD_OF_UNIT * norms.max())
    if embeddings.frequency_rank is None:
        rank, why = None, "the source does not tell the words' frequencies"
    elif even:
        rank, why = None, "the norms are all equal" if len(norms) > 1 else "there is only one word"
    else:
        rank, why = _spearman(embeddings.frequency_rank, norms), ""
    done = _Steps(progress, 3 * len(norms))
    mean = sum((block.sum(axis=0) for block in blocks(embeddings.matrix, done)), np.zeros(embeddings.dimension))
    mean /= len(norms)
    return Geometry(
        norms,
        embeddings.frequency_rank,
        rank,
        why if rank is not None or why else "the frequency ranks are all equal",
        None if even else _spearman(rows, norms),
        _mean_cosine(embeddings, np.zeros_like(mean), done),
        _mean_cosine(embeddings, mean, done),
        np.flatnonzero(norms == 0),
    )


class _Steps:
    """Progress of several sweeps over the same rows."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self, rows: int) -> None:
        self.done += rows
        if self.progress is not None:
            self.progress(self.done, self.total)


def _mean_cosine(embeddings: Embeddings, centre: NDArray[np.float64], done: _Steps) -> float | None:
    total, count = np.zeros(embeddings.dimension), 0
    reach = float(np.linalg.norm(centre)) + embeddings.longest
    for block in blocks(embeddings.matrix, done):
        block -= centre
        norms = np.linalg.norm(block, axis=1)
        kept = norms > (VANISHES * reach if centre.any() else 0.0)
        total += (block[kept] / norms[kept, None]).sum(axis=0)
        count += int(kept.sum())
    return float((total @ total - count) / (count * (count - 1))) if count > 1 else None


def _spearman(order: NDArray[np.int64], norms: NDArray[np.float64]) -> float | None:
    if np.ptp(order) == 0:
        return None
    from scipy import stats

    return float(stats.spearmanr(order, norms).statistic)
