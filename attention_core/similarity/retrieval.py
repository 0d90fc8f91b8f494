"""How well each measure finds, with a query, the items that people want to find with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError
from attention_core.loaders.base.opening import File
from attention_core.measures import MEASURES
from attention_core.similarity.bootstrap import Floats, Interval, Margin, Progress, interval, margins, means
from attention_core.similarity.bundled import table
from attention_core.similarity.scoring import named
from attention_core.similarity.search import rank
from attention_core.similarity.tables import Relevance, read_relevance, rows_of

DEPTH = 100
"""How many ranks are searched for the first relevant item."""
QUERIES = 32
"""Ranked between two reports of progress."""
METRICS = ("recall", "mrr", "ndcg")
SEED = 0


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean over queries, with the central 95 % of the means on 2,000 resamples of the queries.

    Attributes:
        value: the mean.
        interval: of the resampled means; None for one query.
        each: (queries,) the figure of each query.
    """

    value: float
    interval: Interval | None
    each: Floats = field(repr=False)


@dataclass(frozen=True)
class Retrieved:
    """One measure's figures; each is None where no query is covered.

    Attributes:
        measure: a key of `MEASURES`.
        recall: of a query's relevant items, the share among its k closest.
        mrr: one over the rank of the first relevant item; 0 where none is among the first `DEPTH`.
        ndcg: discounted cumulative gain of the k closest (Järvelin and Kekäläinen 2002: gain / log₂(rank + 1)),
            divided by that of the ideal order.
    """

    measure: str
    recall: Estimate | None
    mrr: Estimate | None
    ndcg: Estimate | None


@dataclass(frozen=True, eq=False)
class Retrieval(Mapping[str, Retrieved]):
    """By measure: how well it finds what is relevant; all measures on the same queries.

    Attributes:
        table: which items are relevant.
        k: how many of the closest words count as found.
        queries: (covered,) rows of the queries that were asked: they, and a relevant item of theirs, are in the
            vocabulary, and their vectors are not zero.
        missing: queries and items outside the vocabulary, each once; such items count for nothing.
        measures: the figures.
        margins: by metric, the difference of every two measures on the same resamples, the larger first.
        why: why nothing is defined, or "".
    """

    table: Relevance = field(repr=False)
    k: int
    queries: NDArray[np.intp] = field(repr=False)
    missing: tuple[str, ...]
    measures: Mapping[str, Retrieved]
    margins: Mapping[str, tuple[Margin, ...]] = field(repr=False)
    why: str = ""

    def __getitem__(self, measure: str) -> Retrieved:
        return self.measures[measure]

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)


