"""Scaled dot-product attention, step by step: the plainest form, which all others must equal."""

from __future__ import annotations

from torch import Tensor

from attention_core.attention.base import Attention, allowed, check, check_sizes, scores, softmax, weighted_sum


def scaled(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, causal: bool = False, scale: float | None = None
) -> Attention[Tensor]:
    """softmax(QKᵀ/√d)·V (Vaswani et al. 2017, eq. 1).

    The query is scaled before the product, so that half precision does not overflow on the way; the softmax runs in
    float32 or wider. A row with no allowed key has weights and output of exactly 0. What masked keys and values hold,
    NaN too, reaches no row that they are masked in; masked in all rows, as padding is, they reach no gradient either.

    Args:
        q: (..., query, d).
        k: (..., key, d).
        v: (..., key, d_v), of one floating dtype and on one device with q and k.
        mask: broadcasts to (..., query, key): boolean, True = may attend, or additive of 0 and −inf.
        causal: no query sees a later key, aligned at the last query and the last key (see `masks.causal`).
        scale: what q·k is multiplied by; None for 1/√d.

    Returns:
        output (..., query, d_v) and weights (..., query, key), in the dtype of q.

    Raises:
        AttentionError: shapes, dtypes or a mask that do not fit.

    Example:
        >>> import torch
        >>> q, k, v = torch.tensor([[2.0]]), torch.tensor([[0.0], [1.0]]), torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> scaled(q, k, v).output
        tensor([[0.1192, 0.8808]])
    """
    check(q, k, v)
    check_sizes(q, k)
    may = allowed(mask, q, k, align="bottom-right" if causal else None)
    factor = q.shape[-1] ** -0.5 if scale is None else scale
    weights = softmax(scores(lambda q, k: (q * factor) @ k.mT, q, k, may), may)
    return Attention(weighted_sum(weights, v, may), weights.to(q.dtype))
