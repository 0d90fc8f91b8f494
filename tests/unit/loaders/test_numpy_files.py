"""Arrays (.npy) with a list of words, and archives (.npz)."""

import io

import numpy as np
import pytest

from attention_core.loaders import Limits, load

VALUES = np.array([[0.5, -0.25, 1.0], [2.0, 3.0, -4.0]])
WORDS = b"river\nstone\n"


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def npz(save=np.savez, **arrays):
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("dtype", ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<i2", ">i4", "<i8", "i1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_number_types_and_orders(read, dtype, order):
    values = np.asarray(VALUES.astype(dtype), order=order)
    e = read(npy(values), "v.npy", WORDS)
    assert (e.words, e.source) == (("river", "stone"), "v.npy (NumPy array)")
    assert np.array_equal(e.matrix, values.astype(np.float32))


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_of_several_blocks(read, order):
    values = np.asarray(np.random.default_rng(3).normal(size=(5_003, 307)), order=order)
    words = "\n".join(map(str, range(5_003))).encode()
    assert np.array_equal(read(npy(values), "v.npy", words).matrix, values.astype(np.float32))


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_the_header(read, version):
    file = io.BytesIO()
    np.lib.format.write_array(file, VALUES, version=version)
    assert np.array_equal(read(file.getvalue(), "v.npy", WORDS).matrix, VALUES)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (b"river\nstone", ("river", "stone")),
        (b"\xef\xbb\xbfriver\r\nstone\r\n", ("river", "stone")),
        ("river\nstone\n".encode("utf-16"), ("river", "stone")),
        (b"\nstone\n", ("", "stone")),
        (b"river\n\n", ("river", "")),
        (b"river\nstone\n\n\n", ("river", "stone")),
        ("a\u2028b\x0bc\n\u00a0\n".encode(), ("a\u2028b\x0bc", "\u00a0")),
    ],
)
def test_lists_of_words(read, words, expected):
    assert read(npy(VALUES), "v.npy", words).words == expected


def test_a_blank_word_keeps_its_row(read):
    e = read(npy(np.arange(6.0).reshape(3, 2)), "v.npy", b"river\n\nlamp\n")
    assert e.vector("lamp").tolist() == [4.0, 5.0]


def test_a_list_of_another_length(refusal):
    message = refusal(npy(VALUES), "v.npy", b"cloud\nriver\nstone\n")
    assert "2 words" in message and "3 found" in message and "“cloud”" in message
    assert "1 found" in refusal(npy(VALUES), "v.npy", b"river\n")


def test_a_list_that_is_not_utf8(refusal):
    assert "line 2" in refusal(npy(VALUES), "v.npy", b"river\ncaf\xe9\n")


def test_words_are_needed_once_and_only_once(refusal):
    assert "words are needed" in refusal(npy(VALUES), "v.npy")
    assert "its own words" in refusal("river 0.5 1\nstone 2 3\n", words=WORDS)
    assert "its own words" in refusal(npz(words=np.array(["a", "b"]), vectors=VALUES), "v.npz", WORDS)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e39])
def test_values_that_are_not_finite_name_row_and_word(refusal, value):
    values = VALUES.copy()
    values[1, 2] = value
    assert "row 2 (“stone”)" in refusal(npy(values), "v.npy", WORDS)


@pytest.mark.parametrize("shape", [(), (6,), (1, 2, 3), (0, 3), (2, 0)])
def test_shapes_that_are_no_matrix(refusal, shape):
    assert str(shape) in refusal(npy(np.zeros(shape)), "v.npy", WORDS)


@pytest.mark.parametrize("dtype", [np.complex64, [("a", "<f4")], "M8[s]", "U3"])
def test_types_that_are_no_numbers(refusal, dtype):
    assert "expected" in refusal(npy(np.zeros((2, 3), dtype)), "v.npy", WORDS)


def test_objects_are_never_unpickled(refusal):
    objects = np.array([["a", 1], [None, 2]], dtype=object)
    assert "pickle" in refusal(npy(objects, allow_pickle=True), "v.npy", WORDS)


def test_a_shape_larger_than_the_file(refusal):
    content = npy(np.zeros((2, 3), np.float32))
    assert "declares the shape (900, 3)" in refusal(
        content.replace(b"(2, 3)", b"(900, 3)").replace(b"  \n", b"\n"), "v.npy", WORDS
    )
    assert "cut" in refusal(content[:-1], "v.npy", WORDS)


def test_a_header_that_asks_for_more_than_memory(refusal):
    content = npy(np.zeros((2, 3), np.float32)).replace(b"(2, 3), }             ", b"(99999999999, 3), }   ")
    assert "1,200.0 GB" in refusal(content, "v.npy", WORDS)


