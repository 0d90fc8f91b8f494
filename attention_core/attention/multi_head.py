"""Multi-head attention, also with fewer key and value heads than query heads (GQA, MQA)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

import torch
from torch import Tensor

from attention_core.attention.base import Attention, Weights
from attention_core.attention.projections import Projections
from attention_core.attention.scaled import scaled
from attention_core.errors import AttentionError


@dataclass(frozen=True, eq=False)
class MultiHead(Attention[Weights]):
    """What multi-head attention returns: `output` (..., token, out), `weights` (..., heads, query, key), and the way.

    Attributes:
        q: (..., heads, token, d), the queries of each head.
        k: (..., kv_heads, token, d), the keys; head h uses those of block h // (heads/kv_heads).
        v: (..., kv_heads, token, d_v), the values.
        head_outputs: (..., heads, token, d_v), before they are joined and projected.
        projections: in the dtype and on the device of the vectors.
    """

    q: Tensor
    k: Tensor
    v: Tensor
    head_outputs: Tensor
    projections: Projections

    @property
    def contributions(self) -> Tensor:
        """(..., heads, token, out): what each head adds to the output; with o_bias, their sum is the output."""
        return contributions(self.head_outputs, self.projections.o)


@overload
def multi_head(
    x: Tensor, projections: Projections, heads: int, kv_heads: int | None = ..., mask: Tensor | None = ...
) -> MultiHead[Tensor]: ...
@overload
def multi_head(
    x: Tensor,
    projections: Projections,
    heads: int,
    kv_heads: int | None = ...,
    mask: Tensor | None = ...,
    *,
    attention: Callable[..., Attention[Weights]],
) -> MultiHead[Weights]: ...
def multi_head(
    x: Tensor,
    projections: Projections,
    heads: int,
    kv_heads: int | None = None,
    mask: Tensor | None = None,
    *,
    attention: Callable[..., Attention[Any]] = scaled,
) -> MultiHead[Any]:
    """Concat(head₁, …, head_h)·W_Oᵀ with headᵢ = attention(QWᵢ, KWᵢ, VWᵢ) (Vaswani et al. 2017, section 3.2.2).

    Each key and value head serves a contiguous block of query heads (Ainslie et al. 2023): kv_heads = heads is MHA,
    1 is MQA, what lies between is GQA. The scale is that of one head, 1/√d. One head with identity W_O is `scaled`.

    Args:
        x: (..., token, in).
        projections: W_Q, W_K, W_V and W_O; they are taken to the dtype and device of x.
        heads: number of query heads.
        kv_heads: number of key and value heads, which divides `heads`; None for as many.
        mask: broadcasts to (..., query, key), the same for all heads; with one axis more than x, (..., heads, query,
            key), each head has its own.
        attention: what each head does with (q, k, v, mask), such as
            `lambda q, k, v, mask: scaled(rotate(q, positions), rotate(k, positions), v, mask)`, or `attend` with
            options by functools.partial.

    Raises:
        AttentionError: sizes, heads or a mask that do not fit.

    Example:
        >>> x = torch.randn(2, 5, 6)
        >>> found = multi_head(x, Projections.random(seed=0, size=6, heads=3, kv_heads=1), heads=3, kv_heads=1)
        >>> found.output.shape, found.weights.shape
        (torch.Size([2, 5, 6]), torch.Size([2, 3, 5, 5]))
    """
    kv_heads = heads if kv_heads is None else kv_heads
    check_projections(x, projections, heads, kv_heads)
    p = projections.to(x)
    q = split_heads(torch.nn.functional.linear(x, p.q, p.q_bias), heads)  # (..., heads, token, d)
    k = split_heads(torch.nn.functional.linear(x, p.k, p.k_bias), kv_heads)  # (..., kv_heads, token, d)
    v = split_heads(torch.nn.functional.linear(x, p.v, p.v_bias), kv_heads)  # (..., kv_heads, token, d_v)
    if mask is not None and 2 < mask.ndim <= x.ndim:
        mask = mask.unsqueeze(-3)  # the same for all heads
    of_each = attention(q, *(given.repeat_interleave(heads // kv_heads, dim=-3) for given in (k, v)), mask)
    output = merge_heads(of_each.output)  # (..., token, heads·d_v)
    output = output if p.o is None else torch.nn.functional.linear(output, p.o, p.o_bias)
    return MultiHead(output, of_each.weights, q, k, v, of_each.output, p)


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(..., token, heads·d) -> (..., heads, token, d): the last axis is split, then the heads move before the tokens.

    Raises:
        AttentionError: heads that do not divide the last axis.

    Example:
        >>> split_heads(torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]]), 2).tolist()
        [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
    """
    if x.ndim < 2 or heads < 1 or x.shape[-1] % heads:
        raise AttentionError(
            f"{heads} heads do not divide vectors (..., token, size) of shape {tuple(x.shape)} into equal blocks. "
            "Choose a number of heads that divides the last axis."
        )
    return x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads).transpose(-3, -2)


def merge_heads(x: Tensor) -> Tensor:
    """(..., heads, token, d) -> (..., token, heads·d): what `split_heads` did is undone.

    Raises:
        AttentionError: fewer than three axes.

    Example:
        >>> merge_heads(torch.tensor([[[1, 2], [5, 6]], [[3, 4], [7, 8]]])).tolist()
        [[1, 2, 3, 4], [5, 6, 7, 8]]
    """
    if x.ndim < 3:
        raise AttentionError(f"Heads (..., heads, token, d) are expected, found {tuple(x.shape)}. Split them first.")
    return x.transpose(-3, -2).flatten(-2)


def contributions(head_outputs: Tensor, o: Tensor | None) -> Tensor:
    """What each head adds: (..., heads, token, d_v) and o (out, heads·d_v) -> (..., heads, token, out)."""
    heads, size = head_outputs.shape[-3], head_outputs.shape[-1]
    o = torch.eye(heads * size).to(head_outputs) if o is None else o
    return head_outputs @ o.reshape(-1, heads, size).permute(1, 2, 0)  # heads x (d_v, out)


def check_projections(x: Tensor, projections: Projections, heads: int, kv_heads: int) -> None:
    """Refuses vectors, projections and heads that do not fit together."""
    q, k, v = (tuple(given.shape) for given in (projections.q, projections.k, projections.v))
    if x.ndim < 2 or not x.is_floating_point() or x.shape[-1] != q[1]:
        raise AttentionError(
            f"Vectors (..., token, {q[1]}) in a floating dtype are expected by the projections, found "
            f"{tuple(x.shape)} in {x.dtype}. Use projections made for the size of the vectors."
        )
    if min(heads, kv_heads) < 1 or heads % kv_heads:
        raise AttentionError(
            f"{heads} query heads cannot share {kv_heads} key and value heads in equal groups. Choose kv_heads that "
            "divides heads: 1 for MQA, heads for MHA."
        )
    if q[0] % heads or v[0] % kv_heads or k[0] != q[0] // heads * kv_heads:
        raise AttentionError(
            f"With {heads} heads and {kv_heads} key and value heads, q (heads·d, in), k (kv_heads·d, in) and v "
            f"(kv_heads·d_v, in) are expected, found q {q}, k {k} and v {v}. Choose heads that divide the rows, and "
            "kv_heads that the projections were made for."
        )
    joined, o = heads * v[0] // kv_heads, projections.o
    if o is not None and o.shape[1] != joined:
        raise AttentionError(
            f"o (out, {joined}), with heads times d_v columns, is expected, found {tuple(o.shape)}. "
            "Give o as (out, in)."
        )
