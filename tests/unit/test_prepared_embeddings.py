"""Centred and normalised embeddings: exact in float64, and said to be so."""

import numpy as np
import pytest

from attention_core.embeddings import Embeddings
from tests.tolerance import tolerance

WORDS = ["king", "queen", "Apple"]


def vectors(rows=3, size=5, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal((rows, size)).astype(dtype)


def made(words=WORDS, matrix=None, source="three words", **kwargs):
    return Embeddings(words, vectors(len(words)) if matrix is None else matrix, source, **kwargs)


def test_centred_vectors_have_mean_zero(glove):
    e = glove.centred()
    size = float(np.abs(e.matrix).max())
    atol = tolerance(np.float32, terms=1, scale=size, why="each value rounded to float32 once")
    np.testing.assert_allclose(e.matrix.mean(axis=0, dtype=np.float64), 0, atol=atol)


def test_centring_moves_every_vector_by_the_mean(glove):
    wide = glove.matrix.astype(np.float64)
    expected = (wide - wide.mean(axis=0)).astype(np.float32)
    atol = tolerance(np.float32, terms=1, scale=np.abs(wide).max(), why="the mean may be summed in another order")
    np.testing.assert_allclose(glove.centred().matrix, expected, rtol=0, atol=atol)


def test_normalised_vectors_have_norm_one(glove):
    atol = tolerance(np.float32, terms=1, why="each value rounded to float32 once")
    np.testing.assert_allclose(glove.normalised().norms, 1, rtol=0, atol=atol)


@pytest.mark.parametrize("size", [1e-44, 1e-30, 1e30])
def test_vectors_of_any_size_are_normalised(size):
    e = Embeddings(["a"], np.array([[size, 0.0]]), "x").normalised()
    assert e.matrix.tolist() == [[1.0, 0.0]]


def test_normalising_keeps_directions(glove):
    cosine = np.einsum("nd,nd->n", glove.normalised().matrix.astype(np.float64), glove.matrix) / glove.norms
    atol = tolerance(np.float32, terms=1, why="each value rounded to float32 once")
    np.testing.assert_allclose(cosine, 1, rtol=0, atol=atol)


def test_a_zero_vector_stays_zero_and_a_warning_names_it():
    e = made(matrix=np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0]]), warnings=("told before",)).normalised()
    assert e.matrix[1].tolist() == [0.0, 0.0]
    assert e.warnings[0] == "told before" and "“queen”" in e.warnings[1] and len(e.warnings) == 2


def test_normalising_without_zero_vectors_warns_of_nothing():
    assert made().normalised().warnings == ()


@pytest.mark.parametrize("how", ["centred", "normalised"])
def test_derived_vectors_say_so_and_have_their_own_fingerprint(how):
    e = made()
    derived = getattr(e, how)()
    assert derived.source == f"three words, {how}" and derived.words == e.words
    assert derived.fingerprint != e.fingerprint and not derived.matrix.flags.writeable


@pytest.mark.parametrize("how", ["centred", "normalised"])
def test_derived_vectors_keep_their_frequency_ranks(how):
    e = Embeddings(["a", "b"], [[1, 2], [3, 4]], "x", frequency_rank=[7, 3])
    assert getattr(e, how)().frequency_rank.tolist() == [7, 3]
