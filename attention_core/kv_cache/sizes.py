"""Exactly how many bytes a cache takes, in the model's own layout and in the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from types import MappingProxyType

from attention_core.errors import CacheError
from attention_core.kv_cache.formats import FORMATS, Format
from attention_core.kv_cache.layouts import Layout, layouts, own_layout
from attention_core.kv_cache.presets import ModelPreset

MOST = 1 << 40
"""Tokens or sequences up to which a size is told: all counts stay exact, and nobody means more."""


@dataclass(frozen=True)
class Workload:
    """What is held at the same time.

    Attributes:
        tokens: of each sequence, prompt and answer together.
        batch: sequences.
        dtype: a key of `FORMATS`.

    Raises:
        CacheError: counts that are not whole or below 1 or above 2⁴⁰, or another format.
    """

    tokens: int
    batch: int = 1
    dtype: str = "bfloat16"

    def __post_init__(self) -> None:
        for name in ("tokens", "batch"):
            count = getattr(self, name)
            if not isinstance(count, Integral) or isinstance(count, bool) or not 1 <= int(count) <= MOST:
                raise CacheError(f"{name} is {count!r}; a whole number from 1 to 2⁴⁰ is expected. Give such a one.")
            object.__setattr__(self, name, int(count))
        if self.dtype not in FORMATS:
            raise CacheError(f"A cache in “{self.dtype}” is not sized here. Choose one of {', '.join(FORMATS)}.")

    @property
    def format(self) -> Format:
        """The format of the numbers."""
        return FORMATS[self.dtype]


@dataclass(frozen=True)
class CacheSizes:
    """The bytes of a model's cache under each layout.

    Attributes:
        preset: the model.
        workload: tokens, sequences and the format.
    """

    preset: ModelPreset
    workload: Workload

    @property
    def own(self) -> str:
        """The layout that the model itself has, a key of `bytes`."""
        return own_layout(self.preset)

    @property
    def layouts(self) -> Mapping[str, Layout]:
        """Those that exist, by name."""
        found = layouts(self.preset)
        return {name: layout for name, layout in found.items() if isinstance(layout, Layout)}

    @property
    def why(self) -> Mapping[str, str]:
        """For each layout that the model cannot have, why."""
        return {name: why for name, why in layouts(self.preset).items() if isinstance(why, str)}

    @cached_property
    def slots(self) -> int:
        """Places for one token in one layer, over all layers and sequences: Σ min(window, tokens) · batch."""
        return self.workload.batch * sum(
            count * (self.workload.tokens if window is None else min(window, self.workload.tokens))
            for window, count in self.preset.window_counts.items()
        )

    @property
    def bounded(self) -> bool:
        """Whether some layers hold fewer tokens than there are."""
        return any(window is not None and window < self.workload.tokens for window in self.preset.window_counts)

    @property
    def tokens_held(self) -> int:
        """Tokens of all sequences."""
        return self.workload.tokens * self.workload.batch

    @cached_property
    def bytes(self) -> Mapping[str, int | None]:
        """In all, by layout; None where `why` says that there is none."""
        kept = self.workload.format
        return MappingProxyType(
            {
                name: None if isinstance(layout, str) else self.slots * layout.bytes(kept)
                for name, layout in layouts(self.preset).items()
            }
        )

    @cached_property
    def per_token(self) -> Mapping[str, int | None]:
        """For one token of one sequence in all layers, before any window is full; by layout."""
        return CacheSizes(self.preset, Workload(1, 1, self.workload.dtype)).bytes

    @property
    def total(self) -> int:
        """Bytes in the model's own layout."""
        return self.of(self.own)

    def of(self, layout: str) -> int:
        """Bytes under a layout.

        Raises:
            CacheError: the model has none of that name.
        """
        found = self.bytes.get(layout)
        if found is None:
            why = self.why.get(layout, f"choose one of {', '.join(self.bytes)}")
            raise CacheError(f"{self.preset.name} has no size as “{layout}”: {why}. Choose another layout or model.")
        return found

    def parts(self, layout: str) -> Mapping[str, int]:
        """Bytes under a layout by what they hold: keys, values, latent, rotary key, indexer keys."""
        self.of(layout)
        kept = self.workload.format
        return {part.name: self.slots * part.bytes(kept) for part in self.layouts[layout].parts}

    def fitting(self, memory: int, layout: str | None = None) -> int:
        """How many sequences of this length have room in so many bytes.

        Example:
            >>> from attention_core.kv_cache import PRESETS, sizes
            >>> sizes(PRESETS["Qwen2.5-72B"], 32_768).fitting(80 * 10**9)
            7
        """
        return max(0, memory) // (self.of(layout or self.own) // self.workload.batch)

    def longest(self, memory: int, layout: str | None = None) -> int | None:
        """How many tokens each of the sequences may have in so many bytes; None where any number: all windows fit.

        Example:
            >>> from attention_core.kv_cache import PRESETS, sizes
            >>> sizes(PRESETS["DeepSeek-V3"], 1).longest(80 * 10**9)
            1138433
        """
        self.of(layout or self.own)
        of_slot = self.layouts[layout or self.own].bytes(self.workload.format) * self.workload.batch
        left, growing, before = max(0, memory) // of_slot, self.preset.layers, 0
        bounded = sorted((w, count) for w, count in self.preset.window_counts.items() if w is not None)
        for window, count in bounded:
            if left < growing * (window - before):
                break
            left, growing, before = left - growing * (window - before), growing - count, window
        return before + left // growing if growing else None


def sizes(preset: ModelPreset, tokens: int, batch: int = 1, dtype: str = "bfloat16") -> CacheSizes:
    """The exact size of a model's cache, in its own layout and as the same model would need it in the others.

    Without paging, padding, fragmentation, prefixes that sequences share, or layers that share a cache: what the
    numbers themselves take.

    Args:
        preset: one of `PRESETS`, or the model of a configuration.
        tokens: of each sequence, prompt and answer together.
        batch: sequences held at the same time.
        dtype: a key of `FORMATS`.

    Raises:
        CacheError: counts below 1 or an unknown format.

    Example:
        >>> from attention_core.kv_cache import PRESETS
        >>> s = sizes(PRESETS["DeepSeek-V3"], tokens=100_000)
        >>> s.own, s.bytes["mla"], s.bytes["mha"], s.per_token["mla"]
        ('mla', 7027200000, 399769600000, 70272)
    """
    return CacheSizes(preset, Workload(tokens, batch, dtype))
