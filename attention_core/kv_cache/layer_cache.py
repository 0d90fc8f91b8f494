"""The cache of one layer in real tensors: appended to block by block, and a ring where the layer has a window."""

from __future__ import annotations

import torch
from torch import Tensor

from attention_core.kv_cache.layouts import Layout
from attention_core.kv_cache.sizes import Workload
from attention_core.kv_cache.storage import empty, restored, stored


class LayerCache:
    """What one layer keeps of all sequences.

    Attributes:
        slots: places for tokens, min(window, tokens).
        length: tokens that were appended so far, those included that a window has dropped since.
        tensors: by the name of the part: (batch, heads, slots, …).

    Example:
        >>> from attention_core.kv_cache import PRESETS, Workload, sizes
        >>> layout = sizes(PRESETS["DeepSeek-V3"], 1).layouts["mla"]
        >>> cache = LayerCache(layout, Workload(tokens=10, batch=2), window=None)
        >>> cache.bytes, {name: tuple(tensor.shape) for name, tensor in cache.tensors.items()}
        (23040, {'latent': (2, 1, 10, 512), 'rotary key': (2, 1, 10, 64)})
    """

    def __init__(self, layout: Layout, workload: Workload, window: int | None, device: str = "cpu") -> None:
        self.slots = workload.tokens if window is None else min(window, workload.tokens)
        self.length = 0
        self._parts, self._kept = {part.name: part for part in layout.parts}, workload.format
        self.tensors = {
            part.name: empty(part, workload.format, (workload.batch, part.heads, self.slots), device)
            for part in layout.parts
        }

    @property
    def bytes(self) -> int:
        """What the tensors' memory takes, as torch allocated it."""
        return sum(tensor.untyped_storage().nbytes() for tensor in self.tensors.values())

    def append(self, values: dict[str, Tensor]) -> dict[str, Tensor]:
        """Keeps the vectors of new tokens, and gives back what these can see: earlier ones and themselves.

        Args:
            values: by the name of the part, (batch, heads, new, size).

        Returns:
            By name, (batch, heads, earlier + new, size) in float32, as restored from the format of the cache.
        """
        new = next(iter(values.values())).shape[-2]
        earlier = min(self.length, self.slots)
        device = next(iter(self.tensors.values())).device
        before = torch.arange(self.length - earlier, self.length, device=device) % self.slots
        kept = min(new, self.slots)
        after = torch.arange(self.length + new - kept, self.length + new, device=device) % self.slots
        seen = {}
        for name, given in values.items():
            part, tensor = self._parts[name], self.tensors[name]
            fresh = stored(given, part, self._kept)
            past = restored(_raw(tensor).index_select(-2, before).view(tensor.dtype), part, self._kept)
            seen[name] = torch.cat([past, restored(fresh, part, self._kept)], dim=-2)
            _raw(tensor).index_copy_(-2, after, _raw(fresh)[..., new - kept :, :])
        self.length += new
        return seen


def _raw(tensor: Tensor) -> Tensor:
    """The same memory in a dtype that can be indexed, which float8 cannot everywhere."""
    return tensor.view(torch.uint8) if tensor.element_size() == 1 else tensor
