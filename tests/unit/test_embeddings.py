"""Embeddings: what they refuse, never change, and know about themselves."""

import copy
import hashlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attention_core.embeddings import Embeddings
from attention_core.errors import EmbeddingsError, UnknownWordError
from tests.tolerance import tolerance

ROOT = Path(__file__).parents[2]
WORDS = ["king", "queen", "Apple"]


def vectors(rows=3, size=5, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal((rows, size)).astype(dtype)


def made(words=WORDS, matrix=None, source="three words", **kwargs):
    return Embeddings(words, vectors(len(words)) if matrix is None else matrix, source, **kwargs)


# --- what is kept


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4", np.int8, np.uint16, np.bool_])
def test_any_real_numbers_become_contiguous_float32(dtype):
    given = np.asfortranarray(np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype))
    matrix = made(matrix=given).matrix
    assert matrix.dtype == np.float32 and matrix.dtype.isnative and matrix.flags.c_contiguous
    np.testing.assert_array_equal(matrix, given.astype(np.float64))


def test_nested_lists_are_vectors_too():
    assert made(["a", "b"], [[1, 2], [3, 4]]).matrix.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_words_are_a_tuple_in_the_order_given():
    assert made().words == ("king", "queen", "Apple")


def test_length_dimension_and_repr_say_how_large_they_are():
    e = made(matrix=vectors(3, 53))
    assert (len(e), e.dimension, repr(e)) == (3, 53, "Embeddings('three words', 3 x 53)")


# --- what cannot change


@pytest.mark.parametrize("name", ["words", "matrix", "source", "warnings"])
def test_no_attribute_can_be_set(name):
    with pytest.raises(AttributeError):
        setattr(made(), name, None)


@pytest.mark.parametrize("part", [lambda e: e.matrix, lambda e: e.vector("king"), lambda e: e.norms])
def test_no_number_can_be_written(part):
    with pytest.raises(ValueError, match="read-only"):
        part(made())[0] = 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_given_array_is_neither_shared_nor_locked(dtype):
    given = vectors(dtype=dtype)
    e = made(matrix=given)
    before = e.matrix.copy()
    given[:] = 9
    np.testing.assert_array_equal(e.matrix, before)


def test_a_read_only_view_of_an_array_that_still_changes_is_not_shared():
    given = vectors()
    view = given[:]
    view.flags.writeable = False
    e = made(matrix=view)
    before = e.matrix.copy()
    given[:] = 9
    np.testing.assert_array_equal(e.matrix, before)


def test_a_read_only_array_of_its_own_is_not_copied():
    given = vectors()
    given.flags.writeable = False
    assert np.shares_memory(made(matrix=given).matrix, given)


def test_the_given_list_of_words_is_not_shared():
    words = list(WORDS)
    e = made(words)
    words[0] = "other"
    assert e.words[0] == "king" and "king" in e


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))], ids=["deepcopy", "pickle"])
def test_a_copy_is_equal_and_as_unchangeable(copied):
    e = made()
    other = copied(e)
    assert other.fingerprint == e.fingerprint
    assert not other.matrix.flags.writeable


# --- what is refused


def refusal(words, matrix):
    with pytest.raises(EmbeddingsError) as caught:
        Embeddings(words, matrix, source="my file")
    message = str(caught.value)
    assert message.startswith("my file: ") and message.count(". ") >= 1 and message.endswith(".")
    return message


def test_counts_that_differ_are_refused_with_both():
    assert "2 words were given for 3 vectors" in refusal(["a", "b"], vectors())


@pytest.mark.parametrize("words", [["a", "b", "a"], ["b", "a", "a"]])
def test_a_word_given_twice_is_refused_by_name(words):
    assert "“a”" in refusal(words, vectors())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused_naming_row_and_word(value):
    matrix = vectors()
    matrix[1, 2] = value
    assert "row 2 (“queen”)" in refusal(WORDS, matrix)


def test_a_value_beyond_float32_is_refused_naming_row_and_word():
    matrix = vectors(dtype=np.float64)
    matrix[2, 0] = 1e39
    assert "row 3 (“Apple”)" in refusal(WORDS, matrix)


@pytest.mark.parametrize("shape", [(3,), (3, 5, 1), (3, 0), (0, 5), ()])
def test_a_matrix_that_is_not_words_x_dimensions_is_refused_with_its_shape(shape):
    assert str(shape) in refusal(WORDS, np.ones(shape))


def test_rows_of_two_lengths_are_refused():
    assert refusal(["a", "b"], [[1.0, 2.0], [3.0]])


@pytest.mark.parametrize("matrix", [[["1", "2"]], [[1j, 2]], np.array([[1, 2]], dtype=object)])
def test_values_that_are_not_real_numbers_are_refused_with_their_dtype(matrix):
    assert f"dtype {np.asarray(matrix).dtype}" in refusal(["a"], matrix)


# --- the fingerprint


def fingerprint(words=("ab", "c"), matrix=((1.0, 2.0), (3.0, 4.0)), source="x"):
    return Embeddings(words, np.array(matrix, dtype=np.float32), source).fingerprint


def test_the_fingerprint_is_64_hex_digits_of_sha_256():
    assert len(fingerprint()) == hashlib.sha256().digest_size * 2
    assert int(fingerprint(), 16) >= 0


