"""How large dot products become: their variance and shape as the vectors grow longer, by drawing pairs of vectors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError
from attention_core.experiments.moments import Measured, Moments, moments
from attention_core.experiments.population import Population, population

LONGEST = 4_096
"""Components of a vector at most."""
FEWEST, MOST = 100, 1_000_000
"""Pairs that can be drawn."""
BLOCK = 1 << 20
"""Numbers that are drawn at a time."""

Components: TypeAlias = str | Embeddings | Population


def _gaussian(into: Tensor, generator: torch.Generator) -> Tensor:
    return into.normal_(generator=generator)


def _uniform(into: Tensor, generator: torch.Generator) -> Tensor:
    return into.uniform_(-math.sqrt(3), math.sqrt(3), generator=generator)


def _rademacher(into: Tensor, generator: torch.Generator) -> Tensor:
    return into.random_(0, 2, generator=generator).mul_(2).sub_(1)


DISTRIBUTIONS: dict[str, Callable[[Tensor, torch.Generator], Tensor]] = {
    "gaussian": _gaussian,
    "uniform": _uniform,
    "rademacher": _rademacher,
}
"""Independent components of mean 0 and variance 1, by name: normal, evenly spread over ±√3, and ±1."""
FOURTH = {"gaussian": 3.0, "uniform": 1.8, "rademacher": 1.0}
"""E[x⁴]/σ⁴ of each."""


@dataclass(frozen=True, eq=False)
class DotProducts(Moments):
    """The moments of q·k of pairs of vectors that were drawn at random, and what theory says of them.

    Attributes:
        components: what was drawn: a key of `DISTRIBUTIONS`, or the source of the vectors.
        d: components of each vector.
        seed: of the draw.
        expected_mean: E[q·k]: 0 for independent components of mean 0, μ·μ for rows of a matrix with mean row μ.
        expected_variance: Var[q·k]: d for independent components of mean 0 and variance 1, tr(Σ²) + 2 μᵀΣμ for rows of
            a matrix with covariance Σ.
        independent_kurtosis: ((E[x⁴]/σ⁴)² − 3)/d, the excess kurtosis that independent components give.
        rows: of vectors, how many take part; 0 where a distribution was drawn from.
        total: of vectors, how many there are.
    """

    components: str
    d: int
    seed: int
    expected_mean: float
    expected_variance: float
    independent_kurtosis: float
    rows: int
    total: int

    @property
    def scaled_variance(self) -> Measured:
        """The variance of q·k/√d."""
        return Measured(self.variance.value / self.d, self.variance.error / self.d)


def dot_products(
    d: int,
    components: Components = "gaussian",
    size: int = 10_000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> DotProducts:
    """q·k of `size` independent pairs of vectors with d components.

    For independent components of mean 0 and variance 1, the products have mean 0 and variance d, since the variances of
    independent terms add (Bienaymé); √d is one standard deviation, and q·k/√d has variance 1 (Vaswani et al. 2017,
    section 3.2.1). With heavy tails, as those of a single component, standard errors come out too small.

    Args:
        d: from 1 to 4,096; of rows, to their dimension.
        components: a key of `DISTRIBUTIONS`, or vectors whose rows are drawn with replacement (see `population`), of
            which d components are used, chosen by the seed.
        size: from 100 to 1,000,000.
        seed: of the draw; each d draws its own numbers.
        progress: called with (pairs done, size); may raise to stop.

    Raises:
        ScoringError: a d, a size or a distribution that is not possible.

    Example:
        >>> found = dot_products(64, "uniform", size=20_000)
        >>> abs(found.variance.value - 64) < 3 * found.variance.error
        True
    """
    source = population(components, seed) if isinstance(components, Embeddings) else components
    values = products(d, source, size, seed, progress)
    law = _law(source, d, seed)
    rows, total = (0, 0) if isinstance(source, str) else (len(source.rows), source.total)
    found = moments(values)
    return DotProducts(
        **vars(found),
        components=law.name,
        d=d,
        seed=seed,
        expected_mean=law.mean(),
        expected_variance=law.variance(),
        independent_kurtosis=(law.fourth**2 - 3) / d,
        rows=rows,
        total=total,
    )


def products(
    d: int,
    components: str | Population,
    size: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.float64]:
    """(size,) the dot products themselves; arguments and refusals as `dot_products` has them.

    Example:
        >>> sorted(set(products(2, "rademacher", 100, 0).tolist()))
        [-2.0, 0.0, 2.0]
    """
    _check(d, components, size)
    law = _law(components, d, seed)
    generator = torch.Generator().manual_seed(seed * (LONGEST + 1) + d)
    values = np.empty(size)
    height = max(1, min(size, BLOCK // (2 * d)))
    for start in range(0, size, height):
        stop = min(start + height, size)
        q, k = law.draw(stop - start, generator)
        values[start:stop] = torch.einsum("nd,nd->n", q, k).double().numpy()
        if progress is not None:
            progress(stop, size)
    return values


def _check(d: int, components: str | Population, size: int) -> None:
    if isinstance(components, str) and components not in DISTRIBUTIONS:
        raise ScoringError(f"There is no distribution “{components}”. Choose one of {', '.join(DISTRIBUTIONS)}.")
    longest = lengths(components)[-1]
    if not 1 <= d <= longest:
        raise ScoringError(
            f"Vectors of {d:,} components were asked for, and 1 to {longest:,} are possible. Choose such."
        )
    if not FEWEST <= size <= MOST:
        raise ScoringError(f"{size:,} pairs were asked for. Choose from {FEWEST:,} to {MOST:,}.")


def lengths(components: Components) -> tuple[int, ...]:
    """The powers of two up to 4,096, or up to the dimension of the vectors and that dimension.

    Example:
        >>> lengths(Embeddings(["a"], [[1.0, 2.0, 3.0, 4.0, 5.0]], "x"))
        (1, 2, 4, 5)
    """
    longest = LONGEST if isinstance(components, str) else components.dimension
    powers = [1 << i for i in range(longest.bit_length())]
    return tuple(dict.fromkeys([*powers, longest]))


def sweep(
    components: Components = "gaussian",
    size: int = 10_000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> dict[int, DotProducts]:
    """`dot_products` for every length of `lengths`, by d; progress is called with (numbers drawn, in all).

    Example:
        >>> [round(found.variance.value) for found in sweep("rademacher", size=100).values()][:3]
        [1, 2, 4]
    """
    if isinstance(components, Embeddings):
        components = population(components, seed)
    sizes = lengths(components)
    done, total, found = 0, size * sum(sizes), {}
    for d in sizes:
        start = done

        def report(pairs: int, _size: int, start: int = start, d: int = d) -> None:
            if progress is not None:
                progress(start + pairs * d, total)

        found[d] = dot_products(d, components, size, seed, report)
        done += size * d
    return found


@dataclass(frozen=True)
class _Law:
    """Where pairs come from: `draw(n, generator)` gives (2, n, d); what theory says of their products."""

    name: str
    draw: Callable[[int, torch.Generator], Tensor]
    mean: Callable[[], float]
    variance: Callable[[], float]
    fourth: float


def _law(components: str | Population, d: int, seed: int) -> _Law:
    if isinstance(components, str):
        fill = DISTRIBUTIONS[components]
        return _Law(
            components, lambda n, g: fill(torch.empty(2, n, d), g), lambda: 0.0, lambda: float(d), FOURTH[components]
        )
    rows = components.part(d, seed)
    return _Law(
        components.source,
        lambda n, g: rows.rows[torch.randint(len(rows.rows), (2, n), generator=g)],
        rows.mean_product,
        rows.variance_product,
        rows.fourth,
    )
