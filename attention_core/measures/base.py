"""What a measure is; each measure is one file beside this one that ends in MEASURE = Measure(...)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attention_core.errors import ScoringError

if TYPE_CHECKING:
    from torch import Tensor

Floats: TypeAlias = NDArray[np.float64]

Property = Literal[
    "symmetric",  # s(a, b) = s(b, a)
    "scale invariant",  # s(c·a, b) = s(a, b) for c > 0
    "rotation invariant",  # s(R·a, R·b) = s(a, b) for orthogonal R
    "shift invariant",  # s(a + t, b + t) = s(a, b)
    "bounded",  # s in [-1, 1]
    "self is closest",  # no b is closer to a than a itself
    "undefined at zero",  # NaN when either vector is zero
]


@dataclass(frozen=True)
class ProductForm:
    """The shape of a score that q·k and the norms decide: score(a(‖q‖)·a(‖k‖)·q·k + b(‖q‖) + b(‖k‖)).

    What `score` takes is a closeness: higher is closer. Where b is not 0 the sum cancels, and the closeness is only as
    exact as the norms are large: it finds candidates.

    Attributes:
        scale: a, elementwise; infinite where the score is undefined; None for 1.
        shift: b, elementwise; None for 0.
        score: the score from the closeness.
        squared_distance: whether the closeness z is −‖q − k‖²/2, which is exact when it is computed from differences,
            and the score √(−2z); else it is z up to rounding.
    """

    scale: Callable[[Floats], Floats] | None = None
    shift: Callable[[Floats], Floats] | None = None
    score: Callable[[Floats], Floats] = lambda closeness: closeness
    squared_distance: bool = False

    def __call__(self, product: Floats, query_norm: Any, key_norms: Floats) -> Floats:
        """The scores from q·k and norms that broadcast with it; NaN where undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.scale is not None:
                product = product * self.scale(query_norm) * self.scale(key_norms)
            if self.shift is not None:
                product = product + self.shift(query_norm) + self.shift(key_norms)
            return self.score(product)


@dataclass(frozen=True)
class HiddenSum:
    """The shape of a score Σ_h v_h·f((W_q q)_h + (W_k k)_h), whose weights carry w_query, w_key and v.

    Attributes:
        activation: f, elementwise, with |f| <= 1 and |f'| <= 1.
    """

    activation: Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Measure:
    """A way to score queries against keys.

    Attributes:
        name: its key in `MEASURES`.
        label: what a reader sees, in the middle of a sentence.
        place: its position in the registry, which also gives its colour.
        formula: LaTeX, in a query q and a key k.
        meaning: one sentence: what the score says, and its numerical or practical weakness.
        best: whether the highest or the lowest score is the closest.
        properties: what holds for all finite vectors, exactly up to rounding; tested for every measure.
        score: ((..., q, d_q), (..., n, d_k)[, weights]) -> (..., q, n), the number people read; torch tensors.
        logits: the same shapes, differentiable, higher is always closer: what a softmax takes.
        random_weights: (d_q, d_k, seed) -> weights, for a measure that needs them; None for one that does not.
        check_weights: (d_q, d_k, weights) raises a ScoringError for weights that do not fit, which `score` does too.
        product_form: for a score of that shape, what lets several measures share one matrix product.
        zero_below: (‖q‖, ‖k‖), broadcast -> the size below which a float64 score is rounding noise and counts as 0:
            1e-12 times the size of what was summed.
        hidden_sum: for a score of that shape, what lets a search project every word once.
    """

    name: str
    label: str
    place: int
    formula: str
    meaning: str
    best: Literal["highest", "lowest"]
    properties: frozenset[Property]
    score: Callable[..., Tensor]
    logits: Callable[..., Tensor]
    random_weights: Callable[[int, int, int], Any] | None = None
    check_weights: Callable[[int, int, object], None] | None = None
    product_form: ProductForm | None = None
    zero_below: Callable[[float | Floats, Floats], Floats] | None = None
    hidden_sum: HiddenSum | None = None

    @property
    def needs_weights(self) -> bool:
        """Whether `score` and `logits` take weights as their third argument."""
        return self.random_weights is not None

    def __call__(self, queries: Tensor, keys: Tensor, weights: object = None) -> Tensor:
        """`score` with shapes and weights checked.

        Raises:
            ScoringError: sizes that do not fit, or weights missing or not wanted.
        """
        _check_shapes(queries, keys)
        if self.needs_weights and weights is None:
            raise ScoringError(
                f"The {self.label} score needs weights and none were given. "
                f"Pass weights=, for instance MEASURES[{self.name!r}].random_weights(d_q, d_k, 0)."
            )
        if not self.needs_weights and weights is not None:
            raise ScoringError(f"The {self.label} has no weights and was given some. Leave weights out.")
        if not self.needs_weights and queries.shape[-1] != keys.shape[-1]:
            raise ScoringError(
                f"The {self.label} needs queries and keys of one size, and was given {queries.shape[-1]} and "
                f"{keys.shape[-1]} components. Use vectors of the same model, or the additive score."
            )
        return self.score(queries, keys, weights) if self.needs_weights else self.score(queries, keys)


def _check_shapes(queries: Tensor, keys: Tensor) -> None:
    batches = [tuple(given.shape[:-2]) for given in (queries, keys)]
    pairs = zip(*(reversed(axes) for axes in batches), strict=False)
    if min(queries.ndim, keys.ndim) < 2 or any(a != b and 1 not in (a, b) for a, b in pairs):
        raise ScoringError(
            "Queries (..., q, d) and keys (..., n, d) with matching leading axes are expected, found shapes "
            f"{tuple(queries.shape)} and {tuple(keys.shape)}. Give a single vector as a matrix of one row."
        )
