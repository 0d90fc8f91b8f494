"""From vectors to the output of attention, with every stage on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import torch
from torch import Tensor

from attention_core.attention.attend import AttentionOptions
from attention_core.attention.base import Attention, softmax, weighted_sum
from attention_core.attention.multi_head import check_projections, contributions, merge_heads, split_heads
from attention_core.attention.projections import Projections
from attention_core.attention.rotary import rotate
from attention_core.attention.sinusoidal import sinusoidal
from attention_core.attention.stages.settings import Settings
from attention_core.errors import AttentionError

BLOCK = 1 << 18
"""Scores that are made at a time: an additive one takes a few hundredths of a second for so many."""


@dataclass(frozen=True, eq=False)
class Head:
    """One head: m queries, n keys and values, and the matrices between them, each (m, n) and made when first asked for.

    Attributes:
        q: (m, d), after any rotation.
        k: (n, d), after any rotation.
        v: (n, d_v).
        mask: (m, n), True = may attend; None where all may.
        options: score, scale and temperature.
        number: of the head, from 0.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    mask: Tensor | None
    options: AttentionOptions
    number: int

    @property
    def factor(self) -> float:
        """What the scores are multiplied by: scale/temperature."""
        return self.options.factor(self.q.shape[-1])

    @property
    def _plain(self) -> AttentionOptions:
        return AttentionOptions(self.options.score, self.options.weights, scale=1.0)

    @cached_property
    def scores(self) -> Tensor:
        """The logits of the score, before any scale; NaN where undefined."""
        return self._plain.logits(self.q, self.k)

    def prepare(self, progress: Callable[[int], None]) -> None:
        """Makes the scores, some queries at a time, and tells how many queries are done; `progress` may raise."""
        m, n = len(self.q), len(self.k)
        made, step = None, max(1, BLOCK // n)
        for start in range(0, m, step):
            progress(start)
            rows = self._plain.logits(self.q[start : start + step], self.k)
            made = rows.new_empty(m, n) if made is None else made
            made[start : start + step] = rows
        vars(self)["scores"] = made  # where a cached property looks first

    @property
    def scaled(self) -> Tensor:
        """The scores times scale/temperature."""
        return self.scores * self.factor

    @property
    def masked(self) -> Tensor:
        """The scaled scores, −inf where masked."""
        return self.scaled if self.mask is None else self.scaled.masked_fill_(~self.mask, -torch.inf)

    @cached_property
    def weights(self) -> Tensor:
        """The softmax of each row: rows sum to 1, and to 0 where all is masked."""
        return softmax(self.masked, self.mask)

    @property
    def output(self) -> Tensor:
        """(m, d_v): each row the sum of the values, weighted."""
        return weighted_sum(self.weights, self.v, self.mask)

    def row(self, query: int) -> Head:
        """The same head with that query alone.

        Raises:
            AttentionError: no such query.
        """
        if not 0 <= query < len(self.q):
            raise AttentionError(f"Row {query + 1} was asked for, and there are {len(self.q)}. Choose one of these.")
        mask = None if self.mask is None else self.mask[query : query + 1]
        return Head(self.q[query : query + 1], self.k, self.v, mask, self.options, self.number)

    def entropy(self) -> Tensor:
        """(m,), in nats: 0 on one key, ln(n) spread evenly over n."""
        return Attention(self.v, self.weights).entropy()


@dataclass(frozen=True, eq=False)
class Stages:
    """Every stage of attention over n tokens, of which the last m ask; matrices (m, n) are made by `head`.

    Attributes:
        settings: what was chosen.
        x: (n, in), the vectors as given.
        positioned: (n, in), with positions added where they are added.
        q: (heads, m, d), after any rotation.
        k: (kv_heads, n, d), after any rotation.
        v: (kv_heads, n, d_v).
        head_outputs: (heads, m, d_v).
        projections: the weights, in the dtype and on the device of x.
        kept: the head whose matrices are kept, if any.
    """

    settings: Settings
    x: Tensor
    positioned: Tensor
    q: Tensor
    k: Tensor
    v: Tensor
    head_outputs: Tensor
    projections: Projections
    kept: Head | None = None

    @property
    def first(self) -> int:
        """Which token asks first: the others before it only answer."""
        return self.k.shape[-2] - self.q.shape[-2]

    @property
    def mask(self) -> Tensor | None:
        """(m, n), True = may attend; None where all may."""
        return _mask(self.settings, self.q, self.k)

    def head(self, number: int) -> Head:
        """A head by its number from 0; but for the kept one, what is returned holds its matrices.

        Raises:
            AttentionError: no such head.
        """
        heads = self.settings.heads
        if not 0 <= number < heads:
            raise AttentionError(f"Head {number + 1} was asked for, and there are {heads}. Choose 1 to {heads}.")
        if self.kept is not None and self.kept.number == number:
            return self.kept
        return _head(number, self.settings, (self.q, self.k, self.v), self.mask)

    @property
    def concatenated(self) -> Tensor:
        """(m, heads·d_v): the heads side by side."""
        return merge_heads(self.head_outputs)

    @property
    def contributions(self) -> Tensor:
        """(heads, m, out): what each head adds to the output."""
        return contributions(self.head_outputs, self.projections.o)

    @property
    def output(self) -> Tensor:
        """(m, out): the heads side by side, times W_O."""
        p = self.projections
        return self.concatenated if p.o is None else torch.nn.functional.linear(self.concatenated, p.o, p.o_bias)


def stages(
    x: Tensor,
    settings: Settings,
    projections: Projections | None = None,
    progress: Callable[[int, int], None] | None = None,
    keep: int | None = None,
) -> Stages:
    """X -> Q, K, V -> scores -> scaled -> masked -> softmax -> output of each head -> joined, times W_O.

    The same as `multi_head` with `attend`, with nothing thrown away. One head follows the other, so that two (m, n)
    matrices at a time are in memory.

    Args:
        x: (n, in), the vectors of n tokens.
        settings: what is chosen.
        projections: W_Q, W_K, W_V and W_O; None for `settings.projections`, which “pca” needs to be given.
        progress: called with (queries done, queries of all heads); it may raise to stop.
        keep: the number of a head that is looked at closely, from 0: its matrices are made once.

    Raises:
        AttentionError: vectors, heads, projections or settings that do not fit together.

    Example:
        >>> found = stages(torch.eye(4, dtype=torch.float64), Settings(mask="causal", heads=2))
        >>> found.q.shape, found.head(0).weights[1].round(decimals=2).tolist()
        (torch.Size([2, 4, 2]), [0.33, 0.67, 0.0, 0.0])
    """
    if x.ndim != 2 or not len(x):
        raise AttentionError(
            f"Vectors (tokens, size) are expected, found {tuple(x.shape)}. Give a matrix with one row for each token."
        )
    n, first = len(x), len(x) - min(settings.queries or len(x), len(x))
    p = (settings.projections(x.shape[1]) if projections is None else projections).to(x)
    check_projections(x, p, settings.heads, settings.groups)
    places = torch.arange(n, device=x.device)
    positioned = x + sinusoidal(places, x.shape[1]).to(x) if settings.positions == "sinusoidal" else x
    q = split_heads(torch.nn.functional.linear(positioned[first:], p.q, p.q_bias), settings.heads)
    k = split_heads(torch.nn.functional.linear(positioned, p.k, p.k_bias), settings.groups)
    v = split_heads(torch.nn.functional.linear(positioned, p.v, p.v_bias), settings.groups)
    if settings.positions == "rope":
        q, k = rotate(q, places[first:]), rotate(k, places)
    outputs, kept = [], None
    for head in each_head(settings, (q, k, v), progress):
        outputs.append(head.output)
        kept = head if head.number == keep else kept
    return Stages(settings, x, positioned, q, k, v, torch.stack(outputs), p, kept)


def each_head(
    settings: Settings, qkv: tuple[Tensor, ...], progress: Callable[[int, int], None] | None = None
) -> Iterator[Head]:
    """One head after the other, its scores made where progress is told in (queries done, queries of all heads)."""
    mask, m = _mask(settings, *qkv[:2]), qkv[0].shape[1]
    for number in range(settings.heads):
        head = _head(number, settings, qkv, mask)
        if progress is not None:
            head.prepare(partial(_told, progress, number * m, settings.heads * m))
        yield head


def _told(progress: Callable[[int, int], None], before: int, total: int, done: int) -> None:
    progress(before + done, total)


def _mask(settings: Settings, q: Tensor, k: Tensor) -> Tensor | None:
    pattern = settings.pattern(q.shape[-2], k.shape[-2])
    return None if pattern is None else pattern.to(q.device)


def _head(number: int, settings: Settings, qkv: tuple[Tensor, ...], mask: Tensor | None) -> Head:
    q, k, v = qkv
    group = number // (settings.heads // settings.groups)
    return Head(q[number], k[group], v[group], mask, settings.options(q.shape[-1]), number)
