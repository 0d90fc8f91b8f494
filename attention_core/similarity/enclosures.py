"""Which words can be among the k closest, from intervals that hold the closeness of every word in a group.

The closeness z = a(‖k‖)·q·k + b(‖k‖) + c of every measure that is a form of q·k (see `closeness`) is enclosed at once:
with words in order of their length (see `ordered`), a and b lie within narrow bounds in each group, so the largest
q·k of a group, p, puts its largest z between the least and the greatest a·p + b + c, whatever the measure. With a bound
on the error of z and room for ties (see `candidates`) added to each end:

1. The k groups with the highest lower ends hold k different words that reach them; where a query is itself one of the
   words, k + 1 do, and k others. The least of these ends is the *floor*.
2. A group whose upper end is below the floor holds no word that can be among the k closest, and is never opened.
3. Of the words in the other groups, each with its own a and b, the k closest give a higher floor, and those whose upper
   end is below it are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.measures import Measure
from attention_core.measures.base import Floats, ProductForm
from attention_core.similarity.candidates import TIE, Candidates, closest, few, gamma
from attention_core.similarity.closeness import Queries
from attention_core.similarity.ordered import Ordered, Products
from attention_core.similarity.parallel import mapped


@dataclass(frozen=True)
class Terms:
    """What a form needs of every word of a corpus, and of every group of them.

    Attributes:
        scale: (n',) a(‖k‖), or 1 where the score is undefined.
        shift: (n',) b(‖k‖), or −inf where the score is undefined.
        scales: (2, g) the least and the greatest a of a group.
        shifts: (2, g) the same of b.
        reach: (g,) the largest a(‖k‖) times the largest ‖k‖ in the block.
        offset: (g,) the largest |b(‖k‖)|.
    """

    scale: Floats
    shift: Floats
    scales: Floats
    shifts: Floats
    reach: Floats
    offset: Floats


_TERMS: WeakKeyDictionary[Ordered, dict[tuple[ProductForm, int], Terms]] = WeakKeyDictionary()


def enclosed(
    words: Ordered, found: Products, queries: Queries, measures: Sequence[Measure], k: int
) -> dict[str, Candidates]:
    """The candidates of the queries of these products, for every measure, each of which has a product form."""
    maxima = found.maxima.mT.contiguous().double().numpy()  # (q, g)
    maxima *= found.unit[:, None] * found.step[:: len(words.order) // len(found.maxima)]

    def select(measure: Measure) -> Candidates:
        return _select(words, queries, measure, found, maxima, k)

    with mapped(select, measures) as selected:
        return {measure.name: one for measure, one in zip(measures, selected, strict=True)}


def _select(words: Ordered, queries: Queries, measure: Measure, found: Products, maxima: Floats, k: int) -> Candidates:
    """`maxima` (q, g): the largest q·k of each group."""
    form = measure.product_form
    if form is None:
        raise TypeError(f"the {measure.label} cannot be read off a product")
    terms = _terms(words, form, len(words.order) // maxima.shape[1])
    centre = form.shift(queries.norms) if form.shift else np.zeros(len(queries))
    if form.scale:
        centre /= form.scale(queries.norms)
    margin = _margin(terms, measure, queries, found.error, centre)
    low, high = (maxima * scale for scale in terms.scales)
    if form.scale:
        low, high = np.minimum(low, high), np.maximum(low, high)  # where q·k < 0 they change places
    for ends, shift, away in ((low, terms.shifts[0], np.subtract), (high, terms.shifts[1], np.add)):
        ends += shift
        ends += centre[:, None]
        away(ends, margin, out=ends)
    count = k + bool((queries.own >= 0).any())
    floor = np.partition(low, -count, axis=1)[:, -count]
    query, opened = np.divmod(np.flatnonzero(high >= floor[:, None]), maxima.shape[1])
    proved = np.isfinite(floor) & few(query, k, len(queries))
    query, opened = query[proved[query]], opened[proved[query]]

    closeness, places = _opened(found, terms, query, opened)
    closeness += centre[query, None]
    row, column = np.nonzero(closeness + margin[query, opened, None] >= floor[query, None])
    query, rows = query[row], words.order[places[row, column]]
    proved &= few(query, k, len(queries))
    kept = np.flatnonzero(proved[query] & (rows >= 0) & (rows != queries.own[query]))
    kept = kept[np.lexsort((rows[kept], query[kept]))]
    closeness, margin = closeness[row[kept], column[kept]], margin[query[kept], opened[row[kept]]]
    return closest(Candidates(proved, query[kept], rows[kept]), closeness - margin, closeness + margin, k)


def _opened(
    found: Products, terms: Terms, query: NDArray[np.intp], opened: NDArray[np.intp]
) -> tuple[Floats, NDArray[np.intp]]:
    """(m, group) a·q·k + b of the words in m groups, each for one query, and where in the corpus they are."""
    group = len(found.values) // len(found.maxima)
    chosen = torch.from_numpy(opened), slice(None), torch.from_numpy(query)
    values = found.values.view(len(found.maxima), group, -1)[chosen].double().numpy()
    values *= (found.unit[query] * found.step[opened * group])[:, None]
    places = opened[:, None] * group + np.arange(group)
    return values * terms.scale[places] + terms.shift[places], places


def _margin(terms: Terms, measure: Measure, queries: Queries, error: Floats, centre: Floats) -> Floats:
    """(q, g) how far the closeness may be off, also that of float64 scores, with room for ties."""
    rounding = gamma(2 * queries.vectors.shape[1] + 40, torch.float64) + TIE
    counts_as_zero = 0.0 if measure.zero_below is None else 2e-12
    relative = error + (rounding + counts_as_zero) * queries.norms
    margin: Floats = (1.01 * relative[:, None]) * terms.reach
    margin += 1.01 * rounding * terms.offset
    margin += 1.01 * rounding * np.abs(centre)[:, None]
    return margin


def _terms(words: Ordered, form: ProductForm, group: int) -> Terms:
    kept = _TERMS.setdefault(words, {})
    if (form, group) not in kept:
        norms = words.norms
        with np.errstate(divide="ignore"):
            scale = form.scale(norms) if form.scale else np.ones_like(norms)
        shift = form.shift(norms) if form.shift else np.zeros_like(norms)
        undefined = np.isinf(scale)
        scale, size = np.where(undefined, 1.0, scale), np.abs(shift)
        shift = np.where(undefined, -np.inf, shift)
        grouped = [values.reshape(-1, group) for values in (scale, shift, scale * words.longest, size)]
        ends = [np.stack([values.min(axis=1), values.max(axis=1)]) for values in grouped[:2]]
        kept[form, group] = Terms(scale, shift, *ends, *(values.max(axis=1) for values in grouped[2:]))
    return kept[form, group]
