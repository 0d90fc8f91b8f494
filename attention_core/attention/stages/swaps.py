"""What changes when two tokens swap places: nothing, as long as neither positions nor the mask tell places apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attention_core.attention.projections import Projections
from attention_core.attention.stages.settings import Settings
from attention_core.attention.stages.stages import Stages, each_head, stages
from attention_core.errors import AttentionError


@dataclass(frozen=True, eq=False)
class Swap:
    """The output before and after two tokens swapped places, all tokens asking.

    Attributes:
        first, second: the places, from 0.
        before: (n, out).
        after: (n, out), each row where its token stood before.
        tolerance: the largest difference that rounding explains.
    """

    first: int
    second: int
    before: Tensor
    after: Tensor
    tolerance: float

    @property
    def differences(self) -> Tensor:
        """(n,) the largest difference of a component of each token's output."""
        return (self.after - self.before).abs().amax(dim=1)

    @property
    def largest(self) -> float | None:
        """The largest of them; None where an output is undefined."""
        found = float(self.differences.max())
        return None if found != found else found

    @property
    def visible(self) -> bool:
        """Whether the swap changed more than rounding does."""
        return self.largest is not None and self.largest > self.tolerance


def swap(
    x: Tensor,
    settings: Settings,
    first: int,
    second: int,
    projections: Projections | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Swap:
    """Attention before and after two tokens swap places.

    Softmax and sum know no order: the output of a token is a function of its vector and of the set of all vectors.
    Positions (Vaswani et al. 2017, section 3.5) or a mask bring the order in.

    Args:
        x: (n, in).
        settings: all tokens ask, whatever they say.
        first: the place of one token, from 0.
        second: of the other.
        projections: as for `stages`.
        progress: called with (done, total); it may raise to stop.

    Raises:
        AttentionError: no such token, or what `stages` refuses.

    Example:
        >>> x = torch.eye(3, dtype=torch.float64)
        >>> swap(x, Settings(), 0, 2).visible, swap(x, Settings(positions="sinusoidal"), 0, 2).visible
        (False, True)
    """
    n = len(x)
    if not (0 <= first < n and 0 <= second < n):
        raise AttentionError(f"Tokens {first + 1} and {second + 1} of {n} were asked for. Choose 1 to {n}.")
    order = torch.arange(n, device=x.device)
    order[[first, second]] = order[[second, first]]
    asked = replace(settings, queries=None)
    report = progress or (lambda _done, _total: None)
    before = stages(x, asked, projections, lambda done, total: report(done, 3 * total))
    after = stages(x[order], asked, projections, lambda done, total: report(total + done, 3 * total))
    tolerance = _rounding(before, lambda done, total: report(2 * total + done, 3 * total))
    return Swap(first, second, before.output, after.output[order], tolerance)


def _rounding(found: Stages, progress: Callable[[int, int], None]) -> float:
    """4·ε·terms·size: products inside an exponent, a sum over keys, and one over joined heads."""
    terms = found.x.shape[1] + found.q.shape[-1] + found.k.shape[-2] + found.concatenated.shape[1]
    heads = each_head(found.settings, (found.q, found.k, found.v), progress)
    logits = max(float(head.scaled.nan_to_num(nan=0).abs().max()) for head in heads)
    o = found.projections.o
    joined = 1.0 if o is None else float(torch.linalg.matrix_norm(o, ord=2))
    size = (1 + logits) * float(torch.linalg.vector_norm(found.v, dim=-1).max()) * math.sqrt(len(found.q)) * joined
    return 4 * float(torch.finfo(found.x.dtype).eps) * terms * size
