"""The words that can still be among the k closest, sorted out of an approximate product block by block (`candidates`).

For each query a heap holds the k highest ẑ so far; what lies below the bound that follows from them is never looked at
again. A block is read while it is still in a processor's cache, and only the few words that pass leave it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention_core.compiled import compiled

TIE = 2e-11
"""τ: scores equal to 12 significant digits lie within 1e-11 of each other, squared distances within 2e-11; half of
the distance is granted to each of the two words, the rest covers the rounding of the float64 scores."""
GROUP, FEW = 64, 16
"""Words that are looked at together, since nearly always none of them passes, and those of them that then are."""
SETS = 64
"""Sets of words whose highest begin a heap that holds half as many or less."""
STRIP = 8
"""Queries whose products are read for all measures before those of others: so few stay in the nearest caches."""


class Terms(NamedTuple):
    """How m measures read ẑ = scale·p + shift + centre off a product p of words and q queries.

    Attributes:
        scale, shift: (m, words), of one type; shift is −inf for a word whose score is undefined.
        first: the row of the first of these words.
        centre: (m, q) float64.
        margin: (m, q) float64: bounds |ẑ − z|.
        own: (q,) the row that a query may not find, or −1.
    """

    scale: NDArray[Any]
    shift: NDArray[Any]
    first: int
    centre: NDArray[np.float64]
    margin: NDArray[np.float64]
    own: NDArray[np.intp]


class Sieve(NamedTuple):
    """What is left of the words seen so far; values are without the centre.

    Attributes:
        best: (m, q, k) of k words, nearly always the highest, a heap with its least at the front; −inf for those that
            are not there yet.
        limits: (m, q) words below this one cannot be among the k closest.
        words, values: (room, m, q) what is left, in the order of the words.
        counts: (m, q) how many that is, or −1: too many to keep.
    """

    best: NDArray[Any]
    limits: NDArray[Any]
    words: NDArray[np.intp]
    values: NDArray[Any]
    counts: NDArray[np.intp]


def sieve(shape: tuple[int, int], dtype: np.dtype[Any], k: int, room: int) -> Sieve:
    """Before any word was seen, for m measures and q queries."""
    best, limits = np.full((*shape, k), -np.inf, dtype), np.full(shape, np.finfo(dtype).min, dtype)
    return Sieve(
        best, limits, np.empty((room, *shape), np.intp), np.empty((room, *shape), dtype), np.zeros(shape, np.intp)
    )


def reach(value: Any, centre: Any, margin: Any) -> Any:
    """The least ẑ that a word needs when k others have `value` or more; both without the centre.

    With s = m + τ·(|ẑ| + m), they have ẑ − s >= floor, and the word needs ẑ + s >= floor; a ẑ below the floor for
    which that holds has |ẑ| <= 1.01·(|floor| + m).
    """
    closeness = value + centre
    floor = closeness - margin - TIE * (abs(closeness) + margin)
    return floor - margin - 2 * TIE * (abs(floor) + margin) - centre


_reach = compiled(reach)


@compiled
def _passes(products: Any, scale: Any, shift: Any, start: Any, end: Any, limit: Any) -> Any:
    """Whether any word from `start` to `end` does; unsigned indices are not looked at for being negative."""
    found = False
    for i in range(np.uint64(start), np.uint64(end)):
        found |= products[i] * scale[i] + shift[i] >= limit
    return found


@compiled
def _replace(heap: Any, value: Any) -> Any:
    """Puts the value in the place of the least one."""
    place = 0
    while True:
        child = 2 * place + 1
        if child + 1 < heap.shape[0] and heap[child + 1] < heap[child]:
            child += 1
        if child >= heap.shape[0] or heap[child] >= value:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = value


@compiled
def _begin(heap: Any, highest: Any, products: Any, scale: Any, shift: Any) -> Any:
    """Whether the highest of each of many sets of words, which are different words, fill the heap."""
    highest[:] = -np.inf
    for start in range(0, products.shape[0] // SETS * SETS, SETS):
        for i in range(SETS):
            value = products[start + i] * scale[start + i] + shift[start + i]
            highest[i] = value if value > highest[i] else highest[i]
    for value in highest:
        if value > heap[0]:
            _replace(heap, value)
    if heap[0] > -np.inf:
        return True
    heap[:] = -np.inf
    return False


@compiled
def _shaken(words: Any, values: Any, limit: Any) -> Any:
    """How many are left when those that have fallen below the limit are dropped; −1 where that is more than half."""
    kept = 0
    for i in range(words.shape[0]):
        if values[i] >= limit:
            words[kept], values[kept] = words[i], values[i]
            kept += 1
    return kept if 2 * kept <= words.shape[0] else -1


@compiled
def _sift_strip(products: Any, top: Any, first: Any, terms: Any, left: Any) -> Any:
    """The products of a few queries, the first of which is number `top`."""
    scales, shifts, origin, centre, margin, _ = terms
    best, limits, kept, read, counts = left
    skip, width = first - origin, products.shape[1]
    highest, many = np.empty(SETS, products.dtype), 2 * best.shape[2] <= SETS and width >= 4 * SETS
    for i in range(counts.shape[0]):
        scale, shift = scales[i, skip : skip + width], shifts[i, skip : skip + width]
        for j in range(top, top + products.shape[0]):
            row, count = products[j - top], counts[i, j]
            begun = many and best[i, j, 0] == -np.inf and _begin(best[i, j], highest, row, scale, shift)
            if begun:
                limits[i, j] = max(limits[i, j], _reach(best[i, j, 0], centre[i, j], margin[i, j]))
            limit = limits[i, j]
            for start in range(0, width, GROUP):
                stop = min(start + GROUP, width)
                if count < 0 or not _passes(row, scale, shift, start, stop, limit):
                    continue
                heap, words, values = best[i, j], kept[:, i, j], read[:, i, j]
                for near in range(start, stop, FEW):
                    end = min(near + FEW, stop)
                    if not _passes(row, scale, shift, near, end, limit):
                        continue
                    for place in range(near, end):
                        value = row[place] * scale[place] + shift[place]
                        if value >= limit and count >= 0:
                            words[count], values[count] = first + place, value
                            count += 1
                            if value > heap[0] and not begun:
                                _replace(heap, value)
                                limits[i, j] = max(limit, _reach(heap[0], centre[i, j], margin[i, j]))
                                limit = limits[i, j]
                            if count == words.shape[0]:
                                count = _shaken(words, values, limit)
            counts[i, j] = count


@compiled
def sift(products: Any, first: Any, terms: Any, left: Any) -> Any:
    """Takes the products (q, words) of the words from row `first` on into `left`, and spoils those of the own words."""
    for j in range(products.shape[0]):
        if first <= terms.own[j] < first + products.shape[1]:
            products[j, terms.own[j] - first] = -np.inf
    for top in range(0, products.shape[0], STRIP):
        _sift_strip(products[top : top + STRIP], top, first, terms, left)


@compiled
def remaining(left: Any, limit: Any, counts: Any, words: Any, values: Any) -> Any:
    """Fills in how many words reach their limit (m, q), and one after another which these are."""
    at = 0
    for i in range(counts.shape[0]):
        for j in range(counts.shape[1]):
            before = at
            for place in range(left.counts[i, j]):
                if left.values[place, i, j] >= limit[i, j]:
                    words[at], values[at] = left.words[place, i, j], left.values[place, i, j]
                    at += 1
            counts[i, j] = at - before
