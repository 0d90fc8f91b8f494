"""Principal components against numpy's eigenvalues, and estimates from samples against all vectors."""

import numpy as np
import pytest

import attention_core as ac
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")


def embeddings(matrix):
    return ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, "vectors")


def eigenvalues(matrix):
    return np.linalg.eigvalsh(np.cov(matrix.astype(np.float64).T))[::-1]


def stretched(n, d, seed=0):
    """Vectors whose variances fall off, far from the origin."""
    rng = np.random.default_rng(seed)
    return (rng.standard_normal((n, d)) * np.geomspace(1, 0.1, d) + 3).astype(np.float32)


@pytest.mark.parametrize(("n", "d"), [(307, 23), (11, 23), (23, 1)])
def test_the_variances_are_the_eigenvalues_of_the_covariance(n, d):
    matrix = stretched(n, d)
    found, expected = ac.spectrum(embeddings(matrix)), np.atleast_1d(eigenvalues(matrix)) if d > 1 else None
    expected = (
        np.array([matrix.astype(np.float64).var(ddof=1)]) if expected is None else expected[: len(found.variances)]
    )
    atol = tolerance(np.float64, terms=n * d, scale=10, why="a covariance of n vectors around 3")
    np.testing.assert_allclose(found.variances, expected, rtol=0, atol=atol)
    assert found.effective_dimension == pytest.approx(expected.sum() ** 2 / (expected**2).sum(), rel=1e-9)
    assert found.components == np.searchsorted(np.cumsum(expected) / expected.sum(), 0.9 - 1e-12) + 1
    assert found.complete and found.interval is None and found.rows == found.of == n


@pytest.mark.parametrize("size", [1e-38, 1e-20, 1e20, 1e37])
def test_the_size_of_the_vectors_does_not_matter(size):
    matrix = stretched(101, 7)
    plain, scaled = (ac.spectrum(embeddings(matrix * np.float32(s))) for s in (1, size))
    assert scaled.effective_dimension == pytest.approx(plain.effective_dimension, rel=1e-4)
    assert scaled.components == plain.components


def test_equal_variances_fill_all_dimensions_and_one_direction_one():
    cross = np.concatenate([np.eye(7), -np.eye(7)])
    assert ac.spectrum(embeddings(cross)).effective_dimension == pytest.approx(7, rel=1e-9)
    line = np.arange(9.0)[:, None] * [1.0, 2.0, 3.0]
    found = ac.spectrum(embeddings(line))
    assert found.effective_dimension == pytest.approx(1, rel=1e-9) and found.components == 1


def test_glove_uses_some_thirty_of_its_fifty_dimensions(glove):
    found, expected = ac.spectrum(glove), eigenvalues(glove.matrix)
    assert found.effective_dimension == pytest.approx(expected.sum() ** 2 / (expected**2).sum(), rel=1e-9)
    assert (round(found.effective_dimension, 1), found.components) == (31.8, 35)


def test_the_intervals_of_samples_hold_the_value_of_all_vectors(monkeypatch):
    monkeypatch.setattr("attention_core.similarity.spectrum.ROWS", 1_009)
    matrix = stretched(8_000, 60, 7)
    true = eigenvalues(matrix)
    truth = true.sum() ** 2 / (true**2).sum()
    found = [ac.spectrum(embeddings(matrix), seed) for seed in range(20)]
    assert {(one.rows, one.of) for one in found} == {(1_009, 8_000)}
    assert sum(one.interval.low < truth < one.interval.high for one in found) >= 16
    assert abs(np.mean([one.effective_dimension for one in found]) / truth - 1) < 0.005, "the bias is corrected"
    assert all(one.interval.high - one.interval.low < 0.2 * truth for one in found)


@pytest.fixture
def short(monkeypatch):
    """As if 32 dimensions were many."""
    monkeypatch.setattr("attention_core.similarity.spectrum.EXACT", 32)
    monkeypatch.setattr("attention_core.similarity.spectrum.LEADING", 16)


@pytest.mark.usefixtures("short")
def test_of_many_dimensions_the_first_components_and_an_upper_bound_are_given():
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((500, 5)) @ rng.standard_normal((5, 61)) + 0.01 * rng.standard_normal((500, 61))
    found, true = ac.spectrum(embeddings(matrix)), eigenvalues(matrix)
    assert len(found.variances) == 16 and not found.complete and found.interval is None
    np.testing.assert_allclose(found.variances[:5], true[:5], rtol=1e-5)
    assert found.total == pytest.approx(true.sum(), rel=1e-5)
    exact = true.sum() ** 2 / (true**2).sum()
    assert exact * (1 - 1e-6) <= found.effective_dimension < 1.01 * exact and found.components <= 5


@pytest.mark.usefixtures("short")
def test_more_components_than_were_computed_are_not_counted():
    matrix = np.random.default_rng(0).standard_normal((500, 61))
    found, true = ac.spectrum(embeddings(matrix)), eigenvalues(matrix)
    assert found.components is None
    assert found.effective_dimension >= true.sum() ** 2 / (true**2).sum() * (1 - 1e-6)


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ([[1.0, 2.0]], "there is only one vector"),
        ([[0.1, 0.3]] * 5, "all vectors are equal"),
        ([[0.0, 0.0]] * 5, "all vectors are equal"),
    ],
)
def test_vectors_that_do_not_differ_have_no_spectrum(matrix, why):
    found = ac.spectrum(embeddings(np.array(matrix)))
    assert (found.effective_dimension, found.components, found.why) == (None, None, why)
