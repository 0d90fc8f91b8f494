"""What decides the shapes of multi-head latent attention (MLA)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attention_core.attention.rotary import Yarn
from attention_core.errors import AttentionError

SIZES = ("hidden_size", "num_heads", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
YARN = {"original_max_position_embeddings": "original_max_position"}
"""A name of Hugging Face's rope_scaling that is longer than ours; the others are the same."""


@dataclass(frozen=True)
class LatentConfig:
    """The sizes of one MLA layer, by the names of DeepSeek's configurations (DeepSeek-V2 paper, section 2.1).

    Attributes:
        hidden_size: components of the hidden state h.
        num_heads: heads of the queries; each has keys and values of its own, made from the one latent.
        q_lora_rank: components of the query's latent c^Q; 0 or None where queries come straight from h (V2-Lite).
        kv_lora_rank: components of the latent c, from which keys and values are made.
        qk_nope_head_dim: components of a head's query and key without position.
        qk_rope_head_dim: components of a head's rotary query, and of the one rotary key that all heads share.
        v_head_dim: components of a head's value.
        rope_theta: base of the rotary positions.
        yarn: how rotary positions are stretched; None for not at all.
        rms_norm_eps: what RMSNorm adds to the mean square.

    Raises:
        AttentionError: a size below 1, an odd rotary size, or a latent larger than the hidden state.

    Example:
        >>> config = LatentConfig(7168, 128, 1536, 512, 128, 64, 128)  # DeepSeek-V3
        >>> config.cached, config.expanded
        (576, 40960)
    """

    hidden_size: int
    num_heads: int
    q_lora_rank: int | None
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int
    rope_theta: float = 10_000.0
    yarn: Yarn | None = None
    rms_norm_eps: float = 1e-6

    def __post_init__(self) -> None:
        for name in SIZES:
            _check_size(name, getattr(self, name), least=1)
        _check_size("q_lora_rank", self.q_lora_rank or 0, least=0)
        if self.qk_rope_head_dim % 2:
            raise AttentionError(
                f"qk_rope_head_dim is {self.qk_rope_head_dim}, and rotary components turn in pairs. Give an even "
                "number, such as 64."
            )
        for name in ("q_lora_rank", "kv_lora_rank"):
            if (getattr(self, name) or 0) > self.hidden_size:
                raise AttentionError(
                    f"{name} is {getattr(self, name)}, more than the {self.hidden_size} components of the hidden "
                    "state that it compresses. Give a smaller rank or a larger hidden_size."
                )
        if not 1 < self.rope_theta < math.inf or not 0 <= self.rms_norm_eps < math.inf:
            raise AttentionError(
                f"A rope_theta above 1 and an rms_norm_eps of 0 or more are expected, found {self.rope_theta} and "
                f"{self.rms_norm_eps}. DeepSeek takes 10,000 and 1e-6."
            )

    @classmethod
    def read(cls, config: Mapping[str, Any]) -> LatentConfig:
        """From a config.json of Hugging Face, whose names these are; num_attention_heads is the number of heads.

        Raises:
            AttentionError: a size is missing or impossible, or positions are stretched by another rule than YaRN.

        Example:
            >>> sizes = dict(hidden_size=2048, num_attention_heads=16, q_lora_rank=None, kv_lora_rank=512)
            >>> LatentConfig.read(sizes | dict(qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)).cached
            576
        """
        sizes: dict[str, Any] = {
            name: config.get("num_attention_heads" if name == "num_heads" else name) for name in SIZES
        }
        missing = [name for name, value in sizes.items() if value is None]
        if missing:
            raise AttentionError(
                f"The configuration lacks {', '.join(missing)}, so it is none of multi-head latent attention. Give a "
                "config.json of DeepSeek-V2 or a later one."
            )
        scaling = {**(config.get("rope_scaling") or {}), **(config.get("rope_parameters") or {})}
        theta = config.get("rope_theta") or scaling.get("rope_theta") or 10_000.0
        return cls(q_lora_rank=config.get("q_lora_rank"), rope_theta=theta, yarn=_yarn(scaling), **sizes)

    @property
    def compresses_queries(self) -> bool:
        """Whether queries are made from a latent of their own."""
        return bool(self.q_lora_rank)

    @property
    def qk_head_dim(self) -> int:
        """Components of a head's whole query and key."""
        return self.qk_nope_head_dim + self.qk_rope_head_dim

    @property
    def scale(self) -> float:
        """What q·k is multiplied by: 1/√(nope + rope), times YaRN's factor; the same in every form."""
        plain: float = self.qk_head_dim**-0.5
        return plain * (1.0 if self.yarn is None else self.yarn.logit_factor)

    @property
    def cached(self) -> int:
        """Numbers that MLA keeps for a token and layer: the latent and the one rotary key."""
        return self.kv_lora_rank + self.qk_rope_head_dim

    @property
    def weights(self) -> int:
        """Numbers in the matrices of a layer.

        Example:
            >>> LatentConfig(7168, 128, 1536, 512, 128, 64, 128).weights
            187105280
        """
        queries = self.num_heads * self.qk_head_dim
        into_queries = (
            (self.hidden_size + queries) * self.q_lora_rank if self.q_lora_rank else self.hidden_size * queries
        )
        values = self.num_heads * self.v_head_dim
        from_latent = self.kv_lora_rank * (self.num_heads * self.qk_nope_head_dim + values)
        return into_queries + self.hidden_size * (self.cached + values) + from_latent

    @property
    def expanded(self) -> int:
        """Numbers that the keys and values of all heads take for a token and layer."""
        return self.num_heads * (self.qk_head_dim + self.v_head_dim)


def _check_size(name: str, given: object, least: int) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or given < least:
        raise AttentionError(f"{name} is {given!r}, and a whole number of {least} or more is expected. Correct it.")


def _yarn(scaling: Mapping[str, Any]) -> Yarn | None:
    kind = scaling.get("rope_type") or scaling.get("type") or "default"
    if kind == "default":
        return None
    if kind != "yarn":
        raise AttentionError(f"Rotary positions are stretched by “{kind}”. Only yarn is known; leave rope_scaling out.")
    names = ("factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", *YARN)
    return Yarn(**{YARN.get(name, name): scaling[name] for name in names if name in scaling})
