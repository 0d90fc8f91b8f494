"""Many queries against every word in one pass, exactly as each alone would be ranked.

A fast pass proposes candidates and proves that they hold the k closest words (see `candidates`); their scores are then
computed in float64 by the measure itself, and ordered by the same rule as everywhere (see `ties`). A query goes on to a
slower pass where a proof fails, or where two scores lie so close to where rounding to 12 digits changes that the last
bits of float64 decide whether they tie:

1. a float32 pass: one product q·k for all measures that are a form of it, one approximate product for a sum over
   hidden units (see `closeness` and `separable`); before it, the product q·k in a narrow format where that is faster
   (see `halves`, `fixed_point` and `enclosures`);
2. the same in float64, about 10⁹ times finer: close clusters far from the origin, huge and tiny vectors;
3. float64 scores of all words, one query at a time, which is how `compare` ranks. Measures without such a form start
   here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from attention_core.compute import Compute, Dtype
from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError
from attention_core.measures import MEASURES, Measure
from attention_core.similarity.candidates import Candidates, Pass, candidates
from attention_core.similarity.closeness import Floats, Queries, product_pass
from attention_core.similarity.enclosures import enclosed
from attention_core.similarity.fixed_point import FixedPoint
from attention_core.similarity.halves import Halves
from attention_core.similarity.ordered import BLOCK, Format, made, ordered
from attention_core.similarity.ordered import QUERIES as TOGETHER
from attention_core.similarity.parallel import mapped
from attention_core.similarity.ranking import exact_scores, query_vector
from attention_core.similarity.rescoring import Rescored, Scorer, rescore
from attention_core.similarity.scoring import named
from attention_core.similarity.separable import default_weights, elementwise_pass, separable_pass
from attention_core.similarity.ties import closest_first, keys_of

PRODUCT = 1 << 25
"""Elements of the product kept at a time: 128 MiB in float32."""
QUERIES = 256
"""Queries in one pass at most."""
FEW = 64
"""Queries with fewer of which a product takes notably longer for each."""
GROUP = 64
"""Words in a group at most: a power of 2."""
FINE_GROUP = 32
"""The same for approximate products, which leave hundreds of groups to open."""


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
    search = Search(embeddings, asked, min(k, len(embeddings) - excluded), compute or Compute())
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
    scorer = Scorer(measure, weights if measure.needs_weights else None, search.compute)
    if measure.needs_weights:
        scorer(search.queries.vectors[:1], search.embeddings.matrix[None, :1])
    return scorer


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
    """q queries for the k closest of n words."""

    embeddings: Embeddings
    queries: Queries
    k: int
    compute: Compute

    def run(self, scorers: Sequence[Scorer]) -> dict[str, Ranked]:
        """Each pass keeps what it can prove; what is left is ranked alone."""
        shape = len(self.queries), self.k
        states = [
            Progress(s, Ranked(np.full(shape, -1), np.full(shape, np.nan)), np.ones(shape[0], bool)) for s in scorers
        ]
        for family in _families(states):
            precisions = self._precisions()
            if precisions[0] == "float32" and family[0].scorer.measure.product_form:
                for kind in (Halves, FixedPoint):
                    self._enclosed(family, kind)
            for dtype in precisions:
                self._sweep(family, replace(self.compute, dtype=dtype))
        for query in np.flatnonzero(np.any([state.left for state in states], axis=0)):
            self._alone([state for state in states if state.left[query]], int(query))
        return {state.scorer.measure.name: state.ranked for state in states}

    def _precisions(self) -> tuple[Dtype, ...]:
        """Float32 bounds hold for products that are computed in float32: neither TF32 nor bfloat16 was allowed."""
        narrow = self.compute.dtype == "float32" and torch.get_float32_matmul_precision() == "highest"
        return ("float32", "float64") if narrow else ("float64",)

    def _enclosed(self, family: list[Progress], kind: type[Format]) -> None:
        """A pass over the words in a narrow format, unless it is known to leave most to the next one."""
        waiting, group = self._waiting(family), self._group(BLOCK)
        states = [state for state in family if state.left.any()]
        corpus = made(kind, self.embeddings, len(waiting), self.compute) if len(waiting) >= FEW and group > 1 else None
        if corpus is None or any(state.scorer.measure.name in corpus.coarse for state in states):
            return
        words, measures = ordered(self.embeddings), [state.scorer.measure for state in states]

        def settle(asked: NDArray[np.intp]) -> None:
            queries = self.queries[asked]
            found = corpus.products(queries.vectors, queries.norms, group)
            self._take(asked, queries, states, enclosed(words, found, queries, measures, self.k))

        if len(waiting) <= TOGETHER:
            settle(waiting)
        else:
            with mapped(settle, np.array_split(waiting, -(-len(waiting) // TOGETHER))) as settled:
                deque(settled, maxlen=0)
        corpus.coarse.update(state.scorer.measure.name for state in states if state.left[waiting].mean() > 0.5)

    def _group(self, most: int) -> int:
        """How many words to take together: about as many groups as words in those that are opened."""
        while most * self.k * max(4, most // 2) > len(self.embeddings):
            most //= 2
        return most if self.k else 0

    def _waiting(self, family: list[Progress]) -> NDArray[np.intp]:
        """The queries that are left, and whose squares neither vanish nor overflow in float64."""
        largest = np.abs(self.queries.vectors).max(axis=1, initial=0)
        ordinary = (largest > 1e-100) & (largest < 1e100)
        return np.flatnonzero(ordinary & np.any([state.left for state in family], axis=0))

    def _sweep(self, family: list[Progress], compute: Compute) -> None:
        """One fast pass over the words for each block of queries."""
        group = self._group(FINE_GROUP if family[0].scorer.measure.hidden_sum else GROUP)
        if group < 2:
            return  # most words are asked for, or none
        waiting = self._waiting(family)

        def settle(asked: NDArray[np.intp]) -> None:
            queries = self.queries[asked]
            found = candidates(self._pass(queries, family, group, compute), self.k, group, compute.device)
            self._take(asked, queries, family, found)

        room = PRODUCT // len(self.embeddings)  # queries whose products are kept at a time
        apart = room // torch.get_num_threads()  # of each thread, where each has queries of its own
        if family[0].scorer.measure.product_form and len(waiting) > QUERIES and apart >= FEW:
            with mapped(settle, _blocks(waiting, min(QUERIES, apart))) as settled:
                deque(settled, maxlen=0)
        else:
            for asked in _blocks(waiting, min(QUERIES, max(1, room))):
                settle(asked)

    def _take(
        self, asked: NDArray[np.intp], queries: Queries, family: list[Progress], found: dict[str, Candidates]
    ) -> None:
        """Orders what was found for the queries at these positions, one measure beside the other."""

        def settle(state: Progress) -> Rescored:
            return rescore(self.embeddings, queries, state.scorer, found[state.scorer.measure.name], self.k)

        with mapped(settle, family) as results:
            for state, result in zip(family, results, strict=True):
                state.take(asked, result)

    def _pass(self, queries: Queries, states: list[Progress], group: int, compute: Compute) -> Pass:
        measure, weights = states[0].scorer.measure, states[0].scorer.weights
        if measure.hidden_sum is None:
            measures = [state.scorer.measure for state in states]
            return product_pass(self.embeddings, queries, measures, group, compute)
        make = separable_pass if compute.dtype == "float32" else elementwise_pass
        return make(self.embeddings, queries, measure, weights, compute)

    def _alone(self, states: list[Progress], query: int) -> None:
        """All scores in float64, as `compare` computes them."""
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


def _blocks(waiting: NDArray[np.intp], step: int) -> list[NDArray[np.intp]]:
    return [waiting[i : i + step] for i in range(0, len(waiting), step)]


def _families(states: Sequence[Progress]) -> list[list[Progress]]:
    """Measures that share a pass: all that are read off one product, and each sum over hidden units by itself."""
    shared = [state for state in states if state.scorer.measure.product_form]
    alone = [[state] for state in states if state.scorer.measure.hidden_sum]
    return [shared, *alone] if shared else alone
