"""Thrift's compact protocol, in which Parquet writes its footer and the headers of its pages.

The encoding is described in github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Struct: TypeAlias = dict[int, Any]
"""Values by the numbers of their fields: bool, int, bytes, a list of them, or a Struct."""

_DEEPEST = 16


def read_struct(data: bytes, start: int = 0) -> tuple[Struct, int]:
    r"""The struct that begins there, and where it ends.

    Raises:
        IndexError: data that ends too early.
        ValueError: data that is no struct.

    Example:
        >>> read_struct(b"\x15\x06\x18\x02hi\x00")
        ({1: 3, 2: b'hi'}, 7)
    """
    reader = _Reader(data, start)
    return reader.struct(0), reader.at


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self._data, self.at = data, at

    def struct(self, depth: int) -> Struct:
        fields: Struct = {}
        field = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            field = field + step if step else self._number()
            fields[field] = kind == 1 if kind in (1, 2) else self._value(kind, depth)  # a truth value is its own kind
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("structs stand too deep in each other")
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._number()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._value(head & 15, depth + 1) for _ in range(count)]
        if kind == 12:
            return self.struct(depth + 1)
        raise ValueError(f"a field is of the unknown kind {kind}")

    def _byte(self) -> int:
        byte = self._data[self.at]
        self.at += 1
        return byte

    def _bytes(self, count: int) -> bytes:
        self.at += count
        if self.at > len(self._data):
            raise IndexError("a text ends too early")
        return self._data[self.at - count : self.at]

    def _number(self) -> int:
        """A signed number: 0, -1, 1, -2, … are written as 0, 1, 2, 3, …."""
        written = self._varint()
        return (written >> 1) ^ -(written & 1)

    def _varint(self) -> int:
        """Seven bits a byte, the lowest first."""
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number does not end")
        return value | byte << shift
