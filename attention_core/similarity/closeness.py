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
from attention_core.similarity.candidates import Floats, KeyTerms, Pass, gamma

WORDS = 1 << 18
"""Of so many at most, terms are kept: 24 bytes for each. Of more, they are made block by block for each search."""


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
class Extent:
    """The size of what a form needs of words: of each, or (m, 1) the largest for m forms.

    Attributes:
        reach: a(‖k‖)‖k‖.
        offset: |b(‖k‖)|.
        stretch: a(‖k‖).
    """

    reach: Floats
    offset: Floats
    stretch: Floats


_KEPT: WeakKeyDictionary[Embeddings, dict[tuple[object, ...], tuple[Extent, KeyTerms | None]]] = WeakKeyDictionary()


def product_pass(embeddings: Embeddings, queries: Queries, measures: Sequence[Measure], compute: Compute) -> Pass:
    """One product in `compute.dtype` for all these measures, which must have a form; no query may be zero."""
    forms = [form for form in (measure.product_form for measure in measures) if form]
    extent, kept = _of_words(embeddings, forms, compute)
    with np.errstate(over="ignore"):
        asked = compute.tensor(queries.vectors.astype(compute.dtype))

    def multiply(start: int, out: Tensor, _: NDArray[Any]) -> None:
        words = slice(start, start + out.shape[1])
        torch.mm(asked, compute.tensor(embeddings.matrix[words]).mT, out=out)

    d, norms, dtype = embeddings.dimension, queries.norms, asked.dtype
    centre = np.stack([_centre(form, norms) for form in forms])
    counts_as_zero = np.array([0.0 if measure.zero_below is None else 2e-12 for measure in measures])[:, None] * norms
    lost = np.linalg.norm(compute.array(asked.double()) - queries.vectors, axis=1) + counts_as_zero
    rounding = gamma(d + 16, dtype) + gamma(2 * d + 40, torch.float64)
    towards, around = rounding * norms + lost, rounding * np.abs(centre)  # (m, q)
    underflow = (d + 16) * torch.finfo(dtype).tiny

    def margin(towards: Floats, around: Floats, words: Extent) -> Floats:
        return 1.01 * (towards * words.reach + around + rounding * words.offset + underflow * words.stretch)

    def margin_of(i: int, query: NDArray[np.intp], word: NDArray[np.intp]) -> Floats:
        return margin(towards[i, query], around[i, query], _extent(forms[i], embeddings.norms[word]))

    def terms(first: int, words: int) -> KeyTerms:
        return kept or _key_terms(forms, embeddings.norms[first : first + words], compute, first)

    peak = np.maximum(norms * np.maximum(max(1.0, embeddings.longest), extent.reach), extent.offset + np.abs(centre))
    fits = np.maximum(peak, extent.stretch) < torch.finfo(dtype).max / 8
    n, names, widest = len(embeddings), tuple(measure.name for measure in measures), margin(towards, around, extent)
    return Pass(multiply, n, terms, names, centre, widest, fits, queries.own, margin_of=margin_of)


def _centre(form: ProductForm, norms: Floats) -> Floats:
    """(q,) b(‖q‖)/a(‖q‖)."""
    centre = form.shift(norms) if form.shift else np.zeros_like(norms)
    return centre / form.scale(norms) if form.scale else centre


def _of_words(embeddings: Embeddings, forms: Sequence[ProductForm], compute: Compute) -> tuple[Extent, KeyTerms | None]:
    """The extent of all words, and their terms where they are kept."""
    known, key, norms = _KEPT.setdefault(embeddings, {}), (*forms, compute), embeddings.norms
    if key not in known:
        parts = [norms[start : start + WORDS] for start in range(0, len(norms), WORDS)]
        known[key] = _largest(forms, parts), _key_terms(forms, norms, compute) if len(parts) == 1 else None
    return known[key]


def _largest(forms: Sequence[ProductForm], parts: Sequence[Floats]) -> Extent:
    """Over all norms, which come in parts."""
    found = np.zeros((3, len(forms), 1))
    for i, form in enumerate(forms):
        for norms in parts:
            words = _extent(form, norms)
            of_part = words.reach.max(), words.offset.max(), words.stretch.max()
            found[:, i, 0] = np.maximum(found[:, i, 0], of_part)
    return Extent(*found)


def _extent(form: ProductForm, norms: Floats) -> Extent:
    scale, shift = _read(form, norms)
    return Extent(scale * norms, np.abs(np.where(np.isinf(shift), 0.0, shift)), scale)


def _key_terms(forms: Sequence[ProductForm], norms: Floats, compute: Compute, first: int = 0) -> KeyTerms:
    scales, shifts = (np.empty((len(forms), len(norms)), compute.dtype) for _ in range(2))
    for i, form in enumerate(forms):
        with np.errstate(over="ignore"):  # what overflows is noticed in `fits`
            scales[i], shifts[i] = _read(form, norms)
    return KeyTerms(compute.tensor(scales), compute.tensor(shifts), first)


def _read(form: ProductForm, norms: Floats) -> tuple[Floats, Floats]:
    """a(‖k‖) and b(‖k‖), or 1 and −inf where the score is undefined."""
    with np.errstate(divide="ignore"):
        scale = form.scale(norms) if form.scale else np.ones_like(norms)
    undefined = np.isinf(scale)
    shift = form.shift(norms) if form.shift else np.zeros_like(norms)
    return np.where(undefined, 1.0, scale), np.where(undefined, -np.inf, shift)


def rounding_of(measure: Measure, scores: Floats, query_norms: Floats, key_norms: Floats, d: int) -> Floats:
    """How far two float64 evaluations of such a score can differ; all arrays broadcast to `scores`.

    Relative to the size of what was summed: 1e12 times what the measure counts as 0, or the score itself.
    """
    size = np.abs(scores)
    if measure.zero_below is not None:
        size = np.maximum(size, 1e12 * measure.zero_below(query_norms, key_norms))
    return 2 * gamma(2 * d + 40, torch.float64) * size
