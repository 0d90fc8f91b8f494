"""How many dimensions the vectors use: the variances along their principal components."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.similarity.hubness import Interval

ROWS = 8_192
"""Vectors looked at; of more, a sample is: a second's work."""
EXACT = 1_024
"""Dimensions up to which all components are computed."""
LEADING = 128
"""Components beyond that, by randomised singular value decomposition."""
SHARE = 0.9
GROUPS = 10
"""Groups of vectors that the jackknife leaves out in turn."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Variances along principal components.

    Attributes:
        variances: (c,) largest first; all min(n − 1, d) of them, or the first 128.
        total: the variance in all directions.
        dimension: d.
        rows: vectors that it was computed from.
        of: n, how many there are.
        effective_dimension: the participation ratio (Σλ)² / Σλ²: d when all directions vary alike, 1 when one does.
            None when no two vectors differ.
        interval: of the effective dimension; None where all vectors were looked at, or not all components computed.
        components: how many components hold 90 % of the variance; None when more than were computed, or undefined.
        why: why they are undefined, or "".
    """

    variances: NDArray[np.float64]
    total: float
    dimension: int
    rows: int
    of: int
    effective_dimension: float | None
    components: int | None
    interval: Interval | None = None
    why: str = ""

    @property
    def complete(self) -> bool:
        """Whether all components were computed, and not only the first."""
        return len(self.variances) >= min(self.rows, self.dimension)


def spectrum(embeddings: Embeddings, seed: int = 0) -> Spectrum:
    """The principal components' variances, by scikit-learn's PCA.

    Of more than 8,192 vectors a sample is taken. Of more than 1,024 dimensions only the first 128 components are
    computed; what is beyond them is taken to be spread evenly, so that the effective dimension is an upper bound.

    Args:
        embeddings: n words.
        seed: of the sample and of the randomised decomposition.

    Example:
        >>> e = Embeddings(["a", "b", "c", "d"], [[2, 0], [-2, 0], [0, 1], [0, -1]], "a cross")
        >>> found = spectrum(e)
        >>> found.variances.round(3).tolist(), round(found.effective_dimension, 3), found.components
        ([2.667, 0.667], 1.471, 2)
    """
    from sklearn.decomposition import PCA

    n, d = embeddings.matrix.shape
    rows = min(n, ROWS)
    chosen = slice(None) if rows == n else np.sort(np.random.default_rng(seed).choice(n, rows, replace=False))
    if n == 1:
        return _undefined(d, n, "there is only one vector")
    values = embeddings.matrix[chosen].astype(np.float64)
    size = float(np.abs(values).max()) or 1.0
    values /= size  # squares of the largest and the smallest float32 stay far from the limits of float64
    if float(values.var(axis=0).sum()) <= np.finfo(np.float32).eps ** 2 * float((values**2).mean(axis=0).sum()):
        return _undefined(d, n, "all vectors are equal")
    if d <= EXACT:
        found = PCA(svd_solver="covariance_eigh").fit(values)
    else:
        leading = min(LEADING, rows)
        found = PCA(leading, svd_solver="randomized", iterated_power=4, random_state=seed).fit(values)
    variances = np.maximum(found.explained_variance_, 0.0)
    total = float(found.explained_variance_.sum() / found.explained_variance_ratio_.sum())
    rest = 0.0 if d <= EXACT else max(0.0, total - float(variances.sum()))
    beyond = max(1, min(rows, d) - len(variances))
    reached = np.cumsum(variances) >= SHARE * total * (1 - 1e-12)
    estimate, interval = float(total**2 / (np.sum(variances**2) + rest**2 / beyond)), None
    if rows < n and not rest:
        estimate, interval = _jackknife(values, estimate, n)
    return Spectrum(
        variances * size**2,
        total * size**2,
        d,
        rows,
        n,
        estimate,
        int(np.argmax(reached)) + 1 if reached.any() else None,
        interval,
    )


def _jackknife(values: NDArray[np.float64], estimate: float, n: int) -> tuple[float, Interval]:
    """The participation ratio of all n vectors from a sample's, which is low by about its square over the sample.

    Delete-a-group jackknife, for bias and spread; both vanish as the sample becomes all.
    """
    groups = [values[i::GROUPS] for i in range(GROUPS)]
    products = [group.T @ group for group in groups]
    sums = [group.sum(axis=0) for group in groups]
    product, whole, left = sum(products), values.sum(axis=0), []
    for group, p, s in zip(groups, products, sums, strict=True):
        count = len(values) - len(group)
        covariance = product - p - np.outer(whole - s, whole - s) / count
        left.append(float(np.trace(covariance) ** 2 / np.sum(covariance**2)))
    unseen = 1 - len(values) / n
    corrected = estimate + unseen * (GROUPS - 1) * (estimate - float(np.mean(left)))
    half = 2.262 * np.sqrt(unseen * (GROUPS - 1) * np.var(left))  # t with 9 degrees of freedom
    return corrected, Interval(corrected - float(half), corrected + float(half))


def _undefined(d: int, n: int, why: str) -> Spectrum:
    return Spectrum(np.empty(0), 0.0, d, n, n, None, None, why=why)
