"""Scores of given pairs of words, and pairs drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures import Measure
from attention_core.measures.base import Floats
from attention_core.similarity.binning import Rows, Scorer
from attention_core.similarity.candidates import gamma
from attention_core.similarity.hidden_sums import activation_of, project

BLOCK = 1 << 19
"""Values widened to float64 at a time: 4 MiB, which a processor's cache holds."""


class Drawn(NamedTuple):
    """(m,) rows of the first and of the second word of each pair."""

    first: Rows
    second: Rows

    def at(self, places: Rows | NDArray[np.bool_]) -> Drawn:
        """Some of the pairs."""
        return Drawn(self.first[places], self.second[places])


class Exact(NamedTuple):
    """What scores pairs as the measure defines it.

    Attributes:
        scores: (m,) rows, (m,) rows -> (m,) float64.
        rounding: how far they may lie from the true scores, where that is not only float64's rounding.
    """

    scores: Scorer
    rounding: float = 0.0


def drawn(words: int, size: int, rng: np.random.Generator) -> Drawn:
    """Ordered pairs of two different words, each as likely as any other, with replacement."""
    first = rng.integers(words, size=size)
    return Drawn(first, (first + rng.integers(1, words, size=size)) % words)


def listed(words: int, ordered: bool, step: int) -> Iterator[Drawn]:
    """All pairs of two different words, about `step` at a time; (a, b) and (b, a) both where `ordered`."""
    height = max(1, step // words)
    columns = np.arange(words)
    for start in range(0, words, height):
        rows = np.arange(start, min(start + height, words))
        keep = (columns != rows[:, None]) if ordered else (columns > rows[:, None])
        down, across = np.nonzero(keep)
        if len(down):
            yield Drawn(down + start, across)


def products(embeddings: Embeddings, first: Rows, second: Rows) -> Floats:
    """(m,) q·k of the pairs, summed in float64."""

    def multiply(first: Rows, second: Rows) -> Floats:
        q, k = (embeddings.matrix.take(rows, axis=0) for rows in (first, second))
        found: Floats = np.einsum("md,md->m", q, k, dtype=np.float64)  # of the ways there are, the fastest
        return found

    return _blocked(multiply, max(1, BLOCK // embeddings.dimension), first, second)


def weights_for(measure: Measure, dimension: int, weights: Any) -> Any:
    """What the measure is scored with: nothing where it has no weights, seeded random ones where none are given."""
    if measure.random_weights is None:
        return None
    return measure.random_weights(dimension, dimension, 0) if weights is None else weights


def scorer(embeddings: Embeddings, measure: Measure, weights: Any, each: Callable[[], object] = lambda: None) -> Exact:
    """What scores pairs of these words in float64, or close to it; `each` is called while words are made ready."""
    form, norms = measure.product_form, embeddings.norms
    if measure.hidden_sum is not None:
        return _of_hidden_sum(embeddings, measure, weights, each)
    if form is not None and form.shift is None:  # nothing cancels
        return Exact(lambda first, second: form(products(embeddings, first, second), norms[first], norms[second]))

    def score(first: Rows, second: Rows) -> Floats:
        q, k = (Compute().tensor(embeddings.matrix[rows], "float64")[:, None] for rows in (first, second))
        return Compute.array(measure(q, k, weights)[:, 0, 0])

    return Exact(partial(_blocked, score, max(1, BLOCK // embeddings.dimension)))


def _of_hidden_sum(embeddings: Embeddings, measure: Measure, weights: Any, each: Callable[[], object]) -> Exact:
    """Σ v·f(W_q q + W_k k) in float32, for which each word is projected once: 2 (n, hidden)."""
    activation, v = activation_of(measure), weights.v.detach().float()
    queries, keys = (
        project(embeddings, weight, Compute(), each).numpy() for weight in (weights.w_query, weights.w_key)
    )

    def score(first: Rows, second: Rows) -> Floats:
        terms = queries.take(first, axis=0)
        terms += keys.take(second, axis=0)
        return Compute.array((activation(torch.from_numpy(terms)) @ v).double())

    farthest = 1 + float(np.abs(queries).max()) + float(np.abs(keys).max())
    rounding = gamma(len(v) + 20, torch.float32) * farthest * float(v.abs().sum())  # |f| <= 1 and |f'| <= 1
    return Exact(partial(_blocked, score, max(1, BLOCK // len(v))), rounding)


def _blocked(score: Scorer, step: int, first: Rows, second: Rows) -> Floats:
    blocks = [score(first[i : i + step], second[i : i + step]) for i in range(0, len(first), step)]
    return np.concatenate(blocks) if blocks else np.empty(0)
