"""Attention in general: any measure, mask, scale, temperature, soft cap, sink and dropout."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from attention_core.attention.base import (
    Align,
    Attention,
    all_finite,
    allowed,
    batch_axes,
    check,
    check_sizes,
    scores,
    softmax,
    weighted_sum,
    wide,
)
from attention_core.errors import AttentionError
from attention_core.measures import MEASURES


@dataclass(frozen=True, eq=False)
class AttentionOptions:
    """How `attend` scores and weighs; the defaults are those of `scaled`.

    The logits of the score are multiplied by scale/temperature, then capped, then masked; the sink joins the softmax.

    Attributes:
        score: a key of `MEASURES`, which acts through its logits: higher is closer (−‖q − k‖²/2 for Euclidean). The
            cosine with a zero vector is undefined, and NaN unless masked.
        weights: of a score that needs them, such as `AdditiveWeights`.
        scale: what the logits are multiplied by; None for 1/√d with the dot product and 1 with all others.
        temperature: what the logits are divided by: above 1 evens the weights out, below 1 sharpens them.
        causal: no query sees a later key.
        align: where queries and keys differ in number, "bottom-right" or "top-left" (see `masks.causal`).
        softcap: c of c·tanh(logit/c), which keeps logits within ±c (Gemma 2); None for no cap.
        sink: a logit that takes part in the softmax and has no value, so that rows sum to less than 1 (Xiao et al.
            2024, as learnt in gpt-oss): a number, or a tensor that broadcasts to (..., query), such as (heads, 1).
        dropout: the share of weights set to 0, from 0 to below 1; the others are divided by 1 − dropout.
        generator: the random numbers of the dropout; None for torch's global ones.
        need_weights: False where only the output is wanted: see `attend`.

    Raises:
        AttentionError: a number out of its range, an unknown score or alignment, weights missing or not wanted.
    """

    score: str = "dot"
    weights: object = None
    scale: float | None = None
    temperature: float = 1.0
    causal: bool = False
    align: Align = "bottom-right"
    softcap: float | None = None
    sink: float | Tensor | None = None
    dropout: float = 0.0
    generator: torch.Generator | None = None
    need_weights: bool = True

    def __post_init__(self) -> None:
        if self.score not in MEASURES:
            raise AttentionError(f"There is no score “{self.score}”. Choose one of {', '.join(MEASURES)}.")
        if MEASURES[self.score].needs_weights != (self.weights is not None):
            wanted, advice = ("needs", "Pass") if self.weights is None else ("has no", "Leave out")
            raise AttentionError(f"The {MEASURES[self.score].label} score {wanted} weights. {advice} weights=.")
        ranges = {
            "scale": (self.scale is None or math.isfinite(self.scale), "a finite number"),
            "temperature": (0 < self.temperature < math.inf, "a number above 0"),
            "softcap": (self.softcap is None or 0 < self.softcap < math.inf, "a number above 0"),
            "dropout": (0 <= self.dropout < 1, "from 0 to below 1"),
            "align": (self.align in ("bottom-right", "top-left"), "bottom-right or top-left"),
        }
        for name, (fits, expected) in ranges.items():
            if not fits:
                raise AttentionError(
                    f"The {name} is {expected}, and {getattr(self, name)} was given. Choose such a one."
                )

    @property
    def rule(self) -> Align | None:
        """The alignment of the causal rule; None where it does not hold."""
        return self.align if self.causal else None

    @property
    def is_plain(self) -> bool:
        """Whether torch's fused kernel computes the same, apart from weights."""
        return self.score == "dot" and self.softcap is None and self.sink is None and self.dropout == 0

    def factor(self, d: int) -> float:
        """What the logits of queries of d components are multiplied by."""
        default = d**-0.5 if self.score == "dot" else 1.0
        return (default if self.scale is None else self.scale) / self.temperature

    def logits(self, q: Tensor, k: Tensor) -> Tensor:
        """The scaled and capped logits, in float32 or wider: (..., query, key).

        Dot products of half precision are formed in it (on a GPU by its tensor cores) from a query that is scaled
        down first; the other scores are computed in float32.
        """
        factor = self.factor(q.shape[-1])
        if self.score == "dot":
            check_sizes(q, k)
            before = min(abs(factor), 1.0)
            found = wide((q * before) @ k.mT)
            found = found if factor == before else found * (factor / before)
        else:
            found = self._measured(wide(q), wide(k)) * factor
        return found if self.softcap is None else self.softcap * torch.tanh(found / self.softcap)

    def _measured(self, q: Tensor, k: Tensor) -> Tensor:
        measure = MEASURES[self.score]
        if not measure.needs_weights:
            check_sizes(q, k)
            return measure.logits(q, k)
        return measure.logits(q, k, self.weights)


