"""A corpus in bfloat16, whose products some processors form several times faster than float32 ones.

Rounding to 8 bits costs about 0.2 % of ‖q‖‖k‖ each for the query, the key and their product. That is little beside how
far the closest words of most corpora lie apart; where it is not, `fixed_point` has 15 bits.
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
from attention_core.similarity.candidates import gamma
from attention_core.similarity.ordered import ROUNDED, Format, Ordered, Products, multiplied
from attention_core.similarity.parallel import mapped


@dataclass(frozen=True, eq=False)
class Halves(Format):
    """The `keys` (n', d) in bfloat16."""

    keys: Tensor

    @staticmethod
    def pays(compute: Compute) -> bool:
        """Where such products are not emulated."""
        return compute.multiplies_bfloat16

    @classmethod
    def of(cls, embeddings: Embeddings, words: Ordered) -> Self:
        """Some words after the other."""
        keys = torch.empty(len(words.order), embeddings.dimension, dtype=torch.bfloat16)

        def lost(block: slice) -> float:
            vectors = words.vectors(embeddings, block)
            keys[block] = half(vectors)
            shares = (vectors - keys[block]).norm(dim=1) / torch.from_numpy(words.longest[block])
            return float(shares.nan_to_num(0.0, 0.0).max())  # where all are zero

        with mapped(lost, words.blocks(ROUNDED, embeddings.dimension)) as found:
            return cls(words, 1.01 * max(found), keys)

    def products(self, vectors: Floats, norms: Floats, group: int) -> Products:
        """Of queries as vectors of length 1, so that none of their components is out of range."""
        q, d = vectors.shape
        units = vectors / norms[:, None]
        asked = half(torch.from_numpy(units))
        lost = np.linalg.norm(asked.double().numpy() - units, axis=1)
        columns = asked.mT.contiguous()
        values, maxima = multiplied(
            self.words, q, group, torch.bfloat16, lambda block, out: torch.mm(self.keys[block], columns, out=out)
        )
        rounding = gamma(d + 8, torch.float32) + torch.finfo(torch.bfloat16).eps / 2
        error = self.lost + (1 + self.lost) * (lost + (1 + lost) * rounding)
        return Products(values, maxima, norms, np.ones(len(self.words.order)), 1.01 * norms * error)


def half(values: Tensor) -> Tensor:
    """The values in bfloat16; what is too small for a normal number becomes 0, as a processor may make it."""
    rounded = values.to(torch.bfloat16)
    return torch.where(rounded.abs() < torch.finfo(torch.bfloat16).tiny, torch.zeros_like(rounded), rounded)