def retrieval(
    embeddings: Embeddings,
    relevance: str | File | Relevance,
    k: int = 10,
    measures: Sequence[str] | None = None,
    weights: object = None,
    progress: Progress | None = None,
) -> Retrieval:
    """Recall@k, mean reciprocal rank and nDCG@k of each measure.

    Queries and items are words of the vocabulary (which may be whole sentences), looked up as written, then in lower
    case. Each query is ranked against all words but itself, as `ac.rank` does.

    Args:
        embeddings: n words.
        relevance: "groups-en", "groups-zh", a CSV or TSV file of query, item and gain (1 where there is none), or what
            `read_relevance` gives.
        k: how many of the closest words count as found.
        measures: keys of `MEASURES`; None for all.
        weights: for the measures that need them; None for their seeded random weights, seed 0.
        progress: called as progress(done, total); what it raises ends the work.

    Returns:
        By measure. A query counts when it and an item with a gain above 0 are in the vocabulary.

    Raises:
        EmbeddingsError: a file that cannot be read as such a table.
        ScoringError: k < 1, an unknown measure, or weights that do not fit.

    Example:
        >>> import attention_core as ac
        >>> found = retrieval(ac.sample("glove-en"), "groups-en", k=10, measures=["dot", "cosine"])
        >>> {measure: round(figures.recall.value, 3) for measure, figures in found.items()}
        {'dot': 0.225, 'cosine': 0.239}
    """
    if k < 1:
        raise ScoringError(f"k is the number of words to find, and {k} was given. Choose 1 or more.")
    judged = table(relevance, Relevance, read_relevance)
    names = [named(name).name for name in (MEASURES if measures is None else measures)]
    asked, absent = _asked(embeddings, judged)
    queries = np.array(list(asked), dtype=np.intp)
    if not len(queries):
        why = "no query has itself and a relevant item among the vectors"
        nothing = {name: Retrieved(name, None, None, None) for name in names}
        return Retrieval(judged, k, queries, absent, nothing, dict.fromkeys(METRICS, ()), why)
    each = {name: np.empty((len(METRICS), len(queries))) for name in names}
    for start in range(0, len(queries), QUERIES):
        rows = queries[start : start + QUERIES]
        found = rank(embeddings, [embeddings.words[row] for row in rows], max(k, DEPTH), names, weights)
        for name in names:
            for i, (row, ranked) in enumerate(zip(rows, found[name].indices, strict=True), start):
                each[name][:, i] = _figures(asked[int(row)], ranked, k)
        if progress is not None:
            progress(start + len(rows), len(queries))
    figures, differences = _estimates(each)
    return Retrieval(judged, k, queries, absent, figures, differences)


def _asked(embeddings: Embeddings, judged: Relevance) -> tuple[dict[int, dict[int, float]], tuple[str, ...]]:
    """By row of a query, by row of an item: its gain; and the words that are not in the vocabulary."""
    labels = list(dict.fromkeys(label for query, items in judged.gains.items() for label in (query, *items)))
    rows = dict(zip(labels, rows_of(embeddings, labels).tolist(), strict=True))
    asked: dict[int, dict[int, float]] = {}
    for query, items in judged.gains.items():
        known = {rows[item]: gain for item, gain in items.items() if rows[item] not in (-1, rows[query])}
        asks = rows[query] >= 0 and embeddings.norms[rows[query]] > 0
        if asks and max(known.values(), default=0.0) > 0:
            asked.setdefault(rows[query], {}).update(known)
    return asked, tuple(label for label in labels if rows[label] < 0)


def _figures(gains: Mapping[int, float], ranked: NDArray[np.intp], k: int) -> Floats:
    """Recall, reciprocal rank and nDCG of one query, from its closest rows in order."""
    found = np.array([gains.get(int(row), 0.0) for row in ranked])
    wanted = sum(gain > 0 for gain in gains.values())
    first = np.flatnonzero(found[:DEPTH])
    ideal = np.sort(list(gains.values()))[::-1][:k]
    return np.array(
        [
            np.count_nonzero(found[:k]) / wanted,
            1 / (1 + first[0]) if len(first) else 0.0,
            _discounted(found[:k]) / _discounted(ideal),
        ]
    )


def _discounted(gains: Floats) -> float:
    return float(np.sum(gains / np.log2(np.arange(2, len(gains) + 2))))


def _estimates(each: Mapping[str, Floats]) -> tuple[dict[str, Retrieved], dict[str, tuple[Margin, ...]]]:
    """By measure the figures, and by metric the differences between measures."""
    names = list(each)
    estimates: dict[str, list[Estimate]] = {name: [] for name in names}
    differences = {}
    for place, metric in enumerate(METRICS):
        values = np.stack([each[name][place] for name in names])  # (measures, queries)
        alone = values.shape[1] == 1  # resampling one query says nothing of others
        resampled = np.full((1, len(names)), np.nan) if alone else means(values, SEED)
        averages = values.mean(axis=1).tolist()
        for i, name in enumerate(names):
            estimates[name].append(Estimate(averages[i], interval(resampled[:, i]), values[i]))
        differences[metric] = margins(names, averages, resampled)
    return {name: Retrieved(name, *estimates[name]) for name in names}, differences
