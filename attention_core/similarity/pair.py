"""Two vectors: lengths, angle, projection, products and scores, and the plane they are drawn in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from attention_core.errors import ScoringError
from attention_core.measures import MEASURES, Measure
from attention_core.similarity.plane import Floats, Plane, plane_of, unit

LARGEST, SMALLEST = 1e100, 1e-100
"""Sizes of components, unless 0, whose squares and products float64 holds."""


@dataclass(frozen=True)
class Move:
    """What is done to b: factor · R(degrees) b + shift · a, with R a rotation in the plane of a and b.

    Attributes:
        factor: what b is multiplied by.
        degrees: how far it is turned: from a towards b is positive, with two components counterclockwise.
        shift: how many times a is added.

    Raises:
        ScoringError: a value that is not a number of at most 1e6 in size.
    """

    factor: float = 1.0
    degrees: float = 0.0
    shift: float = 0.0

    def __post_init__(self) -> None:
        for name in ("factor", "degrees", "shift"):
            value = getattr(self, name)
            if not abs(value) <= 1e6:
                raise ScoringError(
                    f"The move's {name} is {value}, and a number of at most 1,000,000 in size is expected. Change it."
                )

    def applied(self, a: Floats, b: Floats, plane: Plane) -> Floats:
        """(d,) b after the move."""
        return self.factor * plane.turned(b, self.degrees) + self.shift * a


@dataclass(frozen=True)
class Terms:
    """The products aᵢbᵢ one by one, in some order; they sum to the dot product.

    Attributes:
        components: (d,) the index i of each, from 0.
        a: (d,) aᵢ.
        b: (d,) bᵢ.
        products: (d,) aᵢbᵢ.
        running: (d,) their sum up to and with each.
    """

    components: np.ndarray[Any, np.dtype[np.intp]]
    a: Floats
    b: Floats
    products: Floats
    running: Floats

    @property
    def positive(self) -> tuple[int, float]:
        """How many products are above 0, and their sum."""
        above = self.products[self.products > 0]
        return len(above), float(above.sum())

    @property
    def negative(self) -> tuple[int, float]:
        """How many products are below 0, and their sum."""
        below = self.products[self.products < 0]
        return len(below), float(below.sum())


@dataclass(frozen=True, eq=False)
class Pair:
    """Two vectors and what can be said of them. Undefined values are None; `undefined` says why.

    Attributes:
        a: (d,) float64, read-only.
        b: (d,) float64, read-only: after the move.
        start: (d,) b before the move.
        move: what was done to b.
        plane: of a and the start of b; the move stays in it.
        weights: of the measures that need them, by measure.
        scores: by measure: its score of a and b, None where undefined.
    """

    a: Floats
    b: Floats
    start: Floats
    move: Move
    plane: Plane
    weights: Mapping[str, Any] = field(repr=False)
    scores: Mapping[str, float | None]

    @property
    def norm_a(self) -> float:
        """‖a‖."""
        return math.hypot(*self.a)

    @property
    def norm_b(self) -> float:
        """‖b‖."""
        return math.hypot(*self.b)

    @property
    def undefined(self) -> str:
        """Why the angle and whatever rests on it are undefined, or ""."""
        zero = [name for name, vector in (("a", self.a), ("b", self.b)) if not vector.any()]
        if len(zero) == 2:
            return "a and b are zero vectors, which have no direction"
        return f"{zero[0]} is a zero vector, which has no direction" if zero else ""

    @property
    def angle(self) -> float | None:
        """The angle between a and b in degrees, from 0 to 180; None when either is zero.

        Computed as 2·atan2(‖u − v‖, ‖u + v‖) of the unit vectors (Kahan 2006), since the arc cosine loses half of all
        digits near 0 and 180 degrees.
        """
        if self.undefined:
            return None
        u, v = unit(self.a), unit(self.b)
        return math.degrees(2 * math.atan2(math.hypot(*(u - v)), math.hypot(*(u + v))))

    @property
    def projection(self) -> float | None:
        """a·b/‖a‖ = ‖b‖ cos θ: how far b reaches along a, negative when it points away; None when a is zero."""
        return float(unit(self.a) @ self.b) if self.a.any() else None

    @property
    def foot(self) -> Floats | None:
        """(d,) the point of a's line that is nearest to b; None when a is zero."""
        return None if self.projection is None else self.projection * unit(self.a)

    @property
    def lengths_times_cosine(self) -> float | None:
        """‖a‖‖b‖ cos θ, the dot product from lengths and angle; None when the angle is undefined."""
        cosine = self.scores["cosine"]
        return None if cosine is None else self.norm_a * self.norm_b * cosine

    def terms(self, largest_first: bool = False) -> Terms:
        """The products aᵢbᵢ in the order of the components, or the largest in size first (ties in that order)."""
        products = self.a * self.b
        order = np.argsort(-np.abs(products), kind="stable") if largest_first else np.arange(len(products))
        a, b, products = self.a[order], self.b[order], products[order]
        return Terms(order, a, b, products, np.cumsum(products))

    def with_move(self, move: Move) -> Pair:
        """The same two vectors with another move of b."""
        return _pair(self.a, self.start, self.plane, move, self.weights)


