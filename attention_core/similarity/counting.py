"""Pairs of words counted into bins: all of them, or those given.

All pairs come from one product for all measures that have a form of it: the upper triangle in blocks of rows, tiles of
which stay in a processor's cache from the product to the count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import torch

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures import MEASURES
from attention_core.measures.base import Floats
from attention_core.similarity.binning import Counted, Grid, counted
from attention_core.similarity.lanes import Lane
from attention_core.similarity.pair_scores import Drawn, Exact, products
from attention_core.similarity.parallel import mapped, one_thread
from attention_core.similarity.tiles import Tally, count_tile

Progress = Callable[[int, int], None]
"""Called with (done, total); may raise, which ends the work."""

T = TypeVar("T")
HEIGHT, WIDTH = 256, 512
"""Rows and columns of a tile."""


class _Block(NamedTuple):
    found: dict[str, Counted]
    pairs: int


@dataclass(frozen=True)
class Counter:
    """Counts pairs of two words by measure; those with an undefined score are left out.

    Attributes:
        embeddings: n words.
        grids: by measure, its bins.
        lanes: by measure, how it is read off the product; empty where the measure scores by itself.
        exact: by measure, what scores pairs in float64.
        progress: called with pairs (done, total).
    """

    embeddings: Embeddings
    grids: Mapping[str, Grid]
    lanes: Mapping[str, Lane]
    exact: Mapping[str, Exact]
    progress: Progress | None

    def all_pairs(self) -> dict[str, Counted]:
        """Every pair of two different words, once."""
        n = len(self.embeddings)
        return self._sum(_Triangle(self).strip, range(0, n, HEIGHT), n * (n - 1) // 2)

    def given(self, blocks: Iterable[Drawn], total: int) -> dict[str, Counted]:
        """The pairs of all blocks, `total` in all."""
        return self._sum(self._block, blocks, total)

    def _sum(self, count: Callable[[T], _Block], parts: Iterable[T], total: int) -> dict[str, Counted]:
        found = {name: Counted.nothing(grid) for name, grid in self.grids.items()}
        done = 0
        with one_thread() as threads, mapped(count, parts, threads) as blocks:
            for block in blocks:
                found = {name: counts + block.found[name] for name, counts in found.items()}
                done += block.pairs
                if self.progress:
                    self.progress(done, total)
        return {name: counts.settled(self.exact[name].scores) for name, counts in found.items()}

    def _block(self, pairs: Drawn) -> _Block:
        product = products(self.embeddings, *pairs) if self.lanes else np.empty(0)
        return _Block({name: self._of_block(name, pairs, product) for name in self.grids}, len(pairs.first))

    def _of_block(self, name: str, pairs: Drawn, product: Floats) -> Counted:
        form, norms, grid = MEASURES[name].product_form, self.embeddings.norms, self.grids[name]
        if form is None:
            return self.anew(name, pairs)
        scores = form(product, norms[pairs.first], norms[pairs.second])
        defined = np.isfinite(scores)
        pairs, scores = pairs.at(defined), scores[defined]
        near = grid.places(scores) <= self.lanes[name].near
        return counted(grid, scores[~near], *pairs.at(~near)) + self.anew(name, pairs.at(near))

    def anew(self, name: str, pairs: Drawn) -> Counted:
        """These pairs, scored by the measure itself."""
        return counted(self.grids[name], self.exact[name].scores(*pairs), *pairs)


class _Triangle:
    """The pairs above the diagonal, a strip of rows at a time; words with a zero vector come last."""

    def __init__(self, counter: Counter) -> None:
        embeddings, self.counter = counter.embeddings, counter
        zero = embeddings.norms == 0
        self.order = np.argsort(zero, kind="stable")
        self.lanes = {name: lane.ordered(self.order) for name, lane in counter.lanes.items()}
        self.matrix = Compute().tensor(embeddings.matrix[self.order] if zero.any() else embeddings.matrix)
        self.dtype = torch.from_numpy(next(iter(self.lanes.values())).scale).dtype

    def strip(self, top: int) -> _Block:
        """The pairs of some words with each other and with all later ones."""
        rows, n = self.matrix[top : top + HEIGHT].to(self.dtype), len(self.matrix)
        room = torch.empty(len(rows) * min(WIDTH, n - top), dtype=self.dtype)
        tallies = {name: Tally.of(lane.bins, len(room)) for name, lane in self.lanes.items()}
        found = {name: Counted.nothing(grid) for name, grid in self.counter.grids.items()}
        for left in range(top, n, WIDTH):
            columns = self.matrix[left : left + WIDTH].to(self.dtype)
            product = room[: len(rows) * len(columns)].view(len(rows), len(columns))
            torch.mm(rows, columns.mT, out=product)
            for name, tally in tallies.items():
                count_tile(product.numpy(), top, left, self.lanes[name], tally)
                if tally.waiting[0]:
                    found[name] += self.counter.anew(name, Drawn(*self.order[tally.taken()]))
        later = n - top - len(rows)
        found = {name: counts + tallies[name].counted(self.order) for name, counts in found.items()}
        return _Block(found, len(rows) * later + len(rows) * (len(rows) - 1) // 2)
