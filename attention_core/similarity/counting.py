"""All pairs of words counted into bins, from one product for all measures that have a form of it.

The upper triangle goes through in blocks of rows, tiles of which stay in a processor's cache from the product to the
count. Words with a zero vector come last, so that whole tiles leave out the measures that are undefined there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures import MEASURES
from attention_core.similarity.binning import Counted, Grid, Record, Rows, Tally
from attention_core.similarity.lanes import Lane
from attention_core.similarity.pair_scores import Drawn, Exact, products
from attention_core.similarity.parallel import mapped

Progress = Callable[[int, int], None]
"""Called with (done, total); may raise, which ends the work."""

HEIGHT, WIDTH = 256, 512
"""Rows and columns of a tile."""


def count_pairs(
    embeddings: Embeddings, lanes: Mapping[str, Lane], exact: Mapping[str, Exact], progress: Progress | None
) -> dict[str, Counted]:
    """Every pair of two different words, once, by measure; pairs with an undefined score are left out.

    Args:
        embeddings: n words.
        lanes: how each measure is read off the product.
        exact: by measure, what scores pairs in float64.
        progress: called with pairs (done, total).
    """
    triangle = Triangle(embeddings, lanes, exact)
    starts = triangle.starts()
    total = len(embeddings) * (len(embeddings) - 1) // 2
    found: dict[str, Counted] = {}
    done = 0
    with mapped(triangle.strip, starts) as strips:
        for start, end, strip in zip(starts, [*starts[1:], len(embeddings)], strips, strict=False):
            found = _added(found, strip)
            done += (end - start) * (len(embeddings) - end) + (end - start) * (end - start - 1) // 2
            if progress:
                progress(done, total)
    return found


@dataclass(frozen=True, eq=False)
class Stream:
    """Given pairs, block by block.

    Attributes:
        embeddings: n words.
        grids: by measure, its bins.
        lanes: by measure, how it is read off the product; empty where the measure scores by itself.
        exact: by measure, what scores pairs in float64.
    """

    embeddings: Embeddings
    grids: Mapping[str, Grid]
    lanes: Mapping[str, Lane]
    exact: Mapping[str, Exact]

    @cached_property
    def records(self) -> Mapping[str, Record]:
        """By measure: how far any block has reached."""
        return {name: Record() for name in self.grids}

    def count(self, blocks: Iterable[Drawn], total: int, progress: Progress | None) -> dict[str, Counted]:
        """The pairs of all blocks, `total` in all, by measure; those with an undefined score are left out."""
        found: dict[str, Counted] = {}
        done = 0
        with mapped(self._block, blocks) as counted:
            for block in counted:
                found = _added(found, block.by_measure)
                done += block.pairs
                if progress:
                    progress(done, total)
        return found

    def _block(self, pairs: Drawn) -> _Block:
        defined = np.flatnonzero((self.embeddings.norms[pairs.first] > 0) & (self.embeddings.norms[pairs.second] > 0))
        product = torch.from_numpy(products(self.embeddings, *pairs)) if self.lanes else None
        found = {}
        for name, grid in self.grids.items():
            partial = "undefined at zero" in MEASURES[name].properties
            here = Drawn(pairs.first[defined], pairs.second[defined]) if partial else pairs
            lane, exact = self.lanes.get(name), self.exact[name].scores
            tally = Tally(grid, exact, self.records[name], lane.near if lane else -1)
            if product is None or lane is None:
                scores = torch.from_numpy(exact(*here))
            else:
                kept = product[defined] if partial else product
                scores = lane.scores(kept, here.terms, torch.empty_like(kept))
            if scores.numel():
                tally.add(scores, here.at)
            found[name] = tally.found
        return _Block(found, len(pairs.first))


class _Block(NamedTuple):
    by_measure: dict[str, Counted]
    pairs: int


def _added(found: dict[str, Counted], more: Mapping[str, Counted]) -> dict[str, Counted]:
    return {name: found[name] + counted if found else counted for name, counted in more.items()}


class Triangle:
    """The pairs above the diagonal, a strip of rows at a time; words with a zero vector come last."""

    def __init__(self, embeddings: Embeddings, lanes: Mapping[str, Lane], exact: Mapping[str, Exact]) -> None:
        zero = embeddings.norms == 0
        self.order = np.argsort(zero, kind="stable")
        self.words, self.defined = len(zero), len(zero) - int(zero.sum())
        self.matrix = Compute().tensor(embeddings.matrix[self.order] if zero.any() else embeddings.matrix)
        self.lanes = {name: lane.ordered(torch.from_numpy(self.order)) for name, lane in lanes.items()}
        self.dtype = next(iter(lanes.values())).dtype
        self.exact, self.records = exact, {name: Record() for name in lanes}

    def starts(self) -> list[int]:
        """The first row of each strip; none holds words with and without a direction."""
        return [*range(0, self.defined, HEIGHT), *range(self.defined, self.words, HEIGHT)]

    def strip(self, start: int) -> dict[str, Counted]:
        """The pairs of the words of a strip with each other and with all later ones, by measure."""
        bound = self.defined if start < self.defined else self.words
        end = min(start + HEIGHT, bound)
        counter = _Counter(self, start)
        rows = self.matrix[start:end].to(self.dtype)
        corner = _Corner(self.order, start, end)
        counter.count(corner, (rows @ rows.mT)[corner.down, corner.across])
        for first, last in ((end, bound), (bound, self.words)):
            for left in range(first, last, WIDTH):
                right = min(left + WIDTH, last)
                product = counter.product[: (end - start) * (right - left)].view(end - start, right - left)
                torch.mm(rows, self.matrix[left:right].to(self.dtype).mT, out=product)
                counter.count(_Tile(self.order, slice(start, end), slice(left, right)), product)
        return {name: tally.found for name, tally in counter.tallies.items()}


class _Counter:
    """What counts the tiles of one strip: the same memory for all, which stays in the processor's cache."""

    def __init__(self, triangle: Triangle, start: int) -> None:
        self.lanes, self.defined = triangle.lanes, triangle.defined
        self.tallies = {
            name: Tally(lane.grid, triangle.exact[name].scores, triangle.records[name], lane.near)
            for name, lane in triangle.lanes.items()
        }
        size = HEIGHT * min(WIDTH, triangle.words - start)
        self.product, self.scores, self.scratch = torch.empty(3, size, dtype=triangle.dtype)

    def count(self, block: _Corner | _Tile, product: Tensor) -> None:
        """Every pair of a block, by each measure that is defined there."""
        size = product.numel()
        scores, scratch = self.scores[:size], self.scratch[:size]
        for name, lane in self.lanes.items():
            if size and not (lane.partial and block.last > self.defined):
                found = lane.scores(product, block.terms, scores.view(product.shape))
                self.tallies[name].add(found.view(-1), block.rows, scratch)


class _Tile:
    """The pairs of some rows with some columns."""

    def __init__(self, order: Rows, rows: slice, columns: slice) -> None:
        self.order, self.down, self.across, self.last = order, rows, columns, columns.stop

    def terms(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """The values of both words of each pair, as they broadcast."""
        return values[self.down, None], values[self.across]

    def rows(self, places: Rows) -> tuple[Rows, Rows]:
        """Which words the pairs at these places of the flattened tile are."""
        down, across = np.divmod(places, self.across.stop - self.across.start)
        return self.order[self.down.start + down], self.order[self.across.start + across]


class _Corner:
    """The pairs of some words with each other: what lies above the diagonal."""

    def __init__(self, order: Rows, start: int, end: int) -> None:
        self.order, self.last = order[start:end], end
        self.start, (self.down, self.across) = start, torch.triu_indices(end - start, end - start, 1)

    def terms(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """The values of both words of each pair."""
        own = values[self.start : self.last]
        return own[self.down], own[self.across]

    def rows(self, places: Rows) -> tuple[Rows, Rows]:
        """Which words the pairs at these places are."""
        return self.order[self.down.numpy()[places]], self.order[self.across.numpy()[places]]
