"""Σ_h v_h·f(a_h + b_h), with a = W_q q and b = W_k k, approximated by one matrix product, with a bound on its error.

An elementwise pass computes f for every query x word x unit. But f(a + b), as a function of a and b, is close to a sum
of few products: for tanh over the values that occur, each singular value of its table is about half the one before. So
the range of each b_h is covered by a grid, and the singular vectors ψ_hr of the table f(a_s + grid), with a_s from some
words, interpolated linearly between grid points, become features of every word, kept for the corpus. For a query,
v_h·f(a_h + ·) is projected on them: its scores are coefficients · features plus a constant, one matrix product.

**The bound is measured, not assumed.** With g_hr the coefficients as stored, the residual
v_h·f(a_h + ·) − Σ_r g_hr·ψ_hr is computed at every grid point; half its range is the error there, and its middle joins
the constant. Between grid points at distance t, linear interpolation is off by at most |v_h|·max|f″|·t²/8. Rounding the
features (unit u) and summing F products (γ_F) add (u + γ_F)·Σ_hr |g_hr|·max|ψ_hr|. The product is at most Σ|v_h| plus
the constant and the error, so its own rounding is at most that times u. The few hundred words that this leaves are
narrowed by their float32 score, whose error is that of tanh and of the sum: γ_{hidden+16}·Σ|v_h|, and u·(|a| + |b|)
from their rounding. Wide ranges make the bound coarse: then too many words stay, and a slower pass decides.

Units with a large |v_h| get more features: the F largest |v_h|·(singular value) are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures import Measure
from attention_core.similarity.candidates import Closer, Lane, Pass, gamma
from attention_core.similarity.closeness import Floats, Queries

GRID = 129
"""Points over the range of each unit."""
SAMPLE = 64
"""Words whose W_q k stand for the queries to come; the bound holds for any query."""
DEEPEST = 8
"""Features of one unit at most."""
PER_UNIT = {torch.bfloat16: 7, torch.float32: 5}
"""F / hidden."""
BLOCK = 1 << 20
"""Values of b that become features at a time."""


@dataclass(frozen=True, eq=False)
class Features:
    """What a corpus keeps for one set of weights.

    Attributes:
        weights: they are for.
        projected: (n, hidden) float32 b of each word.
        values: (n, F) ψ of each word.
        tables: (hidden, DEEPEST, GRID) float64 ψ at the grid points; rows are orthonormal, or zero where not chosen.
        chosen: (hidden, DEEPEST) F of them.
        grid: (hidden, GRID) float64.
        longest: the largest ‖k‖.
    """

    weights: Any
    projected: Tensor
    values: Tensor
    tables: Tensor
    chosen: Tensor
    grid: Tensor
    longest: float


@dataclass(frozen=True, eq=False)
class Fit:
    """A query's score as coefficients · features + middle.

    Attributes:
        coefficients: (hidden, q, DEEPEST) float64 values that the precision of the features holds.
        middle: (q,).
        error: (q,) the largest residual at the grid points.
        size: (q,) bounds Σ|coefficient·feature|.
        projected: (q, hidden) float64 a.
    """

    coefficients: Tensor
    middle: Tensor
    error: Tensor
    size: Tensor
    projected: Tensor


_FEATURES: WeakKeyDictionary[Embeddings, dict[tuple[str, str], Features]] = WeakKeyDictionary()


@lru_cache(maxsize=8)
def default_weights(measure: Measure, d: int) -> Any:
    """The seeded random weights that stand in when none are given, made once: features are kept for them."""
    return None if measure.random_weights is None else measure.random_weights(d, d, 0)


def separable_pass(embeddings: Embeddings, queries: Queries, measure: Measure, weights: Any, compute: Compute) -> Pass:
    """A pass over the features of the corpus, which are made at the first call with these weights."""
    features = features_of(embeddings, measure, weights, compute)
    fit = _fit(features, queries, measure, compute)
    coefficients = fit.coefficients.mT[features.chosen].to(features.values.dtype)  # (F, q)

    def multiply(start: int, out: Tensor) -> None:
        torch.mm(features.values[start : start + len(out)], coefficients, out=out)

    lane = _lane(features, fit, queries, measure, compute)
    return Pass(multiply, {measure.name: lane}, coefficients.dtype, len(embeddings), queries.own)


def elementwise_pass(
    embeddings: Embeddings, queries: Queries, measure: Measure, weights: Any, compute: Compute
) -> Pass:
    """A float64 pass by the definition."""
    vectors = compute.tensor(queries.vectors, "float64")

    def multiply(start: int, out: Tensor) -> None:
        keys = compute.tensor(embeddings.matrix[start : start + len(out)], "float64")
        out.copy_(measure(vectors, keys, weights).mT)

    scattered = compute.tensor(2 * scatter(weights, queries.norms, float(embeddings.norms.max())), "float64")
    lane = Lane(None, None, torch.zeros_like(scattered), scattered, scattered.isfinite())
    return Pass(multiply, {measure.name: lane}, torch.float64, len(embeddings), queries.own)


def scatter(weights: Any, query_norms: Floats, longest: float) -> Floats:
    """(q,) how far a float64 score can be from the true one: |f'| <= 1 passes the rounding of a and b on."""
    reach = _reach(weights)
    projected = gamma(reach.terms + 8, torch.float64) * (reach.query * query_norms + reach.key * longest)
    return projected + gamma(reach.hidden + 16, torch.float64) * reach.total


