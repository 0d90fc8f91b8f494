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
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures import Measure
from attention_core.measures.base import ProductForm
from attention_core.similarity.candidates import Floats, Pass, gamma


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
    """What m forms need of every word.

    Attributes:
        scale: (m, n) a(‖k‖) in the precision of the product.
        shift: (m, n) b(‖k‖), or −inf where the score is undefined.
        reach: (m,) the largest a(‖k‖)‖k‖.
        offset: (m,) the largest |b(‖k‖)|.
        stretch: (m,) the largest a(‖k‖).
    """

    scale: Tensor
    shift: Tensor
    reach: Floats
    offset: Floats
    stretch: Floats


_TERMS: WeakKeyDictionary[Embeddings, dict[tuple[object, ...], KeyTerms]] = WeakKeyDictionary()


def product_pass(embeddings: Embeddings, queries: Queries, measures: Sequence[Measure], compute: Compute) -> Pass:
    """One product in `compute.dtype` for all these measures, which must have a form; no query may be zero."""
    forms = [form for form in (measure.product_form for measure in measures) if form]
    terms = _key_terms(embeddings, forms, compute)
    with np.errstate(over="ignore"):
        asked = compute.tensor(queries.vectors.astype(compute.dtype))

    def multiply(start: int, out: Tensor, _: NDArray[Any]) -> None:
        words = slice(start, start + out.shape[1])
        torch.mm(asked, compute.tensor(embeddings.matrix[words]).mT, out=out)

    d, norms, dtype = embeddings.dimension, queries.norms, asked.dtype
    reach, offset, stretch = (values[:, None] for values in (terms.reach, terms.offset, terms.stretch))
    centre = np.stack([_centre(form, norms) for form in forms])
    counts_as_zero = np.array([0.0 if measure.zero_below is None else 2e-12 for measure in measures])[:, None] * norms
    lost = np.linalg.norm(compute.array(asked.double()) - queries.vectors, axis=1) + counts_as_zero
    rounding = gamma(d + 16, dtype) + gamma(2 * d + 40, torch.float64)
    underflow = (d + 16) * torch.finfo(dtype).tiny * stretch
    margin = (rounding * norms + lost) * reach + rounding * (offset + np.abs(centre)) + underflow
    longest = max(1.0, embeddings.longest)
    peak = np.maximum(norms * np.maximum(longest, reach), offset + np.abs(centre))
    fits = np.maximum(peak, stretch) < torch.finfo(dtype).max / 8
    names = tuple(measure.name for measure in measures)
    return Pass(multiply, names, terms.scale, terms.shift, centre, 1.01 * margin, fits, queries.own)


def _centre(form: ProductForm, norms: Floats) -> Floats:
    """(q,) b(‖q‖)/a(‖q‖)."""
    centre = form.shift(norms) if form.shift else np.zeros_like(norms)
    return centre / form.scale(norms) if form.scale else centre


def _key_terms(embeddings: Embeddings, forms: Sequence[ProductForm], compute: Compute) -> KeyTerms:
    kept = _TERMS.setdefault(embeddings, {})
    key = (*forms, compute)
    if key not in kept:
        norms, shape = embeddings.norms, (len(forms), len(embeddings))
        scales, shifts, largest = (
            np.empty(shape, compute.dtype),
            np.empty(shape, compute.dtype),
            np.empty((3, shape[0])),
        )
        for i, form in enumerate(forms):  # one after the other: each takes twice the memory of what is kept of it
            with np.errstate(divide="ignore"):
                scale = form.scale(norms) if form.scale else np.ones_like(norms)
            shift = form.shift(norms) if form.shift else np.zeros_like(norms)
            undefined = np.isinf(scale)
            scale = np.where(undefined, 1.0, scale)
            largest[:, i] = (scale * norms).max(), np.abs(shift).max(), scale.max()
            shift = np.where(undefined, -np.inf, shift)
            with np.errstate(over="ignore"):  # what overflows is noticed in `fits`
                scales[i], shifts[i] = scale, shift
        kept[key] = KeyTerms(compute.tensor(scales), compute.tensor(shifts), *largest)
    return kept[key]


def rounding_of(measure: Measure, scores: Floats, query_norms: Floats, key_norms: Floats, d: int) -> Floats:
    """How far two float64 evaluations of such a score can differ; all arrays broadcast to `scores`.

    Relative to the size of what was summed: 1e12 times what the measure counts as 0, or the score itself.
    """
    size = np.abs(scores)
    if measure.zero_below is not None:
        size = np.maximum(size, 1e12 * measure.zero_below(query_norms, key_norms))
    return 2 * gamma(2 * d + 40, torch.float64) * size
