"""Vectors as a cache keeps them: rounded to a format, packed, and with scales where the format has them."""

from __future__ import annotations

import torch
from torch import Tensor

from attention_core.kv_cache.formats import SCALED, Format
from attention_core.kv_cache.layouts import Part

FLOAT8 = torch.float8_e4m3fn
LARGEST = 448.0
"""The largest number of that float8."""
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16, "float8": FLOAT8}
STEP = 0.5
"""Between two numbers of 4 bits, of which there are 16 around 0: a fixed one, since this format keeps no scales."""


def kind(part: Part, kept: Format) -> str:
    """How a part is kept: "scaled", "packed", or the name of a dtype."""
    if part.fixed or (kept.scaled_latent and part.name == "latent"):
        return "scaled"
    if kept.scaled_latent:
        return "bfloat16" if part.name == "rotary key" else "float8"
    return "packed" if kept.name == "int4" else kept.name


def components(part: Part) -> int:
    """Numbers of a vector: of one kept in a format of its own, its bytes less those of its float32 scales.

    Example:
        >>> components(Part("indexer keys", 1, 132, fixed=True))
        128
    """
    return part.size - 4 * -(-part.size // (SCALED + 4)) if part.fixed else part.size


def empty(part: Part, kept: Format, lengths: tuple[int, ...], device: str) -> Tensor:
    """Zeros for so many vectors: (..., size) in a dtype, or (..., bytes) of uint8 where they are packed or scaled.

    Every page is written, so that the memory is taken and not only promised.
    """
    how = kind(part, kept)
    width = part.bytes(kept) // part.heads if how in ("scaled", "packed") else part.size
    return torch.empty(*lengths, width, dtype=DTYPES.get(how, torch.uint8), device=device).zero_()


def stored(values: Tensor, part: Part, kept: Format) -> Tensor:
    """(..., size) float32 -> as `empty` lays it out."""
    how = kind(part, kept)
    if how == "scaled":
        return _scaled(values)
    if how == "packed":
        return _packed(values)
    if how == "float8":
        values = values.clamp(-LARGEST, LARGEST)
    return values.to(DTYPES[how])


def restored(held: Tensor, part: Part, kept: Format) -> Tensor:
    """What was stored, in float32: (..., size)."""
    how = kind(part, kept)
    if how == "scaled":
        return _unscaled(held, components(part))
    return _unpacked(held, part.size) if how == "packed" else held.float()


def _scaled(values: Tensor) -> Tensor:
    """float8 numbers, then a float32 scale for each 128 of them, which makes their largest 448."""
    size = values.shape[-1]
    padded = torch.nn.functional.pad(values, (0, -size % SCALED))
    padded = padded.reshape(*values.shape[:-1], -1, SCALED)  # (..., groups, 128)
    scales = padded.abs().amax(dim=-1).clamp_min(1e-12) / LARGEST  # (..., groups)
    numbers = (padded / scales.unsqueeze(-1)).flatten(-2)[..., :size].to(FLOAT8)
    return torch.cat([numbers.view(torch.uint8), scales.contiguous().view(torch.uint8)], dim=-1)


def _unscaled(held: Tensor, size: int) -> Tensor:
    numbers = held[..., :size].contiguous().view(FLOAT8).float()
    scales = held[..., size:].contiguous().view(torch.float32)
    return numbers * scales.repeat_interleave(SCALED, dim=-1)[..., :size]


def _packed(values: Tensor) -> Tensor:
    """Two numbers in a byte, the first in its low half."""
    codes = (values / STEP).round().clamp(-8, 7).to(torch.int16) + 8
    codes = torch.nn.functional.pad(codes, (0, codes.shape[-1] % 2), value=8)
    return (codes[..., 0::2] + 16 * codes[..., 1::2]).to(torch.uint8)


def _unpacked(held: Tensor, size: int) -> Tensor:
    codes = torch.stack([held % 16, held // 16], dim=-1).flatten(-2)[..., :size]
    return (codes.float() - 8) * STEP
