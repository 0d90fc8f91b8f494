"""Sinusoidal position encoding, which is added to the vectors."""

from __future__ import annotations

import torch
from torch import Tensor

from attention_core.errors import AttentionError


def sinusoidal(positions: Tensor, size: int, theta: float = 10_000.0) -> Tensor:
    """sin(p·theta^(−2i/size)) at component 2i and its cosine at 2i + 1 (Vaswani et al. 2017, section 3.5).

    Args:
        positions: (...,), counted in tokens.
        size: components of the vectors; the last cosine of an odd size is left out.
        theta: the base of the wavelengths, which run from 2π to 2π·theta tokens.

    Returns:
        (..., size) in float64: to be added to vectors whose components are of the order of 1.

    Raises:
        AttentionError: a size below 1, or a base of 0 or less.

    Example:
        >>> sinusoidal(torch.tensor([0, 1]), 4).float()
        tensor([[0.0000, 1.0000, 0.0000, 1.0000],
                [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    if size < 1 or not theta > 0:
        raise AttentionError(f"A size of {size} and a base of {theta} were given. Give both above 0.")
    places = torch.as_tensor(positions, dtype=torch.float64)
    exponents = torch.arange(0, size, 2, dtype=torch.float64, device=places.device) / size
    angles = places.unsqueeze(-1) * theta**-exponents
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)[..., :size]
