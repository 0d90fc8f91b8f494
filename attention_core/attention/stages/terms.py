"""What a number in a stage is made of: products, one by one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from attention_core.attention.stages.matrices import PAIRS, Stage, matrix
from attention_core.attention.stages.stages import Head, Stages
from attention_core.errors import AttentionError
from attention_core.similarity.pair import Terms

Counted = Literal["component", "hidden unit", "token"]
Factors = tuple[Tensor, Tensor]


@dataclass(frozen=True, eq=False)
class Made:
    """One number of a stage, and the products that it sums.

    Attributes:
        stage: where it stands.
        row, column: its place, from 0.
        value: the number; None where masked or undefined.
        terms: the products, largest in size first, whose sum is the number, or the score that it was made from; None
            where the number was given, or the score is undefined or no sum that is known here.
        counted: what there is one product of.
        way: of a pair of tokens, the score, the scaled score and the weight, None where undefined.
        masked: whether the mask forbids the pair.
    """

    stage: Stage
    row: int
    column: int
    value: float | None
    terms: Terms | None = None
    counted: Counted = "component"
    way: tuple[float | None, ...] = ()
    masked: bool = False


def _cosine(q: Tensor, k: Tensor, _weights: Any) -> Factors:
    return q / torch.linalg.vector_norm(q), k / torch.linalg.vector_norm(k)


def _euclidean(q: Tensor, k: Tensor, _weights: Any) -> Factors:
    return q - k, (q - k) / -2


def _additive(q: Tensor, k: Tensor, weights: Any) -> Factors:
    hidden = weights.w_query.to(q) @ q + weights.w_key.to(k) @ k
    return weights.v.to(q), torch.tanh(hidden)


SUMS: Mapping[str, Callable[[Tensor, Tensor, Any], Factors]] = MappingProxyType(
    {"dot": lambda q, k, _weights: (q, k), "cosine": _cosine, "euclidean": _euclidean, "additive": _additive}
)
"""By score: the two factors of each product that its logit sums, from q (d,), k (d,) and its weights."""


def made(found: Stages, number: int, stage: Stage, row: int, column: int) -> Made:
    """The number in a row and a column of a stage, term by term.

    A scaled, masked or softmaxed score shows the terms of its score. Those of Q and K under RoPE are left out, since
    the rotation mixes two sums.

    Args:
        found: all of it.
        number: of the head that is looked at, from 0.
        stage: its name.
        row: from 0.
        column: from 0.

    Raises:
        AttentionError: no such head, row or column.

    Example:
        >>> from attention_core.attention.stages import Settings, stages
        >>> found = stages(torch.tensor([[1.0, 2.0, 3.0, 4.0], [2.0, 0.0, 1.0, 3.0]]), Settings())
        >>> one = made(found, 0, "scores", 0, 1)
        >>> one.value, one.terms.products.tolist(), [round(x, 4) for x in one.way]
        (17.0, [12.0, 3.0, 2.0, 0.0], [17.0, 8.5, 0.0015])
    """
    head = found.head(number)
    shape = (len(head.q), len(head.k)) if stage in PAIRS else tuple(matrix(found, head, stage).shape)
    if not (0 <= row < shape[0] and 0 <= column < shape[1]):
        raise AttentionError(
            f"Row {row + 1}, column {column + 1} was asked for in {shape[0]} × {shape[1]}. Choose others."
        )
    if stage in PAIRS:
        return _of_pair(head.row(row), stage, row, column)
    factors = _factors(found, head, stage, row, column)
    counted: Counted = "token" if stage in ("A·V", "joined") else "component"
    value = matrix(found, head, stage)[row, column].item()
    return Made(stage, row, column, _defined(value), None if factors is None else _terms(*factors), counted)


def _of_pair(head: Head, stage: Stage, row: int, column: int) -> Made:
    way = tuple(_defined(each[0, column].item()) for each in (head.scores, head.scaled, head.weights))
    score, scaled, weight = way
    masked = head.mask is not None and not bool(head.mask[0, column])
    value = {"scores": score, "scaled": scaled, "masked": None if masked else scaled}.get(stage, weight)
    sums = SUMS.get(head.options.score)
    terms = None
    if sums is not None and score is not None:
        terms = _terms(*sums(head.q[0], head.k[column], head.options.weights))
    counted: Counted = "hidden unit" if head.options.weights is not None else "component"
    return Made(stage, row, column, value, terms, counted, way, masked)


def _factors(found: Stages, head: Head, stage: Stage, row: int, column: int) -> Factors | None:
    """What is multiplied, term by term; None where the number was given, or mixed from two sums."""
    p, settings, size = found.projections, found.settings, head.v.shape[-1]
    group = head.number // (settings.heads // settings.groups)
    turned = settings.positions == "rope"
    if stage == "output" and p.o is not None:
        return _linear(found.concatenated[row], p.o[column], p.o_bias, column)
    match stage:
        case "Q" if not turned:
            at = head.number * head.q.shape[-1] + column
            return _linear(found.positioned[found.first + row], p.q[at], p.q_bias, at)
        case "K" if not turned:
            at = group * head.k.shape[-1] + column
            return _linear(found.positioned[row], p.k[at], p.k_bias, at)
        case "V":
            at = group * size + column
            return _linear(found.positioned[row], p.v[at], p.v_bias, at)
        case "A·V":
            return head.row(row).weights[0], head.v[:, column]
        case "joined" | "output":
            one = found.head(column // size)
            return one.row(row).weights[0], one.v[:, column % size]
    return None


def _linear(x: Tensor, weights: Tensor, bias: Tensor | None, place: int) -> Factors:
    """The bias counts as a last component, of 1."""
    if bias is None:
        return x, weights
    return torch.cat([x, torch.ones_like(x[:1])]), torch.cat([weights, bias[place : place + 1]])


def _terms(a: Tensor, b: Tensor) -> Terms:
    first, second = (each.detach().cpu().double().numpy() for each in (a, b))
    products = first * second
    order = np.argsort(-np.abs(products), kind="stable")
    return Terms(order, first[order], second[order], products[order], np.cumsum(products[order]))


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
