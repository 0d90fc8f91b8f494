"""Whatever the bytes and the name, loading gives Embeddings or an EmbeddingsError."""

import io
import json
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from attention_core.embeddings import Embeddings
from attention_core.errors import EmbeddingsError
from attention_core.loaders.base import Source, binary_rows, text_rows
from attention_core.loaders.base.lines import Lines
from attention_core.loaders.base.rows import block_rows, careful_row
from tests.uncompiled import uncompiled
from tests.written import SMALL, npy, npz, outcome, parquet, tensors

NAMES = st.sampled_from(
    ["v.txt", "v.vec", "v.csv", "v.tsv", "v.npy", "v.npz", "v.json", "v.parquet", "v.bin", ""]
) | st.text(max_size=20)

VALUES = np.array([[0.5, -0.25, 1.0], [2.0, 3.0, -4.0], [1e-3, 7.0, 0.0]], np.float32)
WORDS = ["river", "new york", "2024"]
ROWS = [f"{word} {' '.join(map(str, row))}" for word, row in zip(WORDS, VALUES.tolist(), strict=True)]
FILES = {
    "glove.txt": "\n".join(ROWS).encode(),
    "word2vec.txt": "\n".join(["3 3", *ROWS, ""]).encode(),
    "bom-crlf.txt": ("\ufeff" + "\r\n".join(["3 3", *ROWS])).encode(),
    "utf16.txt": "\n".join(ROWS).encode("utf-16"),
    "wide.csv": ("word,d0,d1,d2\n" + "\n".join(ROWS).replace(" ", ",").replace("new,", "new ")).encode(),
    "cell.csv": ("word,v\n" + "".join(f'"{w}","{r.tolist()}"\n' for w, r in zip(WORDS, VALUES, strict=True))).encode(),
    "array.npy": npy(VALUES),
    "columns.npy": npy(np.asfortranarray(VALUES.astype(">f8"))),
    "archive.npz": npz(np.savez, words=np.array(WORDS), vectors=VALUES),
    "document.json": json.dumps(dict(zip(WORDS, VALUES.tolist(), strict=True)), indent=1).encode(),
    "records.jsonl": "".join(
        json.dumps({"word": w, "vector": v}) + "\n" for w, v in zip(WORDS, VALUES.tolist(), strict=True)
    ).encode(),
    "lists.parquet": parquet({"word": WORDS, "vector": VALUES.tolist()}),
    "packed.npz": npz(np.savez_compressed, words=np.array(WORDS), vectors=VALUES),
    "v.safetensors": tensors(WORDS, VALUES),
}


@settings(deadline=None)
@given(content=st.binary(max_size=300), name=NAMES)
@example(content=b"\x93NUMPY", name="v.npy")
@example(content=b"PK\x03\x04", name="v.npz")
@example(content=b"\xff\xfe\x00", name="v.txt")
def test_any_bytes(content, name):
    outcome(content, name)


@settings(deadline=None)
@given(content=st.text(max_size=300), name=NAMES)
def test_any_text(content, name):
    outcome(content.encode("utf-8", "replace"), name)


WORDLIKE = (
    "word",
    "a b",
    "x 1",
    "[PAD]",
    "nan",
    "\x00",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "{",
    "[",
    "]",
    '"',
    "...",
    "[[",
    '{"a":',
    '["a",',
)
NUMBERLIKE = ("0.5", "-1e3", "1e39", "5", "3", "1", "5 3\n", "3 2\n")
SEPARATORS = (" ", "  ", "\t", ",", ";", "\n", "\r\n", "\r")
LINES = ("word,d0,d1\n", "word,v\n", "x 1 2\n", "y,1,2\n", 'z,"[1 2]"\n', '"\n')
PIECES = st.lists(st.sampled_from(WORDLIKE + NUMBERLIKE + SEPARATORS + LINES), max_size=60)


@settings(max_examples=300, deadline=None)
@given(pieces=PIECES, name=NAMES)
def test_text_that_is_nearly_a_file(pieces, name):
    outcome("".join(pieces).encode(), name)


ODD_WORDS = (
    *WORDLIKE,
    "",
    " ",
    "a  b",
    "\ta",
    "a\t",
    "'",
    "\\n",
    "NA",
    "null",
    "1e5",
    "2024",
    "x\r",
    "caf\udce9",
    "\x85",
)
ODD_NUMBERS = (
    "0.5",
    "-1",
    "1e5",
    "+.5",
    "5.",
    "-0.0",
    "1e-46",
    "nan",
    "-inf",
    "1e39",
    "nan(1)",
    ".",
    "1_0",
    "1\r",
    "\x001",
)
GAPS = st.sampled_from([" "] * 9 + ["\t", "  ", " \t"])
NUMBERS = st.sampled_from(ODD_NUMBERS[:7] * 7 + ODD_NUMBERS)
ODD_ROWS = st.tuples(
    st.sampled_from(ODD_WORDS),
    st.lists(st.tuples(GAPS, NUMBERS), min_size=2, max_size=2) | st.lists(st.tuples(GAPS, NUMBERS), max_size=4),
    st.sampled_from(["\n"] * 9 + [" \n", "\t\n", "\r\n", "\n\n", "\n \n", "\r\r\n"]),
)


def all_at_once(lines, source):
    rows = block_rows(lines, 2, source)
    return rows.words, rows.values.tobytes(), rows.lines.tolist()


