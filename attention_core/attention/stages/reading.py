"""What the weights of a head say: where they are largest, how far they spread, and what a row of them sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attention_core.attention.stages.stages import Head, Stages


@dataclass(frozen=True)
class Link:
    """One weight.

    Attributes:
        query: its token, from 0, among all tokens.
        key: its token, from 0.
        weight: from 0 to 1.
    """

    query: int
    key: int
    weight: float


@dataclass(frozen=True, eq=False)
class Spread:
    """How evenly each of m queries attends.

    Attributes:
        entropy: (m,) in nats; NaN where a score is undefined.
        most: (m,) ln of how many keys are allowed, which even weights reach; −inf without any.
        own: (m,) the weight of the token itself.
    """

    entropy: Tensor
    most: Tensor
    own: Tensor


@dataclass(frozen=True, eq=False)
class Sum:
    """A row of the output of a head as the sum of values, each times its weight.

    Attributes:
        keys: (r,) tokens whose terms are shown, from 0, in order.
        weights: (r,) theirs.
        terms: (r, d_v), weight times value.
        others: how many further keys there are, with the smallest weights.
        rest: (d_v,) the sum of their terms.
        rest_weight: the sum of their weights.
        output: (d_v,) the sum of all.
    """

    keys: Tensor
    weights: Tensor
    terms: Tensor
    others: int
    rest: Tensor
    rest_weight: float
    output: Tensor


def spread(found: Stages, head: Head) -> Spread:
    """The entropy of each row, the most that it could be, and what each token keeps for itself.

    Example:
        >>> from attention_core.attention.stages import Settings, stages
        >>> found = stages(torch.eye(3, dtype=torch.float64), Settings(scale=0.0, mask="causal"))
        >>> spread(found, found.head(0)).entropy.tolist()  # ln 1, ln 2, ln 3
        [0.0, 0.6931471805599453, 1.0986122886681096]
    """
    m, n = len(head.q), len(head.k)
    allowed = torch.full((m,), n, device=head.q.device) if head.mask is None else head.mask.sum(dim=1)
    own = head.weights.diagonal(offset=found.first)
    return Spread(head.entropy(), allowed.to(head.q).log(), own)


def strongest(found: Stages, head: Head, count: int = 10, words: Sequence[str] | None = None) -> tuple[Link, ...]:
    """The largest weights, largest first; allowed ones only.

    Args:
        found: where the head comes from.
        head: its weights are looked at.
        count: how many at most.
        words: (n,) weights of a word on itself, wherever it stands, are left out; None for all weights.

    Example:
        >>> from attention_core.attention.stages import Settings, stages
        >>> found = stages(torch.tensor([[1.0, 0.0], [2.0, 0.0]]), Settings(scale="1"))
        >>> [(link.query, link.key) for link in strongest(found, found.head(0), words=["a", "b"])]
        [(0, 1), (1, 0)]
    """
    weights = head.weights if head.mask is None else head.weights.masked_fill(~head.mask, -1)
    weights = weights.nan_to_num(nan=-1)
    if words is not None:
        places = {word: place for place, word in enumerate(words)}
        same = torch.tensor([places[word] for word in words], device=weights.device)
        weights = weights.masked_fill(same[found.first :, None] == same, -1)
    n = weights.shape[1]
    best = weights.flatten().topk(min(count, weights.numel()))
    pairs = zip(best.values.tolist(), best.indices.tolist(), strict=True)
    return tuple(Link(found.first + place // n, place % n, weight) for weight, place in pairs if weight >= 0)


def weighted(head: Head, query: int, most: int = 24) -> Sum:
    """A row of the output of a head, term by term.

    Args:
        head: its values are summed.
        query: the row, from 0.
        most: terms; where there are more keys, those with the largest weights are shown, and the rest as one.

    Raises:
        AttentionError: no such row.
    """
    row = head.row(query)
    weights = row.weights[0]
    if len(weights) > most:
        keys = weights.nan_to_num(nan=0).topk(most).indices.sort().values
    else:
        keys = torch.arange(len(weights), device=weights.device)
    terms = weights[keys, None] * head.v[keys]
    output = row.output[0]
    left = torch.ones_like(weights, dtype=torch.bool)
    left[keys] = False
    rest = weights[left] @ head.v[left]
    return Sum(keys, weights[keys], terms, int(left.sum()), rest, float(weights[left].sum()), output)
