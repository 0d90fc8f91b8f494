"""Which words can be among the k closest, read off an approximate matrix product, with proof.

Let z be the closeness of a query and a word (higher is closer), ẑ what a pass computes for it, m a bound on |ẑ − z|,
and s = m + τ·(|ẑ| + m) that bound plus room for ties: ẑ − s > ẑ' + s' makes the float64 scores differ after rounding
to 12 significant digits, in the right order. ẑ − s and ẑ + s grow with ẑ.

1. With the least ẑ − s of the k words with the highest ẑ as the *floor*, k words have ẑ − s >= floor.
2. A word with ẑ + s < floor loses to all these k words even after rounding, so it is not among the k closest.

**What is left, ẑ + s >= floor, holds the k closest words, in whatever order the product was summed.** It is nearly
always k or a few more; where it is not, or a value might overflow, nothing is claimed and `proved` says so. The same
holds for any k words that were seen so far, so that most of the others need not be kept (see `sieve`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from attention_core.similarity.parallel import shared
from attention_core.similarity.sieve import TIE, Sieve, Terms, reach, remaining, sieve, sift

BLOCK = 1 << 18
"""Elements of one block of the product: it stays in a processor's caches."""
WORDS = 1 << 10
"""Words in a block at least, however many the queries are."""
ROOM = 1 << 10
"""Words kept for a query, beyond 4k; one that asks for more is left to a slower pass."""

Floats = NDArray[np.float64]


def gamma(terms: int, dtype: torch.dtype) -> float:
    """γ_n = n·u/(1 − n·u): the relative error of n roundings, whatever their order (Higham 2002, lemma 3.1).

    Example:
        >>> f"{gamma(300, torch.float32):.2e}"
        '1.79e-05'
    """
    unit = terms * torch.finfo(dtype).eps / 2
    return unit / (1 - unit) if unit < 1 else float("inf")


class KeyTerms(NamedTuple):
    """What reading a closeness off a product needs of some words.

    Attributes:
        scale: (m, words), on the device of the product and of its type.
        shift: (m, words); −inf marks a word whose score is undefined.
        first: the row of the first of these words.
    """

    scale: Tensor
    shift: Tensor
    first: int = 0


@dataclass(frozen=True)
class Pass:
    """One product for some queries, and how each of m measures reads its closeness ẑ = scale·p + shift + centre off it.

    Attributes:
        multiply: (first word, out (q, words), limits (m, q)) fills `out` with the products of the words from there on;
            any number will do that makes a word fall below a limit that it cannot reach.
        n: words in all.
        terms: (first, words) gives scale and shift of these words, and perhaps of others.
        names: of the measures.
        centre: (m, q), what does not depend on the word.
        margin: (m, q): bounds |ẑ − z| for every word, with the rounding of everything done here.
        fits: (m, q) whether nothing can overflow.
        own: (q,) the row that a query may not find, or −1.
        step: the words of a block are a multiple of it.
        margin_of: (measure, queries, words) gives the bound for each of these pairs, which no other word's length makes
            larger; None where there is only one bound for all words.
    """

    multiply: Callable[[int, Tensor, NDArray[Any]], None]
    n: int
    terms: Callable[[int, int], KeyTerms]
    names: tuple[str, ...]
    centre: Floats
    margin: Floats
    fits: NDArray[np.bool_]
    own: NDArray[np.intp]
    step: int = 1
    margin_of: Callable[[int, NDArray[np.intp], NDArray[np.intp]], Floats] | None = None


@dataclass(frozen=True, eq=False)
class Candidates:
    """Words that can be among the k closest, for one measure.

    Attributes:
        proved: (q,) for which queries that is certain; the others have no candidates here.
        queries: (m,) positions of queries, ascending.
        words: (m,) rows of words, ascending for each query.
    """

    proved: NDArray[np.bool_]
    queries: NDArray[np.intp]
    words: NDArray[np.intp]

    def columns(self) -> tuple[NDArray[np.intp], int]:
        """(m,) the place of each among the candidates of its query, and how many the largest number of them is."""
        counts = np.bincount(self.queries, minlength=len(self.proved))
        return np.arange(len(self.queries)) - (np.cumsum(counts) - counts)[self.queries], int(counts.max(initial=0))


def candidates(search: Pass, k: int, threads: int = 1) -> dict[str, Candidates]:
    """The candidates of every measure of a pass, for k closest words of each query."""
    if search.terms(0, 1).scale.device.type != "cpu":
        return _on_device(search, k)
    return _joined(search, shared(lambda some: _sifted(search, k, some), _blocks(search, threads), threads), k)


