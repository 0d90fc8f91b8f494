"""What each score of two vectors makes of scaling, turning, shifting and swapping them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from attention_core.measures import MEASURES, Measure
from attention_core.measures.base import Property
from attention_core.similarity.pair import Pair, in_float64
from attention_core.similarity.plane import Floats

FACTOR, DEGREES = 2.0, 30.0
"""How much b is scaled, and how far both are turned."""

Verdict = Literal["unchanged", "changed", "undefined"]


@dataclass(frozen=True)
class Invariance:
    """One measure before and after one transformation of two vectors.

    Attributes:
        before: the score, None where undefined.
        after: the score of the transformed vectors, None where undefined.
        tolerance: the largest change that rounding in float64 explains; None where a score is undefined.
        declared: whether the measure promises the property for all vectors.
    """

    before: float | None
    after: float | None
    tolerance: float | None
    declared: bool

    @property
    def change(self) -> float | None:
        """After minus before; None where one of them is undefined."""
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def verdict(self) -> Verdict:
        """Whether the change is more than rounding."""
        if self.change is None or self.tolerance is None:
            return "undefined"
        return "unchanged" if abs(self.change) <= self.tolerance else "changed"


def transformed(pair: Pair) -> Mapping[Property, tuple[Floats, Floats]]:
    """By the property that each tests: a and b after the transformation.

    b is scaled by 2; both are turned by 30 degrees in their plane (not on a line, which has no room to turn); both get
    the same number added to every component, so that the shift is as long as their mean norm; they are swapped.
    """
    a, b, plane = pair.a, pair.b, pair.plane
    step = joint_shift(pair)
    pairs: dict[Property, tuple[Floats, Floats]] = {"scale invariant": (a, FACTOR * b)}
    if plane.turns:
        pairs["rotation invariant"] = (plane.turned(a, DEGREES), plane.turned(b, DEGREES))
    return pairs | {"shift invariant": (a + step, b + step), "symmetric": (b, a)}


def joint_shift(pair: Pair) -> float:
    """What a joint shift adds to every component: (‖a‖ + ‖b‖)/2√d, or 1 where both vectors are zero."""
    return (pair.norm_a + pair.norm_b) / (2 * len(pair.a) ** 0.5) or 1.0


def invariances(pair: Pair) -> Mapping[Property, Mapping[str, Invariance]]:
    """By property and measure: the score before and after the transformation that tests the property.

    A score counts as unchanged when it moves by at most 4·ε·d·(|s| + ‖∂s/∂a‖‖a‖ + ‖∂s/∂b‖‖b‖), before or after, with
    ε = 2.2e-16: what relative errors of 4·ε·d in the vectors and in the score itself can do to it to first order.

    Example:
        >>> from attention_core.similarity.pair import pair
        >>> found = invariances(pair([1, 2, 3, 4], [2, 0, 1, 3]))
        >>> found["scale invariant"]["dot"].change, found["scale invariant"]["cosine"].verdict
        (17.0, 'unchanged')
    """
    return {
        law: {
            name: _compared(pair, measure, *vectors, declared=law in measure.properties)
            for name, measure in MEASURES.items()
        }
        for law, vectors in transformed(pair).items()
    }


def _compared(pair: Pair, measure: Measure, a: Floats, b: Floats, declared: bool) -> Invariance:
    before, after = pair.scores[measure.name], _value(measure, a, b, pair.weights)
    if before is None or after is None:
        return Invariance(before, after, None, declared)
    either = [_rounding(measure, *vectors, pair.weights) for vectors in ((pair.a, pair.b), (a, b))]
    return Invariance(before, after, max(either), declared)


def _value(measure: Measure, a: Floats, b: Floats, weights: Mapping[str, Any]) -> float | None:
    value = in_float64(measure, torch.tensor(a[None]), torch.tensor(b[None]), weights).item()
    return None if np.isnan(value) else value


def _rounding(measure: Measure, a: Floats, b: Floats, weights: Mapping[str, Any]) -> float:
    given = [torch.tensor(vector[None], requires_grad=True) for vector in (a, b)]
    value = in_float64(measure, given[0], given[1], weights).sum()
    slopes = torch.autograd.grad(value, given)
    moved = sum(float(slope.norm() * vector.detach().norm()) for slope, vector in zip(slopes, given, strict=True))
    return 4 * float(np.finfo(np.float64).eps) * len(a) * (abs(value.item()) + moved)
