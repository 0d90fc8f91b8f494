"""Whatever the bytes and the name, loading gives Embeddings or an EmbeddingsError; what is written comes back."""

import csv
import io

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core.embeddings import Embeddings
from attention_core.errors import EmbeddingsError
from attention_core.loaders import Limits, load
from attention_core.loaders.base import Source
from attention_core.loaders.base.lines import Lines
from attention_core.loaders.base.rows import careful_block, plain_block

SMALL = Limits(bytes=10**6, rows=1_000, dimensions=500)
NAMES = st.sampled_from(["v.txt", "v.vec", "v.csv", "v.tsv", "v.npy", "v.npz", "v.bin", ""]) | st.text(max_size=20)
FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)


def outcome(content, name, words=None):
    """Embeddings or the message of the EmbeddingsError; anything else fails the test that asks."""
    try:
        loaded = load(io.BytesIO(content), words=words, name=name, limits=SMALL)
    except EmbeddingsError as error:
        message = str(error)
        assert ". " in message and message.endswith(".")
        return message
    assert isinstance(loaded, Embeddings)
    assert np.isfinite(loaded.matrix).all() and len(set(loaded.words)) == len(loaded.matrix)
    return loaded


def _npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _npz(save, **members):
    file = io.BytesIO()
    save(file, **members)
    return file.getvalue()


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
    "array.npy": _npy(VALUES),
    "columns.npy": _npy(np.asfortranarray(VALUES.astype(">f8"))),
    "archive.npz": _npz(np.savez, words=np.array(WORDS), vectors=VALUES),
    "packed.npz": _npz(np.savez_compressed, words=np.array(WORDS), vectors=VALUES),
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


WORDLIKE = ("word", "a b", "x 1", "[PAD]", "nan", "\x00", "\u00a0", "\u2028", "\ufeff", "{", "[", "]", '"', "...")
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
        if file.endswith((".npy", ".npz")):
            assert isinstance(result, str)


def test_the_files_themselves_load():
    for file, content in FILES.items():
        listed = io.BytesIO("\n".join(WORDS).encode()) if file.endswith(".npy") else None
        loaded = outcome(content, file, listed)
        assert isinstance(loaded, Embeddings), loaded
        assert (list(loaded.words), loaded.matrix.tolist()) == (WORDS, VALUES.tolist())


def tables(alphabet):
    """A few distinct words over an alphabet, and a matrix with a row for each."""
    words = st.lists(st.text(alphabet, max_size=8), min_size=2, max_size=7, unique=True)
    shaped = st.tuples(words, st.integers(1, 5))
    return shaped.flatmap(
        lambda drawn: st.tuples(st.just(drawn[0]), arrays(np.float32, (len(drawn[0]), drawn[1]), elements=FINITE))
    )


UNICODE = st.characters(exclude_categories=["Cs"])
ONE_FIELD = st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r")


@settings(deadline=None)
@given(table=tables(ONE_FIELD), end=st.sampled_from(["\n", "\r\n"]), separator=st.sampled_from([" ", "\t"]))
def test_word2vec_text_round_trip(table, end, separator):
    words, matrix = table
    # A mark at the start of a file is an encoding's; a header keeps it inside.
    rows = [separator.join([word, *map(repr, row)]) for word, row in zip(words, matrix.tolist(), strict=True)]
    e = outcome(end.join([f"{len(words)} {matrix.shape[1]}", *rows, ""]).encode(), "v.vec")
    assert isinstance(e, Embeddings), e
    assert list(e.words) == words and np.array_equal(e.matrix, matrix) and not e.warnings


@settings(deadline=None)
@given(table=tables(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r")))
def test_glove_text_round_trip_of_words_with_spaces(table):
    words, matrix = table
    words = [f"river{word}x" for word in words]
    rows = [" ".join([word, *map(repr, row)]) for word, row in zip(words, matrix.tolist(), strict=True)]
    e = outcome("\n".join(rows).encode(), "v.txt")
    assert isinstance(e, Embeddings), e
    assert list(e.words) == words and np.array_equal(e.matrix, matrix)


@settings(deadline=None)
@given(table=tables(UNICODE), separator=st.sampled_from([",", "\t", ";"]), in_cells=st.booleans())
def test_csv_round_trip(table, separator, in_cells):
    words, matrix = table
    assume(not any("\r" in word for word in words))  # \r\n inside a cell comes back as \n
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerow(["word", *(["vector"] if in_cells else [f"d{i}" for i in range(matrix.shape[1])])])
    for word, row in zip(words, matrix.tolist(), strict=True):
        writer.writerow([word, *([str(row)] if in_cells else row)])
    e = outcome(file.getvalue().encode(), "v.csv")
    assert isinstance(e, Embeddings), e
    assert list(e.words) == words and np.array_equal(e.matrix, matrix)


@settings(deadline=None)
@given(table=tables(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), packed=st.booleans())
def test_npz_round_trip(table, packed):
    words, matrix = table
    save = np.savez_compressed if packed else np.savez
    e = outcome(_npz(save, words=np.array(words), vectors=matrix), "v.npz")
    assert list(e.words) == words and np.array_equal(e.matrix, matrix)


@settings(deadline=None)
@given(table=tables(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r")))
def test_npy_round_trip_with_a_list(table):
    words, matrix = table
    assume(not words[0].startswith("\ufeff"))
    e = outcome(_npy(matrix), "v.npy", io.BytesIO(("\n".join(words) + "\n").encode()))
    assert list(e.words) == words and np.array_equal(e.matrix, matrix)
