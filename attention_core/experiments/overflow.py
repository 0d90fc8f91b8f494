"""Where a softmax that takes exponentials as they come fails, and the shifted one does not, in each floating dtype."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attention_core.compute import Compute
from attention_core.experiments.scores import row

DTYPES = {name: getattr(torch, name) for name in ("float16", "bfloat16", "float32", "float64")}
BITS = {"float16": torch.int16, "bfloat16": torch.int16, "float32": torch.int32, "float64": torch.int64}
CPU = Compute()


@dataclass(frozen=True)
class Softmax:
    """The weights of a row of scores in one dtype.

    Attributes:
        weights: one for each score; None for NaN.
        error: the largest distance from the weights in float64 of the scores as given; None where a weight is NaN.
        why: what failed; "" where nothing did.
    """

    weights: tuple[float | None, ...]
    error: float | None
    why: str = ""


@dataclass(frozen=True)
class Failure:
    """The numbers of a dtype between which its exponential can be used, found by trying them.

    Attributes:
        dtype: its name.
        last: the largest z whose e^z is finite.
        first_infinite: the number after it, whose e^z is inf.
        log_largest: ln of the largest finite number, between the two where the dtype resolves that.
        count: equal scores whose exponentials are summed.
        last_sum: the largest z for which the sum of `count` exponentials is finite.
        lowest: the lowest z whose e^z is above 0; where all scores lie below, 0/0 is NaN.
        first_zero: the number before it, whose e^z is 0.
        naive: e^z/Σe^z of the scores.
        shifted: e^(z − max z)/Σe^(z − max z) of the scores.
    """

    dtype: str
    last: float
    first_infinite: float
    log_largest: float
    count: int
    last_sum: float
    lowest: float
    first_zero: float
    naive: Softmax
    shifted: Softmax


def overflow(scores: Sequence[float], compute: Compute = CPU) -> tuple[Failure, ...]:
    """Both ways to take a softmax of a row of scores, for each dtype, and where its exponential ends.

    The exact points are found by halving the range of the dtype's own numbers until two neighbours are left, one of
    which still works. The shifted form takes no exponential above e⁰ = 1, and its sum is at least 1.

    Args:
        scores: 1 to 64 numbers.
        compute: the device.

    Raises:
        ScoringError: scores that are not possible.

    Example:
        >>> half, *_ = overflow([10, 11, 12])
        >>> half.last, half.first_infinite, half.naive.why, [round(w, 3) for w in half.shifted.weights]
        (11.0859375, 11.09375, 'an exponential is inf, and inf/inf is NaN', [0.09, 0.245, 0.666])
    """
    z = row(scores)
    wide = torch.softmax(z, dim=0)
    return tuple(_failure(name, z.to(compute.device), wide) for name in DTYPES)


def _failure(name: str, z: Tensor, wide: Tensor) -> Failure:
    dtype, count = DTYPES[name], len(z)
    largest = torch.finfo(dtype).max

    def overflows(number: Tensor) -> bool:
        return bool(number.exp().isinf())

    def sum_overflows(number: Tensor) -> bool:
        return bool(number.exp().expand(count).sum().isinf())

    def vanishes(number: Tensor) -> bool:
        return bool((-number).exp() == 0)

    last, infinite = _neighbours(overflows, name, z.device)
    lowest, zero = _neighbours(vanishes, name, z.device)
    last_sum, _ = _neighbours(sum_overflows, name, z.device)
    given = z.to(dtype)
    naive = _softmax(given.exp(), wide, given)
    shifted = _softmax((given - given.max()).exp(), wide, given)
    return Failure(name, last, infinite, math.log(largest), count, last_sum, -lowest, -zero, naive, shifted)


def _neighbours(fails: Callable[[Tensor], bool], name: str, device: torch.device) -> tuple[float, float]:
    """Two neighbouring numbers ≥ 0 of the dtype, of which the first works and the second fails.

    The bits of floating numbers from 0 up, read as a whole number, count through them (IEEE 754).
    """
    dtype, bits = DTYPES[name], BITS[name]

    def number(place: int) -> Tensor:
        return torch.tensor(place, dtype=bits, device=device).view(dtype)

    works, broken = 0, int(torch.tensor(torch.inf, dtype=dtype).view(bits))
    while broken - works > 1:
        middle = (works + broken) // 2
        works, broken = (works, middle) if fails(number(middle)) else (middle, broken)
    return number(works).item(), number(broken).item()


def _softmax(powers: Tensor, wide: Tensor, scores: Tensor) -> Softmax:
    total = powers.sum()
    weights = (powers / total).double().cpu()
    if bool(weights.isnan().any()) or bool(total.isinf()):
        known = tuple(None if math.isnan(weight) else weight for weight in weights.tolist())
        return Softmax(known, None, _why(powers, scores))
    return Softmax(tuple(weights.tolist()), float((weights - wide).abs().max()))


def _why(powers: Tensor, scores: Tensor) -> str:
    if bool(scores.isinf().any()):
        return "a score is beyond the largest number"
    if bool(powers.isinf().any()):
        return "an exponential is inf, and inf/inf is NaN"
    return "the sum of the exponentials is inf" if bool(powers.any()) else "all exponentials are 0, and 0/0 is NaN"
