"""A cache counted in real tensors, which a real forward pass has filled."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

import torch

from attention_core.compute import Compute
from attention_core.errors import CacheError
from attention_core.kv_cache.forward import layer
from attention_core.kv_cache.layer_cache import LayerCache
from attention_core.kv_cache.layouts import Layout
from attention_core.kv_cache.presets import ModelPreset
from attention_core.kv_cache.sizes import CacheSizes, sizes
from attention_core.kv_cache.units import format_bytes
from attention_core.memory import available, held, trim


@dataclass(frozen=True)
class Allocation:
    """How much is allocated, and where.

    Attributes:
        layout: a key of `LAYOUTS`; None for the model's own.
        limit: bytes that the tensors of the cache may take; layers are left out until they do.
        device: "cpu" or "cuda".
        block: tokens that pass through the layers at a time.
        seed: of the weights and of the hidden states.

    Raises:
        CacheError: a limit or a block of nothing.
        ComputeError: a device that this machine lacks.
    """

    layout: str | None = None
    limit: int = 16 << 20
    device: str = "cpu"
    block: int = 256
    seed: int = 0

    def __post_init__(self) -> None:
        Compute(self.device)
        if min(self.limit, self.block) < 1:
            raise CacheError(
                f"A limit of {self.limit} bytes and blocks of {self.block} tokens were asked for. "
                "Give 1 or more of both."
            )


@dataclass(frozen=True)
class Measured:
    """Bytes in tensors beside those of the formula.

    Attributes:
        sizes: of the whole model, for the workload that was measured.
        layout: what was allocated.
        layers: how many of the model's layers, the first ones.
        counted: bytes of the tensors.
        formula: bytes by the formula for these layers.
        grown: bytes by which the process (on a GPU torch's allocator) grew as the tensors were made: pages and blocks
            are larger than what was asked for, and what else the process does counts too; None if unknown.
        shapes: of the tensors of the first layer, with their dtypes.
        seconds: for allocating and filling.
    """

    sizes: CacheSizes
    layout: str
    layers: int
    counted: int
    formula: int
    grown: int | None
    shapes: tuple[str, ...]
    seconds: float

    @property
    def whole(self) -> int:
        """Bytes of all layers by the formula."""
        return self.sizes.of(self.layout)


def measure(
    preset: ModelPreset,
    tokens: int,
    batch: int = 1,
    dtype: str = "bfloat16",
    allocation: Allocation = Allocation(),
    progress: Callable[[int, int], None] | None = None,
) -> Measured:
    """Allocates a model's cache, fills it through a forward pass, and counts its bytes.

    Tokens, sequences, heads, their sizes, windows and the format are the model's. Scaled down are the layers, to as
    many as the limit allows, and what is not cached: the hidden state (to 64 components, with MLA to those of the
    latent), the query heads (to one for each head of keys, one for a latent), and a latent whose keys and values are
    kept in its place (to 64). Weights are random. Each block of tokens goes through `attention.multi_head`, or through
    `attention.LatentAttention` with MLA, in its absorbed form where the latent is cached, with this cache between.

    Args:
        preset: the model.
        tokens: of each sequence.
        batch: sequences.
        dtype: a key of `FORMATS`.
        allocation: the layout, the limit and the device.
        progress: called with (done, total) tokens of layers.

    Raises:
        CacheError: one layer alone is larger than the limit, or than half of the memory that is free; nothing is
            allocated then.

    Example:
        >>> from attention_core.kv_cache import PRESETS
        >>> m = measure(PRESETS["DeepSeek-V3"], tokens=16)
        >>> m.layers, m.counted == m.formula == m.whole == 16 * 70272
        (61, True)
    """
    s = sizes(preset, tokens, batch, dtype)
    layout = allocation.layout or s.own
    s.of(layout)
    layers = _layers(s, layout, allocation)
    trim()
    started, before = time.perf_counter(), held(allocation.device)
    caches = [LayerCache(s.layouts[layout], s.workload, w, allocation.device) for w in preset.windows[:layers]]
    after = held(allocation.device)
    _fill(caches, s, s.layouts[layout], allocation, progress)
    of_layers = sum(min(w or tokens, tokens) for w in preset.windows[:layers])
    return Measured(
        sizes=s,
        layout=layout,
        layers=layers,
        counted=sum(cache.bytes for cache in caches),
        formula=batch * of_layers * s.layouts[layout].bytes(s.workload.format),
        grown=None if before is None or after is None else after - before,
        shapes=tuple(
            f"{name} {tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}"
            for name, tensor in caches[0].tensors.items()
        ),
        seconds=time.perf_counter() - started,
    )


def _layers(s: CacheSizes, layout: str, allocation: Allocation) -> int:
    """How many of the first layers fit the limit."""
    each = s.layouts[layout].bytes(s.workload.format) * s.workload.batch
    n = s.workload.tokens
    free = available(allocation.device)
    room = allocation.limit if free is None else min(allocation.limit, free // 2)
    layers = sum(total <= room for total in accumulate(each * min(w or n, n) for w in s.preset.windows))
    if not layers:
        first = each * min(s.preset.windows[0] or n, n)
        raise CacheError(
            f"One layer of {s.preset.name} takes {format_bytes(first)} for {s.workload.batch:,} × {n:,} tokens "
            f"({format_bytes(s.of(layout))} in all), and {format_bytes(room)} may be allocated here. "
            "Measure fewer tokens or sequences."
        )
    return layers


@torch.no_grad()
def _fill(
    caches: list[LayerCache],
    s: CacheSizes,
    layout: Layout,
    allocation: Allocation,
    progress: Callable[[int, int], None] | None,
) -> None:
    generator = torch.Generator().manual_seed(allocation.seed)
    attending = layer(s.preset, layout, allocation.seed, allocation.device)
    n, batch, hidden = s.workload.tokens, s.workload.batch, attending.hidden
    for start in range(0, n, allocation.block):
        length = min(allocation.block, n - start)
        x = torch.randn(batch, length, hidden, generator=generator).to(allocation.device)
        for i, cache in enumerate(caches):
            if progress is not None:
                progress(start * len(caches) + i * length, n * len(caches))
            x = torch.nn.functional.rms_norm(x + attending(x, cache), (hidden,))