def _blocks(search: Pass, threads: int) -> list[tuple[int, int]]:
    """First word and number of words of each.

    The first of a thread is short, while it knows no limit yet; so are the last, that threads end at the same time.
    """
    step = max(WORDS, BLOCK // len(search.own)) // search.step * search.step
    short = min(step, max(WORDS, step // 8) // search.step * search.step)
    begun = min(threads * short, search.n)
    ending = begun + max(0, search.n - begun - (threads - 1) * step) // step * step
    last = range(ending, search.n, min(step, 2 * short))
    starts = [*range(0, begun, short), *range(begun, ending, step), *last, search.n]
    return [(start, end - start) for start, end in pairwise(starts)]


def _sifted(search: Pass, k: int, blocks: Iterator[tuple[int, int]]) -> Sieve:
    """What is left of the words of some blocks."""
    q, memory = len(search.own), search.terms(0, 1).scale.new_empty(0)
    left = sieve(search.centre.shape, memory.numpy().dtype, k, ROOM + 4 * k)
    for start, words in blocks:
        if q * words > len(memory):
            memory = memory.new_empty(q * words)
        products, (scale, shift, first) = memory[: q * words].view(q, -1), search.terms(start, words)
        search.multiply(start, products, left.limits)
        terms = Terms(scale.numpy(), shift.numpy(), first, search.centre, search.margin, search.own)
        sift(products.numpy(), start, terms, left)
    return left


def _joined(search: Pass, parts: list[Sieve], k: int) -> dict[str, Candidates]:
    """The words of all parts that none of them rules out."""
    best = np.concatenate([part.best for part in parts], axis=2)
    limit = _limit(np.partition(best, -k, axis=2)[:, :, -k], search.centre, search.margin)
    proved = search.fits & np.isfinite(limit) & np.all([part.counts >= 0 for part in parts], axis=0)
    pair, word, value = _remaining(parts, np.where(proved, limit, np.nan))
    measure, query = np.divmod(pair, len(search.own))  # in order
    ends = np.searchsorted(measure, np.arange(len(search.names) + 1))
    found = {}
    for i, name in enumerate(search.names):
        own = slice(ends[i], ends[i + 1])
        left = _still(search, i, k, (query[own], word[own], value[own]))
        found[name] = Candidates(proved[i], query[own][left], word[own][left])
    return found


class Remaining(NamedTuple):
    """(total,) numbers of pairs of a measure and a query, words and values, in the order of pairs and words."""

    pairs: NDArray[np.intp]
    words: NDArray[np.intp]
    values: NDArray[Any]


def _remaining(parts: list[Sieve], limit: Floats) -> Remaining:
    """What reaches its limit; nothing does where that is NaN."""
    found = [_of_part(part, limit) for part in parts]
    if len(found) == 1:
        return found[0]
    pairs, words, values = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((words, pairs))
    return Remaining(pairs[order], words[order], values[order])


def _of_part(part: Sieve, limit: Floats) -> Remaining:
    most, counts = int(np.maximum(part.counts, 0).sum()), np.empty_like(part.counts)
    words, values = np.empty(most, np.intp), np.empty(most, part.values.dtype)
    remaining(part, limit, counts, words, values)
    pairs = np.repeat(np.arange(counts.size), counts.ravel())
    return Remaining(pairs, words[: len(pairs)], values[: len(pairs)])


def _still(search: Pass, i: int, k: int, pairs: tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]) -> Any:
    """Which pairs of a query and a word, k or more for each query, remain when each has a bound of its own."""
    query, word, value = pairs
    if search.margin_of is None or len(query) <= 2 * k * len(search.own):  # few enough
        return slice(None)
    closeness, margin = value + search.centre[i, query], search.margin_of(i, query, word)
    room = margin + TIE * (np.abs(closeness) + margin)
    lowest = closeness - room
    asked, first = np.unique(query, return_index=True)
    floor = np.full(len(search.own), -np.inf)
    floor[asked] = lowest[np.lexsort((-lowest, query))[first + k - 1]]
    return closeness + room >= floor[query]


def _limit(least: NDArray[Any], centre: Floats, margin: Floats) -> Floats:
    """The least value that a word needs when k others have `least` or more."""
    with np.errstate(invalid="ignore"):  # less than k words have a score, or one overflowed
        limit: Floats = reach(least.astype(np.float64), centre, margin)
    return limit


def _on_device(search: Pass, k: int) -> dict[str, Candidates]:
    """The same from the whole product, for devices that have no use for compiled loops."""
    scale, shift, _ = search.terms(0, search.n)
    product = scale.new_empty(len(search.own), search.n)
    search.multiply(0, product, np.full(search.centre.shape, -np.inf))
    query = np.flatnonzero(search.own >= 0)
    found = {}
    for i, name in enumerate(search.names):
        values = product * scale[i] + shift[i]
        values[query, search.own[query]] = -torch.inf
        least = values.topk(k).values[:, -1].cpu().numpy()
        limit = _limit(least, search.centre[i], search.margin[i])
        passing = (values >= torch.from_numpy(limit).to(values)[:, None]).cpu().numpy()
        proved = search.fits[i] & np.isfinite(limit) & (passing.sum(axis=1) <= ROOM + 4 * k)
        asked, words = np.nonzero(passing & proved[:, None])
        left = _still(search, i, k, (asked, words, values.cpu().numpy()[asked, words]))
        found[name] = Candidates(proved, asked[left], words[left])
    return found
