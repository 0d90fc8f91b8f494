"""Dot product, cosine and Euclidean distance read off one product q·k, each with a bound on its error.

All three are one form in the norms: z = a(‖q‖)·a(‖k‖)·q·k + b(‖q‖) + b(‖k‖).

| score          | a     | b         | score from z |
|----------------|-------|-----------|--------------|
| q·k            | 1     | 0         | z            |
| cos θ          | 1/‖·‖ | 0         | z            |
| ‖q − k‖        | 1     | −‖·‖²/2   | √(−2z)       |

For one query a(‖q‖) > 0 changes no order and is left out. With p̂ the product in precision u, |p̂ − q·k| <= γ_d·‖q‖‖k‖
in any order of summation (Higham 2002, equation 3.5), and the few roundings after it add up to

    |ẑ − z| <= γ_{d+16}·(‖q‖·a(‖k‖)‖k‖ + |b(‖k‖)| + |b(‖q‖)|/a(‖q‖)) + ‖q − q̂‖·a(‖k‖)‖k‖ + (d + 16)·λ·a(‖k‖)

where q̂ is the query as that precision holds it and λ its smallest normal number, for what underflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures import Measure
from attention_core.measures.base import ProductForm
from attention_core.similarity.candidates import ROW, Lane, Pass, gamma

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Queries:
    """What is asked.

    Attributes:
        vectors: (q, d) float64.
        norms: (q,) their lengths.
        own: (q,) the row that is the query itself and may not be found, or −1.
    """

    vectors: Floats
    norms: Floats
    own: NDArray[np.intp]

    def __getitem__(self, chosen: NDArray[np.intp]) -> Queries:
        return Queries(self.vectors[chosen], self.norms[chosen], self.own[chosen])

    def __len__(self) -> int:
        return len(self.own)


@dataclass(frozen=True)
class KeyTerms:
    """What a form needs of every word.

    Attributes:
        scale: (n', 1) a(‖k‖) in the precision of the product, n rounded up to whole stripes; None where all are 1.
        shift: (n', 1) b(‖k‖), or −inf where the score is undefined; None where all are 0.
        reach: the largest a(‖k‖)‖k‖.
        offset: the largest |b(‖k‖)|.
        stretch: the largest a(‖k‖).
        longest: the largest ‖k‖.
    """

    scale: Tensor | None
    shift: Tensor | None
    reach: float
    offset: float
    stretch: float
    longest: float


_TERMS: WeakKeyDictionary[Embeddings, dict[tuple[object, ...], KeyTerms]] = WeakKeyDictionary()


def product_pass(
    embeddings: Embeddings,
    queries: Queries,
    measures: Sequence[Measure],
    group: int,
    compute: Compute,
) -> Pass:
    """One product in `compute.dtype` for all these measures, which must have a form; no query may be zero."""
    with np.errstate(over="ignore"):
        asked = compute.tensor(queries.vectors.astype(compute.dtype))
    lost = np.linalg.norm(compute.array(asked.double()) - queries.vectors, axis=1)
    asked = asked.mT.contiguous()  # (d, q)

    def multiply(start: int, out: Tensor) -> None:
        words = slice(start, start + len(out))
        torch.mm(compute.tensor(embeddings.matrix[words]), asked, out=out)

    def lane(measure: Measure) -> Lane:
        form = measure.product_form
        if form is None:
            raise TypeError(f"the {measure.label} cannot be read off a product")
        terms = _key_terms(embeddings, form, group, compute)
        counts_as_zero = 0.0 if measure.zero_below is None else 2e-12
        return _lane(form, terms, queries, lost + counts_as_zero * queries.norms, compute)

    lanes = {measure.name: lane(measure) for measure in measures}
    return Pass(multiply, lanes, asked.dtype, len(embeddings), queries.own)


def _key_terms(embeddings: Embeddings, form: ProductForm, group: int, compute: Compute) -> KeyTerms:
    kept = _TERMS.setdefault(embeddings, {})
    key = (form, group, compute)
    if key not in kept:
        norms = embeddings.norms
        with np.errstate(divide="ignore"):
            scale = form.scale(norms) if form.scale else np.ones_like(norms)
            shift = form.shift(norms) if form.shift else np.zeros_like(norms)
        undefined = np.isinf(scale)
        scale = np.where(undefined, 1.0, scale)
        largest = [float(values.max()) for values in (scale * norms, np.abs(shift), scale, norms)]
        shift = np.where(undefined, -np.inf, shift)
        kept[key] = KeyTerms(
            _column(scale, 1.0, group, compute) if form.scale else None,
            _column(shift, 0.0, group, compute) if form.shift or undefined.any() else None,
            *largest,
        )
    return kept[key]


def _column(values: Floats, filling: float, group: int, compute: Compute) -> Tensor:
    with np.errstate(over="ignore"):  # what overflows is noticed in `fits`
        column = np.pad(values, (0, -len(values) % (ROW * group)), constant_values=filling).astype(compute.dtype)
    return compute.tensor(column[:, None])


def _lane(form: ProductForm, terms: KeyTerms, queries: Queries, lost: Floats, compute: Compute) -> Lane:
    """`lost` (q,) bounds the error of the query itself, as a length."""
    dtype: torch.dtype = getattr(torch, compute.dtype)
    d = queries.vectors.shape[1]
    rounding = gamma(d + 16, dtype) + gamma(2 * d + 40, torch.float64)
    centre = form.shift(queries.norms) if form.shift else np.zeros_like(queries.norms)
    if form.scale:
        centre /= form.scale(queries.norms)
    underflow = (d + 16) * torch.finfo(dtype).tiny * terms.stretch
    margin = (rounding * queries.norms + lost) * terms.reach + rounding * (terms.offset + np.abs(centre)) + underflow
    with np.errstate(over="ignore"):
        margins, middle = (compute.tensor(x.astype(compute.dtype)) for x in (1.01 * margin, centre))  # sums round too
    peak = np.maximum(queries.norms * max(1.0, terms.longest, terms.reach), terms.offset + np.abs(centre))
    most = torch.finfo(dtype).max / 8
    fits = torch.from_numpy((peak < most) & (terms.stretch < most)).to(compute.device)
    return Lane(terms.scale, terms.shift, middle, margins, fits)


def rounding_of(measure: Measure, scores: Floats, query_norms: Floats, key_norms: Floats, d: int) -> Floats:
    """How far two float64 evaluations of such a score can differ; all arrays broadcast to `scores`.

    Relative to the size of what was summed: 1e12 times what the measure counts as 0, or the score itself.
    """
    size = np.abs(scores)
    if measure.zero_below is not None:
        size = np.maximum(size, 1e12 * measure.zero_below(query_norms, key_norms))
    return 2 * gamma(2 * d + 40, torch.float64) * size