def pair(a: ArrayLike, b: ArrayLike, weights: object = None, move: Move = Move()) -> Pair:
    """What lies between two vectors, in float64.

    Args:
        a: (d,) numbers.
        b: (d,) numbers.
        weights: for the measures that need them; None for their seeded random weights, seed 0.
        move: what is done to b first.

    Raises:
        ScoringError: not two vectors of one size, a number that is not finite or neither 0 nor of a size from 1e-100
            to 1e100, weights that do not fit, or a turn on a line.

    Example:
        >>> g = pair([1, 2, 3, 4], [2, 0, 1, 3])
        >>> g.scores["dot"], round(g.scores["cosine"], 4), g.scores["euclidean"] ** 2, g.terms().products.tolist()
        (17.0, 0.8295, 10.000000000000002, [2.0, 0.0, 3.0, 12.0])
        >>> round(g.angle, 2), pair([1, 0], [0, 0]).undefined
        (33.95, 'b is a zero vector, which has no direction')
    """
    first, second = _vector(a, "a"), _vector(b, "b")
    if len(first) != len(second):
        raise ScoringError(
            f"Two vectors of one size are expected, and a has {len(first)} components, b {len(second)}. "
            "Give both the same count of numbers."
        )
    d = len(first)
    own = {
        m.name: m.random_weights(d, d, 0) if weights is None else weights for m in MEASURES.values() if m.random_weights
    }
    return _pair(first, second, plane_of(first, second), move, own)


def _pair(a: Floats, start: Floats, plane: Plane, move: Move, weights: Mapping[str, Any]) -> Pair:
    b = move.applied(a, start, plane)
    b.setflags(write=False)
    rows = scored(a[None], b[None], weights)
    scores = {name: None if np.isnan(found[0, 0]) else float(found[0, 0]) for name, found in rows.items()}
    return Pair(a, b, start, move, plane, weights, scores)


def scored(queries: Floats, keys: Floats, weights: Mapping[str, Any]) -> Mapping[str, Floats]:
    """By measure: (q, n) float64 scores of queries (q, d) with keys (n, d); NaN where undefined."""
    q, k = torch.tensor(queries), torch.tensor(keys)
    return {name: in_float64(measure, q, k, weights).numpy() for name, measure in MEASURES.items()}


def in_float64(measure: Measure, queries: torch.Tensor, keys: torch.Tensor, weights: Mapping[str, Any]) -> torch.Tensor:
    """The measure with its own weights, if it needs any."""
    return measure(queries, keys, weights.get(measure.name))


def _vector(numbers: ArrayLike, name: str) -> Floats:
    try:
        vector = np.array(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        raise ScoringError(f"Numbers are expected for {name}, found something else. Give a list of numbers.") from None
    if vector.ndim != 1 or not len(vector):
        raise ScoringError(
            f"A vector of one number or more is expected for {name}, found shape {vector.shape}. Give a flat list."
        )
    sizes = np.abs(vector)
    usable = (sizes == 0) | ((sizes >= SMALLEST) & (sizes <= LARGEST))
    if not usable.all():
        position = int(np.argmin(usable))
        raise ScoringError(
            f"Number {position + 1} of {name} is {vector[position]}, and 0 or a size from {SMALLEST:g} to {LARGEST:g} "
            "is expected. Replace it."
        )
    vector.setflags(write=False)
    return vector
