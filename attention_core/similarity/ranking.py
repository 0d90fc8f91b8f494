"""One query against every word, under several measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby
from numbers import Integral
from operator import itemgetter
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError
from attention_core.measures import MEASURES, Measure
from attention_core.similarity.agreement import Agreement, agreement_of
from attention_core.similarity.scoring import named
from attention_core.similarity.ties import closest_first, keys_of

BLOCK = 1 << 19
"""Values widened to float64 at a time: 4 MiB, which a processor's cache holds."""

LARGEST = 1e100
"""Components of a query vector up to this size have squares and products that float64 holds."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The words in order under one measure.

    Attributes:
        measure: a key of `MEASURES`.
        vocabulary: all n words, in file order.
        order: rows of all words but the query, closest first; ties in file order, undefined scores last.
            Empty when the query leaves every score undefined.
        all_scores: (n,) float64 by row, NaN where undefined.
        all_ranks: (n,) by row, from 1; tied words share the best rank of their group; 0 for the query itself.
        k: how many words the following properties hold.
        why: why scores are undefined, or "".
    """

    measure: str
    vocabulary: Sequence[str] = field(repr=False)
    order: NDArray[np.int32] = field(repr=False)
    all_scores: NDArray[np.float64] = field(repr=False)
    all_ranks: NDArray[np.int32] = field(repr=False)
    k: int
    why: str = ""

    @property
    def indices(self) -> NDArray[np.int32]:
        """(k,) rows of the closest words."""
        return self.order[: self.k]

    @property
    def words(self) -> tuple[str, ...]:
        """The k closest words, closest first."""
        return tuple(self.vocabulary[i] for i in self.indices)

    @property
    def scores(self) -> NDArray[np.float64]:
        """(k,) their scores as the measure defines them: NaN, undefined, comes last."""
        return self.all_scores[self.indices]

    @property
    def ranks(self) -> NDArray[np.int32]:
        """(k,) their ranks: tied words share one."""
        return self.all_ranks[self.indices]

    @property
    def ties(self) -> tuple[tuple[str, ...], ...]:
        """Groups of two or more of these words with equal scores."""
        defined = int((~np.isnan(self.scores)).sum())  # undefined scores come last
        ranked = zip(self.ranks[:defined].tolist(), self.words, strict=False)
        groups = (tuple(word for _, word in group) for _, group in groupby(ranked, key=itemgetter(0)))
        return tuple(group for group in groups if len(group) > 1)

    def top(self, k: int) -> Ranking:
        """The same ranking, showing k words."""
        return replace(self, k=min(k, len(self.order)))

    @property
    def cut_in_tie(self) -> bool:
        """Whether the word after the last one shown ties with it."""
        if not 0 < self.k < len(self.order):
            return False
        last, following = self.all_ranks[self.order[self.k - 1 : self.k + 1]]
        return bool(last == following and not np.isnan(self.scores[-1]))


@dataclass(frozen=True, eq=False)
class Comparison:
    """The rankings of one query under several measures; `comparison["cosine"]` is one of them.

    Attributes:
        query: the word, or "" for a vector.
        index: the query's row, which is left out of every ranking; None for a vector.
        source: where the vectors come from.
        k: how many words each ranking shows.
        rankings: by measure, in the order asked for.
    """

    query: str
    index: int | None
    source: str
    k: int
    rankings: Mapping[str, Ranking]

    def top(self, k: int, measures: Sequence[str]) -> Comparison:
        """The same comparison, showing k words under some of its measures; nothing is scored again."""
        rankings = {name: self.rankings[name].top(k) for name in measures}
        words = len(next(iter(self.rankings.values())).vocabulary) - (self.index is not None)
        return replace(self, k=min(k, words), rankings=rankings)

    def __getitem__(self, measure: str) -> Ranking:
        return self.rankings[measure]

    @cached_property
    def agreement(self) -> Mapping[tuple[str, str], Agreement]:
        """For both orders of every pair of measures: how far their rankings agree, at k and in full."""
        found = {}
        for a, b in combinations(self.rankings, 2):
            found[a, b] = found[b, a] = agreement_of(self[a], self[b], self.k)
        return found


