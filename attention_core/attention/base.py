"""What the forms of attention share: the result, the causal rule, masks at the border, sums over what is allowed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np
import torch
from torch import Tensor

from attention_core.errors import AttentionError

Align = Literal["bottom-right", "top-left"]
Weights = TypeVar("Weights", bound=Tensor | None, covariant=True)


@dataclass(frozen=True, eq=False)
class Attention(Generic[Weights]):
    """What attention returns.

    Attributes:
        output: (..., query, value): row i is Σⱼ weights[i, j]·v[j].
        weights: (..., query, key). Rows sum to 1, except: 0 where no key is allowed, less than 1 with a sink, and
            rescaled under dropout. Masked entries are exactly 0. None where they were not wanted.
    """

    output: Tensor
    weights: Weights

    def entropy(self: Attention[Tensor]) -> Tensor:
        """(..., query): −Σⱼ w ln w in nats, of weights that sum to 1: 0 on one key, ln(n) spread evenly over n.

        Example:
            >>> Attention(torch.zeros(2, 1), torch.tensor([[1.0, 0.0], [0.5, 0.5]])).entropy()
            tensor([0.0000, 0.6931])
        """
        entropies: Tensor = torch.special.entr(self.weights).sum(dim=-1)
        return entropies


def causal(q_len: int, k_len: int, align: Align = "bottom-right") -> Tensor:
    """Each query may attend the keys up to its own position: (query, key), True = may attend.

    Args:
        q_len: number of queries.
        k_len: number of keys.
        align: where the lengths differ, "bottom-right" lets the last query see the last key, as decoding with a KV
            cache needs: query i sees keys j <= i + k_len − q_len, which is none for the first of more queries than
            keys. "top-left" lets the first query see the first key only, as torch's `is_causal` does.

    Raises:
        AttentionError: another alignment, or a negative length.

    Example:
        >>> causal(2, 4).int()
        tensor([[1, 1, 1, 0],
                [1, 1, 1, 1]], dtype=torch.int32)
        >>> causal(2, 4, align="top-left").int()
        tensor([[1, 0, 0, 0],
                [1, 1, 0, 0]], dtype=torch.int32)
    """
    first = _first(q_len, k_len, align)
    return torch.ones(q_len, k_len, dtype=torch.bool).tril_(first)  # a tenth of the time of comparing positions


def positions(q_len: int, k_len: int, align: Align = "bottom-right") -> Tensor:
    """(query,): where each query stands among the keys, which stand at 0 … k_len − 1."""
    first = _first(q_len, k_len, align)
    return torch.arange(first, first + q_len)


def _first(q_len: int, k_len: int, align: Align) -> int:
    """Where the first query stands among the keys."""
    if align not in ("bottom-right", "top-left"):
        raise AttentionError(f"There is no alignment “{align}”. Choose bottom-right or top-left.")
    if min(q_len, k_len) < 0:
        raise AttentionError(f"Lengths of {q_len} queries and {k_len} keys were given. Give lengths of 0 or more.")
    return k_len - q_len if align == "bottom-right" else 0


def check(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Refuses queries, keys and values whose ranks, dtypes, devices, lengths or leading axes do not fit together."""
    if min(q.ndim, k.ndim, v.ndim) < 2 or k.shape[-2] != v.shape[-2] or not _broadcasts(q, k, v):
        shapes = ", ".join(f"{name} {tuple(given.shape)}" for name, given in zip("qkv", (q, k, v), strict=True))
        raise AttentionError(
            f"Queries (..., query, d), keys (..., key, d) and values (..., key, d_v) are expected, with as many values "
            f"as keys and leading axes that broadcast; found {shapes}. Give a single vector as a matrix of one row."
        )
    kinds = {(given.dtype, given.device) for given in (q, k, v)}
    if len(kinds) > 1 or not q.is_floating_point():
        found = ", ".join(sorted(f"{dtype} on {device}".removeprefix("torch.") for dtype, device in kinds))
        raise AttentionError(
            f"Queries, keys and values of one floating dtype on one device are expected, found {found}. "
            "Convert them with .to(...) first."
        )


def check_weights(weights: Tensor) -> tuple[int, ...]:
    """The shape (heads, query, key) of weights.

    Raises:
        AttentionError: another number of axes, negative weights, or some that are not finite.
    """
    if weights.ndim != 3 or bool((weights < 0).any()):
        found = "some below 0" if weights.ndim == 3 else str(tuple(weights.shape))
        raise AttentionError(
            f"Weights (heads, query, key), none below 0, are expected, found {found}. Give those of one sequence."
        )
    if not bool(weights.isfinite().all()):
        raise AttentionError(
            "Weights that are defined are expected, found some that are not: the cosine with a zero vector is "
            "undefined. Choose another score or other words."
        )
    return tuple(weights.shape)


def check_sizes(q: Tensor, k: Tensor) -> None:
    """Refuses a dot product of vectors of two sizes."""
    if q.shape[-1] != k.shape[-1]:
        raise AttentionError(
            f"A dot product needs queries and keys of one size, found {q.shape[-1]} and {k.shape[-1]} components. "
            "Project both to one size, or use the additive score."
        )


