"""The four ways to answer a : b :: c : ? by vectors: how well each word fits, higher is better, in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings

EPSILON = 0.001
"""Of 3CosMul, as published: it keeps the denominator above 0."""
QUESTIONS, WORDS = 256, 4_096
"""Scored at a time."""


@dataclass(frozen=True)
class Sides:
    """Questions (q, d) and words that could answer them (w, d).

    Attributes:
        a, b, c, words: as stored.
        unit: the same four, each divided by its norm.
        middle: (d,) the mean of the vocabulary.
    """

    a: Tensor
    b: Tensor
    c: Tensor
    words: Tensor
    unit: tuple[Tensor, ...]
    middle: Tensor


Method: TypeAlias = Callable[[Sides], Tensor]
"""The score (q, w) of each word."""


def three_cos_add(sides: Sides) -> Tensor:
    """cos(x, b) − cos(x, a) + cos(x, c) (Mikolov, Yih and Zweig 2013; named by Levy and Goldberg 2014)."""
    a, b, c, words = sides.unit
    return (b - a + c) @ words.mT


def three_cos_mul(sides: Sides) -> Tensor:
    """cos(x, b)·cos(x, c) / (cos(x, a) + ε), cosines shifted to [0, 1] (Levy and Goldberg 2014, equation 4)."""
    *asked, words = sides.unit
    a, b, c = ((vectors @ words.mT).add_(1).div_(2) for vectors in asked)
    return b.mul_(c).div_(a.add_(EPSILON))


def dot(sides: Sides) -> Tensor:
    """x·(b − a + c), lengths as they are."""
    return (sides.b - sides.a + sides.c) @ sides.words.mT


def euclidean(sides: Sides) -> Tensor:
    """x·t − ‖x‖²/2 with t = b − a + c: falls as ‖x − t‖ grows; all shifted by the mean, so that little cancels."""
    words = sides.words - sides.middle
    target = sides.b - sides.a + sides.c - sides.middle
    return torch.addmm(words.square().sum(1)[None] / -2, target, words.mT)


METHODS: Mapping[str, Method] = MappingProxyType(
    {"3CosAdd": three_cos_add, "3CosMul": three_cos_mul, "dot": dot, "euclidean": euclidean}
)


@dataclass(frozen=True)
class Block:
    """Scores of some questions with some words.

    Attributes:
        questions: which of the questions.
        words: which rows of the vocabulary.
        scores: by method, (q, w); −inf for a zero vector, which has no direction.
    """

    questions: slice
    words: slice
    scores: Mapping[str, Tensor]


def blocks(embeddings: Embeddings, rows: NDArray[np.intp], compute: Compute) -> Iterator[Block]:
    """All questions against all words.

    Args:
        embeddings: n words.
        rows: (q, 3) of a, b and c; none of them may be a zero vector.
        compute: the device.
    """
    middle = compute.tensor(embeddings.matrix.mean(axis=0, dtype=np.float64), "float64")
    for span in _spans(len(embeddings), WORDS):
        words, unit = _unit(embeddings.matrix[span], compute)
        zero = (words == 0).all(dim=1)
        for chosen in _spans(len(rows), QUESTIONS):
            (a, *_), (b, *_), (c, *_) = asked = [_unit(embeddings.matrix[rows[chosen, i]], compute) for i in range(3)]
            sides = Sides(a, b, c, words, (*(each for _, each in asked), unit), middle)
            yield Block(
                chosen, span, {name: method(sides).masked_fill_(zero, -torch.inf) for name, method in METHODS.items()}
            )


def count(embeddings: Embeddings, questions: int) -> int:
    """How many blocks there are."""
    return -(-len(embeddings) // WORDS) * -(-questions // QUESTIONS)


def _unit(vectors: NDArray[np.float32], compute: Compute) -> tuple[Tensor, Tensor]:
    """In float64, as stored and divided by their norms."""
    raw = compute.tensor(vectors, "float64")
    return raw, torch.nn.functional.normalize(raw, eps=0.0)


def _spans(n: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
