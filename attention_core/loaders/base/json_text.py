"""JSON read value by value, so that a large document never stands in memory as a whole."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, Literal

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.json_records import is_row
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.survey import JSON_BEGINNING
from attention_core.loaders.base.wording import printable, quoted, size

_SPACE = re.compile(r"[ \t\r\n]*")
_INSIDE = re.compile(r"\[[ \t\r\n]*([^ \t\r\n])")
_decode = json.JSONDecoder().raw_decode


def survey_json(source: Source) -> Literal["", "document", "lines"]:
    """Whether the text is one JSON value, or one on each line; "" when it is no JSON, or rows of text."""
    if not JSON_BEGINNING.match(source.text_head):
        return ""
    line, _, rest = source.text_head.lstrip().partition(b"\n")
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError):
        return "document"
    following = rest.lstrip()[:1]
    return "lines" if following in (b"{", b"[") or (not following and is_row(value)) else "document"


class JsonText:
    """A text of JSON and a position in it.

    Every method that reads on raises `EmbeddingsError` where the text is not what it must be.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._blocks = source.text_blocks()
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at, self._line = "", 0, 1
        self._ended = False
        self._longest = 2**20 + 64 * source.limits.dimensions  # characters of one value

    def peek(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr] # it matches anywhere
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def peek_inside(self) -> str:
        """The first character inside the array that comes next; "" when none comes."""
        if self.peek() != "[":
            return ""
        while not (match := _INSIDE.match(self._text, self._at)):
            if len(self._text) - self._at > self._longest or not self._more():
                return ""
        return match[1]

    def each(self, brackets: Literal["[]", "{}"]) -> Iterator[None]:
        """Stop at each item of an array, or each key of an object, so that the caller reads it."""
        self._take(brackets[0])
        if self.peek() == brackets[1]:
            self._take(brackets[1])
            return
        while True:
            yield
            if self._take("," + brackets[1]) != ",":
                return

    def key(self) -> str:
        """The name before a value of an object."""
        if self.peek() != '"':
            raise self._damaged("a name in quotes is expected", self._at)
        name = str(self.value())
        self._take(":")
        return name

    def value(self) -> Any:
        """A whole value."""
        self.peek()
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except RecursionError:
                raise self._damaged("too many brackets inside each other", self._at) from None
            except ValueError as error:
                if not self._more():
                    raise self._damaged(*_reason(error, self._at)) from None
            else:
                # What ends the text read so far may be the first half of a number.
                if end < len(self._text) or not self._more():
                    self._at = end
                    return value

    def skip(self) -> Any:
        """Pass over a value; gives it back unless it is an array, which may be long."""
        if self.peek() != "[":
            return self.value()
        for _ in self.each("[]"):
            self.value()
        return []

    def end(self) -> None:
        """Nothing may follow."""
        if self.peek():
            raise self._damaged("nothing may follow the outermost bracket", self._at)

    def _take(self, expected: str) -> str:
        following = self.peek()
        if not following or following not in expected:
            wanted = " or ".join(quoted(character) for character in expected)
            raise self._damaged(
                f"{wanted} is expected, found {quoted(following) if following else 'the end'}", self._at
            )
        self._at += 1
        return following

    def _more(self) -> bool:
        """Read on; False at the end of the file."""
        if self._ended:
            return False
        if len(self._text) - self._at > self._longest:
            raise self._damaged(f"a value goes on for more than {size(self._longest)}", self._at)
        block = next(self._blocks, None)
        self._ended = block is None
        try:
            added = self._decoder.decode(block or b"", final=self._ended)
        except UnicodeDecodeError:
            raise self._source.refusal(
                f"the JSON holds bytes that are not UTF-8, on line {self._line} or later", "Save it as UTF-8"
            ) from None
        self._line += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :] + added, 0
        return True

    def _damaged(self, reason: str, position: int) -> EmbeddingsError:
        line = self._line + self._text.count("\n", 0, position)
        return self._source.refusal(
            f"the JSON is malformed or cut on line {line} ({printable(reason)})", "Fetch or write the file again"
        )


def _reason(error: ValueError, position: int) -> tuple[str, int]:
    """What the decoder says is wrong, and where."""
    if isinstance(error, json.JSONDecodeError):
        return error.msg[:1].lower() + error.msg[1:], error.pos
    return "a number has too many digits", position
