"""Frequency ranks of words: given, read from a file, kept with their words, refused."""

import copy
import pickle

import numpy as np
import pytest

from attention_core import Embeddings, EmbeddingsError
from tests.unit.loaders.test_numpy_files import npz

VALUES = np.array([[0.5, -0.25], [2.0, 3.0], [1.0, 1.0]], np.float32)


@pytest.fixture
def read():
    from io import BytesIO

    from attention_core.loaders import load

    return lambda content: load(BytesIO(content), name="v.npz")


def test_ranks_are_kept_read_only_and_apart_from_what_was_given():
    given = np.array([3, 1, 2])
    e = Embeddings(["a", "b", "c"], VALUES, "x", frequency_rank=given)
    given[0] = 9
    assert e.frequency_rank.tolist() == [3, 1, 2] and not e.frequency_rank.flags.writeable
    for copied in (copy.deepcopy(e), pickle.loads(pickle.dumps(e))):
        assert copied.frequency_rank.tolist() == [3, 1, 2] and not copied.frequency_rank.flags.writeable


def test_without_ranks_there_are_none():
    assert Embeddings(["a", "b", "c"], VALUES, "x").frequency_rank is None


@pytest.mark.parametrize("ranks", [[1, 2], [1.0, 2.0, 3.0], ["1", "2", "3"], [[1, 2, 3]], []])
def test_ranks_that_are_not_one_whole_number_for_each_word_are_refused(ranks):
    with pytest.raises(EmbeddingsError, match="x: one whole number for each of 3 words is expected"):
        Embeddings(["a", "b", "c"], VALUES, "x", frequency_rank=ranks)


def test_other_ranks_are_other_embeddings():
    made = [Embeddings(["a", "b", "c"], VALUES, "x", frequency_rank=r) for r in (None, [1, 2, 3], [3, 2, 1])]
    assert len({e.fingerprint for e in made}) == 3


@pytest.mark.parametrize("dtype", ["<i4", ">i8", "u2"])
def test_an_archive_tells_the_ranks(read, dtype):
    e = read(npz(words=np.array(["a", "b", "c"]), vectors=VALUES, rank=np.array([30, 10, 20], dtype)))
    assert e.frequency_rank.tolist() == [30, 10, 20] and e.warnings == ()


def test_ranks_of_repeated_words_are_dropped_with_them(read):
    e = read(npz(words=np.array(["a", "b", "a"]), vectors=VALUES, rank=np.array([30, 10, 20])))
    assert e.words == ("a", "b") and e.frequency_rank.tolist() == [30, 10]


@pytest.mark.parametrize(
    "rank",
    [
        np.array([1, 2]),
        np.array([1.0, 2.0, 3.0]),
        np.array(["1", "2", "3"]),
        np.ones((3, 1), int),
        np.array([1, "b", 2], object),
    ],
    ids=["short", "fractions", "text", "matrix", "objects"],
)
def test_what_is_no_rank_for_each_word_is_left(read, rank):
    e = read(npz(words=np.array(["a", "b", "c"]), vectors=VALUES, rank=rank))
    assert e.frequency_rank is None and len(e) == 3