@pytest.mark.parametrize(
    ("words", "matrix"),
    [
        (("ab", "d"), ((1, 2), (3, 4))),
        (("a", "bc"), ((1, 2), (3, 4))),
        (("c", "ab"), ((1, 2), (3, 4))),
        (("ab", "c"), ((1, 2), (3, np.nextafter(np.float32(4), np.float32(5))))),
        (("ab", "c"), ((3, 4), (1, 2))),
        (("ab", "c"), ((1, 2, 0), (3, 4, 0))),
        (("ab", "c"), ((1,), (2,))),
    ],
    ids=["a word", "a boundary", "order of words", "last bit", "order of rows", "a column more", "a column less"],
)
def test_the_fingerprint_changes_with(words, matrix):
    assert fingerprint(words, matrix) != fingerprint()


def test_the_fingerprint_depends_on_the_shape_and_not_only_on_the_values():
    assert fingerprint(("a", "b"), np.ones((2, 3))) != fingerprint(("a", "b", "c"), np.ones((3, 2)))


def test_the_fingerprint_does_not_take_a_word_for_values():
    values = np.frombuffer(b"2:bc", dtype="<f4")[0]
    assert fingerprint(("a", "bc"), ((1.0,), (2.0,))) != fingerprint(("a",), ((values, 1.0, 2.0),))


def test_the_fingerprint_does_not_depend_on_where_the_vectors_come_from():
    assert fingerprint(source="one") == fingerprint(source="another")
    assert made(warnings=("noticed",)).fingerprint == made().fingerprint


@pytest.mark.parametrize("dtype", [np.float16, np.float64, ">f4"])
def test_the_fingerprint_does_not_depend_on_the_dtype_given(dtype):
    matrix = np.array([[1, 2], [3, 4]])
    assert Embeddings(["ab", "c"], matrix.astype(dtype), "x").fingerprint == fingerprint()


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_the_fingerprint_is_the_same_in_every_process(hash_seed):
    code = (
        "from attention_core.embeddings import Embeddings;"
        "print(Embeddings(['ab', 'c'], [[1, 2], [3, 4]], 'x').fingerprint)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert run.stdout.decode().strip() == fingerprint()


def test_a_lone_surrogate_and_its_replacement_have_two_fingerprints():
    assert fingerprint(("ab", "\udc80")) != fingerprint(("ab", "\ufffd"))


# --- norms


def test_norms_are_summed_in_float64():
    matrix = vectors(101, 53) * np.float32(1e30)
    expected = np.sqrt((matrix.astype(np.float64) ** 2).sum(axis=1))
    atol = tolerance(np.float64, terms=53, scale=expected, why="53 squares, summed in another order")
    found = made([str(i) for i in range(101)], matrix).norms
    assert found.dtype == np.float64
    np.testing.assert_array_less(np.abs(found - expected), atol)


# --- words


@pytest.mark.parametrize(("word", "row"), [("king", 0), ("queen", 1), ("Apple", 2)])
def test_a_word_has_its_row_and_its_vector(word, row):
    e = made()
    assert e.index(word) == row and word in e
    np.testing.assert_array_equal(e.vector(word), e.matrix[row])


@pytest.mark.parametrize("word", ["apple", "King", " king", "", "\udc80"])
def test_a_word_is_looked_up_exactly_as_written(word):
    e = made()
    assert word not in e
    with pytest.raises(UnknownWordError) as caught:
        e.vector(word)
    assert caught.value.word == word and "three words" in str(caught.value)


def test_an_unknown_word_is_refused_with_the_nearest_spellings():
    with pytest.raises(UnknownWordError, match=r"“aple”.*Nearest spellings: Apple\.") as caught:
        made().index("aple")
    assert caught.value.suggestions == ("Apple",) and isinstance(caught.value, KeyError)


@pytest.mark.parametrize("word", ["", "\udc80", " ", "\x00", "国王", "a\nb"])
def test_any_text_can_be_a_word(word):
    e = made([word, "queen", "Apple"])
    assert e.index(word) == 0 and len(e.fingerprint) == 64
    assert e.nearest_spellings(word)[:1] == (word,)


def alike(a, b):
    """2·LCS/(|a| + |b|), by the textbook recurrence."""
    lengths = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            lengths[i + 1, j + 1] = lengths[i, j] + 1 if x == y else max(lengths[i, j + 1], lengths[i + 1, j])
    return 2 * lengths[-1, -1] / (len(a) + len(b))


@pytest.mark.parametrize("word", ["kingdmo", "QUEEN", "uncel", "zzzz"])
def test_the_nearest_spellings_are_those_with_the_longest_common_subsequence(glove, word):
    words = glove.words[:499]
    found = made(words, glove.matrix[:499]).nearest_spellings(word, limit=3)
    sizes = sorted((alike(word.lower(), other) for other in words), reverse=True)
    expected = [size for size in sizes[:3] if size >= 0.5]
    atol = tolerance(np.float64, terms=1, why="one division, as a percentage")
    np.testing.assert_allclose([alike(word.lower(), other) for other in found], expected, rtol=0, atol=atol)


def test_words_that_continue_it_come_before_words_that_are_like_it():
    e = made(["kingdom", "KING'S", "kin", "queen"])
    assert e.nearest_spellings("king", limit=4) == ("KING'S", "kingdom", "kin")


def test_words_that_continue_it_take_at_most_half_the_places():
    e = made(["ab" + "c" * 9, "ab" + "c" * 8, "ab" + "c" * 7, "abx", "xab"])
    assert e.nearest_spellings("ab", limit=4)[:2] == ("abx", "ab" + "c" * 7)
    assert set(e.nearest_spellings("ab", limit=2)) == {"abx", "xab"}


@pytest.mark.parametrize("limit", [1, 2, 6])
def test_no_more_spellings_are_named_than_asked_for(glove, limit):
    assert len(glove.nearest_spellings("the", limit)) <= limit


def test_no_spelling_is_near_when_none_is_like_it():
    assert made().nearest_spellings("国王") == ()
