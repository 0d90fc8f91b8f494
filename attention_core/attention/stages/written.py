"""Settings as a line of text that a reader can change, and back."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from attention_core.attention.stages.settings import SCALES, Settings
from attention_core.errors import AttentionError

WHOLE = ("queries", "seed", "heads", "kv_heads", "score_seed")


def written(settings: Settings) -> str:
    """What differs from the defaults, as “name=value” with spaces between; “default” where nothing does.

    Example:
        >>> written(Settings("cosine", temperature=0.1, mask="causal"))
        'score=cosine temperature=0.1 mask=causal'
    """
    given = {field.name: (getattr(settings, field.name), field.default) for field in fields(settings)}
    return " ".join(f"{name}={value}" for name, (value, usual) in given.items() if value != usual) or "default"


def read(text: str) -> Settings:
    """The settings of such a line.

    Raises:
        AttentionError: no such name, no number where one is expected, or what `Settings` refuses.

    Example:
        >>> read("mask=causal+window:3 temperature=2").temperature
        2.0
    """
    names = [field.name for field in fields(Settings) if field.default is not MISSING]
    given: dict[str, Any] = {}
    for part in [] if text.strip() == "default" else text.split():
        name, _, value = part.partition("=")
        if name not in names or not value:
            raise AttentionError(
                f"“{part[:40]}” is not a setting. Write name=value with spaces between, of {', '.join(names)}."
            )
        given[name] = _value(name, value)
    return Settings(**given)


def _value(name: str, value: str) -> str | int | float:
    try:
        if name in WHOLE:
            return int(value)
        if name == "temperature" or (name == "scale" and value not in SCALES):
            return float(value)
    except ValueError:
        raise AttentionError(f"A number is expected for {name}, found “{value[:40]}”. Write one.") from None
    return value