class _Reach(NamedTuple):
    """Σ|v|, the largest |v·a| and |v·b| for vectors of length 1, and how many terms they sum."""

    total: float
    query: float
    key: float
    hidden: int
    terms: int


_REACH: WeakKeyDictionary[Any, _Reach] = WeakKeyDictionary()


def _reach(weights: Any) -> _Reach:
    if weights not in _REACH:
        w_query, w_key, v = (x.detach().double().cpu() for x in (weights.w_query, weights.w_key, weights.v))
        query, key = (float((v.abs() * w.norm(dim=1)).sum()) for w in (w_query, w_key))
        _REACH[weights] = _Reach(float(v.abs().sum()), query, key, len(v), max(w_query.shape[1], w_key.shape[1]))
    return _REACH[weights]


def features_of(embeddings: Embeddings, measure: Measure, weights: Any, compute: Compute) -> Features:
    """The features of a corpus for these weights, kept until it is asked for others."""
    kept = _FEATURES.setdefault(embeddings, {})
    key = (measure.name, compute.device)
    if key not in kept or kept[key].weights is not weights:
        kept[key] = _make(embeddings, measure, weights, compute)
    return kept[key]


def _make(embeddings: Embeddings, measure: Measure, weights: Any, compute: Compute) -> Features:
    projected = project(embeddings, weights.w_key, compute)  # (n, hidden)
    low, high = (values.double() for values in projected.aminmax(dim=0))
    grid = low[:, None] + (high - low)[:, None] * torch.linspace(0, 1, GRID).to(low)
    rows = np.unique(np.linspace(0, len(embeddings) - 1, SAMPLE).astype(np.intp))
    sample = compute.tensor(embeddings.matrix[rows], "float64") @ weights.w_query.to(grid).mT  # (sample, hidden)
    table = activation_of(measure)(sample.mT[:, :, None] + grid[:, None])  # (hidden, sample, grid)
    table -= table.mean(2, keepdim=True)
    squares, combinations = torch.linalg.eigh(table @ table.mT)  # ascending
    sizes = squares[:, -DEEPEST:].clamp(min=torch.finfo(torch.float64).tiny).sqrt()  # singular values
    vectors = combinations[:, :, -DEEPEST:].mT @ table / sizes[:, :, None]
    dtype = torch.bfloat16 if compute.multiplies_bfloat16 else torch.float32
    weighed = sizes * weights.v.to(grid).abs()[:, None]
    wanted = min(PER_UNIT[dtype] * len(grid), weighed.numel())
    chosen = torch.zeros_like(weighed, dtype=torch.bool)
    chosen.view(-1)[weighed.view(-1).topk(wanted).indices] = True
    tables = vectors * chosen[:, :, None]
    blocks = torch.split(projected, max(1, BLOCK // len(grid)))
    values = torch.cat([_interpolate(block, grid, tables, chosen).to(dtype) for block in blocks])
    return Features(weights, projected, values, tables, chosen, grid, float(embeddings.norms.max()))


def activation_of(measure: Measure) -> Callable[[Tensor], Tensor]:
    """The f of a measure that is a sum over hidden units."""
    if measure.hidden_sum is None:
        raise TypeError(f"the {measure.label} is not a sum over hidden units")
    return measure.hidden_sum.activation


def project(
    embeddings: Embeddings, weight: Tensor, compute: Compute, each: Callable[[], object] = lambda: None
) -> Tensor:
    """(n, hidden) float32 rounding of the float64 projection of every word; `each` is called for each block."""
    step = max(1, BLOCK // embeddings.dimension)
    columns = weight.detach().to(device=compute.device, dtype=torch.float64).mT

    def block(start: int) -> Tensor:
        each()
        return (compute.tensor(embeddings.matrix[start : start + step], "float64") @ columns).float()

    return torch.cat([block(start) for start in range(0, len(embeddings), step)])


def _interpolate(b: Tensor, grid: Tensor, tables: Tensor, chosen: Tensor) -> Tensor:
    """(rows, F) float32: ψ at b (rows, hidden)."""
    hidden, depth, points = tables.shape
    width = (grid[:, -1] - grid[:, 0]) / (points - 1)
    place = (b.double() - grid[:, 0]) / torch.where(width > 0, width, 1.0)
    left = place.long().clamp(0, points - 2)
    rest = (place - left).clamp(0, 1).float()[:, :, None]
    flat = tables.mT.reshape(hidden * points, depth).float()
    row = left + points * torch.arange(hidden, device=b.device)
    values = torch.lerp(flat[row], flat[row + 1], rest)  # (rows, hidden, depth)
    return values[:, chosen]


def _fit(features: Features, queries: Queries, measure: Measure, compute: Compute) -> Fit:
    """Projects v_h·f(a_h + grid) on the features and measures what is left."""
    weights, grid, tables = features.weights, features.grid, features.tables
    a = compute.tensor(queries.vectors, "float64") @ weights.w_query.to(grid).mT  # (q, hidden)
    v = weights.v.to(grid)[:, None, None]
    wanted = v * activation_of(measure)(a.mT[:, :, None] + grid[:, None])  # (hidden, q, grid)
    coefficients = torch.bmm(wanted, tables.mT).to(features.values.dtype).double()  # (hidden, q, depth)
    rest = torch.baddbmm(wanted, coefficients, tables, alpha=-1)
    low, high = rest.amin(2), rest.amax(2)  # (hidden, q): five times faster than aminmax
    size = (coefficients.abs() * tables.abs().amax(2)[:, None]).sum((0, 2))
    return Fit(coefficients, ((high + low) / 2).sum(0), ((high - low) / 2).sum(0), size, a)


def _lane(features: Features, fit: Fit, queries: Queries, measure: Measure, compute: Compute) -> Lane:
    weights, grid = features.weights, features.grid
    v = weights.v.to(grid).abs()
    width = (grid[:, -1] - grid[:, 0]) / (GRID - 1)
    unit = torch.finfo(torch.float32).eps / 2
    curvature = measure.hidden_sum.curvature if measure.hidden_sum else 0.0
    between = (v * (curvature * width.square() / 8 + unit * grid.abs().amax(1))).sum()  # and b in float32
    terms = gamma(int(features.chosen.sum()) + 32, torch.float32)
    stored = torch.finfo(features.values.dtype).eps / 2
    result = torch.minimum(fit.size, v.sum() + fit.middle.abs() + fit.error)  # bounds the product
    rounding = (stored + terms) * fit.size + stored * result + terms * fit.middle.abs()
    scattered = 2 * scatter(weights, queries.norms, features.longest)
    error = 1.01 * (fit.error + between + rounding) + compute.tensor(scattered, "float64")
    fits = error < 1e30
    closer = _closer(features, fit, measure, scattered, compute)
    return Lane(None, None, fit.middle.float(), error.float(), fits, closer)


def _closer(features: Features, fit: Fit, measure: Measure, scattered: Floats, compute: Compute) -> Closer:
    """The float32 score by the definition, from projections that are kept."""
    weights, activation = features.weights, activation_of(measure)
    a, v = fit.projected, weights.v.to(features.grid)
    rounded, rounded_v = a.float(), v.float()

    def closeness(query: NDArray[np.intp], words: NDArray[np.intp]) -> Floats:
        asked, found = (torch.from_numpy(rows).to(compute.device) for rows in (query, words))
        terms = activation(features.projected.index_select(0, found).add_(rounded.index_select(0, asked)))
        return compute.array((terms @ rounded_v).double())

    farthest = 2 * (a.abs() + features.grid.abs().amax(1))  # (q, hidden): rounded, then added
    error = gamma(len(v) + 16, torch.float32) * v.abs().sum() + gamma(2, torch.float32) * (farthest @ v.abs())
    return Closer(closeness, 1.01 * compute.array(error) + scattered)
