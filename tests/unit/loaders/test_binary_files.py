"""word2vec binary, written here byte by byte, and safetensors, written by its own library."""

import io
import json
import struct

import numpy as np
import pytest
import safetensors.numpy
import safetensors.torch
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attention_core.errors import EmbeddingsError
from attention_core.loaders import LOADERS, Limits, load
from attention_core.loaders.base.opening import opened

VALUES = np.array([[0.5, -0.25, 1.0], [2.0, 3.0, -4.0]], np.float32)
WORDS = b"river\nstone\n"


def row(word, *values, end=b""):
    return word + b" " + struct.pack(f"<{len(values)}f", *values) + end


TWO = row(b"river", 0.5, -0.25, 1.0) + row(b"stone", 2.0, 3.0, -4.0)


def recognised(content):
    with opened(io.BytesIO(content), None, Limits()) as source:
        return [name for name, loader in LOADERS.items() if loader.recognises(source)]


def damaged(content):
    """Embeddings or the message of an EmbeddingsError; anything else fails the test."""
    try:
        return load(io.BytesIO(content), words=None, limits=Limits(bytes=10**6, rows=1_000, dimensions=500))
    except EmbeddingsError as error:
        return str(error)


@pytest.mark.parametrize("ends", [(b"", b""), (b"\n", b"\n"), (b"", b"\n"), (b"\n", b"")])
def test_a_newline_after_a_vector_belongs_to_no_word(read, ends):
    content = b"2 3\n" + row(b"river", *VALUES[0], end=ends[0]) + row(b"stone", *VALUES[1], end=ends[1])
    e = read(content, "v.bin")
    assert (e.words, e.source, e.warnings) == (("river", "stone"), "v.bin (word2vec binary)", ())
    assert np.array_equal(e.matrix, VALUES)


def test_words_of_any_bytes_but_space_and_newline(read):
    words = ["\t", "\r", "a\x00b", "山", "\u00a0", "\u2028", "0.5", ""]
    content = f"{len(words)} 1\n".encode() + b"".join(row(w.encode(), i / 3) for i, w in enumerate(words))
    e = read(content, "v.bin")
    assert e.words == tuple(words) and not e.warnings
    assert e.matrix[:, 0].tolist() == [float(np.float32(i / 3)) for i in range(len(words))]


def test_bytes_that_end_a_word_or_a_line_inside_a_vector(read):
    numbers = np.frombuffer(b" \n \n\n\n      \n\n\n\n", "<f4")
    e = read(b"2 4\n" + row(b"river", *numbers) + row(b"stone", 0.5, 1, 2, 3, end=b"\n"), "v.bin")
    assert e.words == ("river", "stone") and np.array_equal(e.vector("river"), numbers)


def test_a_file_of_several_blocks(read):
    matrix = np.random.default_rng(5).normal(size=(5_003, 307)).astype(np.float32)
    words = [f"word{'x' * (i % 61)}{i}" for i in range(len(matrix))]
    rows = (
        w.encode() + b" " + v.tobytes() + b"\n" * (i % 2) for i, (w, v) in enumerate(zip(words, matrix, strict=True))
    )
    content = b"5003 307\n" + b"".join(rows)
    e = read(content, "v.bin")
    assert list(e.words) == words and np.array_equal(e.matrix, matrix)


def test_vectors_of_the_largest_dimension(read):
    matrix = np.random.default_rng(7).normal(size=(41, 16_384)).astype(np.float32)
    content = b"41 16384\n" + b"".join(b"w%d " % i + v.tobytes() for i, v in enumerate(matrix))
    assert np.array_equal(read(content, "v.bin").matrix, matrix)


def test_progress_and_words_that_are_not_utf8(read):
    seen = []
    content = b"3 3\n" + TWO + row(b"caf\xc3", 1, 2, 3)
    e = load(io.BytesIO(content), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(len(content), len(content))]
    assert e.words[2] == "caf\ufffd" and "word 3, “caf\ufffd”" in e.warnings[0]


def test_rows_that_the_header_does_not_count_are_read_and_told(read):
    e = read(b"1 3\n" + TWO, "v.bin")
    assert e.words == ("river", "stone") and np.array_equal(e.matrix, VALUES)
    assert "declares 1 word" in e.warnings[0] and "2 rows" in e.warnings[0]


def test_bytes_that_are_no_row(refusal):
    assert "2 rows and 3 bytes" in refusal(b"2 3\n" + TWO + b"abc", "v.bin")
    assert "whole row" in refusal(b"2 2\n" + TWO, "v.bin")


