"""What is written in a format comes back as it was."""

import csv
import io
import json

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core.embeddings import Embeddings
from tests.written import npy, npz, outcome, parquet, tensors

FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)


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
    e = outcome(npz(save, words=np.array(words), vectors=matrix), "v.npz")
    assert list(e.words) == words and np.array_equal(e.matrix, matrix)


@settings(deadline=None)
@given(table=tables(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\t")))
def test_npy_round_trip_with_a_list(table):
    words, matrix = table
    assume(not words[0].startswith("\ufeff"))
    e = outcome(npy(matrix), "v.npy", io.BytesIO(("\n".join(words) + "\n").encode()))
    assert list(e.words) == words and np.array_equal(e.matrix, matrix)


@settings(deadline=None)
@given(table=tables(UNICODE))
def test_safetensors_round_trip(table):
    words, matrix = table
    e = outcome(tensors(words, matrix), "v.safetensors")
    assert list(e.words) == words and np.array_equal(e.matrix, matrix)


NO_GAP = st.characters(exclude_categories=["Cs"], exclude_characters=" \n")


@settings(deadline=None)
@given(table=tables(NO_GAP), newlines=st.lists(st.booleans()))
def test_word2vec_binary_round_trip_with_and_without_newlines(table, newlines):
    words, matrix = table
    matrix[0, 0] = 0.5  # of numbers whose bytes can all be printed nobody could tell that they are no text
    ends = [b"\n" if newline else b"" for newline in [*newlines, *[True] * len(words)]]
    rows = [word.encode() + b" " + row.tobytes() + end for word, row, end in zip(words, matrix, ends, strict=False)]
    e = outcome(f"{len(words)} {matrix.shape[1]}\n".encode() + b"".join(rows), "v.bin")
    assert isinstance(e, Embeddings), e
    assert list(e.words) == words and np.array_equal(e.matrix, matrix)


@settings(deadline=None)
@given(table=tables(UNICODE), indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_json_round_trip(table, indent, ascii_only):
    words, matrix = table
    document = json.dumps(dict(zip(words, matrix.tolist(), strict=True)), indent=indent, ensure_ascii=ascii_only)
    records = [[word, row] for word, row in zip(words, matrix.tolist(), strict=True)]
    lines = "\n".join(json.dumps(record, ensure_ascii=ascii_only) for record in records)
    for content in document, lines, json.dumps(records):
        e = outcome(content.encode(), "v.json")
        assert isinstance(e, Embeddings), e
        assert list(e.words) == words and np.array_equal(e.matrix, matrix)


@settings(deadline=None)
@given(table=tables(UNICODE), wide=st.booleans())
def test_parquet_round_trip(table, wide):
    words, matrix = table
    columns = {f"d{i}": column for i, column in enumerate(matrix.T)} if wide else {"vector": matrix.tolist()}
    e = outcome(parquet({"word": words, **columns}), "v.parquet")
    assert isinstance(e, Embeddings), e
    assert list(e.words) == words and np.array_equal(e.matrix, matrix)
