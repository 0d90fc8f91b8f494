"""The fields of a model's configuration under the names that families of models give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attention_core.errors import CacheError

NAMES: Mapping[str, tuple[str, ...]] = {
    "hidden": ("hidden_size", "n_embd", "d_model", "dim"),
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "heads": ("num_attention_heads", "n_head", "n_heads"),
    "kv_heads": ("num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads", "multi_query_group_num"),
    "head_dim": ("head_dim", "kv_channels"),
}
"""What is meant, and what it is called: by Hugging Face's transformers, GPT-2, MPT, Falcon, ChatGLM, and by Meta and
DeepSeek in their own files."""

DEFAULTS: Mapping[str, Mapping[str, int]] = {
    "gemma": {"num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 256},
    "gemma2": {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "sliding_window": 4096},
    "gemma3_text": {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "sliding_window": 4096},
    "gpt_oss": {"num_key_value_heads": 8, "head_dim": 64, "sliding_window": 128},
    "mistral": {"num_key_value_heads": 8, "sliding_window": 4096},
    "mixtral": {"num_key_value_heads": 8},
    "qwen3": {"head_dim": 128},
    "falcon": {"multi_query": 1},
    "gpt_bigcode": {"multi_query": 1},
    "llama4_text": {"num_key_value_heads": 8, "head_dim": 128, "attention_chunk_size": 8192},
    "deepseek_v2": {"q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128},
    "deepseek_v3": {"q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128},
}
"""What transformers takes for a field that a configuration leaves out, by model_type; only where it differs from what
follows from the other fields. A configuration may leave out what equals these."""

LARGEST = 1 << 24
"""No field that counts something is larger."""
MOST_LAYERS = 10_000


class Fields:
    """The fields of one model, with notes on what was assumed about them.

    Attributes:
        kind: its model_type; "" where none is given.
        notes: what was noticed, one sentence each.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        kind = given.get("model_type")
        self.kind = kind if isinstance(kind, str) else ""
        self.notes: list[str] = []

    def raw(self, name: str) -> Any:
        """A field as it is given; None where it is missing."""
        return self._given.get(name)

    def flag(self, name: str) -> bool | None:
        """A truth value; None where it is missing.

        Raises:
            CacheError: it is something else.
        """
        value = self.raw(name)
        if value is None or isinstance(value, bool):
            return value
        raise CacheError(f"{name} is {_shown(value)}; true or false is expected. Correct the configuration.")

    def count(self, name: str, least: int = 1) -> int | None:
        """A whole number, or what transformers takes for it where it is missing; None where that is unknown.

        Raises:
            CacheError: it is no whole number, below the least or absurdly large.
        """
        value = self.raw(name)
        if value is None:
            usual = DEFAULTS.get(self.kind, {}).get(name)
            if usual is not None and name not in self._given:
                self.notes.append(f"{name} is missing; {usual} is what transformers takes for {self.kind}.")
                return usual
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        most = MOST_LAYERS if name in NAMES["layers"] else LARGEST
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            quoted = isinstance(value, str) and value.strip().isdecimal()
            raise CacheError(
                f"{name} is {_shown(value)}; a whole number from {least} to {most:,} is expected. "
                + ("Write it without quotation marks." if quoted else "Correct the configuration.")
            )
        return value

    def meant(self, what: str) -> int | None:
        """A field of `NAMES` under whichever of its names it is given.

        Raises:
            CacheError: two of its names are given with different values.
        """
        names = NAMES[what]
        found = {name: self.count(name) for name in names if self.raw(name) is not None}
        if len(set(found.values())) > 1:
            told = " and ".join(f"{name} = {value}" for name, value in found.items())
            raise CacheError(f"The configuration contradicts itself: {told} mean the same. Keep the right one.")
        return next(iter(found.values())) if found else self.count(names[0])

    def required(self, what: str) -> int:
        """A field of `NAMES` without which nothing can be told.

        Raises:
            CacheError: it is missing.
        """
        value = self.meant(what)
        if value is None:
            present = ", ".join(sorted(map(str, self._given))[:12])
            raise CacheError(
                f"The configuration has no {' or '.join(NAMES[what])}; it has {_cut(present, 160) or 'no field'}. "
                "Add it, or give the config.json of a language model, not that of its tokenizer or generation."
            )
        return value

    def needed(self, name: str, because: str) -> int:
        """A field that another makes necessary.

        Raises:
            CacheError: it is missing.
        """
        value = self.count(name)
        if value is None:
            raise CacheError(f"The configuration has no {name}, which {because} needs. Add it.")
        return value


def _shown(value: object) -> str:
    """A value as a configuration writes it, and not a text of digits as a number."""
    return _cut(f'"{value}"' if isinstance(value, str) else repr(value), 40)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