def test_where_a_file_is_cut(refusal):
    content = b"3 3\n" + TWO + row(b"lamp", 1, 2, 3)
    message = refusal(content[:-1], "v.bin")
    assert "word 3 (“lamp”), of which 11 of 12 bytes" in message and "after 2 whole rows" in message
    assert "inside word 3 (“la”)" in refusal(content[:-15], "v.bin")
    assert "ends after 2 whole rows, so" in refusal(b"3 3\n" + TWO, "v.bin")
    assert "after 1 whole row, inside the vector of word 2" in refusal(content[:30], "v.bin")
    assert "looks cut" in refusal(b"2 1\n" + row(b"long-word", 1 / 3) + row(b"w", 1)[:-1], "v.bin")


@pytest.mark.parametrize("header", [b"9999999 3\n", b"2 16384\n", b"9999999 190\n"])
def test_headers_that_declare_more_than_the_file_holds(refusal, header):
    import tracemalloc

    tracemalloc.start()
    assert "word" in refusal(header + TWO, "v.bin")
    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()


@pytest.mark.parametrize("header", [b"99999999999 3\n", b"2 99999999\n", b"999999999999999999 999999999999999999\n"])
def test_headers_that_declare_more_than_the_limits(refusal, header):
    assert "may be loaded" in refusal(header + TWO, "v.bin")


def test_a_word_without_end(refusal):
    assert "without a space" in refusal(b"2 3\n" + TWO[:6] + b"\x00" * 12 + b"x" * 3_000_000, "v.bin")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite(refusal, value):
    assert "row 2 (“stone”)" in refusal(b"2 2\n" + row(b"river", 0.5, 1) + row(b"stone", 1, value), "v.bin")


@pytest.mark.parametrize(
    "content",
    [
        b"3 2\nking 0.5 0.25\nqueen 1 0\nlamp 2 3\n",
        "3 5\nking 1 0 1 0 1\nköniginwürde 1 0 1 0 1\n山 1 1 1 1 1\n".encode(),
        b"3 2\n\x00 0.5 0.25\n\x01 1 0\ncaf\xe9 2 3\n",
        "\ufeff3 2\nking 0.5 0.25\nqueen 1 0\nlamp 2 3\n".encode("utf-16-le"),
        b"3 2\n",
    ],
)
def test_text_stays_text(content):
    assert recognised(content) == ["word2vec-text"]


@pytest.mark.parametrize(
    "content", [b"2 3\n" + TWO, b"1 1\n" + row(b"a", 1 / 3), b"70000 4\n" + row(b"a", 0, 0, 0, 0) * 70_000]
)
def test_binary_is_no_text(content):
    assert recognised(content) == ["word2vec-binary"]


def test_every_truncation_of_word2vec_binary():
    content = b"2 3\n" + TWO
    assert not isinstance(damaged(content), str)
    assert all(isinstance(damaged(content[:end]), str) for end in range(len(content)))


@settings(deadline=None)
@given(
    header=st.from_regex(rb"\d{1,6} \d{1,4}\n", fullmatch=True) | st.binary(max_size=12), body=st.binary(max_size=200)
)
@example(header=b"0 3\n", body=b"a \x00\x00")
@example(header=b"1 0\n", body=b"a \x00\x00")
@example(header=b"0 1\n", body=b" \x00\x00\x00\x00")
def test_any_header_and_body_of_word2vec_binary(header, body):
    damaged(header + body)


# --- safetensors


def tensors(metadata=None, **arrays):
    return safetensors.numpy.save(arrays, metadata=metadata)


def with_header(header, values=b""):
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(header).to_bytes(8, "little") + header + values


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_number_types(read, dtype):
    e = read(tensors(table=VALUES.astype(dtype)), "v.safetensors", WORDS)
    assert (e.words, e.source) == (("river", "stone"), "v.safetensors (safetensors)")
    assert np.array_equal(e.matrix, VALUES)


def test_bfloat16_as_torch_widens_it(read):
    tensor = torch.from_numpy(np.random.default_rng(11).normal(size=(1_009, 1_031))).bfloat16()
    words = "\n".join(map(str, range(1_009))).encode()
    e = read(safetensors.torch.save({"vectors": tensor}), "v.safetensors", words)
    assert np.array_equal(e.matrix, tensor.float().numpy())


@pytest.mark.parametrize("name", ["words", "Vocab", "tokens"])
def test_words_in_the_metadata(read, name):
    metadata = {"format": "np", "text": "two words", name: json.dumps(["new york", "山\n"])}
    assert read(tensors(metadata, vectors=VALUES), "v.safetensors").words == ("new york", "山\n")


@pytest.mark.parametrize("listing", ["river stone", "[1, 2]", "{}", "[" * 100_000, "7"])
def test_metadata_that_lists_no_words(refusal, listing):
    assert "words are needed" in refusal(tensors({"words": listing}, vectors=VALUES), "v.safetensors")


