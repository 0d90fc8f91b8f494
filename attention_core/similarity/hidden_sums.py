"""Σ_h v_h·f(a_h + b_h), with a = W_q q and b = W_k k, for many queries and all words.

tanh(a + b) = 1 − 2/(1 + e^{2a}·e^{2b}): with e^{2b} kept for every word, a term takes a few products and a quarter of a
division, since four terms share one. In float32, with unit u, e^{2a}·e^{2b} is off by 3u of its size, 1 plus it by 4u,
the sum of two terms over one denominator by 6u and 9u, that of four by 37u of their sizes, and adding up `hidden` terms
makes that γ_{hidden+40} of 2·Σ|v_h|. Where four denominators might overflow, what exceeds 1e9 counts as that, which
moves a term by 2e-9.

Units with large |v_h| come first: what is left to add soon is so little that most words cannot be among the closest,
and are given up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.compiled import compiled
from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures import Measure
from attention_core.similarity.candidates import Floats, KeyTerms, Pass, gamma
from attention_core.similarity.closeness import Queries

BLOCK = 1 << 20
"""Values of b computed at a time."""
WORDS = 512
"""Words whose powers lie side by side, one hidden unit after the other."""
GROUP = 128
"""Words that are given up together."""
LEFT = 1 / 6
"""Share of Σ|v_h| that is left when words are first given up: with more, hardly any would be."""
WIDEST = 43.0
"""|2a| and |2b| up to which powers and their products are normal float32 numbers."""
LARGEST = np.float32(1e9)
FOUR = 84.0
"""What the exponents of four terms may add up to: their denominators multiply to at most 16·e^84, half of what float32
holds and more."""
SIZES = 1e-30, 1e30
"""Between which Σ|v_h| lies, or is 0."""
ONE = np.float32(1)


@dataclass(frozen=True, eq=False)
class Powers:
    """What a corpus keeps for one set of weights.

    Attributes:
        weights: they are for.
        values: (blocks, hidden', WORDS) float32 e^{2b}; hidden' is `hidden` rounded up to a multiple of 4.
        widest: (hidden',) the largest |2b|; NaN where one is not defined.
        doubling: (d_q, hidden') float64 2·W_q.
        factors: (hidden',) float32 −2v as shares of Σ|v|, the largest first, so that no sum over one denominator
            overflows.
        rest: (hidden'/4,) float32 what a sum can still gain from there on, with room for its rounding.
        early: terms that are summed for every word.
        terms: how the score is read off a sum.
    """

    weights: Any
    values: NDArray[np.float32]
    widest: Floats
    doubling: Floats
    factors: NDArray[np.float32]
    rest: NDArray[np.float32]
    early: int
    terms: Callable[[int, int], KeyTerms]


_POWERS: WeakKeyDictionary[Embeddings, dict[str, Powers]] = WeakKeyDictionary()


@lru_cache(maxsize=8)
def default_weights(measure: Measure, d: int) -> Any:
    """The seeded random weights that stand in when none are given, made once: powers are kept for them."""
    return None if measure.random_weights is None else measure.random_weights(d, d, 0)


def elementwise_pass(
    embeddings: Embeddings, queries: Queries, measure: Measure, weights: Any, compute: Compute
) -> Pass:
    """The score by its definition, in `compute.dtype`."""
    with np.errstate(over="ignore"):
        vectors = compute.tensor(queries.vectors.astype(compute.dtype))

    def multiply(start: int, out: Tensor, _: NDArray[Any]) -> None:
        keys = compute.tensor(embeddings.matrix[start : start + out.shape[1]])
        out.copy_(measure(vectors, keys, weights))

    dtype, longest = vectors.dtype, embeddings.longest
    margin = (scatter(weights, queries.norms, longest, dtype) + scatter(weights, queries.norms, longest))[None]
    n, centre = len(embeddings), np.zeros_like(margin)
    return Pass(multiply, n, _plain(n, compute), (measure.name,), centre, 1.01 * margin, margin < 1e30, queries.own)


def exponential_pass(embeddings: Embeddings, queries: Queries, measure: Measure, weights: Any, _: Compute) -> Pass:
    """The score of a sum of tanh in float32, on the CPU; its powers are made at the first call with these weights."""
    powers, hidden = powers_of(embeddings, measure, weights), len(weights.v)
    total = _reach(weights).total or 1.0
    doubled = queries.vectors @ powers.doubling  # (q, hidden')
    fits = (np.abs(doubled) <= WIDEST).all(axis=1) & (powers.widest <= WIDEST).all() & (SIZES[0] < total < SIZES[1])
    asked = np.exp(np.clip(doubled, -WIDEST, WIDEST)).astype(np.float32)
    large = np.maximum(doubled + powers.widest, 0).reshape(len(doubled), -1, 4).sum(axis=2) > FOUR

    def multiply(start: int, out: Tensor, limits: NDArray[Any]) -> None:
        sums = powers.values[start // WORDS :], asked, powers.factors, large, powers.rest
        with np.errstate(over="ignore"):  # before any word was seen
            least = limits[0] / np.float32(total)
        add_up(sums, least, powers.early, out.numpy())

    scattered = 2 * scatter(weights, queries.norms, embeddings.longest)
    margin = (2 * gamma(hidden + 40, torch.float32) * total + scattered)[None]
    n, centre = len(embeddings), np.full_like(margin, float(_wide(weights)[2].sum()))
    names, fits = (measure.name,), np.atleast_2d(fits)
    return Pass(multiply, n, powers.terms, names, centre, 1.01 * margin, fits, queries.own, WORDS)


def _plain(n: int, compute: Compute, share: float = 1.0) -> Callable[[int, int], KeyTerms]:
    """The terms of one measure, of whose closeness the product is a share."""
    none = compute.tensor(np.empty(0, compute.dtype))
    terms = KeyTerms(none.new_full((1, n), share), none.new_zeros((1, n)))
    return lambda *_: terms


@compiled
def _add_four(terms: Any, at: Any, words: Any, out: Any) -> Any:
    """The terms of four hidden units for one query and some words of a block, over one denominator."""
    (powers, asked, factors, large, _), (block, h, j), (start, end) = terms, at, words
    i, k, m = h + np.uint64(1), h + np.uint64(2), h + np.uint64(3)
    p, q, r, s = asked[j, h], asked[j, i], asked[j, k], asked[j, m]
    t, u, v, w = factors[h], factors[i], factors[k], factors[m]
    clip, first = large[j, h // np.uint64(4)], block * np.uint64(WORDS)
    for word in range(start, end):
        a, b = p * powers[block, h, word], q * powers[block, i, word]
        c, d = r * powers[block, k, word], s * powers[block, m, word]
        if clip:
            a, b = min(a, LARGEST), min(b, LARGEST)
            c, d = min(c, LARGEST), min(d, LARGEST)
        a, b, c, d = ONE + a, ONE + b, ONE + c, ONE + d
        ab, cd = t * b + u * a, v * d + w * c
        out[j, first + word] += (ab * (c * d) + cd * (a * b)) / (a * b * (c * d))


@compiled
def _reached(sums: Any, start: Any, end: Any, least: Any) -> Any:
    found = False
    for word in range(start, end):
        found |= sums[word] >= least
    return found


@compiled
def add_up(terms: Any, least: Any, early: Any, out: Any) -> Any:
    """Σ factor/(1 + asked·power) for queries and the first words of some blocks, into `out` (q, words).

    `terms` are powers (blocks, hidden', WORDS), asked (q, hidden'), factors (hidden',), `large` (q, hidden'/4), which
    tells where four denominators might overflow, and the most (hidden'/4,) that the terms from there on add up to.
    From `early` terms on, words are left alone that cannot reach `least` (q,) any more: their sums stay below it.
    """
    out[:] = 0
    for block in range(np.uint64(0), np.uint64(-(-out.shape[1] // WORDS))):
        first = block * np.uint64(WORDS)
        words = min(np.uint64(WORDS), np.uint64(out.shape[1]) - first)
        for h in range(np.uint64(0), np.uint64(terms[2].shape[0]), np.uint64(4)):
            for j in range(np.uint64(0), np.uint64(out.shape[0])):
                step = words if h < early else np.uint64(GROUP)
                for start in range(np.uint64(0), words, step):
                    end = min(start + step, words)
                    if h < early or _reached(
                        out[j], first + start, first + end, least[j] - terms[4][h // np.uint64(4)]
                    ):
                        _add_four(terms, (block, h, j), (start, end), out)


def powers_of(embeddings: Embeddings, measure: Measure, weights: Any) -> Powers:
    """The powers of a corpus for these weights, kept until it is asked for others."""
    kept = _POWERS.setdefault(embeddings, {})
    if measure.name not in kept or kept[measure.name].weights is not weights:
        kept[measure.name] = _powers(embeddings, weights)
    return kept[measure.name]


def _powers(embeddings: Embeddings, weights: Any) -> Powers:
    w_query, w_key, v = _wide(weights)
    order = v.abs().argsort(descending=True)
    n, hidden = len(embeddings), len(v)
    values = np.ones((-(-n // WORDS), -(-hidden // 4) * 4, WORDS), np.float32)
    widest, block = np.zeros(values.shape[1]), max(1, BLOCK // hidden // WORDS) * WORDS
    parts = projections(embeddings, w_key[order], Compute(), block)
    for start, projected in zip(range(0, n, block), parts, strict=True):
        doubled = 2 * projected.numpy().T  # (hidden, words)
        widest[:hidden] = np.maximum(widest[:hidden], np.abs(doubled).max(axis=1))
        powers = np.exp(np.clip(doubled, -WIDEST, WIDEST, out=doubled), out=doubled)
        for at in range(0, powers.shape[1], WORDS):
            part = powers[:, at : at + WORDS]
            values[(start + at) // WORDS, :hidden, : part.shape[1]] = part
    doubling, factors = np.zeros((w_query.shape[1], values.shape[1])), np.zeros(values.shape[1])
    total = _reach(weights).total or 1.0
    doubling[:, :hidden], factors[:hidden] = 2 * w_query[order].mT, -2 * v[order] / total
    rest = np.maximum(factors, 0)[::-1].cumsum()[::-1][::4] + 3 * gamma(hidden + 40, torch.float32)
    early = int((np.abs(factors)[::-1].cumsum()[::-1] > 2 * LEFT).sum())
    narrow = factors.astype(np.float32), rest.astype(np.float32)
    return Powers(weights, values, widest, doubling, *narrow, early, _plain(n, Compute(), total))


_WIDE: WeakKeyDictionary[Any, tuple[Tensor, Tensor, Tensor]] = WeakKeyDictionary()


def _wide(weights: Any) -> tuple[Tensor, Tensor, Tensor]:
    """W_q, W_k and v in float64, on the CPU."""
    if weights not in _WIDE:
        w_query, w_key, v = (x.detach().double().cpu() for x in (weights.w_query, weights.w_key, weights.v))
        _WIDE[weights] = w_query, w_key, v
    return _WIDE[weights]


def scores_of(measure: Measure, weights: Any, vectors: Floats, asked: NDArray[np.intp], keys: Floats) -> Floats:
    """(m,) float64 scores of queries (q, d), one of which is asked for each of the keys (m, d)."""
    w_query, w_key, v = _wide(weights)
    projected = (torch.from_numpy(vectors) @ w_query.mT)[torch.from_numpy(asked)] + torch.from_numpy(keys) @ w_key.mT
    return Compute.array(activation_of(measure)(projected) @ v)


def scatter(weights: Any, query_norms: Floats, longest: float, dtype: torch.dtype = torch.float64) -> Floats:
    """(q,) how far a score in `dtype` can be from the true one: |f'| <= 1 passes the rounding of a and b on."""
    reach = _reach(weights)
    projected = gamma(reach.terms + 8, dtype) * (reach.query * query_norms + reach.key * longest)
    return projected + gamma(reach.hidden + 16, dtype) * reach.total


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
        w_query, w_key, v = _wide(weights)
        query, key = (float((v.abs() * w.norm(dim=1)).sum()) for w in (w_query, w_key))
        _REACH[weights] = _Reach(float(v.abs().sum()), query, key, len(v), max(w_query.shape[1], w_key.shape[1]))
    return _REACH[weights]


def activation_of(measure: Measure) -> Callable[[Tensor], Tensor]:
    """The f of a measure that is a sum over hidden units."""
    if measure.hidden_sum is None:
        raise TypeError(f"the {measure.label} is not a sum over hidden units")
    return measure.hidden_sum.activation


def project(
    embeddings: Embeddings, weight: Tensor, compute: Compute, each: Callable[[], object] = lambda: None
) -> Tensor:
    """(n, hidden) float32 rounding of the float64 projection of every word; `each` is called for each block."""
    blocks = []
    for projected in projections(embeddings, weight, compute, max(1, BLOCK // embeddings.dimension)):
        each()
        blocks.append(projected.float())
    return torch.cat(blocks)


def projections(embeddings: Embeddings, weight: Tensor, compute: Compute, step: int) -> Iterator[Tensor]:
    """(words, hidden) float64 W k for so many words after the other."""
    columns = weight.detach().to(device=compute.device, dtype=torch.float64).mT
    for start in range(0, len(embeddings), step):
        yield compute.tensor(embeddings.matrix[start : start + step], "float64") @ columns