def batch_axes(*given: Tensor) -> tuple[int, ...]:
    """The leading axes of all, broadcast; ValueError where they do not."""
    shapes = {tuple(one.shape[:-2]) for one in given}
    return shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)


def _broadcasts(*given: Tensor) -> bool:
    try:
        batch_axes(*given)
    except ValueError:
        return False
    return True


def allowed(mask: Tensor | None, q: Tensor, k: Tensor, align: Align | None = None) -> Tensor | None:
    """The mask as booleans on the device of the queries, together with the causal rule; None where all is allowed.

    Args:
        mask: boolean, True = may attend, or additive with 0 = may attend and −inf = may not; it broadcasts to
            (..., query, key).
        q: (..., query, d).
        k: (..., key, d).
        align: the causal rule of that alignment holds too; None for no such rule.

    Raises:
        AttentionError: a shape that does not broadcast, or values that are neither of the two kinds.
    """
    if mask is not None:
        mask = _boolean(mask).to(q.device)
        wanted = (*batch_axes(q, k), q.shape[-2], k.shape[-2])
        pairs = zip(reversed(mask.shape), reversed(wanted), strict=False)
        if not 0 < mask.ndim <= len(wanted) or any(given not in (1, size) for given, size in pairs):
            raise AttentionError(
                f"A mask that broadcasts to {wanted}, (..., query, key), is expected, found {tuple(mask.shape)}. "
                "Give a mask of each batch item an axis of 1 for what it is the same for: (batch, 1, key)."
            )
        mask = mask.unsqueeze(0) if mask.ndim == 1 else mask
    if align is None or (align == "bottom-right" and q.shape[-2] == 1):
        return mask
    rule = causal(q.shape[-2], k.shape[-2], align).to(q.device)
    return rule if mask is None else mask & rule


def _boolean(mask: Tensor) -> Tensor:
    if mask.dtype == torch.bool:
        return mask
    if mask.is_floating_point() and bool(((mask == 0) | (mask == -torch.inf)).all()):
        return mask == 0
    if bool(((mask == 0) | (mask == 1)).all()):
        raise AttentionError(
            f"A mask of 0 and 1 in {mask.dtype} was given: an additive mask would add these to the scores and mask "
            "nothing. Pass mask.bool() where 1 means may attend, or mask == 0 where 1 means masked."
        )
    raise AttentionError(
        f"A boolean mask (True = may attend) or an additive one of 0 and −inf is expected, found {mask.dtype} with "
        f"other values, {mask.min():.4g} to {mask.max():.4g}. Pass mask > -1e4 where a large negative number means "
        "masked: kept finite, it would give a row with no allowed key the mean of all values."
    )


def scores(logits: Callable[[Tensor, Tensor], Tensor], q: Tensor, k: Tensor, may: Tensor | None) -> Tensor:
    """The logits, −inf where masked, whatever the masked keys hold: (..., query, key), in float32 or wider with a mask.

    A key that is not finite makes NaN of its own column, so that neither it nor its gradient reaches other keys.
    """
    if may is None:
        return logits(q, k)
    found = wide(logits(q, k))
    if not found.requires_grad and all_finite(found):  # the lesser of two takes an eighth of the time of filling
        most, least = found.new_tensor([torch.inf, -torch.inf])
        return torch.minimum(found, torch.where(may, most, least), out=found)
    if not all_finite(k):
        broken = ~k.isfinite().all(dim=-1)  # (..., key)
        found = wide(logits(q, k.masked_fill(broken.unsqueeze(-1), 0))).masked_fill(broken.unsqueeze(-2), torch.nan)
    return found.masked_fill(~may, -torch.inf)


def all_finite(values: Tensor) -> bool:
    """Whether the sum is finite, and so all that is summed: much quicker than a look at each number.

    A sum that overflows is taken for a number that is not finite, which costs time and no exactness.
    """
    return math.isfinite(wide(values).sum().item())


def wide(values: Tensor) -> Tensor:
    """The values in float32 or wider."""
    return values.to(torch.promote_types(values.dtype, torch.float32))


def softmax(logits: Tensor, may: Tensor | None) -> Tensor:
    """The softmax of each row; exactly 0 in a row with no allowed key (0/0 by the formula, and no mean of all).

    Torch computes that of half precision in float32.
    """
    if may is None or may.shape[-1] == 0:
        return torch.softmax(logits, dim=-1)
    empty = may.view(torch.uint8).amax(dim=-1, keepdim=True) == 0  # a fraction of the time of `any`
    if not empty.any():
        return torch.softmax(logits, dim=-1)
    return torch.softmax(logits.masked_fill(empty, 0), dim=-1).masked_fill(empty, 0)


def weighted_sum(weights: Tensor, v: Tensor, may: Tensor | None) -> Tensor:
    """Weights · v in the dtype of v; a value that is not finite reaches only the rows that may attend to its key."""
    weights = weights.to(v.dtype)
    if may is None or all_finite(v):
        return weights @ v
    broken = ~v.isfinite()
    reached = (may.to(v) @ broken.to(v)) > 0
    return (weights @ v.masked_fill(broken, 0)).masked_fill(reached, torch.nan)
