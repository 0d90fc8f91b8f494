"""Vectors that say the same: exact twins, near-duplicates, and zero vectors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.similarity.neighbourhoods import Neighbourhoods

NEAR = 0.999
"""The cosine of near-duplicates: within 2.6 degrees. A distance below 4 % of the norm implies it."""


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Words that a search cannot tell apart, or hardly.

    Attributes:
        zeros: words whose vector is zero, in the order of the file.
        twins: groups of words that share one vector to the last bit, zero vectors apart.
        near: (m, 2) rows of pairs with a cosine of 0.999 or more that are no exact twins, highest cosine first; of the
            query words and their k closest words by cosine.
        cosines: (m,) of these pairs.
        distances: (m,) their Euclidean distances.
        asked: query words whose lists were looked through.
        k: the length of a list: a word with more near-duplicates than that may hide some.
    """

    zeros: tuple[str, ...]
    twins: tuple[tuple[str, ...], ...]
    near: NDArray[np.intp] = field(repr=False)
    cosines: NDArray[np.float64] = field(repr=False)
    distances: NDArray[np.float64] = field(repr=False)
    asked: int
    k: int


def duplicates(found: Neighbourhoods) -> Duplicates:
    """The near-duplicates among lists of neighbours, and all exact twins and zero vectors.

    Args:
        found: lists that include those by cosine, else no near-duplicates are seen.

    Example:
        >>> from attention_core.similarity.neighbourhoods import neighbourhoods
        >>> e = Embeddings(["a", "b", "twin", "far", "zero"], [[1, 2], [1.01, 2], [1, 2], [-3, 1], [0, 0]], "x")
        >>> same = duplicates(neighbourhoods(e, k=2))
        >>> same.twins, same.near.tolist(), same.zeros
        ((('a', 'twin'),), [[0, 1], [1, 2]], ('zero',))
    """
    e = found.embeddings
    groups = _twins(e)
    of_group = np.arange(len(e))
    for rows in groups:
        of_group[rows] = rows[0]
    pairs, cosines = np.empty((0, 2), dtype=np.intp), np.empty(0)
    if "cosine" in found.lists:
        indices, scores = found.lists["cosine"]
        query, place = np.nonzero((indices >= 0) & (np.nan_to_num(scores, nan=-1.0) >= NEAR))
        ends = np.sort(np.stack([found.asked[query], indices[query, place]], axis=1), axis=1)
        pairs, first = np.unique(ends, axis=0, return_index=True)
        apart = of_group[pairs[:, 0]] != of_group[pairs[:, 1]]
        pairs, cosines = pairs[apart], scores[query, place][first[apart]]
        order = np.argsort(-cosines, kind="stable")
        pairs, cosines = pairs[order], cosines[order]
    return Duplicates(
        tuple(e.words[row] for row in np.flatnonzero(e.norms == 0).tolist()),
        tuple(tuple(e.words[row] for row in rows) for rows in groups),
        pairs,
        cosines,
        _distances(e, pairs),
        len(found.asked),
        found.k,
    )


def _twins(embeddings: Embeddings) -> list[list[int]]:
    """Rows that are equal; those of zero vectors are listed by themselves."""
    start = np.ascontiguousarray(embeddings.matrix[:, :2] + np.float32(0))  # −0 becomes 0
    keys = start.view(np.uint64 if start.shape[1] == 2 else np.uint32)[:, 0]
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    seen: dict[bytes, list[int]] = {}
    for row in np.flatnonzero((counts[place] > 1) & (embeddings.norms > 0)).tolist():
        seen.setdefault((embeddings.matrix[row] + np.float32(0)).tobytes(), []).append(row)
    return [rows for rows in seen.values() if len(rows) > 1]


def _distances(embeddings: Embeddings, pairs: NDArray[np.intp]) -> NDArray[np.float64]:
    step = max(1, (1 << 21) // embeddings.dimension)
    parts = [np.empty(0)]
    for start in range(0, len(pairs), step):
        a, b = (embeddings.matrix[pairs[start : start + step, side]].astype(np.float64) for side in (0, 1))
        parts.append(np.linalg.norm(a - b, axis=1))
    return np.concatenate(parts)
