"""Rotary position embedding (RoPE): each pair of components turns by an angle that grows with the position."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from attention_core.attention.base import wide
from attention_core.errors import AttentionError

Layout = Literal["interleaved", "half-split"]


@dataclass(frozen=True)
class Yarn:
    """How rotary positions reach beyond the context of training (YaRN, Peng et al. 2023), as DeepSeek applies it.

    Pairs that turn more than beta_fast times within the original context keep their speed, those that turn less than
    beta_slow times are slowed by the factor, what lies between is blended. Attention then multiplies its logits by
    `logit_factor`, since a softmax over more keys would be flatter.

    Attributes:
        factor: how many times longer the context becomes; 1 changes nothing.
        original_max_position: tokens of the context of training.
        beta_fast: turns from which a pair keeps its speed.
        beta_slow: turns up to which a pair is slowed by the whole factor.
        mscale: with mscale_all_dim, what turned vectors are lengthened by; where the two are equal, by nothing.
        mscale_all_dim: of the factor of the logits; 0 for none.

    Raises:
        AttentionError: a factor below 1, no context, turns out of order, or a negative mscale.

    Example:
        >>> yarn = Yarn(40, mscale=1.0, mscale_all_dim=1.0)  # DeepSeek-V3
        >>> round(192**-0.5 * yarn.logit_factor, 6)
        0.135234
    """

    factor: float
    original_max_position: int = 4096
    beta_fast: float = 32
    beta_slow: float = 1
    mscale: float = 1.0
    mscale_all_dim: float = 0.0

    def __post_init__(self) -> None:
        turns = 0 < self.beta_slow <= self.beta_fast < math.inf
        fits = 1 <= self.factor < math.inf and self.original_max_position >= 1
        if not (fits and turns and 0 <= self.mscale < math.inf and 0 <= self.mscale_all_dim < math.inf):
            raise AttentionError(
                "YaRN takes a factor of 1 or more, a context of 1 token or more, 0 < beta_slow <= beta_fast and "
                f"mscales of 0 or more; found {self}. Take rope_scaling as the model's config.json has it."
            )

    def _grown(self, mscale: float) -> float:
        return 0.1 * mscale * math.log(self.factor) + 1

    @property
    def logit_factor(self) -> float:
        """mscale² with m = 0.1·mscale_all_dim·ln(factor) + 1, by which DeepSeek multiplies the scale of attention."""
        return self._grown(self.mscale_all_dim) ** 2

    @property
    def length_factor(self) -> float:
        """What turned queries and keys are lengthened by: 1 where mscale = mscale_all_dim."""
        return self._grown(self.mscale) / self._grown(self.mscale_all_dim)

    def slowed(self, speeds: Tensor, theta: float) -> Tensor:
        """(d/2,) angles per position, some of them slowed."""
        pairs = len(speeds)

        def pair(turns: float) -> float:
            """Which pair turns so many times within the original context, between two pairs as a rule."""
            return pairs * math.log(self.original_max_position / (turns * 2 * math.pi)) / math.log(theta)

        low, high = max(math.floor(pair(self.beta_fast)), 0), min(math.ceil(pair(self.beta_slow)), 2 * pairs - 1)
        places = torch.arange(pairs, dtype=speeds.dtype, device=speeds.device)
        slow = ((places - low) / (high - low or 1e-3)).clamp(0, 1)
        return speeds * (1 - slow) + speeds / self.factor * slow


def rotate(
    x: Tensor,
    positions: Tensor,
    theta: float = 10_000.0,
    layout: Layout = "interleaved",
    yarn: Yarn | None = None,
) -> Tensor:
    """Turns pair i of the vector at position p by the angle p·theta^(−2i/d) (Su et al. 2021, eq. 15).

    Lengths stay, and the dot product of a turned query and a turned key depends on how far apart they stand alone.
    Angles are taken in float64, since at position 100,000 those of float32 are off by hundredths.

    Args:
        x: (..., token, d), d even: queries or keys of one head.
        positions: (token,) or what broadcasts to (..., token); when decoding after n cached tokens it begins at n.
        theta: the base; the last pair takes almost 2π·theta tokens to turn once.
        layout: which components form a pair: "interleaved" (2i, 2i + 1), as in the paper and DeepSeek's code, or
            "half-split" (i, i + d/2), as in GPT-NeoX and Llama's weights for Hugging Face.
        yarn: how the turns are slowed for a longer context; None for not at all.

    Returns:
        (..., token, d), in the dtype of x, turned in float32 or wider.

    Raises:
        AttentionError: an odd d, another layout, positions that do not broadcast, or a base of 0 or less.

    Example:
        >>> rotate(torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([0, 1]))
        tensor([[1.0000, 0.0000],
                [0.5403, 0.8415]])
    """
    if layout not in ("interleaved", "half-split"):
        raise AttentionError(f"There is no layout “{layout}”. Choose interleaved or half-split.")
    if not theta > 0 or (yarn is not None and theta <= 1):
        least = 0 if yarn is None else 1
        raise AttentionError(f"A base of {theta} was given. Give theta above {least}, such as 10,000.")
    angles = _angles(x, positions, theta, yarn)
    wider = wide(x)
    half = x.shape[-1] // 2
    first, second = (
        (wider[..., 0::2], wider[..., 1::2]) if layout == "interleaved" else (wider[..., :half], wider[..., half:])
    )  # each (..., token, d/2)
    longer = 1.0 if yarn is None else yarn.length_factor
    cosine, sine = (torch.cos(angles) * longer).to(wider), (torch.sin(angles) * longer).to(wider)
    turned = [first * cosine - second * sine, first * sine + second * cosine]
    joined = torch.stack(turned, dim=-1).flatten(-2) if layout == "interleaved" else torch.cat(turned, dim=-1)
    return joined.to(x.dtype)


def _angles(x: Tensor, positions: Tensor, theta: float, yarn: Yarn | None) -> Tensor:
    """(..., token, d/2), in radians and float64."""
    if x.ndim < 2 or x.shape[-1] % 2 or not x.is_floating_point():
        raise AttentionError(
            f"Vectors (..., token, d) with an even d, whose components form pairs, are expected, found "
            f"{tuple(x.shape)} in {x.dtype}. Choose heads of an even size."
        )
    places = torch.as_tensor(positions, dtype=torch.float64, device=x.device)
    pairs = zip(reversed(places.shape), reversed(x.shape[:-1]), strict=False)
    if places.ndim >= x.ndim or any(given not in (1, size) for given, size in pairs):
        raise AttentionError(
            f"Positions that broadcast to {tuple(x.shape[:-1])}, (..., token), are expected, found "
            f"{tuple(places.shape)}. Give one position for each token."
        )
    exponents = torch.arange(0, x.shape[-1], 2, dtype=torch.float64, device=x.device) / x.shape[-1]
    speeds = theta**-exponents
    return places.unsqueeze(-1) * (speeds if yarn is None else yarn.slowed(speeds, theta))


def to_half_split(x: Tensor, axis: int = -1) -> Tensor:
    """Reorders components from the interleaved to the half-split layout: first all 2i, then all 2i + 1.

    Rotating commutes with it, so queries and keys in one layout give the scores of the other. For the rows of a weight
    matrix (heads·d, in): `to_half_split(weight.unflatten(0, (heads, -1)), axis=1).flatten(0, 1)`.

    Raises:
        AttentionError: an odd number of components.

    Example:
        >>> to_half_split(torch.tensor([1, 2, 3, 4]))
        tensor([1, 3, 2, 4])
    """
    return _reordered(x, axis, pairs=(-1, 2))


def to_interleaved(x: Tensor, axis: int = -1) -> Tensor:
    """Reorders components from the half-split to the interleaved layout; what `to_half_split` did is undone.

    Raises:
        AttentionError: an odd number of components.

    Example:
        >>> to_interleaved(torch.tensor([1, 3, 2, 4]))
        tensor([1, 2, 3, 4])
    """
    return _reordered(x, axis, pairs=(2, -1))


def _reordered(x: Tensor, axis: int, pairs: tuple[int, int]) -> Tensor:
    d = x.shape[axis]
    if d % 2:
        raise AttentionError(f"An even number of components is expected, found {d}. Choose heads of an even size.")
    return x.index_select(axis, torch.arange(d, device=x.device).reshape(pairs).mT.flatten())