PLAIN = AttentionOptions()


def attend(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, options: AttentionOptions = PLAIN
) -> Attention[Tensor | None]:
    """softmax(logits(Q, K))·V, with everything that may be chosen about it.

    What `scaled` says of half precision, of rows with no allowed key and of what masked keys hold is so here too. Where
    weights are not wanted, torch's fused kernel takes over dot products with neither cap, sink nor dropout, and no
    (query, key) matrix is made; the output is the same to rounding.

    Args:
        q: (..., query, d_q).
        k: (..., key, d_k); d_k = d_q except with the additive score.
        v: (..., key, d_v), of one floating dtype and on one device with q and k.
        mask: broadcasts to (..., query, key): boolean, True = may attend, or additive of 0 and −inf.
        options: see `AttentionOptions`.

    Returns:
        output (..., query, d_v) and weights (..., query, key), None where not wanted; in the dtype of q.

    Raises:
        AttentionError: shapes, dtypes, a mask or options that do not fit.

    Example:
        >>> q, v = torch.eye(2), torch.eye(2)
        >>> attend(q, q, v, options=AttentionOptions("euclidean", causal=True)).weights
        tensor([[1.0000, 0.0000],
                [0.2689, 0.7311]])
    """
    check(q, k, v)
    if not options.need_weights and options.is_plain:
        fused = _fused(q, k, v, mask, options)
        if fused is not None:
            return Attention(fused, None)
    may = allowed(mask, q, k, options.rule)
    weights = _with_sink(scores(options.logits, q, k, may), may, options)
    if options.dropout:
        kept = torch.rand(weights.shape, generator=options.generator, device=_device(options, q)) >= options.dropout
        weights = weights * kept.to(q.device) / (1 - options.dropout)
    output = weighted_sum(weights, v, may)
    return Attention(output, weights.to(q.dtype) if options.need_weights else None)


def _device(options: AttentionOptions, q: Tensor) -> torch.device:
    return q.device if options.generator is None else options.generator.device


def _with_sink(logits: Tensor, may: Tensor | None, options: AttentionOptions) -> Tensor:
    if options.sink is None:
        return softmax(logits, may)
    sink = torch.as_tensor(options.sink, dtype=logits.dtype, device=logits.device)
    try:
        column = sink.expand(logits.shape[:-1]).unsqueeze(-1)
    except RuntimeError:
        raise AttentionError(
            f"A sink that broadcasts to {tuple(logits.shape[:-1])}, (..., query), is expected, found "
            f"{tuple(sink.shape)}. Give one number, or (heads, 1) for one of each head."
        ) from None
    return torch.softmax(torch.cat([logits, column], dim=-1), dim=-1)[..., :-1]


def _fused(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, options: AttentionOptions) -> Tensor | None:
    """The output of torch's kernel; None where what a masked key holds would reach it."""
    check_sizes(q, k)
    square = q.shape[-2] == k.shape[-2]
    by_flag = options.causal and mask is None and (square or options.align == "top-left")  # it aligns at the top left
    may = allowed(mask, q, k, None if by_flag else options.rule)
    batch = batch_axes(q, k, v)
    q, k, v = (_four_axes(given, batch) for given in (q, k, v))
    may = None if may is None else _four_axes(may.expand(*may.shape[:-2], q.shape[-2], k.shape[-2]), batch)
    output = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, may, is_causal=by_flag, scale=options.factor(q.shape[-1])
    )
    if may is not None or by_flag:
        # the last query sees all keys; with values of another size the kernel adds −inf to scores, which may be inf
        last_tells = by_flag and square and q.shape[-1] == v.shape[-1]
        if not all_finite(output[..., -1:, :] if last_tells else output):
            return None
    return output if len(batch) == 2 else output.reshape(*batch, *output.shape[-2:])


def _four_axes(given: Tensor, batch: tuple[int, ...]) -> Tensor:
    """(batch, head, row, column), which the kernel is written for; only more axes than that are gathered."""
    if len(batch) == 2 == given.ndim - 2 and given.shape[:2] == batch:
        return given
    whole = given.expand(*batch, *given.shape[-2:])
    return whole.flatten(0, -4) if len(batch) > 2 else whole[(None,) * (2 - len(batch))]