def test_another_number_of_words(refusal):
    for words in (["a"], ["a", "b", "c"], ["a", "a", "b"]):
        message = refusal(tensors({"words": json.dumps(words)}, vectors=VALUES * np.inf), "v.safetensors")
        assert "for 2 vectors" in message
    assert "its own words" in refusal(tensors({"words": '["a", "b"]'}, vectors=VALUES), "v.safetensors", WORDS)


def test_one_of_several_matrices_by_its_name(read, refusal):
    several = {"bias": VALUES[0], "ids": np.arange(2), "other": VALUES + 1}
    assert np.array_equal(read(tensors(**several), "v.safetensors", WORDS).matrix, VALUES + 1)
    assert np.array_equal(read(tensors(**several, Embeddings=VALUES), "v.safetensors", WORDS).matrix, VALUES)
    message = refusal(tensors(**several, third=VALUES), "v.safetensors", WORDS)
    assert "“other” (F32, 2 x 3) and “third”" in message and "“vectors”" in message


def test_tensors_that_are_no_matrix(refusal):
    assert "“a” (F32, 3)" in refusal(tensors(a=VALUES[0]), "v.safetensors", WORDS)
    assert "“a” (I64, 2 x 3)" in refusal(tensors(a=VALUES.astype(np.int64)), "v.safetensors", WORDS)
    assert "“a” (F32, one number)" in refusal(tensors(a=np.array(np.float32(1))), "v.safetensors", WORDS)
    assert "no tensor" in refusal(tensors(), "v.safetensors", WORDS)
    assert "shape (0, 3)" in refusal(tensors(a=VALUES[:0]), "v.safetensors", WORDS)


def entry(kind="F32", shape=(2, 3), offsets=(0, 24)):
    return {"dtype": kind, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    ("header", "named"),
    [
        (b"{", "no JSON"),
        (b"{" + b'"a":{' * 100_000, "no JSON"),
        (b'{"a":' + b"[" * 100_000, "no JSON"),
        (b'{"a":' + b"1" * 5_000 + b"}", "no JSON"),
        (b"{\xff}", "no JSON"),
        ({"a": 1}, "no type, shape and offsets of “a”"),
        ({"a": {"dtype": "F32"}}, "no type"),
        ({"a": entry(shape=(2.0, 3))}, "no type"),
        ({"a": entry(shape=(-2, -3))}, "no type"),
        ({"a": entry(shape=(True, 6))}, "no type"),
        ({"a": entry(offsets=(0, 24, 48))}, "no type"),
        ({"a": entry(shape=(2**63, 1))}, "no type"),
        ({"a": entry(shape=(2**40, 2**40))}, "asks for"),
        ({"a": entry(shape=(2, 4))}, "asks for 32 bytes, but its offsets hold 24"),
        ({"a": entry(offsets=(24, 0))}, "offsets"),
        ({"a": entry(offsets=(8, 32))}, "looks cut"),
        ({"a": entry(shape=(10**9, 16_384), offsets=(0, 4 * 16_384 * 10**9))}, "looks cut"),
        ({"a": entry("F8_E4M3")}, "F8_E4M3"),
        ({"__metadata__": 7, "a": entry()}, "words are needed"),
        ({"__metadata__": {"words": ["a", "b"]}, "a": entry()}, "words are needed"),
    ],
)
def test_headers_of_safetensors_that_do_not_fit(refusal, header, named):
    assert named in refusal(with_header(header, VALUES.tobytes()), "v.safetensors")


def test_a_header_longer_than_the_file_or_than_is_read(refusal):
    assert "looks cut" in refusal((2**40).to_bytes(8, "little") + b"{}", "v.safetensors")
    assert "16.8 MB" in refusal(with_header(b"{" + bytes(2**24)), "v.safetensors")


def test_every_truncation_of_safetensors():
    content = tensors({"words": '["a", "b"]'}, vectors=VALUES)
    assert np.array_equal(damaged(content).matrix, VALUES)
    assert all(isinstance(damaged(content[:end]), str) for end in range(len(content)))


KEYS = st.sampled_from(["a", "__metadata__", "words", "dtype", "shape", "data_offsets"])
LEAVES = st.none() | st.integers() | st.text(max_size=5)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner))
HEADERS = st.dictionaries(KEYS, JSON).map(json.dumps).map(str.encode)


@settings(deadline=None)
@given(header=HEADERS | st.binary(max_size=60), values=st.binary(max_size=30))
def test_any_header_and_body_of_safetensors(header, values):
    damaged(with_header(b"{" + header[1:], values))
