"""Twins, near-duplicates and zero vectors, against every pair."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import attention_core as ac
from attention_core.similarity.duplicates import NEAR
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")


def found_in(matrix, k=10):
    e = ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, "vectors")
    return e, ac.duplicates(ac.neighbourhoods(e, k))


def test_near_duplicates_are_all_pairs_with_that_cosine_and_no_twins():
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((200, 11))
    matrix[100:130] = matrix[:30] * rng.uniform(0.5, 2, (30, 1)) + rng.normal(0, 0.02, (30, 11))
    matrix[150:153] = matrix[7]
    e, found = found_in(matrix)
    cosines = 1 - cdist(e.matrix.astype(np.float64), e.matrix.astype(np.float64), "cosine")
    first, second = np.nonzero(np.triu(cosines >= NEAR, 1))
    equal = (e.matrix[first] == e.matrix[second]).all(axis=1)
    expected = set(zip(first[~equal].tolist(), second[~equal].tolist(), strict=True))
    assert expected and set(map(tuple, found.near.tolist())) == expected
    assert found.twins == (("w7", "w150", "w151", "w152"),) and found.zeros == ()
    a, b = found.near.T
    atol = tolerance(np.float64, terms=11, scale=5, why="a cosine and a distance of 11 components below 5")
    np.testing.assert_allclose(found.cosines, cosines[a, b], rtol=0, atol=atol)
    assert (np.diff(found.cosines) <= 0).all()
    np.testing.assert_allclose(found.distances, np.linalg.norm(e.matrix[a] - e.matrix[b], axis=1), rtol=1e-5)


def test_minus_zero_is_zero():
    _, found = found_in([[0.0, 1.0], [-0.0, 1.0], [1.0, 1.0]])
    assert found.twins == (("w0", "w1"),)


def test_zero_vectors_are_listed_and_are_no_twins():
    _, found = found_in([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    assert found.zeros == ("w0", "w2") and found.twins == () and len(found.near) == 0


@pytest.mark.parametrize("matrix", [[[1.0, 2.0]], np.zeros((30, 3)), np.ones((30, 3))], ids=["one", "zeros", "equal"])
def test_vectors_that_say_nothing_are_no_near_duplicates(matrix):
    _, found = found_in(matrix)
    assert len(found.near) == len(found.cosines) == len(found.distances) == 0


def test_without_lists_by_cosine_only_twins_are_found():
    e = ac.Embeddings(["a", "b", "c"], [[1, 2], [1, 2], [1, 2.01]], "x")
    found = ac.duplicates(ac.neighbourhoods(e, measures=["dot"]))
    assert found.twins == (("a", "b"),) and len(found.near) == 0


def test_the_bundled_glove_has_none(glove):
    found = ac.duplicates(ac.neighbourhoods(glove, 1))
    assert (found.zeros, found.twins, len(found.near)) == ((), (), 0)
