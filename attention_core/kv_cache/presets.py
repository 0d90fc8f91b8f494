"""Models, described by what decides how much their KV cache holds."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, TypeAlias

from attention_core.errors import CacheError
from attention_core.samples import DATA

Standing: TypeAlias = Literal["first-hand", "second-hand", "inferred", "own"]
"""Whether the numbers were read in the model's own code or configuration, in a copy of it by others (a library that
mirrors it, a derived model), were partly inferred, or come from the reader's own configuration."""


@dataclass(frozen=True)
class Latent:
    """What multi-head latent attention (MLA) keeps in place of keys and values (DeepSeek-V2 paper, section 2.1).

    Attributes:
        kv_lora_rank: components of the latent from which keys and values are made.
        qk_rope_head_dim: components of the one rotary key that all heads share.
        q_lora_rank: components of the query's latent, which is not cached; 0 where the query is not compressed.
    """

    kv_lora_rank: int
    qk_rope_head_dim: int
    q_lora_rank: int = 0


@dataclass(frozen=True)
class ModelPreset:
    """A model's attention, as far as the cache depends on it.

    Attributes:
        name: what it is called.
        hidden: components of the hidden state.
        heads: query heads.
        kv_heads: heads of keys and values; with MLA as many as query heads, none of which is cached.
        qk_head_dim: components of a head's key, with MLA the rotary part included.
        v_head_dim: components of a head's value.
        windows: for each layer the tokens that its cache holds at most, the current one counted; None for all.
        latent: with MLA; None without.
        indexer_bytes: what a sparse attention's indexer keeps for each token and layer in a format of its own.
        dtype: in which the weights were published.
        aliases: other models with the same cache.
        standing: how the numbers were come by.
        source: where they were read.
        note: what a reader should know about them.

    Raises:
        CacheError: sizes below 1, heads that do not form groups, an odd rotary size, a rank above the hidden size.

    Example:
        >>> model = PRESETS["DeepSeek-R1"]
        >>> model.name, model.layers, model.latent.kv_lora_rank, model.qk_nope_head_dim
        ('DeepSeek-V3', 61, 512, 128)
    """

    name: str
    hidden: int
    heads: int
    kv_heads: int
    qk_head_dim: int
    v_head_dim: int
    windows: tuple[int | None, ...]
    latent: Latent | None = None
    indexer_bytes: int = 0
    dtype: str = "bfloat16"
    aliases: tuple[str, ...] = ()
    standing: Standing = "own"
    source: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("hidden", "heads", "kv_heads", "qk_head_dim", "v_head_dim", "layers"):
            if getattr(self, name) < 1:
                self._refuse(f"{name} is {getattr(self, name)}", "Give at least 1")
        if any(window is not None and window < 1 for window in self.windows):
            self._refuse("a layer has a window of less than one token", "Leave the window out where there is none")
        if self.heads % self.kv_heads:
            self._refuse(
                f"{self.heads} query heads cannot share {self.kv_heads} key and value heads in equal groups",
                "Give a number of key and value heads that divides the query heads",
            )
        if self.latent is not None:
            self._check_latent(self.latent)

    def _check_latent(self, latent: Latent) -> None:
        if min(latent.kv_lora_rank, latent.qk_rope_head_dim) < 1 or latent.q_lora_rank < 0:
            self._refuse(f"{latent} has a size below 1", "Give at least 1, and q_lora_rank 0 for no query compression")
        if max(latent.kv_lora_rank, latent.q_lora_rank) > self.hidden:
            self._refuse(
                f"a latent of {max(latent.kv_lora_rank, latent.q_lora_rank)} components is larger than the hidden "
                f"state of {self.hidden} that it compresses",
                "Give a rank below the hidden size",
            )
        if latent.qk_rope_head_dim % 2 or latent.qk_rope_head_dim >= self.qk_head_dim:
            self._refuse(
                f"the rotary part of {latent.qk_rope_head_dim} components turns in pairs and is a part of the "
                f"{self.qk_head_dim} of a key",
                "Give an even qk_rope_head_dim below the size of the whole key",
            )

    def _refuse(self, found: str, advice: str) -> None:
        raise CacheError(f"{self.name} is impossible: {found}. {advice}.")

    @property
    def own(self) -> bool:
        """Whether it is the reader's own, and not one of `PRESETS`."""
        return self.standing == "own"

    @cached_property
    def layers(self) -> int:
        """Number of layers with a cache."""
        return len(self.windows)

    @cached_property
    def window_counts(self) -> Counter[int | None]:
        """How many layers have each window; None stands for those without."""
        return Counter(self.windows)

    @property
    def qk_nope_head_dim(self) -> int:
        """Components of a key without rotary position: all of them where there is no latent."""
        return self.qk_head_dim - (0 if self.latent is None else self.latent.qk_rope_head_dim)


PATTERNS = {"sliding all layers": "s", "alternating sliding/full": "sf", "5 sliding : 1 full": "sssssf"}
"""How sliding (s) and full (f) layers follow each other, repeated from the first layer on; all others are full."""


def _windows(pattern: str, layers: int, window: str) -> tuple[int | None, ...]:
    repeated = PATTERNS.get(pattern, "f")
    return tuple(int(window) if repeated[i % len(repeated)] == "s" else None for i in range(layers))


def _preset(row: Mapping[str, str]) -> ModelPreset:
    ranks = [int(row[name] or 0) for name in ("kv_lora_rank", "qk_rope_head_dim", "q_lora_rank")]
    standing: dict[str, Standing] = {"first-hand": "first-hand", "inferred": "inferred"}
    return ModelPreset(
        name=row["model"],
        hidden=int(row["hidden"]),
        heads=int(row["n_heads"]),
        kv_heads=int(row["n_kv_heads"]),
        qk_head_dim=int(row["qk_head_dim"]),
        v_head_dim=int(row["v_head_dim"]),
        windows=_windows(row["pattern"], int(row["layers"]), row["window"]),
        latent=Latent(*ranks) if row["kv_lora_rank"] else None,
        indexer_bytes=int(row["indexer_bytes"] or 0),
        dtype=row["dtype"],
        aliases=tuple(filter(None, row["aliases"].split("; "))),
        standing=standing.get(row["standing"], "second-hand"),
        source=row["source"],
        note=row["note"],
    )


def _presets() -> Mapping[str, ModelPreset]:
    with (DATA / "model_presets.csv").open(encoding="utf-8", newline="") as lines:
        found = [_preset(row) for row in csv.DictReader(lines)]
    return MappingProxyType({name: preset for preset in found for name in (preset.name, *preset.aliases)})


PRESETS = _presets()
"""Real models by name, and by the names of others with the same cache; provenance is in data/README.md."""
