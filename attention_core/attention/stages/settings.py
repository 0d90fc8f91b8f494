"""All that may be chosen between a sentence and what attention makes of it, as one value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Literal, get_args

import torch
from numpy.typing import ArrayLike
from torch import Tensor

from attention_core.attention import masks
from attention_core.attention.attend import AttentionOptions
from attention_core.attention.base import Align
from attention_core.attention.projections import Projections
from attention_core.attention.sharing import shared
from attention_core.errors import AttentionError
from attention_core.measures import MEASURES

Scale = Literal["usual", "1/√d", "1", "1/d"]
Mask = Literal["causal", "window", "prefix", "block", "dilated", "padding"]
Projection = Literal["identity", "random", "orthogonal", "pca", "own"]
Position = Literal["none", "sinusoidal", "rope"]

SCALES, MASKS, PROJECTIONS, POSITIONS = (get_args(kind) for kind in (Scale, Mask, Projection, Position))
SIZED: tuple[Mask, ...] = ("window", "prefix", "block", "dilated", "padding")
"""Masks with a size, written as “window:3”."""


@dataclass(frozen=True)
class Settings:
    """How a sentence is attended to.

    Attributes:
        score: a key of `MEASURES`, which acts through its logits: higher is closer.
        scale: what the logits are multiplied by: “1/√d”, “1” or “1/d” with d the components of a head's queries, a
            number, or “usual”: 1/√d with the dot product and 1 with the others.
        temperature: what they are divided by: above 1 evens the weights out.
        mask: “none”, or patterns of `attention.masks` joined by +, all of which must allow a pair, such as
            “causal+window:3+padding:9”. The number is, of a window its tokens, the current one counted; of a prefix its
            length; of a block its size; the step of “dilated”; with padding, how many of the first tokens are words.
        align: where the mask begins when fewer tokens ask than answer: see `masks.causal`.
        queries: only the last so many tokens ask, as when decoding with a cache; None for all.
        projection: Q, K and V are the vectors themselves (“identity”), or seen through seeded random weights, through
            random subspaces at right angles, along the principal axes of the vocabulary (“pca”), one block for each
            head, or through weights that are passed beside the settings (“own”).
        seed: of these weights.
        heads: query heads.
        kv_heads: key and value heads; None for as many. Where weights are not random, each is the mean of those of its
            group (Ainslie et al. 2023, section 2.1).
        positions: “sinusoidal” is added to the vectors, “rope” turns queries and keys.
        score_seed: of the weights of a score that has some, such as the additive one.

    Raises:
        AttentionError: a name that does not exist, or a number out of its range.

    Example:
        >>> Settings("cosine", temperature=0.1, mask="causal").factor(50)
        10.0
    """

    score: str = "dot"
    scale: Scale | float = "usual"
    temperature: float = 1.0
    mask: str = "none"
    align: Align = "bottom-right"
    queries: int | None = None
    projection: Projection = "identity"
    seed: int = 0
    heads: int = 1
    kv_heads: int | None = None
    positions: Position = "none"
    score_seed: int = 0

    def __post_init__(self) -> None:
        named = {"score": tuple(MEASURES), "projection": PROJECTIONS, "positions": POSITIONS}
        named |= {"scale": SCALES} if isinstance(self.scale, str) else {}
        for name, options in named.items():
            if getattr(self, name) not in options:
                raise AttentionError(f"There is no {name} “{getattr(self, name)}”. Choose {', '.join(options)}.")
        if self.queries is not None and self.queries < 1:
            raise AttentionError(f"{self.queries} queries were asked for. Let 1 token or more ask.")
        kv = self.kv_heads
        if self.heads < 1 or (kv is not None and (kv < 1 or self.heads % kv)):
            raise AttentionError(
                f"{self.heads} query heads cannot share {self.heads if kv is None else kv} key and value heads in "
                "equal groups. Choose kv_heads that divides heads: 1 for MQA, heads for MHA."
            )
        self.options(1)  # temperature, scale and alignment are refused there
        self.patterns  # noqa: B018 - so are masks here

    @property
    def groups(self) -> int:
        """The number of key and value heads."""
        return self.heads if self.kv_heads is None else self.kv_heads

    def factor(self, d: int) -> float:
        """What the logits of queries of d components are multiplied by: scale/temperature."""
        return self.options(d).factor(d)

    def options(self, d: int) -> AttentionOptions:
        """The same for `attend`, which takes mask and positions beside them."""
        named = {"usual": None, "1/√d": 1 / math.sqrt(d), "1": 1.0, "1/d": 1 / d}
        scale = named[self.scale] if isinstance(self.scale, str) else self.scale
        make = MEASURES[self.score].random_weights
        weights = None if make is None else make(d, d, self.score_seed)
        return AttentionOptions(self.score, weights, scale, self.temperature, align=self.align)

    @property
    def patterns(self) -> tuple[tuple[Mask, int | None], ...]:
        """The masks by name, each with its size.

        Example:
            >>> Settings(mask="causal+window:3").patterns
            (('causal', None), ('window', 3))
        """
        return () if self.mask == "none" else tuple(map(_mask, self.mask.split("+")))

    def pattern(self, q_len: int, k_len: int) -> Tensor | None:
        """Who may attend to whom, (query, key), True = may attend; None where all may."""
        found = [self._pattern(name, size or 0, (q_len, k_len)) for name, size in self.patterns]
        return reduce(and_, found) if found else None

    def _pattern(self, name: Mask, size: int, shape: tuple[int, int]) -> Tensor:
        if name == "causal":
            return masks.causal(*shape, self.align)
        if name == "padding":
            return masks.padding(torch.tensor(min(size, shape[1])), shape[1]).expand(shape)
        pattern = {
            "window": masks.sliding_window,
            "prefix": masks.prefix,
            "block": masks.block,
            "dilated": masks.dilated,
        }[name]
        return pattern(*shape, size, self.align)

    def projections(self, size: int, vocabulary: Tensor | ArrayLike | None = None) -> Projections:
        """The weights for vectors of that many components, in float64.

        Args:
            size: components of the vectors.
            vocabulary: (n, size), whose principal axes “pca” takes.

        Raises:
            AttentionError: heads that do not divide the size, or “pca” without a vocabulary.
        """
        if size % self.heads:
            divisors = [str(h) for h in range(1, size + 1) if size % h == 0]
            raise AttentionError(
                f"{self.heads} heads do not divide {size} components into equal blocks. Choose a number of heads that "
                f"divides {size}, such as {', '.join(divisors[:8])}."
            )
        match self.projection:
            case "identity":
                whole = Projections.identity(size)
            case "random":
                return Projections.random(self.seed, size, self.heads, self.groups)
            case "orthogonal":
                whole = Projections.orthogonal_subspaces(self.seed, size, self.heads)
            case "pca":
                if vocabulary is None:
                    raise AttentionError("Principal axes were asked for without vectors. Pass vocabulary=e.matrix.")
                whole = Projections.pca_subspaces(vocabulary, self.heads)
            case "own":
                raise AttentionError(
                    "Weights of your own were asked for, and none were given. Choose their file, or pass projections=."
                )
        return shared(whole, self.heads, self.groups)


def _mask(written: str) -> tuple[Mask, int | None]:
    """A mask by name with its size, from “causal” or “window:3”."""
    name, colon, size = written.partition(":")
    for known in MASKS:
        sized = known in SIZED
        if known == name and (size.isdecimal() and len(size) < 10 if sized else not colon):
            return known, int(size) if sized else None
    raise AttentionError(
        f"There is no mask “{written[:40]}”. Write none, causal, {', '.join(f'{name}:2' for name in SIZED)}, or "
        "several joined by +, with sizes of your own."
    )