def test_bytes_after_the_array_are_told(read):
    assert "3 bytes" in read(npy(VALUES) + b"abc", "v.npy", WORDS).warnings[0]


@pytest.mark.parametrize(
    "header",
    [
        b"{",
        b"[]",
        b"{'descr': 1}",
        b"((((" * 500,
        b"\xff\xfe",
        b"{'descr': '<f4', 'fortran_order': 0, 'shape': (-1, 3)}",
    ],
)
def test_headers_that_are_none(refusal, header):
    assert "header" in refusal(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header, "v.npy", WORDS)


@pytest.mark.parametrize(
    "names", [("words", "vectors"), ("labels", "embeddings"), ("tokens", "matrix"), ("IDs", "X"), ("q", "z")]
)
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives_by_name_or_by_kind(read, names, save):
    e = read(npz(save, **{names[0]: np.array(["river", "stone"]), names[1]: VALUES, "rank": np.arange(2)}), "v.npz")
    assert (e.words, e.source) == (("river", "stone"), "v.npz (NumPy archive)")
    assert np.array_equal(e.matrix, VALUES)


@pytest.mark.parametrize("words", [np.array([b"river", b"\xe5\xb1\xb1"]), np.array([7, 9]), np.array(["", "a"])])
def test_types_of_words_in_an_archive(read, words):
    expected = tuple(word.decode() if isinstance(word, bytes) else str(word) for word in words.tolist())
    assert read(npz(words=words, vectors=VALUES), "v.npz").words == expected


def test_an_archive_of_vectors_with_a_list(read):
    assert read(npz(vectors=VALUES), "v.npz", WORDS).words == ("river", "stone")


def test_archives_that_cannot_be_read(refusal):
    words = np.array(["river", "stone"])
    assert "pickle" in refusal(npz(words=words.astype(object), vectors=VALUES), "v.npz")
    assert "pickle" in refusal(npz(words=words, vectors=VALUES.astype(object)), "v.npz")
    assert "pickle" in refusal(npz(something=words.astype(object), vectors=VALUES), "v.npz")
    assert "3 words" in refusal(npz(words=np.array(["a", "b", "c"]), vectors=VALUES), "v.npz")
    assert "3 words" in refusal(npz(words=np.array(["a", "a", "b"]), vectors=VALUES), "v.npz")
    assert "1 word for 2 vectors" in refusal(npz(words=np.array(["a"]), vectors=VALUES * np.inf), "v.npz")
    assert "“rank”" in refusal(npz(rank=np.arange(3)), "v.npz")
    assert "no text" in refusal(npz(words=np.array([b"\xff", b"a"]), vectors=VALUES), "v.npz")
    assert "surrogate" in refusal(npz(words=np.array(["\ud800", "a"]), vectors=VALUES), "v.npz")
    assert "a list of words" in refusal(npz(words=VALUES, vectors=VALUES), "v.npz")


def test_a_small_archive_that_unpacks_to_much(refusal):
    content = npz(np.savez_compressed, words=np.array(["a"] * 1000), vectors=np.zeros((1000, 1000)))
    assert len(content) < 100_000
    assert "8.0 MB" in refusal(content, "v.npz", limits=Limits(bytes=1_000_000))


def test_a_damaged_archive(refusal):
    content = bytearray(npz(np.savez_compressed, words=np.array(["river", "stone"]), vectors=VALUES))
    content[60:90] = bytes(30)
    assert "Fetch" in refusal(bytes(content), "v.npz")


def test_vectors_in_a_file_stay_there(tmp_path):
    matrix = np.random.default_rng(0).standard_normal((1000, 64)).astype(np.float32)
    path = tmp_path / "vectors.npy"
    np.save(path, matrix)
    words = tmp_path / "words.txt"
    words.write_text("\n".join(f"w{i}" for i in range(1000)))
    e = load(path, words=words)
    assert isinstance(e.matrix.base, np.memmap)
    assert not e.matrix.flags.writeable
    np.testing.assert_array_equal(e.matrix, matrix)
    np.testing.assert_allclose(e.norms, np.linalg.norm(matrix.astype(np.float64), axis=1))


@pytest.mark.parametrize("change", [np.asfortranarray, lambda m: m.astype(">f4"), lambda m: m.astype(np.float64)])
def test_other_arrays_in_a_file_are_converted(tmp_path, change):
    matrix = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
    path, words = tmp_path / "vectors.npy", tmp_path / "words.txt"
    np.save(path, change(matrix))
    words.write_text("a\nb\nc\nd\ne\n")
    np.testing.assert_array_equal(load(path, words=words).matrix, matrix)
