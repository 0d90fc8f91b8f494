"""Bytes in words: powers of 1000 (KB, MB, GB) and powers of 1024 (KiB, MiB, GiB), which are never mixed up."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import Literal, TypeAlias

from attention_core.errors import CacheError

Family: TypeAlias = Literal["binary", "decimal"]
PREFIXES = "KMGTPE"
UNITS: Mapping[str, int] = MappingProxyType(
    {"bytes": 1}
    | {f"{prefix}B": 1000**power for power, prefix in enumerate(PREFIXES, 1)}
    | {f"{prefix}iB": 1024**power for power, prefix in enumerate(PREFIXES, 1)}
)
"""What each unit stands for, in bytes (IEC 80000-13)."""


def best_unit(count: int, family: Family = "binary") -> str:
    """The largest unit of a family in which a count is at least 1.

    Example:
        >>> best_unit(70272), best_unit(70272, "decimal"), best_unit(999)
        ('KiB', 'KB', 'bytes')
    """
    step, ending = (1024, "iB") if family == "binary" else (1000, "B")
    power = 0
    while power < len(PREFIXES) and count >= step ** (power + 1):
        power += 1
    return f"{PREFIXES[power - 1]}{ending}" if power else "bytes"


def format_bytes(count: int, unit: str = "binary", decimals: int = 3) -> str:
    """A count of bytes in words, thousands separated and without trailing zeros.

    Args:
        count: 0 or more.
        unit: one of `UNITS`, or "binary" or "decimal" for the one of that family that fits.
        decimals: at most so many are shown.

    Raises:
        CacheError: another unit, or a negative count.

    Example:
        >>> format_bytes(70272, unit="KiB"), format_bytes(70272, "decimal"), format_bytes(200 * 2**30)
        ('68.625 KiB', '70.272 KB', '200 GiB')
    """
    if count < 0:
        raise CacheError(f"A cache of {count} bytes was asked for in words. Give 0 or more.")
    families: dict[str, Family] = {"binary": "binary", "decimal": "decimal"}
    unit = best_unit(count, families[unit]) if unit in families else unit
    if unit not in UNITS:
        raise CacheError(f"There is no unit “{unit}”. Choose binary, decimal or one of {', '.join(UNITS)}.")
    value = (Decimal(count) / UNITS[unit]).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    written = f"{value:,f}"
    return f"{written.rstrip('0').rstrip('.') if '.' in written else written} {unit}"
