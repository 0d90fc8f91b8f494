"""Whatever the bytes and the name, loading gives Embeddings or an EmbeddingsError."""

import io
import json

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from attention_core.embeddings import Embeddings
from attention_core.errors import EmbeddingsError
from attention_core.loaders.base import Source
from attention_core.loaders.base.lines import Lines
from attention_core.loaders.base.rows import careful_block, plain_block
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


def rows_or_message(block, *given):
    """Words, bits of the values and lines of a block; the message when it is refused, None when it is left alone."""
    try:
        rows = block(*given)
    except EmbeddingsError as error:
        return str(error)
    return rows and (rows.words, rows.values.shape, rows.values.tobytes(), rows.lines.tolist())


@settings(max_examples=300, deadline=None)
@given(rows=st.lists(ODD_ROWS, min_size=1, max_size=6), cut=st.booleans())
def test_odd_rows_all_at_once_and_one_by_one(rows, cut):
    text = "".join(word + "".join(gap + number for gap, number in numbers) + end for word, numbers, end in rows)
    text = text.encode("utf-8", "surrogateescape")
    lines = Lines(text.rstrip(b"\n") if cut else text, first=5)
    source = Source(io.BytesIO(text), "v.txt", SMALL)
    at_once, one_by_one = rows_or_message(plain_block, lines, 2), rows_or_message(careful_block, lines, 2, source)
    assert at_once == (None if isinstance(one_by_one, str) else one_by_one)


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
