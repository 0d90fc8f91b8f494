"""Why the rotary key is a part of its own: a matrix folds into the query, a turn that depends on position does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from attention_core.attention.latent.config import LatentConfig
from attention_core.attention.latent.room import within_room
from attention_core.attention.rotary import rotate

Way = Literal["no position", "turned between", "separate key"]
PAIRS = 256
"""Random queries and latents in which an error is measured."""


@dataclass(frozen=True)
class Commuting:
    """How far scores from folded queries are from those of the keys themselves.

    Attributes:
        distances: tokens between query and key.
        errors: for each way and distance, the root mean square difference of the scores, relative to that of the
            scores: “no position”, q·W^UK c; “turned between”, (R q)·(W^UK c) with the turn applied after folding, to
            W^UKᵀ q; “separate key”, q·W^UK c + (R q^R)·k^R.
        commutator: for each distance ‖R W^UK − W^UK R′‖/‖W^UK‖, where R turns keys and R′ latents.
        exact: the same as errors for “turned between” where each distance has a folded query of its own.
        pairs: random queries and latents.
    """

    distances: tuple[int, ...]
    errors: Mapping[Way, tuple[float, ...]]
    commutator: tuple[float, ...]
    exact: tuple[float, ...]
    pairs: int = PAIRS


def commuting(config: LatentConfig, distances: Sequence[int], seed: int = 0) -> Commuting:
    """Folds W^UK of one head into queries, with and without rotary positions in between, in float64.

    Scores q·k of a key k = W^UK c can be had from the latent: q·(W^UK c) = (W^UKᵀ q)·c. With positions in between it is
    (R q)·(W^UK c) = (W^UKᵀ R q)·c, and R differs for every distance: what was folded for one serves no other. Turning
    the folded query instead would need R W^UK = W^UK R′, and the products do not commute (DeepSeek-V2, section 2.1.3).

    Args:
        config: its sizes are used; a component left over by pairs is not turned.
        distances: tokens between query and key.
        seed: of the normal weights, queries and latents.

    Raises:
        AttentionError: sizes whose matrices would take too much memory.

    Example:
        >>> found = commuting(LatentConfig(64, 1, 0, 16, 8, 4, 8), [0, 100])
        >>> [error < 1e-14 for error in found.errors["turned between"]]
        [True, False]
    """
    rank, nope, rope, theta = config.kv_lora_rank, config.qk_nope_head_dim, config.qk_rope_head_dim, config.rope_theta
    copies = 8 * 4 * nope * rank
    within_room(copies, "The matrix of one head of these sizes, turned in float64,", "Choose smaller sizes.")
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    up, q, latents = normal(nope, rank) * rank**-0.5, normal(PAIRS, nope), normal(PAIRS, rank)
    turned_q, rope_key = normal(PAIRS, rope), normal(PAIRS, rope)
    keys, folded = latents @ up.mT, q @ up
    plain = _relative((folded * latents).sum(-1), (q * keys).sum(-1))
    between, separate, commutator, exact = [], [], [], []
    for distance in distances:
        scores = (_turned(q, distance, theta) * keys).sum(-1)
        between.append(_relative((_turned(folded, distance, theta) * latents).sum(-1), scores))
        exact.append(_relative(((_turned(q, distance, theta) @ up) * latents).sum(-1), scores))
        rotary = (_turned(turned_q, distance, theta) * rope_key).sum(-1)
        separate.append(_relative((folded * latents).sum(-1) + rotary, (q * keys).sum(-1) + rotary))
        # rows of W^UK are turned by R as vectors of keys, its columns by R′ as vectors of latents
        moved = _turned(up.mT, distance, theta).mT - _turned(up, -distance, theta)
        commutator.append(float(moved.norm() / up.norm()))
    errors: dict[Way, tuple[float, ...]] = {
        "no position": (plain,) * len(distances),
        "turned between": tuple(between),
        "separate key": tuple(separate),
    }
    return Commuting(tuple(distances), errors, tuple(commutator), tuple(exact))


def _turned(x: Tensor, position: int, theta: float) -> Tensor:
    """(…, d) turned as at one position; a last component without a partner stays."""
    even = x.shape[-1] // 2 * 2
    at = torch.full((x.shape[-2],), position)
    return torch.cat([rotate(x[..., :even], at, theta), x[..., even:]], dim=-1) if even else x


def _relative(found: Tensor, wanted: Tensor) -> float:
    return float((found - wanted).norm() / wanted.norm())