def one_by_one(lines, source):
    numbered = [(i, text) for i, text in enumerate(lines.texts, lines.first) if text.strip(b" \t")]
    last = None if lines.ended else lines.first + len(lines) - 1
    rows = [careful_row(text, i, 2, source, cut=i == last) for i, text in numbered]
    words, values = b"".join(word + b"\n" for word, _ in rows), b"".join(row.tobytes() for _, row in rows)
    return words, values, [i for i, _ in numbered]


def rows_or_message(read, *given):
    """Words, bits of the values and lines of a block, or the message when it is refused."""
    try:
        return read(*given)
    except EmbeddingsError as error:
        return str(error)


@settings(max_examples=300, deadline=None)
@given(rows=st.lists(ODD_ROWS, min_size=1, max_size=6), cut=st.booleans())
def test_odd_rows_all_at_once_and_one_by_one(rows, cut):
    text = "".join(word + "".join(gap + number for gap, number in numbers) + end for word, numbers, end in rows)
    text = text.encode("utf-8", "surrogateescape")
    lines = Lines(text.rstrip(b"\n") if cut else text, first=5)
    source = Source(io.BytesIO(text), "v.txt", SMALL)
    assert rows_or_message(all_at_once, lines, source) == rows_or_message(one_by_one, lines, source)
    stays_inside(lines.whole, 2)


def stays_inside(text, dimension):
    """Takes a text apart uncompiled, where no index may leave an array, and compiled: the same must come of it."""
    most = len(text) // (2 * dimension + 1) + 1
    results = []
    for parse_rows in text_rows.parse_rows, uncompiled(text_rows).parse_rows:
        done, words, values = np.zeros(4, np.int64), np.zeros(len(text), np.uint8), np.zeros((most, dimension), "f4")
        lines = np.zeros(most, np.int64)
        with np.errstate(over="ignore"):
            parse_rows(np.frombuffer(text, np.uint8), done, words, values, lines)
        results.append([done.tolist(), words.tobytes(), values[: done[2]].tobytes(), lines.tolist()])
    assert results[0] == results[1]


@settings(max_examples=100, deadline=None)
@given(pieces=st.lists(st.sampled_from([b"1", b"a", b" ", b"\t", b"\n", b".", b"e", b"-", b"\xff"]), max_size=40))
def test_no_bytes_lead_outside(pieces):
    for dimension in 1, 2, 3:
        stays_inside(b"".join(pieces) + b"\n", dimension)


PARTS = st.sampled_from([b" ", b"\n", b"a", b"bc d", b"\x00" * 4, b"\x00" * 8])


@settings(max_examples=100, deadline=None)
@given(parts=st.lists(PARTS, max_size=30), cuts=st.sets(st.integers(1, 60)), width=st.sampled_from([4, 8]))
def test_binary_rows_however_they_are_cut(parts, cuts, width):
    content = b"".join(parts)
    rows, at = [], 0
    while row := re.compile(rb"\n*([^ ]*) (.{%d})" % width, re.DOTALL).match(content, at):
        rows.append(row)
        at = row.end()
    words, numbers = (b"".join(row[i] + end for row in rows) for i, end in ((1, b" "), (2, b"")))
    for functions in binary_rows, uncompiled(binary_rows):
        taken = taken_apart(functions, content, cuts, width)
        assert taken["done"][0] == len(rows)
        assert taken["words"][: len(words)] == words and taken["numbers"][: len(numbers)] == numbers
        assert taken["words"][len(words) :] + taken["numbers"][len(numbers) :] == content[at:].lstrip(b"\n")


def taken_apart(functions, content, cuts, width):
    done, words, numbers = np.array([0, 0, -1, width]), b"", b""
    for start, end in pairwise(sorted({0, len(content), *(cut for cut in cuts if cut < len(content))})):
        piece = np.frombuffer(content[start:end], np.uint8)
        letters, spans = np.empty(len(piece), np.uint8), np.empty((len(piece) // (width + 1) + 2, 2), np.int64)
        written, found = functions.find_rows(piece, done, letters, spans)
        joined = np.empty(np.diff(spans[:found]).sum(), np.uint8)
        functions.join(piece, spans[:found], joined)
        words, numbers = words + letters[:written].tobytes(), numbers + joined.tobytes()
    return {"done": done.tolist(), "words": words, "numbers": numbers}


@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("file", FILES)
@given(data=st.data())
def test_damaged_files(file, data):
    content = bytearray(FILES[file])
    for _ in range(data.draw(st.integers(0, 4))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position : position + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        assume(content)
    cut = data.draw(st.integers(0, len(content)))
    words = data.draw(st.sampled_from([None, b"", b"a\nb\nc\n", b"\n\n\n", b"\xff\n"]))
    outcome(bytes(content[:cut]), file, None if words is None else io.BytesIO(words))
    outcome(bytes(content), file, None if words is None else io.BytesIO(words))


@pytest.mark.parametrize("file", FILES)
def test_every_truncation(file):
    for end in range(len(FILES[file])):
        result = outcome(FILES[file][:end], file, io.BytesIO(b"a\nb\nc") if file.endswith(".npy") else None)
        if file.endswith((".npy", ".npz", ".safetensors", ".parquet")):
            assert isinstance(result, str)


def test_the_files_themselves_load():
    for file, content in FILES.items():
        listed = io.BytesIO("\n".join(WORDS).encode()) if file.endswith(".npy") else None
        loaded = outcome(content, file, listed)
        assert isinstance(loaded, Embeddings), loaded
        assert (list(loaded.words), loaded.matrix.tolist()) == (WORDS, VALUES.tolist())
