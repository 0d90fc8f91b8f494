"""Why two measures name different neighbours: the norms of those that only one of them names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.embeddings import Embeddings
from attention_core.similarity.ranking import Comparison


@dataclass(frozen=True, slots=True)
class Entrant:
    """A word in the top k of one measure and not of another.

    Attributes:
        word: the word.
        rank: its rank under the measure that names it.
        norm: its Euclidean length.
        longer_than: the share of all words that are shorter, in [0, 1].
        rank_at_median: the rank it would have by dot product with the same direction and the median norm.
    """

    word: str
    rank: int
    norm: float
    longer_than: float
    rank_at_median: int


@dataclass(frozen=True)
class Difference:
    """The neighbours that two measures do not share.

    Attributes:
        first, second: the measures.
        k: how many neighbours were compared.
        shared: how many both name.
        same_order: whether both put the same words in the same order.
        only_first: those that only the first names, closest first.
        only_second: those that only the second names, closest first.
        norm_spread: how far all norms lie apart, as a part of their median; 0 where all vectors are zero.
    """

    first: str
    second: str
    k: int
    shared: int
    same_order: bool
    only_first: tuple[Entrant, ...]
    only_second: tuple[Entrant, ...]
    norm_spread: float


def difference(embeddings: Embeddings, comparison: Comparison, first: str, second: str) -> Difference:
    """What separates the top k of two measures.

    Args:
        embeddings: those that were compared.
        comparison: must hold "dot" and both measures.
        first: a measure.
        second: another.

    Example:
        >>> import attention_core as ac
        >>> e = ac.sample("glove-en")
        >>> d = difference(e, ac.compare(e, "king"), "dot", "cosine")
        >>> d.shared, [(x.word, round(x.norm, 2), round(x.longer_than, 2)) for x in d.only_first]
        (8, [('lord', 5.72, 0.89), ('dynasty', 6.24, 0.98)])
    """
    shared = set(comparison[first].words) & set(comparison[second].words)
    median = float(np.median(embeddings.norms))
    return Difference(
        first,
        second,
        comparison.k,
        len(shared),
        comparison[first].words == comparison[second].words,
        _entrants(embeddings, comparison, first, shared, median),
        _entrants(embeddings, comparison, second, shared, median),
        float(np.ptp(embeddings.norms) / (median or 1)),
    )


def _entrants(
    embeddings: Embeddings, comparison: Comparison, measure: str, shared: set[str], median: float
) -> tuple[Entrant, ...]:
    ranking = comparison[measure]
    products, norms = comparison["dot"].all_scores, embeddings.norms
    others = np.delete(products, comparison.index) if comparison.index is not None else products
    rows = np.array([row for row, word in zip(ranking.indices, ranking.words, strict=True) if word not in shared], int)
    own = norms[rows]
    at_median = products[rows] * np.divide(median, own, out=np.zeros_like(own), where=own > 0)
    ahead = len(others) - np.searchsorted(np.sort(others), at_median, side="right") - (products[rows] > at_median)
    longer_than = np.searchsorted(np.sort(norms), own) / len(norms)
    figures = zip(ranking.all_ranks[rows], own, longer_than, ahead + 1, strict=True)
    return tuple(
        Entrant(embeddings.words[row], int(rank), float(norm), float(share), int(at))
        for row, (rank, norm, share, at) in zip(rows, figures, strict=True)
    )
