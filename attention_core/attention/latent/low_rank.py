"""Keys and values through a latent of r numbers: what attention loses, and what the cache saves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.attention.base import Attention
from attention_core.attention.projections import Projections
from attention_core.attention.scaled import scaled
from attention_core.errors import AttentionError

Floats = NDArray[np.float64]
Way = Literal["weights", "vectors"]
WAYS: tuple[Way, ...] = ("weights", "vectors")
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class LowRank:
    """Attention with keys and values made from a latent, against attention with its own.

    Attributes:
        ranks: sizes r of the latent, ascending.
        kept: numbers that keys and values take for a token; the latent takes r in their place.
        singular: of each way, the singular values: “weights” of [W_K; W_V] alone, “vectors” of the keys and values of
            the vectors (root mean squares along their principal axes).
        projected: of each way and rank, ‖K̂V̂ − KV‖/‖KV‖ over the vectors (Frobenius norms).
        attended: of each way and rank, ‖Ô − O‖/‖O‖ over all tokens of the sentences, O before W_O.
        moved: of each way and rank, the mean share of a row's attention weight that lies on other tokens than before.
        vectors: how many the second way was fitted to.
        sentences: how many attended.
        tokens: in them.
    """

    ranks: tuple[int, ...]
    kept: int
    singular: Mapping[Way, Floats]
    projected: Mapping[Way, tuple[float, ...]]
    attended: Mapping[Way, tuple[float, ...]]
    moved: Mapping[Way, tuple[float, ...]]
    vectors: int
    sentences: int
    tokens: int

    def smallest(self, way: Way, error: float) -> int | None:
        """The smallest rank measured whose attention is off by at most this share; None where none is."""
        return next((r for r, e in zip(self.ranks, self.attended[way], strict=True) if e <= error), None)


def low_rank(
    sentences: Sequence[Tensor],
    vectors: Tensor,
    projections: Projections,
    heads: int,
    ranks: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> LowRank:
    """Replaces W_K and W_V by up·down with a latent of r numbers between, for growing r, in float64.

    **weights**: the truncated singular value decomposition of [W_K; W_V], the best of its rank for vectors that point
    everywhere alike. **vectors**: the best of its rank for the keys and values of these very vectors; MLA learns its
    latent in training, and can do at least as well as this on what it sees. Positions and masks are left out.

    Args:
        sentences: each (token, d).
        vectors: (n, d), to which the second way is fitted.
        projections: W_Q, W_K and W_V; biases play no part.
        heads: of all three.
        ranks: sizes of the latent, from 1 to the number of keys' and values' components; None for about 24 of them.
        progress: called with (done, total); it may raise to stop.

    Raises:
        AttentionError: no sentence, sizes that do not fit, or ranks that are out of range.
    """
    if not len(sentences) or not len(vectors):
        raise AttentionError("No sentence, or no vectors, was given. Give one or more of both.")
    p = projections.to(torch.empty(0, dtype=torch.float64))
    joint = torch.cat([p.k, p.v])  # (kept, d)
    kept = len(joint)
    given = sorted(set(_spread(min(kept, joint.shape[1])) if ranks is None else ranks))
    if not given or given[0] < 1 or given[-1] > kept:
        raise AttentionError(f"Ranks {given} were given for keys and values of {kept} numbers. Give 1 to {kept}.")
    ways = _ways(joint, vectors.double())
    x = [one.double() for one in sentences]
    exact = [_heads(one, p, heads) for one in x]
    errors: dict[Way, list[_Error]] = {way: [] for way in WAYS}
    for i, r in enumerate(given):
        if progress is not None:
            progress(i, len(given))
        for way, factors in ways.items():
            low = factors.up[:, :r] @ factors.down[:r]
            squeezed = replace(p, k=low[: len(p.k)], v=low[len(p.k) :])
            errors[way].append(_error(exact, [_heads(one, squeezed, heads) for one in x], factors.left_out(r)))
    return LowRank(
        tuple(given),
        kept,
        {way: factors.singular.numpy() for way, factors in ways.items()},
        {way: tuple(e.projected for e in of) for way, of in errors.items()},
        {way: tuple(e.attended for e in of) for way, of in errors.items()},
        {way: tuple(e.moved for e in of) for way, of in errors.items()},
        len(vectors),
        len(x),
        sum(map(len, x)),
    )


@dataclass(frozen=True, eq=False)
class _Factors:
    """up (kept, most)·down (most, d) = [W_K; W_V], of which a latent of r numbers has the first r columns and rows.

    Attributes:
        up, down: the factors.
        singular: values that say how much each column matters.
        parts: of each column, the mean square of what it adds to the keys and values of the vectors.
    """

    up: Tensor
    down: Tensor
    singular: Tensor
    parts: Tensor

    def left_out(self, rank: int) -> float:
        """The size of what a rank leaves out of keys and values, relative to the whole."""
        return math.sqrt(float(self.parts[rank:].sum() / self.parts.sum().clamp(min=1e-300)))


def _ways(joint: Tensor, vectors: Tensor) -> dict[Way, _Factors]:
    left, sizes, right = torch.linalg.svd(joint, full_matrices=False)
    both = vectors @ joint.mT  # (n, kept)
    along = torch.linalg.eigh(both.mT @ both / len(both))
    spread, axes = along.eigenvalues.flip(0).clamp(min=0), along.eigenvectors.flip(1)
    of_columns = sizes.square() * (vectors @ right.mT).square().mean(0)
    return {
        "weights": _Factors(left * sizes, right, sizes, of_columns),
        "vectors": _Factors(axes, axes.mT @ joint, spread.sqrt(), spread),
    }


@dataclass(frozen=True)
class _Error:
    projected: float
    attended: float
    moved: float


def _error(exact: Sequence[Attention[Tensor]], found: Sequence[Attention[Tensor]], projected: float) -> _Error:
    pairs = list(zip(exact, found, strict=True))
    off, size = (
        sum(float(one.square().sum()) for one in of)
        for of in ([a.output - b.output for a, b in pairs], [a.output for a, _ in pairs])
    )
    moved = torch.cat([(a.weights - b.weights).abs().sum(-1).flatten() / 2 for a, b in pairs])
    return _Error(projected, (off / size) ** 0.5 if size else 0.0, float(moved.mean()))


def _heads(x: Tensor, p: Projections, heads: int) -> Attention[Tensor]:
    """(heads, token, d_v) of each head."""
    q, k, v = ((x @ w.mT).reshape(len(x), heads, -1).transpose(0, 1) for w in (p.q, p.k, p.v))
    return scaled(q, k, v)


def _spread(most: int, count: int = 24) -> list[int]:
    """About so many ranks from 1 to the most, evenly."""
    return [round(1 + (most - 1) * i / (count - 1)) for i in range(count)] if most > count else list(range(1, most + 1))
