"""What is kept of earlier tokens: the latent and one rotary key, or the keys and values of every head."""

from __future__ import annotations

import torch
from torch import Tensor

from attention_core.attention.latent.config import LatentConfig
from attention_core.errors import AttentionError
from attention_core.memory import check_room


class _Cache:
    """Room for a number of tokens, taken once; tokens are written behind each other and never moved."""

    def __init__(self, numbers: int, batch: int, capacity: int, like: Tensor) -> None:
        if min(batch, capacity) < 1:
            raise AttentionError(
                f"A cache for {batch} sequences of {capacity} tokens was asked for. Give at least 1 of both."
            )
        check_room(
            batch * capacity * numbers * like.element_size(),
            f"A cache for {batch:,} sequences of {capacity:,} tokens",
            "Give fewer of one of them, or a narrower dtype.",
            AttentionError,
            str(like.device),
        )
        self.length, self.capacity = 0, capacity

    def _room(self, tokens: int) -> slice:
        """Where the next tokens go; they count as held from now on."""
        if self.length + tokens > self.capacity:
            raise AttentionError(
                f"The cache has room for {self.capacity} tokens, {self.length} are held and {tokens} more were given. "
                "Make it with a larger capacity."
            )
        self.length += tokens
        return slice(self.length - tokens, self.length)


class LatentCache(_Cache):
    """The normalised latent and the rotated key of each token: (batch, capacity, kv_lora_rank + qk_rope_head_dim).

    Args:
        config: whose sizes it has.
        batch: number of sequences.
        capacity: tokens of each.
        like: a tensor whose dtype and device it takes, such as the hidden states.

    Raises:
        AttentionError: room for nothing, or for more than fits into memory; nothing is allocated then.

    Example:
        >>> cache = LatentCache(LatentConfig(7168, 128, 1536, 512, 128, 64, 128), 1, 10, torch.zeros(1).bfloat16())
        >>> cache.append(torch.zeros(1, 2, 576))
        >>> cache.length, cache.nbytes
        (2, 2304)
    """

    def __init__(self, config: LatentConfig, batch: int, capacity: int, like: Tensor) -> None:
        super().__init__(config.cached, batch, capacity, like)
        self._rows = torch.empty(batch, capacity, config.cached, dtype=like.dtype, device=like.device)

    def append(self, rows: Tensor) -> None:
        """Keeps the rows (batch, token, kv_lora_rank + qk_rope_head_dim) of further tokens."""
        self._rows[:, self._room(rows.shape[-2])] = rows

    @property
    def rows(self) -> Tensor:
        """(batch, token, kv_lora_rank + qk_rope_head_dim) of the tokens held."""
        return self._rows[:, : self.length]

    @property
    def nbytes(self) -> int:
        """Bytes of the tokens held."""
        return self.rows.numel() * self._rows.element_size()


class ExpandedCache(_Cache):
    """The keys and values of every head, as multi-head attention keeps them; the rotary key is repeated for each.

    It is made as a `LatentCache` is.
    """

    def __init__(self, config: LatentConfig, batch: int, capacity: int, like: Tensor) -> None:
        super().__init__(config.expanded, batch, capacity, like)
        self._keys, self._values = (
            torch.empty(batch, config.num_heads, capacity, size, dtype=like.dtype, device=like.device)
            for size in (config.qk_head_dim, config.v_head_dim)
        )

    def append(self, keys: Tensor, values: Tensor) -> None:
        """Keeps the keys (batch, heads, token, d) and values (batch, heads, token, d_v) of further tokens."""
        room = self._room(keys.shape[-2])
        self._keys[:, :, room], self._values[:, :, room] = keys, values

    @property
    def keys(self) -> Tensor:
        """(batch, heads, token, d) of the tokens held."""
        return self._keys[:, :, : self.length]

    @property
    def values(self) -> Tensor:
        """(batch, heads, token, d_v) of the tokens held."""
        return self._values[:, :, : self.length]

    @property
    def nbytes(self) -> int:
        """Bytes of the tokens held."""
        return (self.keys.numel() + self.values.numel()) * self._keys.element_size()