def compare(
    embeddings: Embeddings,
    query: str | Any,
    k: int = 10,
    measures: Sequence[str] | None = None,
    weights: object = None,
    compute: Compute | None = None,
) -> Comparison:
    """Ranks every word by its score with one query, under each measure, in float64.

    Args:
        embeddings: n words.
        query: a word of the vocabulary, whose row is then left out (its exact twins stay), or (d,) numbers.
        k: how many words to show; all of them when there are fewer.
        measures: keys of `MEASURES`; None for all.
        weights: for the measures that need them; None for their seeded random weights, seed 0.
        compute: the device; None for the CPU.

    Raises:
        UnknownWordError: the word is not in the vocabulary.
        ScoringError: a vector of another size or not finite, k < 1, an unknown measure, weights that do not fit.

    Example:
        >>> e = Embeddings(["q", "far", "twin"], [[1.0, 2.0], [4.0, 8.0], [1.0, 2.0]], "three words")
        >>> c = compare(e, "q", k=2)
        >>> c["dot"].words, c["euclidean"].words, c["cosine"].ties
        (('far', 'twin'), ('twin', 'far'), (('far', 'twin'),))
    """
    if not isinstance(k, Integral) or k < 1:
        raise ScoringError(f"k is the number of words to show, and {k} was given. Choose a whole number from 1.")
    chosen = [named(name) for name in (MEASURES if measures is None else measures)]
    index = embeddings.index(query) if isinstance(query, str) else None
    vector = embeddings.matrix[index] if index is not None else query_vector(embeddings, query)
    scores = exact_scores(embeddings, vector, chosen, weights, compute or Compute())
    norm = _length(vector)
    rankings = {measure.name: _rank(embeddings, measure, scores[measure.name], norm, index, k) for measure in chosen}
    shown = min(k, len(embeddings) - (index is not None))
    return Comparison(query if isinstance(query, str) else "", index, embeddings.source, shown, rankings)


def query_vector(embeddings: Embeddings, numbers: Any) -> NDArray[np.float64]:
    """The numbers as a (d,) float64 query; ScoringError when they are not d finite numbers."""
    try:
        vector = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        raise ScoringError("A word or a vector of numbers is expected as the query. Give one of the two.") from None
    if vector.shape != (embeddings.dimension,):
        raise ScoringError(
            f"A query vector of {embeddings.dimension} numbers is expected for {embeddings.source}, found shape "
            f"{vector.shape}. Give one number for each dimension."
        )
    usable = np.abs(vector) <= LARGEST
    if not usable.all():
        position = int(np.argmin(usable)) + 1
        raise ScoringError(
            f"Number {position} of the query vector is {vector[position - 1]}, and numbers of at most {LARGEST:g} "
            "in size are expected. Replace it."
        )
    return vector


def exact_scores(
    embeddings: Embeddings, vector: NDArray[Any], measures: Sequence[Measure], weights: object, compute: Compute
) -> dict[str, NDArray[np.float64]]:
    """By measure: (n,) float64 scores of one query vector (d,) with every word, widened block by block."""
    size = embeddings.dimension
    own = {
        m.name: m.random_weights(size, size, 0) if weights is None else weights for m in measures if m.random_weights
    }
    norm = _length(vector)
    ordinary = norm == 0 or norm > 1e-100  # its inverse is finite
    shared = [m for m in measures if ordinary and m.product_form and not m.product_form.shift]  # nothing cancels
    alone = [m for m in measures if m not in shared]
    query = compute.tensor(np.array(vector[None]), "float64")
    step = max(1, BLOCK // size)
    products: list[torch.Tensor] = []
    blocks: dict[str, list[torch.Tensor]] = {measure.name: [] for measure in alone}
    for start in range(0, len(embeddings), step):
        keys = compute.tensor(embeddings.matrix[start : start + step], "float64")
        if shared:
            products.append((query @ keys.mT)[0])
        for measure in alone:
            blocks[measure.name].append(measure(query, keys, own.get(measure.name))[0])
    scores = {name: compute.array(torch.cat(found)) for name, found in blocks.items()}
    product = compute.array(torch.cat(products)) if shared else np.empty(0)
    return scores | {m.name: m.product_form(product, norm, embeddings.norms) for m in shared if m.product_form}


def _length(vector: NDArray[Any]) -> float:
    """The Euclidean norm, 0 only for a zero vector: components as small as 1e-320 have squares that vanish."""
    largest = float(np.abs(vector).max())
    return largest * float(np.linalg.norm(vector.astype(np.float64) / largest)) if largest else 0.0


def _rank(
    embeddings: Embeddings,
    measure: Measure,
    scores: NDArray[np.float64],
    query_norm: float,
    index: int | None,
    k: int,
) -> Ranking:
    keys = keys_of(measure, scores, query_norm, embeddings.norms)
    order = closest_first(measure, keys).astype(np.int32)
    if index is not None:
        order = order[order != index]
    undefined = np.isnan(keys)
    why = ""
    if query_norm == 0 and undefined[order].any():
        order, why = order[:0], f"the query is a zero vector, and the {measure.label} with it is undefined"
    elif undefined[order].any():
        count = int(undefined[order].sum())
        why = f"zero vectors have no {measure.label} and come last: {count:,} here"
    sorted_keys = keys[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (sorted_keys[1:] != sorted_keys[:-1]) & ~(undefined[order][1:] & undefined[order][:-1])
    ranks = np.zeros(len(embeddings), dtype=np.int32)
    ranks[order] = np.maximum.accumulate(np.where(new, np.arange(1, len(order) + 1), 0))
    return Ranking(measure.name, embeddings.words, order, scores, ranks, min(k, len(order)), why)
