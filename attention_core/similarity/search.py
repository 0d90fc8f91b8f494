"""Many queries against every word in one pass, exactly as each alone would be ranked.

A fast pass proposes candidates and proves that they hold the k closest words (see `candidates`); their scores are then
computed in float64, and ordered by the same rule as everywhere (see `ties`). A query goes on to a
slower pass where a proof fails, or where two scores lie so close to where rounding to 12 digits changes that the last
bits of float64 decide whether they tie:

1. a float32 pass: one product q·k for all measures that are a form of it (see `closeness`), or the score itself for a
   sum over hidden units (see `hidden_sums`);
2. the same in float64, about 10⁹ times finer: close clusters far from the origin, huge and tiny vectors;
3. float64 scores of all words, one query at a time, which is how `compare` ranks. Measures without such a form start
   here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from attention_core.compute import Compute, Dtype
from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError
from attention_core.measures import MEASURES, Measure
from attention_core.similarity.candidates import ROOM, Floats, Pass, candidates
from attention_core.similarity.closeness import Queries, product_pass
from attention_core.similarity.hidden_sums import default_weights, elementwise_pass, exponential_pass
from attention_core.similarity.parallel import one_thread, shared
from attention_core.similarity.ranking import exact_scores, query_vector
from attention_core.similarity.rescoring import Rescored, Scorer, rescore
from attention_core.similarity.scoring import named
from attention_core.similarity.ties import closest_first, keys_of

QUERIES = 512
"""Queries in one pass at most; fewer where more words are kept for each."""
SHARE = 8
"""Where more than one word of so many is asked for, all are scored in float64."""


class Ranked(NamedTuple):
    """The k closest words of q queries.

    Attributes:
        indices: (q, k) rows, closest first; −1 where the query leaves every score undefined.
        scores: (q, k) float64, NaN where undefined.
    """

    indices: NDArray[np.intp]
    scores: Floats


def rank(
    embeddings: Embeddings,
    queries: Sequence[str] | ArrayLike,
    k: int = 10,
    measures: Sequence[str] | None = None,
    weights: object = None,
    compute: Compute | None = None,
) -> dict[str, Ranked]:
    """The k closest words of many queries under each measure: `compare` for each of them, in one pass.

    Indices are those of `compare`, and scores are equal up to the last bits of float64. Memory is bounded whatever the
    number of queries and words.

    Args:
        embeddings: n words.
        queries: q words of the vocabulary, whose own rows are then left out (exact twins stay), or numbers (q, d).
        k: how many words to find; all of them when there are fewer.
        measures: keys of `MEASURES`; None for all.
        weights: for the measures that need them; None for their seeded random weights, seed 0.
        compute: the device, and the precision of the first pass; None for the CPU and float32.

    Returns:
        By measure, (indices (q, k), scores (q, k)). Words with an undefined score come last, in file order.

    Raises:
        UnknownWordError: a word that is not in the vocabulary.
        ScoringError: vectors of another size or not finite, k < 1, an unknown measure, weights that do not fit.

    Example:
        >>> e = Embeddings(["q", "far", "twin"], [[1.0, 2.0], [4.0, 8.0], [1.0, 2.0]], "three words")
        >>> indices, scores = rank(e, ["q", "far"], k=2)["euclidean"]
        >>> indices.tolist(), scores[0].round(3).tolist()
        ([[2, 1], [0, 2]], [0.0, 6.708])
    """
    if k < 1:
        raise ScoringError(f"k is the number of words to find, and {k} was given. Choose 1 or more.")
    chosen = [named(name) for name in (MEASURES if measures is None else measures)]
    asked = _asked(embeddings, queries)
    excluded = bool((asked.own >= 0).any())
    with one_thread() as threads:
        search = Search(embeddings, asked, min(k, len(embeddings) - excluded), compute or Compute(), threads)
        return search.run([_scorer(measure, weights, search) for measure in chosen])


def _asked(embeddings: Embeddings, queries: Sequence[str] | ArrayLike) -> Queries:
    if isinstance(queries, str):
        raise ScoringError(f"One word, “{queries}”, was given where several are expected. Put it in a list.")
    items: list[Any] = list(queries)  # type: ignore[arg-type] # ArrayLike has scalars, which list refuses
    if items and all(isinstance(item, str) for item in items):
        own = np.array([embeddings.index(word) for word in items])
        return Queries(embeddings.matrix[own].astype(np.float64), embeddings.norms[own], own)
    vectors = np.empty((len(items), embeddings.dimension))
    for row, item in zip(vectors, items, strict=True):
        row[:] = query_vector(embeddings, item)
    return Queries(vectors, np.linalg.norm(vectors, axis=1), np.full(len(items), -1))


def _scorer(measure: Measure, weights: object, search: Search) -> Scorer:
    """Refuses what does not fit before any work."""
    if measure.needs_weights and weights is None:
        weights = default_weights(measure, search.embeddings.dimension)
    if measure.check_weights:
        measure.check_weights(search.embeddings.dimension, search.embeddings.dimension, weights)
    return Scorer(measure, weights if measure.needs_weights else None, search.compute)


@dataclass(frozen=True, eq=False)
class Progress:
    """What is found for one measure so far, and for which queries (q,) it is not."""

    scorer: Scorer
    ranked: Ranked
    left: NDArray[np.bool_]

    def take(self, asked: NDArray[np.intp], result: Rescored) -> None:
        """Keeps what is settled for the queries at these positions."""
        rows = asked[result.settled]
        self.ranked.indices[rows], self.ranked.scores[rows] = (
            result.indices[result.settled],
            result.scores[result.settled],
        )
        self.left[rows] = False


@dataclass(frozen=True, eq=False)
class Search:
    """q queries for the k closest of n words, on so many threads."""

    embeddings: Embeddings
    queries: Queries
    k: int
    compute: Compute
    threads: int

    def run(self, scorers: Sequence[Scorer]) -> dict[str, Ranked]:
        """Each pass keeps what it can prove; what is left is ranked alone."""
        shape = len(self.queries), self.k
        states = [
            Progress(s, Ranked(np.full(shape, -1), np.full(shape, np.nan)), np.ones(shape[0], bool)) for s in scorers
        ]
        if 0 < SHARE * self.k <= len(self.embeddings):
            for family in _families(states):
                for dtype in self._precisions():
                    self._sweep(family, replace(self.compute, dtype=dtype))
        left = np.flatnonzero(np.any([state.left for state in states], axis=0))
        shared(lambda some: deque(map(partial(self._alone, states), some), maxlen=0), left.tolist(), self.threads)
        return {state.scorer.measure.name: state.ranked for state in states}

    def _precisions(self) -> tuple[Dtype, ...]:
        """Float32 bounds hold for products that are computed in float32: neither TF32 nor bfloat16 was allowed."""
        narrow = self.compute.dtype == "float32" and torch.get_float32_matmul_precision() == "highest"
        return ("float32", "float64") if narrow else ("float64",)

    def _sweep(self, family: list[Progress], compute: Compute) -> None:
        """One fast pass over the words for each block of queries that are left.

        Left out are queries whose squares vanish or overflow in float64.
        """
        largest = np.abs(self.queries.vectors).max(axis=1, initial=0)
        ordinary = (largest > 1e-100) & (largest < 1e100)
        waiting = np.flatnonzero(ordinary & np.any([state.left for state in family], axis=0))
        most = max(1, QUERIES * ROOM // (ROOM + 4 * self.k))
        blocks = np.array_split(waiting, -(-len(waiting) // most)) if len(waiting) else []

        def settle(asked: NDArray[np.intp], threads: int = 1) -> None:
            queries = self.queries[asked]
            found = candidates(self._pass(queries, family, compute), self.k, threads)
            results = rescore(self.embeddings, queries, [state.scorer for state in family], found, self.k)
            for state, result in zip(family, results, strict=True):
                state.take(asked, result)

        if len(blocks) < self.threads:
            for block in blocks:
                settle(block, self.threads)
        else:
            shared(lambda some: deque(map(settle, some), maxlen=0), blocks, self.threads)

    def _pass(self, queries: Queries, family: list[Progress], compute: Compute) -> Pass:
        measure, weights = family[0].scorer.measure, family[0].scorer.weights
        if measure.hidden_sum is None:
            return product_pass(self.embeddings, queries, [state.scorer.measure for state in family], compute)
        powers = measure.hidden_sum.activation is torch.tanh and compute == Compute()
        make = exponential_pass if powers else elementwise_pass
        return make(self.embeddings, queries, measure, weights, compute)

    def _alone(self, states: list[Progress], query: int) -> None:
        """All scores in float64, as `compare` computes them, for the measures for which the query is left."""
        states = [state for state in states if state.left[query]]
        asked, norms = self.queries, self.embeddings.norms
        weights = next((state.scorer.weights for state in states if state.scorer.weights is not None), None)
        measures = [state.scorer.measure for state in states]
        found = exact_scores(self.embeddings, asked.vectors[query], measures, weights, self.compute)
        for measure, state in zip(measures, states, strict=True):
            scores = found[measure.name]
            order = closest_first(measure, keys_of(measure, scores, float(asked.norms[query]), norms))
            order = order[order != asked.own[query]]
            if not np.isnan(scores[order]).all():
                state.ranked.indices[query] = order[: self.k]
                state.ranked.scores[query] = scores[order[: self.k]]


def _families(states: Sequence[Progress]) -> list[list[Progress]]:
    """Measures that share a pass: all that are read off one product, and each sum over hidden units by itself."""
    shared = [state for state in states if state.scorer.measure.product_form]
    alone = [[state] for state in states if state.scorer.measure.hidden_sum]
    return [shared, *alone] if shared else alone
