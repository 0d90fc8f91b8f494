"""Norms, their order, and the mean cosine of all pairs, against numpy over every pair and scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import attention_core as ac
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")


def embeddings(matrix, ranks=None):
    return ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, "vectors", frequency_rank=ranks)


def mean_cosine(matrix):
    """Over all pairs, one by one."""
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return (unit @ unit.T)[np.triu_indices(len(unit), 1)].mean()


def drawn(seed=0, shape=(101, 7)):
    return (np.random.default_rng(seed).standard_normal(shape) + 0.5).astype(np.float32).astype(np.float64)


ATOL = tolerance(np.float64, terms=101 * 101, why="a mean over 5,050 cosines, and a sum of 101 unit vectors squared")


@pytest.mark.parametrize("seed", range(5))
def test_the_mean_cosine_is_that_of_all_pairs(seed):
    matrix = drawn(seed)
    found = ac.geometry(embeddings(matrix))
    assert found.anisotropy == pytest.approx(mean_cosine(matrix), rel=0, abs=ATOL)
    assert found.anisotropy_centred == pytest.approx(mean_cosine(matrix - matrix.mean(axis=0)), rel=0, abs=ATOL)


def test_many_blocks_give_what_one_gives(monkeypatch):
    whole = ac.geometry(embeddings(drawn()))
    monkeypatch.setattr("attention_core.similarity.blocks.BLOCK", 50)
    told = []
    parts = ac.geometry(embeddings(drawn()), lambda done, total: told.append((done, total)))
    assert parts.anisotropy == pytest.approx(whole.anisotropy, rel=0, abs=ATOL)
    assert told[-1] == (303, 303) and [done for done, _ in told] == sorted(done for done, _ in told)


def test_zero_vectors_stand_in_no_pair():
    matrix = drawn()
    matrix[[3, 50]] = 0
    found = ac.geometry(embeddings(matrix))
    assert found.zeros.tolist() == [3, 50]
    assert found.anisotropy == pytest.approx(mean_cosine(np.delete(matrix, [3, 50], axis=0)), rel=0, abs=ATOL)


def test_the_correlation_with_frequency_is_scipys():
    matrix, ranks = drawn(), np.random.default_rng(1).permutation(101) + 1
    found = ac.geometry(embeddings(matrix, ranks))
    norms = np.linalg.norm(matrix, axis=1)
    assert found.norm_vs_rank == pytest.approx(stats.spearmanr(ranks, norms).statistic, rel=0, abs=ATOL)
    assert found.norm_vs_row == pytest.approx(stats.spearmanr(np.arange(101), norms).statistic, rel=0, abs=ATOL)


def test_the_tenths_go_by_frequency_and_else_by_the_file():
    matrix = np.arange(1, 21)[:, None] * np.ones(3)
    by_file = ac.geometry(embeddings(matrix)).decile_means()
    np.testing.assert_allclose(by_file, np.sqrt(3) * (np.arange(10) * 2 + 1.5), rtol=1e-12)
    reversed_ranks = ac.geometry(embeddings(matrix, np.arange(20, 0, -1))).decile_means()
    np.testing.assert_allclose(reversed_ranks, by_file[::-1], rtol=1e-12)


@pytest.mark.parametrize(
    ("matrix", "ranks", "why"),
    [
        ([[1.0, 0.0], [0.0, 2.0]], None, "the source does not tell the words' frequencies"),
        ([[1.0, 0.0], [0.0, 1.0]], [1, 2], "the norms are all equal"),
        ([[1.0, 0.0], [0.0, 2.0]], [4, 4], "the frequency ranks are all equal"),
        ([[1.0, 0.0]], [1], "there is only one word"),
        ([[0.0, 0.0], [0.0, 0.0]], [1, 2], "the norms are all equal"),
    ],
)
def test_an_undefined_correlation_says_why(matrix, ranks, why):
    found = ac.geometry(embeddings(np.array(matrix), ranks))
    assert found.norm_vs_rank is None and found.why == why


@pytest.mark.parametrize(
    "matrix", [[[0.0, 0.0]] * 4, [[1.0, 2.0]], [[1.0, 2.0], [0.0, 0.0]]], ids=["all zero", "one word", "one direction"]
)
def test_fewer_than_two_directions_have_no_mean_cosine(matrix):
    assert ac.geometry(embeddings(np.array(matrix))).anisotropy is None


def test_equal_vectors_have_a_mean_cosine_of_one_and_none_after_centring():
    found = ac.geometry(embeddings(np.full((5, 3), 0.1)))
    assert found.anisotropy == pytest.approx(1, rel=0, abs=ATOL) and found.anisotropy_centred is None
    assert found.spread == 0


def test_what_the_progress_raises_ends_the_work():
    class Enough(Exception):
        pass

    def report(done, total):
        raise Enough

    with pytest.raises(Enough):
        ac.geometry(embeddings(drawn()), report)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(2, 9), st.integers(1, 4), st.integers(0, 999), st.sampled_from([1e-30, 1.0, 1e30]))
def test_scaling_all_vectors_changes_no_cosine(n, d, seed, size):
    matrix = np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)
    scaled = ac.geometry(embeddings(matrix * np.float32(size))).anisotropy
    atol = tolerance(
        np.float32, terms=n * d, why="the scaled vectors are rounded to float32, d components, n(n-1) pairs"
    )
    assert scaled == pytest.approx(ac.geometry(embeddings(matrix)).anisotropy, rel=0, abs=atol)
    assert -1 / (n - 1) - atol <= scaled <= 1 + atol


# --- cosines of pairs


def test_all_pairs_are_taken_where_they_are_few():
    matrix = drawn()
    found = ac.cosines(embeddings(matrix))
    assert found.drawn == found.of == len(found.before) == 5_050
    assert found.before.mean() == pytest.approx(mean_cosine(matrix), rel=0, abs=ATOL)
    assert found.after.mean() == pytest.approx(mean_cosine(matrix - matrix.mean(axis=0)), rel=0, abs=ATOL)


def test_drawn_pairs_are_of_different_words_and_give_the_exact_mean_within_their_error(glove):
    found, exact = ac.cosines(glove, seed=3), ac.geometry(glove)
    assert found.drawn == 50_000 and found.of == 8_170 * 8_169 // 2
    assert found.before.max() < 1 - 1e-9
    for values, mean in ((found.before, exact.anisotropy), (found.after, exact.anisotropy_centred)):
        assert abs(values.mean() - mean) < 4 * values.std() / np.sqrt(len(values))


def test_the_seed_decides_the_pairs(glove):
    assert (ac.cosines(glove, 1).before == ac.cosines(glove, 1).before).all()
    assert (ac.cosines(glove, 1).before != ac.cosines(glove, 2).before).any()


def test_pairs_with_a_zero_vector_have_no_cosine():
    found = ac.cosines(embeddings(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])))
    assert found.before.tolist() == [0.0] and not np.isnan(found.after).any()
