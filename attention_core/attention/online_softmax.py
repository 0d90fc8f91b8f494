"""Attention tile by tile with a running maximum and a running sum: exact, and no (query, key) matrix is made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from attention_core.attention.base import (
    Align,
    allowed,
    batch_axes,
    check,
    check_sizes,
    positions,
    scores,
    weighted_sum,
    wide,
)
from attention_core.errors import AttentionError

BLOCK = 1 << 20
"""Scores that are held at a time (unless one query's tile is larger): 4 MB in float32, about what caches hold."""


@dataclass(frozen=True)
class Tiling:
    """How `online_softmax` scores, and what it keeps of the way.

    Attributes:
        scale: what q·k is multiplied by; None for 1/√d.
        causal: no query sees a later key.
        align: where queries and keys differ in number, "bottom-right" or "top-left" (see `masks.causal`).
        trace: "sums" keeps maximum, rescale factor and sum after each tile, 3 numbers for each query and tile;
            "outputs" keeps the partial outputs too, which take tiles times the memory of the output; "none" nothing.

    Raises:
        AttentionError: another alignment or trace.
    """

    scale: float | None = None
    causal: bool = False
    align: Align = "bottom-right"
    trace: Literal["none", "sums", "outputs"] = "sums"

    def __post_init__(self) -> None:
        if self.align not in ("bottom-right", "top-left"):
            raise AttentionError(f"There is no alignment “{self.align}”. Choose bottom-right or top-left.")
        if self.trace not in ("none", "sums", "outputs"):
            raise AttentionError(f"There is no trace “{self.trace}”. Choose none, sums or outputs.")


@dataclass(frozen=True, eq=False)
class Step:
    """The state after one tile, for each query.

    Attributes:
        start: the first key of the tile.
        stop: the key after its last.
        max: (..., query), the largest score so far; −inf before the first allowed key.
        rescale: (..., query), e^(old max − new max), what the old sum and output were multiplied by; 0 at the first.
        sum: (..., query), Σ e^(score − max) so far.
        output: (..., query, value), the attention to the keys so far; None unless kept.
    """

    start: int
    stop: int
    max: Tensor
    rescale: Tensor
    sum: Tensor
    output: Tensor | None


@dataclass(frozen=True, eq=False)
class TiledAttention:
    """What `online_softmax` and `merge` return.

    Attributes:
        output: (..., query, value).
        lse: (..., query), ln Σ e^score over the allowed keys, natural logarithm, float32 or wider; −inf where there is
            no allowed key. A weight is e^(score − lse).
        trace: one step for each tile of keys; () where it was not kept, or after a merge.
    """

    output: Tensor
    lse: Tensor
    trace: tuple[Step, ...] = ()


PLAIN = Tiling()


def online_softmax(
    q: Tensor, k: Tensor, v: Tensor, tile: int = 512, mask: Tensor | None = None, tiling: Tiling = PLAIN
) -> TiledAttention:
    """softmax(QKᵀ/√d)·V by one pass over the keys (Milakov and Gimelshein 2018; Dao et al. 2022, algorithm 1).

    When a tile raises the maximum from m to m', what was summed so far is multiplied by e^(m − m'). The result is that
    of `scaled` to rounding, whatever the tile; beside output and trace, memory holds one block of scores.

    Args:
        q: (..., query, d).
        k: (..., key, d).
        v: (..., key, d_v), of one floating dtype and on one device with q and k.
        tile: keys in one tile, 1 or more.
        mask: broadcasts to (..., query, key): boolean, True = may attend, or additive of 0 and −inf. The causal rule
            of `tiling` needs no matrix.
        tiling: scale, causal rule and trace.

    Returns:
        The output in the dtype of q, exactly 0 in a row with no allowed key; log-sum-exp; trace.

    Raises:
        AttentionError: shapes, dtypes, a mask or a tile that do not fit.

    Example:
        >>> q, k, v = torch.tensor([[1.0]]), torch.tensor([[1.0], [3.0], [2.0]]), torch.eye(3)
        >>> found = online_softmax(q, k, v, tile=1)
        >>> [float(step.max) for step in found.trace]
        [1.0, 3.0, 3.0]
        >>> found.output
        tensor([[0.0900, 0.6652, 0.2447]])
    """
    check(q, k, v)
    check_sizes(q, k)
    if tile < 1:
        raise AttentionError(f"Tiles of {tile} keys were asked for. Choose 1 or more.")
    may = allowed(mask, q, k)
    scale = q.shape[-1] ** -0.5 if tiling.scale is None else tiling.scale
    batch = batch_axes(q, k, v)
    q, k, v = (given.expand(*batch, *given.shape[-2:]) for given in (q, k, v))
    may = None if may is None else may.expand(*batch, q.shape[-2], k.shape[-2])
    kept = _Kept.empty(q, k, v, tile, tiling.trace)
    at = positions(q.shape[-2], k.shape[-2], tiling.align).to(q.device) if tiling.causal else None
    width = max(1, min(tile, k.shape[-2]))
    height = max(1, min(BLOCK // width, q.shape[-2]))
    followed = torch.is_grad_enabled() and any(given.requires_grad for given in (q, k, v))
    room = None if followed else q.new_empty(height, width)
    for item in np.ndindex(batch):
        for rows in _slices(q.shape[-2], height):
            running = _Running(q[item][rows] * scale, v.shape[-1], room)
            for number, columns in enumerate(_slices(k.shape[-2], tile)):
                block = None if may is None else may[item][rows, columns]
                if at is not None:
                    block = _causal(block, at[rows], columns)
                running.take(k[item][columns], v[item][columns], block)
                kept.step(number, (*item, rows), running)
            kept.finish((*item, rows), running)
    return TiledAttention(kept.output, kept.lse, kept.trace(k.shape[-2], tile))


def merge(parts: Sequence[TiledAttention]) -> TiledAttention:
    """One attention from several over disjoint keys, as split-key decoding does: Σ e^(lseᵢ − lse)·outputᵢ.

    Args:
        parts: of the same queries, each with its output and the natural logarithm of its sum of exponentials.

    Returns:
        The attention over all keys; exactly 0, with an lse of −inf, where no part had an allowed key.

    Raises:
        AttentionError: no part, or parts of different shapes.

    Example:
        >>> q, k, v = torch.zeros(1, 2), torch.eye(2), torch.tensor([[1.0], [3.0]])
        >>> float(merge([online_softmax(q, k[:1], v[:1]), online_softmax(q, k[1:], v[1:])]).output)
        2.0
    """
    shapes = {(tuple(part.output.shape), tuple(part.lse.shape)) for part in parts}
    if len(shapes) != 1:
        found = ", ".join(str(output) for output, _ in sorted(shapes)) or "no part"
        raise AttentionError(
            f"Parts with outputs of one shape are expected, found {found}. Merge attention of the same queries."
        )
    sums = torch.stack([part.lse for part in parts])
    lse = torch.logsumexp(sums, dim=0)
    shares = torch.exp(sums - _finite(lse))
    outputs = torch.stack([wide(part.output) for part in parts])
    return TiledAttention((shares.unsqueeze(-1) * outputs).sum(dim=0).to(parts[0].output.dtype), lse)


class _Running:
    """The maximum (query, 1), the sum (query, 1) and the unnormalised output (query, value) of a block of queries.

    Where there is room (query, key) for the scores, each tile is written over the last: no gradient can be followed.
    """

    def __init__(self, scaled_q: Tensor, size: int, room: Tensor | None) -> None:
        self.q, self.room = scaled_q, None if room is None else room[: len(scaled_q)]
        column = wide(scaled_q[:, :1])
        self.max, self.sum = torch.full_like(column, -torch.inf), torch.zeros_like(column)
        self.rescale = torch.zeros_like(column)
        self.output = column.new_zeros(len(scaled_q), size)

    def take(self, k: Tensor, v: Tensor, may: Tensor | None) -> None:
        """Adds a tile of keys (key, d) and values (key, d_v), of which a query may attend some (query, key)."""
        if may is not None and not may.any():
            self.rescale = torch.exp(self.max - _finite(self.max))
            return
        logits = wide(scores(self._product, self.q, k, may))
        new = torch.maximum(self.max, logits.amax(dim=-1, keepdim=True))
        shift = _finite(new)
        powers = torch.exp(logits - shift) if self.room is None else logits.sub_(shift).exp_()
        self.rescale = torch.exp(self.max - shift)
        self.sum = self.sum * self.rescale + powers.sum(dim=-1, keepdim=True)
        v = wide(v)  # sums of powers that are not yet divided overflow half precision
        if self.room is None or may is not None:
            self.output = self.output * self.rescale + weighted_sum(powers, v, may)
        else:
            self.output.mul_(self.rescale).addmm_(powers, v)
        self.max = new

    def _product(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT if self.room is None else torch.mm(q, k.mT, out=self.room[:, : len(k)])

    @property
    def normalised(self) -> Tensor:
        """(query, value): the attention to the keys so far."""
        return self.output / self.sum.masked_fill(self.sum == 0, 1)


@dataclass(frozen=True)
class _Kept:
    """What is returned, allocated once: the output, its lse, and the trace, whose first axis counts the tiles."""

    output: Tensor
    lse: Tensor
    states: tuple[Tensor, ...]
    outputs: Tensor | None

    @classmethod
    def empty(cls, q: Tensor, k: Tensor, v: Tensor, tile: int, trace: str) -> _Kept:
        output = q.new_zeros(*q.shape[:-1], v.shape[-1])
        lse = wide(q.new_empty(0)).new_full(q.shape[:-1], -torch.inf)
        tiles = -(-k.shape[-2] // tile)
        states = () if trace == "none" else tuple(lse.new_empty(tiles, *lse.shape) for _ in range(3))
        return cls(output, lse, states, output.new_empty(tiles, *output.shape) if trace == "outputs" else None)

    def step(self, number: int, place: tuple[int | slice, ...], running: _Running) -> None:
        for kept, now in zip(self.states, (running.max, running.rescale, running.sum), strict=False):
            kept[(number, *place)] = now.detach().squeeze(-1)
        if self.outputs is not None:
            self.outputs[(number, *place)] = running.normalised.detach().to(self.outputs.dtype)

    def finish(self, place: tuple[int | slice, ...], running: _Running) -> None:
        self.output[place] = running.normalised.to(self.output.dtype)
        self.lse[place] = (running.max + running.sum.log()).squeeze(-1)

    def trace(self, k_len: int, tile: int) -> tuple[Step, ...]:
        if not self.states:
            return ()
        maxima, rescales, sums = self.states
        return tuple(
            Step(
                columns.start,
                columns.stop,
                maxima[number],
                rescales[number],
                sums[number],
                None if self.outputs is None else self.outputs[number],
            )
            for number, columns in enumerate(_slices(k_len, tile))
        )


def _causal(may: Tensor | None, at: Tensor, columns: slice) -> Tensor | None:
    """The mask of a tile together with the causal rule for queries at these positions; None where all is allowed."""
    if may is None and columns.stop <= int(at[0]) + 1:
        return None
    rule = at.unsqueeze(-1) >= torch.arange(columns.start, columns.stop, device=at.device)
    return rule if may is None else may & rule


def _slices(length: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, length)) for start in range(0, length, step))


def _finite(values: Tensor) -> Tensor:
    """The values with 0 for −inf, so that −inf less it stays −inf."""
    return values.masked_fill(values == -torch.inf, 0)
