"""The formats in which a cache keeps its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

SCALED = 128
"""Numbers of a latent that share one scale in FlashMLA's format."""


@dataclass(frozen=True)
class Format:
    """A format of numbers.

    Attributes:
        name: its key in `FORMATS`.
        label: for readers.
        bits: of a number.
        scaled_latent: whether a latent has a float32 scale for each 128 numbers, and the rotary key beside it stays in
            bfloat16, as FlashMLA keeps them: 512 + 4·4 + 64·2 = 656 bytes for DeepSeek-V3.
    """

    name: str
    label: str
    bits: int
    scaled_latent: bool = False

    def vector_bytes(self, size: int) -> int:
        """Bytes of a vector: whole ones, so that two numbers of 4 bits share a byte and an odd one has its own.

        Example:
            >>> FORMATS["int4"].vector_bytes(5)
            3
        """
        return -(-size * self.bits // 8)


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        found.name: found
        for found in (
            Format("float32", "float32", 32),
            Format("bfloat16", "bfloat16", 16),
            Format("float16", "float16", 16),
            Format("float8", "float8", 8),
            Format("int4", "int4", 4),
            Format("flashmla", "float8 of FlashMLA", 8, scaled_latent=True),
        )
    }
)
"""By name. The scales and zero points that quantised caches keep beside their numbers are counted for `flashmla` alone:
there is no one way in which others keep them."""
