"""A model as its config.json describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from attention_core.errors import CacheError
from attention_core.kv_cache.config_checks import checks
from attention_core.kv_cache.config_fields import Fields
from attention_core.kv_cache.config_windows import windows
from attention_core.kv_cache.formats import FORMATS
from attention_core.kv_cache.presets import Latent, ModelPreset

NESTED = ("text_config", "language_config", "llm_config", "thinker_config")
"""Where models that also see or hear keep the part that writes."""
MOST = 4_000_000
"""Bytes of a configuration, at most."""


@dataclass(frozen=True)
class Configuration:
    """What was read.

    Attributes:
        preset: the model.
        notes: what was assumed, noticed or looks wrong, one sentence or two each.
    """

    preset: ModelPreset
    notes: tuple[str, ...]


def read_config(given: str | Path | IO[bytes] | Mapping[str, Any], name: str = "config.json") -> Configuration:
    """Reads the configuration of a language model, with the field names of the families that transformers knows.

    The size of a head is taken where it is given, else hidden size over heads. Windows are read by layer, multi-head
    latent attention by its ranks, and the indexer of DeepSeek-V3.2 with its 132 bytes. Where a field is missing that
    transformers has a value of its own for, that one is taken and noted.

    Args:
        given: a path, a binary file, or the fields themselves.
        name: what the model is called.

    Raises:
        CacheError: it is no JSON object of a decoder, or fields are missing, impossible or contradict each other.

    Example:
        >>> found = read_config({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12})
        >>> found.preset.kv_heads, found.preset.qk_head_dim
        (12, 64)
    """
    whole = given if isinstance(given, Mapping) else _parsed(given)
    fields = _writing_part(whole)
    _refuse_encoders(whole, fields)
    layers = fields.required("layers")
    preset = _with_latent(fields, name, layers) if fields.raw("kv_lora_rank") else _with_heads(fields, name, layers)
    return Configuration(preset, (*fields.notes, *checks(preset, fields)))


def _parsed(given: str | Path | IO[bytes]) -> Mapping[str, Any]:
    advice = "Give the config.json of a model."
    if isinstance(given, (str, Path)):
        try:
            with Path(given).open("rb") as file:
                content = file.read(MOST + 1)
        except OSError as error:
            raise CacheError(f"{given} cannot be opened: {error.strerror}. Check the path.") from None
    else:
        content = given.read(MOST + 1)
    if len(content) > MOST:
        raise CacheError(f"A configuration of more than {MOST // 1_000_000} MB was given. {advice}")
    try:
        parsed = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once)
    except CacheError:
        raise
    except (ValueError, RecursionError) as error:
        where = f" in line {error.lineno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else ""
        raise CacheError(f"The file is not JSON{where}. {advice}") from None
    if not isinstance(parsed, dict):
        raise CacheError(f"A JSON object was expected, found a {type(parsed).__name__}. {advice}")
    return parsed


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The fields of an object, none of which is given twice with different values."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found and found[name] != value:
            raise CacheError(f"The configuration contradicts itself: {name[:40]} is given twice. Keep the right one.")
        found[name] = value
    return found


def _writing_part(whole: Mapping[str, Any]) -> Fields:
    for name in NESTED:
        part = whole.get(name)
        if isinstance(part, dict):
            inner = _writing_part(part)
            inner.notes.insert(0, f"The model that writes text is described in {name}.")
            return inner
    return Fields(whole)


def _refuse_encoders(whole: Mapping[str, Any], fields: Fields) -> None:
    if whole.get("is_encoder_decoder") is True or fields.flag("is_encoder_decoder"):
        raise CacheError(
            "An encoder with a decoder keeps a second cache, of the encoder's keys and values, which is not sized "
            "here. Give a model that is a decoder alone."
        )
    listed = whole.get("architectures")
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    if any("MaskedLM" in name for name in names):
        raise CacheError(f"{names[0][:40]} is an encoder, which keeps no cache. Give a model that writes text.")


def _dtype(fields: Fields) -> str:
    given = fields.raw("dtype") or fields.raw("torch_dtype")
    return given if isinstance(given, str) and given in FORMATS else "bfloat16"


def _with_heads(fields: Fields, name: str, layers: int) -> ModelPreset:
    hidden, heads = fields.required("hidden"), fields.required("heads")
    size = fields.meant("head_dim")
    if size is None:
        if hidden % heads:
            raise CacheError(
                f"The hidden size {hidden} is no multiple of {heads} heads, and head_dim is missing. Add head_dim."
            )
        size = hidden // heads
    return ModelPreset(
        name=name,
        hidden=hidden,
        heads=heads,
        kv_heads=_kv_heads(fields, heads),
        qk_head_dim=size,
        v_head_dim=fields.count("v_head_dim") or size,
        windows=windows(fields, layers),
        dtype=_dtype(fields),
        source=f"the reader's own configuration, model_type {fields.kind[:40] or 'not given'}",
    )


def _kv_heads(fields: Fields, heads: int) -> int:
    """Those that are given; one where multi_query says so, as in Falcon's first architecture; else all."""
    given = fields.meant("kv_heads")
    shared = fields.flag("multi_query")
    if shared is None:
        shared = bool(fields.count("multi_query")) if fields.kind in ("falcon", "gpt_bigcode") else False
    if shared and not fields.flag("new_decoder_architecture"):
        if given not in (None, 1):
            fields.notes.append(f"multi_query is on, so one key and value head is kept, not {given}.")
        return 1
    if given is None:
        fields.notes.append("The number of key and value heads is missing; each query head has its own then.")
        return heads
    return given


def _with_latent(fields: Fields, name: str, layers: int) -> ModelPreset:
    rank = fields.needed("kv_lora_rank", "MLA")
    nope, rope = (fields.needed(part, "MLA with kv_lora_rank") for part in ("qk_nope_head_dim", "qk_rope_head_dim"))
    heads, scored = fields.required("heads"), fields.count("index_head_dim")
    return ModelPreset(
        name=name,
        hidden=fields.required("hidden"),
        heads=heads,
        kv_heads=heads,
        qk_head_dim=nope + rope,
        v_head_dim=fields.needed("v_head_dim", "MLA with kv_lora_rank"),
        windows=windows(fields, layers),
        latent=Latent(rank, rope, fields.count("q_lora_rank", least=0) or 0),
        indexer_bytes=scored + 4 * -(-scored // 128) if scored else 0,
        dtype=_dtype(fields),
        source=f"the reader's own configuration, model_type {fields.kind[:40] or 'not given'}",
    )
