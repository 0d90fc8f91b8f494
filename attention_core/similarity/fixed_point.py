"""A corpus in fixed point, for processors that multiply 8-bit integers many times faster than float32 numbers.

A vector becomes two digits of 8 bits for each component, k ≈ s·(k₁ + k₂/254), with one step s for a block of vectors.
Of a product the three larger of four parts are computed, exactly, as integers:

    254·q·k ≈ s_q·s_k·(254·q₁·k₁ + q₁·k₂ + q₂·k₁)

What rounding and the part left out cost, about 1e-4·‖q‖‖k‖, is measured. Vectors of about the same length, as those of
a block are, share a step well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from torch import Tensor

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.measures.base import Floats
from attention_core.similarity.ordered import BLOCK, ROUNDED, WORDS, Format, Ordered, Products, multiplied
from attention_core.similarity.parallel import mapped

BASE = 254
"""Second digits in a first one: digits are −127 … 127."""


@dataclass(frozen=True)
class Digits:
    """Vectors in fixed point, and how far they are from those given; lengths are in steps.

    Attributes:
        first, second: (n, d) int8.
        step: (n,).
        lost: (n,) bounds ‖k − k̂‖.
        below: (n,) the length of what the second digits stand for.
        size: (n,) the length of the first digits.
    """

    first: Tensor
    second: Tensor
    step: Tensor
    lost: Tensor
    below: Tensor
    size: Tensor


def digits_of(vectors: Tensor, together: int = 1) -> Digits:
    """Of vectors (n, d), `together` of which share a step; n is a multiple of it. Steps must be normal numbers or 0."""
    largest = vectors.view(-1, together * vectors.shape[1]).abs().amax(1)
    step = torch.where(largest > 0, largest / 127, 1.0).repeat_interleave(together)
    rest = vectors / step[:, None]
    first = rest.round()
    rest -= first
    second = (rest * BASE).round_()
    below = second.norm(dim=1) / BASE
    rounded = 256 * torch.finfo(vectors.dtype).eps * vectors.shape[1] ** 0.5  # of `rest`, whose terms are at most 127
    lost = rest.sub_(second, alpha=1 / BASE).norm(dim=1) + rounded
    return Digits(first.to(torch.int8), second.to(torch.int8), step, lost, below, first.norm(dim=1))


@dataclass(frozen=True, eq=False)
class FixedPoint(Format):
    """Two digits of every component.

    Attributes:
        digits: (n', 2d) int8: the first digits, then the second.
        step: (n',) float64.
        below: the largest length of what second digits stand for, over longest.
        size: the largest length of first digits.
    """

    digits: Tensor
    step: Floats
    below: float
    size: float

    @staticmethod
    def pays(compute: Compute) -> bool:
        """Where such products are exact, and fast."""
        return compute.multiplies_int8

    @classmethod
    def of(cls, embeddings: Embeddings, words: Ordered) -> Self:
        """Some words after the other."""
        n, d = len(words.order), embeddings.dimension
        digits, step = torch.empty(n, 2 * d, dtype=torch.int8), np.empty(n)

        def largest(block: slice) -> Tensor:
            """Of what is lost, below, and in the first digits."""
            found = digits_of(words.vectors(embeddings, block), BLOCK)
            digits[block, :d], digits[block, d:], step[block] = found.first, found.second, found.step
            share = found.step / torch.from_numpy(words.longest[block])  # infinite where all are zero
            return torch.stack([found.lost * share, found.below * share, found.size]).nan_to_num(0.0, 0.0).amax(1)

        with mapped(largest, words.blocks(ROUNDED, d)) as found:
            lost, below, size = (1.01 * torch.stack(list(found)).amax(0)).tolist()
        return cls(words, lost, digits, step, below, size)

    def products(self, vectors: Floats, norms: Floats, group: int) -> Products:
        """Exact but for what digits lose and the part left out."""
        q, d = vectors.shape
        asked = digits_of(torch.from_numpy(vectors))
        above = torch.cat([asked.first, torch.zeros_like(asked.first)], 1)  # q₁·k₁
        columns = torch.cat([above, torch.cat([asked.second, asked.first], 1)]).mT.contiguous()  # (2d, 2q)
        parts = torch.empty(min(len(self.digits), WORDS), 2 * q, dtype=torch.int32)

        def multiply(block: slice, out: Tensor) -> None:
            found = torch._int_mm(self.digits[block], columns, out=parts[: len(out)])
            torch.add(found[:, q:], found[:, :q], alpha=BASE, out=out)

        values, maxima = multiplied(self.words, q, group, torch.int32, multiply)
        step, lost, below, size = (x.numpy() for x in (asked.step, asked.lost, asked.below, asked.size))
        error = norms * self.lost + step * (lost * (1 + self.lost) + below * self.below)
        widest = 127 * np.sqrt(d)  # of any digits
        reach = BASE * size * self.size + widest * (size + self.size)
        return Products(values, maxima, step / BASE, self.step, np.where(reach < 2**31, 1.01 * error, np.inf))
