"""Rotary position embedding (RoPE): each pair of components turns by an angle that grows with the position."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from attention_core.attention.base import wide
from attention_core.errors import AttentionError

Layout = Literal["interleaved", "half-split"]


def rotate(x: Tensor, positions: Tensor, theta: float = 10_000.0, layout: Layout = "interleaved") -> Tensor:
    """Turns pair i of the vector at position p by the angle p·theta^(−2i/d) (Su et al. 2021, eq. 15).

    Lengths stay, and the dot product of a turned query and a turned key depends on how far apart they stand alone.
    Angles are taken in float64, since at position 100,000 those of float32 are off by hundredths.

    Args:
        x: (..., token, d), d even: queries or keys of one head.
        positions: (token,) or what broadcasts to (..., token); when decoding after n cached tokens it begins at n.
        theta: the base; the last pair takes almost 2π·theta tokens to turn once.
        layout: which components form a pair: "interleaved" (2i, 2i + 1), as in the paper and DeepSeek's code, or
            "half-split" (i, i + d/2), as in GPT-NeoX and Llama's weights for Hugging Face.

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
    if not theta > 0:
        raise AttentionError(f"A base of {theta} was given. Give theta above 0, such as 10,000.")
    angles = _angles(x, positions, theta)
    wider = wide(x)
    half = x.shape[-1] // 2
    first, second = (
        (wider[..., 0::2], wider[..., 1::2]) if layout == "interleaved" else (wider[..., :half], wider[..., half:])
    )  # each (..., token, d/2)
    cosine, sine = torch.cos(angles).to(wider), torch.sin(angles).to(wider)
    turned = [first * cosine - second * sine, first * sine + second * cosine]
    joined = torch.stack(turned, dim=-1).flatten(-2) if layout == "interleaved" else torch.cat(turned, dim=-1)
    return joined.to(x.dtype)


def _angles(x: Tensor, positions: Tensor, theta: float) -> Tensor:
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
    return places.unsqueeze(-1) * theta**-exponents


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
