"""A picture of the space in two or three dimensions: principal components, or t-SNE of some words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError
from attention_core.similarity.tsne import MOST, TsneOptions, tsne

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Progress = Callable[[int, int], None]

METHODS = ("pca", "t-sne")
BLOCK = 1 << 21
"""Values widened to float64 at a time: 16 MiB."""
LANCZOS = 1_000
"""Components beyond which three eigenvectors are found by iteration: all of them would take minutes."""


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """The directions in which vectors vary most.

    Attributes:
        mean: (d,) float64, the middle of all vectors.
        directions: (m, d) orthonormal rows, most variance first, m at most 3 and d; each points to where its largest
            component is positive.
        shares: (m,) the part of all variance along each, in [0, 1]; None where nothing varies.
        why: why the shares are undefined, or "".
    """

    mean: Floats = field(repr=False)
    directions: Floats = field(repr=False)
    shares: Floats | None
    why: str = ""


@dataclass(frozen=True, eq=False)
class Projection:
    """Words as points of a picture.

    Attributes:
        method: one of `METHODS`.
        rows: (m,) the rows that are drawn, in file order.
        points: (m, dimensions) float64, where each lies.
        total: n, how many words there are.
        explained: for PCA, the part of all variance along each axis of the picture, in [0, 1]; None where undefined.
        why: why it is undefined, or which words could not be drawn, or "".
        options: for t-SNE, what it ran with; None for PCA.
    """

    method: str
    rows: Rows = field(repr=False)
    points: Floats = field(repr=False)
    total: int
    explained: tuple[float, ...] | None = None
    why: str = ""
    options: TsneOptions | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return int(self.points.shape[1])

    def places(self, rows: ArrayLike) -> NDArray[np.intp]:
        """The positions in `rows` and `points` of those of the given rows that are drawn, in the order given."""
        wanted = np.asarray(rows, dtype=np.int64)
        places = np.searchsorted(self.rows, wanted)
        drawn = self.rows[np.minimum(places, len(self.rows) - 1)] == wanted
        found: NDArray[np.intp] = places[drawn]
        return found


def principal_axes(embeddings: Embeddings, progress: Progress | None = None) -> PrincipalAxes:
    """The first three principal components of all vectors, exactly: no word is left out.

    The covariance is summed in float64, block by block, so that memory stays at d² numbers however many words there
    are; its eigenvectors are the axes (Pearson 1901; Jolliffe 2002, section 1.1). These are the axes of
    scikit-learn's `PCA`, which needs a float64 copy of all vectors for the same digits.

    Args:
        embeddings: n words, n >= 2.
        progress: called with (done, total) words; may raise to stop.

    Raises:
        ScoringError: fewer than two words.

    Example:
        >>> e = Embeddings(["a", "b", "c"], [[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]], "three words")
        >>> axes = principal_axes(e)
        >>> axes.mean.tolist(), axes.directions[0].tolist(), axes.shares.tolist()
        ([2.0, 1.0], [1.0, 0.0], [1.0, 0.0])
    """
    _two_words(embeddings)
    n, d = embeddings.matrix.shape
    step = max(1, BLOCK // d)
    blocks = [embeddings.matrix[start : start + step] for start in range(0, n, step)]
    mean = np.sum([block.sum(axis=0, dtype=np.float64) for block in blocks], axis=0) / n
    covariance = np.zeros((d, d))
    for i, block in enumerate(blocks):
        if progress is not None:
            progress(i * step, n)
        apart = block - mean
        covariance += apart.T @ apart
    count = min(3, d)
    if all((block == embeddings.matrix[0]).all() for block in blocks):
        why = f"all {n:,} vectors are equal and nothing varies"
        return PrincipalAxes(mean, np.eye(count, d), None, why)
    covariance /= np.trace(covariance)
    if d > LANCZOS:
        shares, vectors = eigsh(covariance, count, v0=np.random.default_rng(0).standard_normal((d,)))
    else:
        shares, vectors = eigh(covariance, subset_by_index=[d - count, d - 1])
    directions = vectors.T[::-1]
    largest = np.abs(directions).argmax(axis=1)
    directions = directions * np.sign(directions[np.arange(count), largest])[:, None]
    shares = shares[::-1]
    return PrincipalAxes(mean, directions, np.where(shares < d * np.finfo(np.float64).eps, 0.0, shares))


def sample_rows(total: int, limit: int, always: ArrayLike = (), seed: int = 0) -> Rows:
    """Which rows to draw where not all can be: those that must be there, and a seeded sample of the others.

    Args:
        total: n, how many rows there are.
        limit: how many are drawn at most, though never fewer than `always` names.
        always: rows that are drawn whatever the sample.
        seed: of the sample.

    Returns:
        (m,) distinct rows in file order.

    Example:
        >>> rows = sample_rows(1000, 5, always=[999, 0])
        >>> len(rows), rows[[0, -1]].tolist(), len(sample_rows(4, 5))
        (5, [0, 999], 4)
    """
    if total <= limit:
        return np.arange(total, dtype=np.int64)
    kept = np.unique(np.asarray(always, dtype=np.int64))
    others = np.delete(np.arange(total, dtype=np.int64), kept)
    chosen = np.random.default_rng(seed).choice(others, max(0, limit - len(kept)), replace=False)
    return np.sort(np.concatenate([kept, chosen]))


def project(
    embeddings: Embeddings,
    method: str = "pca",
    dimensions: int = 2,
    rows: Sequence[int] | Rows | None = None,
    options: TsneOptions | None = None,
    progress: Progress | None = None,
) -> Projection:
    """Words as points in two or three dimensions.

    PCA looks along the axes of most variance of all vectors, whichever are drawn: a shadow of the space. t-SNE (van
    der Maaten and Hinton 2008) places only the words that are drawn, so that each lies near its neighbours: far
    distances, sizes of clusters and axes mean nothing. It runs in a process of its own, which ends with this call.

    Args:
        embeddings: n words, n >= 2; 4 for t-SNE.
        method: "pca" or "t-sne".
        dimensions: 2 or 3.
        rows: distinct rows to draw; None for all, of which t-SNE takes a sample of 2,000 with the options' seed. It
            leaves out zero vectors under cosine.
        options: of t-SNE; None for its defaults.
        progress: called with (done, total): words for PCA, iterations for t-SNE; may raise to stop.

    Returns:
        The points; axes that the vectors do not fill are 0.

    Raises:
        ScoringError: too few or too many words, another method or number of dimensions, options that do not fit, or
            t-SNE that did not finish.

    Example:
        >>> import attention_core as ac
        >>> p = project(ac.sample("glove-en"))
        >>> p.points.shape, [round(share, 4) for share in p.explained]
        ((8170, 2), [0.0737, 0.0636])
    """
    _two_words(embeddings)
    if method not in METHODS or dimensions not in (2, 3):
        raise ScoringError(
            f"The method “{method}” in {dimensions} dimensions was asked for. "
            f"Choose one of {', '.join(METHODS)}, in 2 or 3 dimensions."
        )
    if method == "pca":
        return along(principal_axes(embeddings, progress), embeddings, dimensions, rows)
    options = options or TsneOptions()
    chosen = sample_rows(len(embeddings), MOST, seed=options.seed) if rows is None else _distinct(embeddings, rows)
    placeless = embeddings.norms[chosen] == 0 if options.distance == "cosine" else np.zeros(len(chosen), bool)
    chosen = chosen[~placeless]
    why = f"zero vectors have no cosine and are left out: {int(placeless.sum()):,} here" if placeless.any() else ""
    points = tsne(embeddings.matrix[chosen], dimensions, options, progress)
    return Projection(method, chosen, points, len(embeddings), None, why, options)


def along(
    axes: PrincipalAxes, embeddings: Embeddings, dimensions: int = 2, rows: Sequence[int] | Rows | None = None
) -> Projection:
    """The picture that `project` makes by PCA, from axes that are known already; raises and returns like it."""
    chosen = np.arange(len(embeddings), dtype=np.int64) if rows is None else _distinct(embeddings, rows)
    count = min(dimensions, len(axes.directions))
    points = np.zeros((len(chosen), dimensions))
    step = max(1, BLOCK // embeddings.dimension)
    for start in range(0, len(chosen), step):
        apart = embeddings.matrix[chosen[start : start + step]] - axes.mean
        points[start : start + step, :count] = apart @ axes.directions[:count].T
    explained = None
    if axes.shares is not None:
        explained = (*axes.shares[:count].tolist(), *[0.0] * (dimensions - count))
    return Projection("pca", chosen, points, len(embeddings), explained, axes.why)


def _distinct(embeddings: Embeddings, rows: Sequence[int] | Rows) -> Rows:
    chosen = np.unique(np.asarray(rows, dtype=np.int64))
    if not len(chosen) or chosen[0] < 0 or chosen[-1] >= len(embeddings):
        raise ScoringError(
            f"Rows from 0 to {len(embeddings) - 1:,} are expected, and none or others were given. "
            "Give rows of the vocabulary."
        )
    return chosen


def _two_words(embeddings: Embeddings) -> None:
    if len(embeddings) < 2:
        raise ScoringError(f"A map needs two words or more, and {embeddings.source} holds one. Load more vectors.")
