"""Candidates in their final order: float64 scores, and whether float64 itself leaves that order in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention_core.compiled import compiled
from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures import Measure
from attention_core.similarity.candidates import Candidates, Floats
from attention_core.similarity.closeness import Queries, rounding_of
from attention_core.similarity.hidden_sums import scatter, scores_of
from attention_core.similarity.ties import tie_keys

BLOCK = 1 << 21
"""Components widened to float64 at a time: 16 MiB."""


@dataclass(frozen=True)
class Scorer:
    """A measure with the weights it needs (None for one that needs none), on a device."""

    measure: Measure
    weights: Any
    compute: Compute

    def __call__(self, vectors: Floats, keys: NDArray[np.float32]) -> Floats:
        """(q, c) float64 scores of each query (q, d) with its own keys (q, c, d)."""
        queries = self.compute.tensor(vectors[:, None], "float64")
        wide = self.compute.tensor(keys.astype(np.float64), "float64")
        scores: Floats = self.compute.array(self.measure(queries, wide, self.weights))
        return scores[:, 0]


@dataclass(frozen=True, eq=False)
class Rescored:
    """The k closest candidates of each query.

    Attributes:
        settled: (q,) whether they are proved to be the k closest words, in the order of any float64 evaluation.
        indices: (q, k), scores (q, k) float64; of no meaning where not settled.
    """

    settled: NDArray[np.bool_]
    indices: NDArray[np.intp]
    scores: Floats


def rescore(
    embeddings: Embeddings, queries: Queries, scorers: Sequence[Scorer], found: Mapping[str, Candidates], k: int
) -> list[Rescored]:
    """Orders the candidates of every query by their tie keys, for each measure."""
    candidates = [found[scorer.measure.name] for scorer in scorers]
    columns = [one.columns() for one in candidates]
    shape = len(scorers), len(queries), max(k, *(most for _, most in columns))
    rows, scores = np.full(shape, -1), np.full(shape, np.nan)
    for i, (scorer, one) in enumerate(zip(scorers, candidates, strict=True)):
        place = i, one.queries, columns[i][0]
        rows[place], scores[place] = one.words, _scores(embeddings, queries, scorer, one)
    highest = np.array([scorer.measure.best == "highest" for scorer in scorers])[:, None, None]
    distances = np.where(highest, -scores, scores)  # the smallest is the closest
    query_norms, key_norms = queries.norms[:, None], embeddings.norms[rows]
    floor, doubt = np.zeros(shape), np.empty(shape)
    for i, scorer in enumerate(scorers):
        if scorer.measure.zero_below is not None:
            floor[i] = scorer.measure.zero_below(query_norms, key_norms[i])
        doubt[i] = _doubt(embeddings, queries, scorer, scores[i], key_norms[i])
    keys, nearest, farthest = tie_keys(np.stack([distances, distances - doubt, distances + doubt]), floor)
    order = np.argsort(keys, axis=2, kind="stable")
    ordered = [np.take_along_axis(values, order, axis=2) for values in (rows, distances, nearest, farthest)]
    settled = _settled(embeddings.matrix, ordered, k)
    indices, scores = (np.take_along_axis(values, order[:, :, :k], axis=2) for values in (rows, scores))
    return [Rescored(one.proved & settled[i], indices[i], scores[i]) for i, one in enumerate(candidates)]


def _scores(embeddings: Embeddings, queries: Queries, scorer: Scorer, found: Candidates) -> Floats:
    """(m,) of each candidate."""
    asked, words, form = found.queries, found.words, scorer.measure.product_form
    if form is not None:
        sums = np.empty(len(words))
        sum_up(queries.vectors, embeddings.matrix, (asked, words), form.squared_distance, sums)
        if form.squared_distance:
            return form.score(sums / -2)
        return form(sums, queries.norms[asked], embeddings.norms[words])
    step, scores = max(1, BLOCK // embeddings.dimension), np.empty(len(words))
    for block in (slice(start, start + step) for start in range(0, len(words), step)):
        keys = embeddings.matrix[words[block]].astype(np.float64)
        scores[block] = scores_of(scorer.measure, scorer.weights, queries.vectors, asked[block], keys)
    return scores


@compiled
def _term(q: Any, k: Any, apart: Any) -> Any:
    return (q - k) ** 2 if apart else q * k


@compiled
def sum_up(vectors: Any, matrix: Any, pairs: Any, apart: Any, out: Any) -> Any:
    """q·k, or ‖q − k‖² where they are taken apart, in float64 and in four sums side by side."""
    queries, words = pairs
    whole = vectors.shape[1] // 4 * 4
    for i in range(words.shape[0]):
        q, k = vectors[queries[i]], matrix[words[i]]
        a = b = c = d = 0.0
        for at in range(0, whole, 4):
            a += _term(q[at], k[at], apart)
            b += _term(q[at + 1], k[at + 1], apart)
            c += _term(q[at + 2], k[at + 2], apart)
            d += _term(q[at + 3], k[at + 3], apart)
        for at in range(whole, vectors.shape[1]):
            a += _term(q[at], k[at], apart)
        out[i] = a + b + (c + d)


def _doubt(embeddings: Embeddings, queries: Queries, scorer: Scorer, scores: Floats, key_norms: Floats) -> Floats:
    """Broadcastable to (q, c): how far two float64 evaluations of a score can differ."""
    if scorer.measure.hidden_sum is not None:
        return 2 * scatter(scorer.weights, queries.norms, embeddings.longest)[:, None]
    return rounding_of(scorer.measure, scores, queries.norms[:, None], key_norms, embeddings.dimension)


def _settled(matrix: NDArray[np.float32], ordered: Sequence[NDArray[Any]], k: int) -> NDArray[np.bool_]:
    """(m, q) whether the first k of each sorted row stay the same whatever the last bits of its distances.

    `ordered` are rows of the matrix (m, q, c), their distances, and the least and the greatest tie key each may get.

    Two neighbours are settled when the keys they may get do not overlap, when each has one possible key, or when they
    are twins: the same vector has the same distance, where others only happen to. Those after the k-th are held against
    the k-th.
    """
    rows, distances, nearest, farthest = ordered
    before = np.minimum(np.arange(distances.shape[2] - 1), k - 1)
    certain, next_distances = nearest == farthest, distances[:, :, 1:]
    apart = farthest[:, :, before] < nearest[:, :, 1:]
    settled = apart | (certain[:, :, before] & certain[:, :, 1:]) | np.isnan(next_distances)
    equal = np.nonzero(~settled & (distances[:, :, before] == next_distances))
    settled[equal] = (matrix[rows[:, :, before][equal]] == matrix[rows[:, :, 1:][equal]]).all(axis=1)
    everywhere: NDArray[np.bool_] = settled.all(axis=2)
    return everywhere
