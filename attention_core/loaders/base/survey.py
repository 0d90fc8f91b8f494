"""A first look at text made of rows “word number number …”: its header, if any, and the size of its vectors."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from attention_core.loaders.base.lines import first_lines
from attention_core.loaders.base.naming import WORD_NAMES
from attention_core.loaders.base.numbers import is_number
from attention_core.loaders.base.source import Source

FIELD = re.compile(rb"[^ \t]+")
"""Only the space and the tab separate: a word may hold any other space of Unicode."""

_STRING = rb'"(?:[^"\\\n]|\\.)*+"'
_NAMED = rb"\{\s*" + _STRING + rb"\s*:"
JSON_BEGINNING = re.compile(rb"\s*(?:%b|\[\s*(?:%b|\[?\s*%b\s*,))" % (_NAMED, _NAMED, _STRING))
"""An object, or an array of objects or of texts, begins so; a word such as “[[” or “{” before numbers does not."""

_SAMPLE = 100
_SHOWN = 2**12  # bytes
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_LONGEST_COUNT = 18  # digits


@dataclass(frozen=True)
class Header:
    """What a first line “words dimensions” declares, and the number of that line: 1, unless blank lines precede it."""

    words: int
    dimension: int
    line: int


@dataclass(frozen=True)
class Survey:
    """What the first rows show.

    Attributes:
        header: what the first line declares, or None when it is already a row.
        rows: how many rows were looked at.
        dimension: how many numbers end most of the rows, the smaller when two are equally common; 0 when fewer than
            half of them are a word and numbers.
        labelled: whether the rows begin with words; False when all of them begin with a decimal fraction.
        doubtful: whether the first line could have been a header and was taken for a row.
        named: whether the first line names the columns, as “word 0 1 2”.
        fits_header: False when most rows hold, before the numbers declared, a further decimal fraction, or all of three
            rows or more a further number.
        binary: whether what follows the header is no text: words with their numbers as word2vec stores them in binary.
    """

    header: Header | None
    rows: int
    dimension: int
    labelled: bool = True
    doubtful: bool = False
    named: bool = False
    fits_header: bool = True
    binary: bool = False


def survey(source: Source) -> Survey:
    """Look at the first rows of a text; JSON has none, even where its lines end in numbers."""
    physical = [] if JSON_BEGINNING.match(source.text_head) else first_lines(source, _SAMPLE)
    lines = [line for line in physical if line.strip(b" \t")]
    if not lines:
        return Survey(None, 0, 0)
    chosen = source.choices.header
    header = None if chosen is False else _header(lines[0], physical.index(lines[0]) + 1)
    counts = [trailing_numbers(line) for line in lines]
    # “5 3” before rows of one number each is a word and its number; a single such row, cut, is a broken file.
    doubtful = header is not None and header.dimension != 1 and set(counts[1:]) == {1}
    doubtful = doubtful and not chosen and (len(lines) > 2 or source.ends_with_newline)
    if header and not doubtful:
        surplus = [_is_fraction(_field_before(line, header.dimension)) for line in lines[1:]]
        fits = 2 * sum(surplus) <= len(surplus) and not (len(counts) > 3 and min(counts[1:]) > header.dimension)
        dimension = _most_common(counts[1:])
        binary = dimension == 0 < header.dimension and _is_binary(source.head)
        return Survey(header, len(lines) - 1, dimension, fits_header=fits, binary=binary)
    labelled = not all(_is_fraction(bytes(FIELD.findall(line)[0])) for line in lines)
    named = chosen is not False and lines[0] == physical[0] and len(lines) > 1 and _is_named(lines[0])
    return Survey(None, len(lines), _most_common(counts), labelled, doubtful, named=named)


def trailing_numbers(line: bytes) -> int:
    """How many numbers end a row, not counting a field at its very start, which is the word.

    Example:
        >>> [trailing_numbers(row) for row in (b"2024 1.0 0.5", b"route 66 0.5", b"  0.5 0.25", b"no number")]
        [2, 2, 2, 0]
    """
    fields = FIELD.findall(line)
    if not line.startswith((b" ", b"\t")):
        del fields[:1]
    return next((count for count, field in enumerate(reversed(fields)) if not is_number(field)), len(fields))


def _is_named(line: bytes) -> bool:
    """Whether a line is a name for the words and numbers that count from 0 or 1, as pandas names columns."""
    first, _, rest = line.partition(b"\t" if b"\t" in line else b" ")
    numbers = FIELD.findall(rest)
    counted = any(numbers == [b"%d" % (i + start) for i in range(len(numbers))] for start in (0, 1))
    name = first.strip(b'"').decode("utf-8", "replace").lower()
    return counted and (name in WORD_NAMES or (not name and len(numbers) > 1))


def _header(line: bytes, number: int) -> Header | None:
    fields = FIELD.findall(line)
    if (
        len(fields) != 2
        or not line[:1].isdigit()
        or not all(field.isdigit() and len(field) <= _LONGEST_COUNT for field in fields)
    ):
        return None
    return Header(int(fields[0]), int(fields[1]), number)


def _is_binary(head: bytes) -> bool:
    """Whether what follows the first word is no text. Neither encoding mark nor blank line precedes such a header."""
    _, _, numbers = head.partition(b"\n")[2].partition(b" ")
    numbers = numbers[:_SHOWN]
    try:
        getincrementaldecoder("utf-8")().decode(numbers)  # which lets a character be cut at the end
    except UnicodeDecodeError:
        return head[:1].isdigit()
    return head[:1].isdigit() and _CONTROL.search(numbers) is not None


def _most_common(counts: Iterable[int]) -> int:
    tally = Counter(counts)
    if tally.pop(0, 0) > tally.total() or not tally:
        return 0
    return min(tally, key=lambda count: (-tally[count], count))


def _field_before(line: bytes, count: int) -> bytes:
    """The field before the last `count`, or nothing where the word must stand."""
    fields = FIELD.findall(line)
    return bytes(fields[-count - 1]) if len(fields) > count + 1 else b""


def _is_fraction(field: bytes) -> bool:
    return b"." in field and is_number(field)
