"""The k closest words of all words, or of a sample of them, under every measure in one pass; what the lists share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError
from attention_core.measures import MEASURES
from attention_core.similarity.blocks import Progress
from attention_core.similarity.hubness import Hubness, Interval, hubness_of
from attention_core.similarity.search import Ranked, rank
from attention_core.similarity.ties import tie_keys

CHUNK = 1 << 26
"""Pairs between two reports of progress."""


@dataclass(frozen=True)
class Budget:
    """Which words are asked for their lists.

    Attributes:
        pairs: up to so many pairs of a query and a word all words are asked: by default those of 23,170 words.
        queries: how many are drawn where there are more.
        seed: of the draw.
    """

    pairs: int = 1 << 29
    queries: int = 2_000
    seed: int = 0

    def rows(self, n: int) -> NDArray[np.intp]:
        """The rows to ask, ascending."""
        if n * n <= self.pairs or n <= self.queries:
            return np.arange(n)
        return np.sort(np.random.default_rng(self.seed).choice(n, self.queries, replace=False))


@dataclass(frozen=True)
class Overlap:
    """How much of the k closest words two measures share.

    Attributes:
        mean: the share of common words, averaged over the query words, in [0, 1]; None where no list of both counts.
        interval: of the mean; None where all words were asked.
        lists: query words that it is averaged over.
    """

    mean: float | None
    interval: Interval | None
    lists: int


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """Lists of the k closest words.

    Attributes:
        embeddings: n words.
        k: the length of a list: fewer where there are fewer other words.
        asked: (q,) rows of the query words, ascending.
        lists: by measure, rows (q, k) and scores (q, k).
    """

    embeddings: Embeddings
    k: int
    asked: NDArray[np.intp] = field(repr=False)
    lists: Mapping[str, Ranked] = field(repr=False)

    @property
    def sampled(self) -> bool:
        """Whether only some words were asked."""
        return len(self.asked) < len(self.embeddings)

    @cached_property
    def hubness(self) -> Mapping[str, Hubness]:
        """By measure: how often each word is in the lists of others."""
        e = self.embeddings
        found = {
            name: hubness_of(name, e.words, ranked.indices, self._telling[name], e.norms)
            for name, ranked in self.lists.items()
        }
        return MappingProxyType(found)

    @cached_property
    def overlap(self) -> Mapping[tuple[str, str], Overlap]:
        """For both orders of every pair of measures: the mean share of common words in their lists."""
        found = {}
        for a, b in combinations(self.lists, 2):
            found[a, b] = found[b, a] = self._overlap(a, b)
        return MappingProxyType(found)

    @cached_property
    def _telling(self) -> Mapping[str, NDArray[np.bool_]]:
        """(q,) by measure: lists that are defined and do not tie as a whole, which would only give the file's order."""
        others = len(self.embeddings) - 1
        found: dict[str, NDArray[np.bool_]] = {}
        for name, ranked in self.lists.items():
            defined = (ranked.indices >= 0).all(axis=1) & ~np.isnan(ranked.scores).any(axis=1) & (self.k > 0)
            if 1 < self.k < others:
                keys = tie_keys(np.nan_to_num(ranked.scores[:, [0, -1]]))
                defined = defined & (keys[:, 0] != keys[:, 1])
            found[name] = np.asarray(defined)
        return found

    def _overlap(self, a: str, b: str) -> Overlap:
        both = self._telling[a] & self._telling[b]
        if not both.any():
            return Overlap(None, None, 0)
        first, second = (self.lists[name].indices[both] for name in (a, b))
        shared = sum((first == second[:, [j]]).any(axis=1).astype(np.float64) for j in range(self.k))
        shares = np.asarray(shared) / self.k
        interval = _interval(shares, len(self.embeddings)) if self.sampled else None
        return Overlap(float(shares.mean()), interval, len(shares))


def _interval(values: NDArray[np.float64], population: int) -> Interval | None:
    """Normal interval of the mean of a sample without replacement; None for fewer than two values."""
    if len(values) < 2:
        return None
    half = 1.959964 * values.std(ddof=1) * np.sqrt((1 - len(values) / population) / len(values))
    return Interval(float(values.mean() - half), float(values.mean() + half))


def neighbourhoods(
    embeddings: Embeddings,
    k: int = 10,
    measures: Sequence[str] | None = None,
    budget: Budget = Budget(),
    compute: Compute | None = None,
    progress: Progress | None = None,
) -> Neighbourhoods:
    """The k closest words of all words; beyond 23,170 words those of 2,000 query words, among all words.

    Args:
        embeddings: n words.
        k: the length of a list.
        measures: keys of `MEASURES`; None for those without weights (random weights would give random lists).
        budget: when to ask a sample.
        compute: the device; None for the CPU.
        progress: called as progress(done, total); what it raises ends the work.

    Raises:
        ScoringError: k < 1, or an unknown measure.

    Example:
        >>> e = Embeddings(["a", "b", "c", "d"], [[1, 0], [2, 1], [9, 1], [0, 1]], "four words")
        >>> found = neighbourhoods(e, k=1)
        >>> found.hubness["dot"].counts.tolist(), found.overlap["dot", "cosine"].mean
        ([0, 2, 2, 0], 0.75)
    """
    if k < 1:
        raise ScoringError(f"k is the number of closest words in a list, and {k} was given. Choose 1 or more.")
    chosen = [name for name, m in MEASURES.items() if not m.needs_weights] if measures is None else list(measures)
    n = len(embeddings)
    asked = budget.rows(n)
    k = min(k, n - 1)
    step = max(64, min(1024, CHUNK // n))
    parts: list[dict[str, Ranked]] = []
    for start in range(0, len(asked), step):
        words = [embeddings.words[row] for row in asked[start : start + step].tolist()]
        parts.append(rank(embeddings, words, max(k, 1), chosen, compute=compute))
        if progress is not None:
            progress(min(start + step, len(asked)), len(asked))
    joined = {
        name: Ranked(*(np.concatenate([part[name][i] for part in parts])[:, :k] for i in (0, 1))) for name in chosen
    }
    return Neighbourhoods(embeddings, k, asked, MappingProxyType(joined))
