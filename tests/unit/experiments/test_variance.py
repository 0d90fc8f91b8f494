"""Dot products of vectors drawn at random: estimates as numpy and scipy have them, and theory within their errors."""

import itertools
import sys

import numpy as np
import pytest
from scipy import stats

import attention_core as ac
from attention_core.experiments.population import population
from attention_core.experiments.variance import DISTRIBUTIONS, dot_products, lengths, products, sweep
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
KURTOSIS = {"gaussian": 6.0, "uniform": 0.24, "rademacher": -2.0}
"""For one component; for d, a d-th of it."""


def embeddings(n=7, d=5, seed=0):
    x = np.random.default_rng(seed).standard_normal((n, d)) * np.arange(1, d + 1) + np.arange(d)
    return ac.Embeddings([f"w{i}" for i in range(n)], x, "rows")


# --- independent components


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
@pytest.mark.parametrize("d", [1, 3, 64, 1024, 4096])
def test_mean_variance_and_kurtosis_lie_where_theory_has_them(kind, d):
    found = dot_products(d, kind, size=4_000, seed=d)
    assert abs(found.mean.value) <= 4 * found.mean.error
    assert abs(found.variance.value - d) <= 4 * max(found.variance.error, d / found.size)
    assert found.expected_variance == d and found.expected_mean == 0
    assert found.independent_kurtosis == pytest.approx(KURTOSIS[kind] / d)


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
@pytest.mark.parametrize("d", [2, 5])
def test_the_kurtosis_of_few_components_is_that_of_the_formula(kind, d):
    found = dot_products(d, kind, size=200_000)
    assert abs(found.kurtosis.value - KURTOSIS[kind] / d) <= 4 * found.kurtosis.error
    assert found.kurtosis.error < 0.3


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
def test_the_estimates_are_those_of_numpy_and_scipy(kind):
    found, x = dot_products(5, kind, size=997), products(5, kind, 997, 0)
    close = {"rel": float(tolerance(np.float64, terms=997, why="sums of 997 powers in another order"))}
    assert found.mean.value == pytest.approx(np.mean(x), **close, abs=1e-12)
    assert found.mean.error == pytest.approx(np.std(x) / np.sqrt(997), **close)
    assert found.variance.value == pytest.approx(np.var(x, ddof=1), **close)
    assert found.kurtosis.value == pytest.approx(stats.kurtosis(x), **close)


@pytest.mark.parametrize("name", ["mean", "variance", "kurtosis"])
def test_the_standard_errors_are_those_of_repeated_draws(name):
    found = [getattr(dot_products(7, "uniform", size=2_000, seed=seed), name) for seed in range(300)]
    told, seen = np.mean([one.error for one in found]), np.std([one.value for one in found], ddof=1)
    assert told == pytest.approx(seen, rel=0.15)  # a standard deviation of 300 draws is known to 4 %


def test_a_seed_and_a_length_decide_the_draw_and_nothing_else():
    one = products(3, "gaussian", 1_000, 4)
    np.testing.assert_array_equal(one, products(3, "gaussian", 1_000, 4))
    assert dot_products(4, seed=4, size=100).kurtosis == sweep(seed=4, size=100)[4].kurtosis
    assert not np.array_equal(one, products(3, "gaussian", 1_000, 5))
    assert abs(np.corrcoef(one, products(4, "gaussian", 1_000, 4))[0, 1]) < 0.15


def test_numbers_of_one_sign_or_the_other_give_whole_products():
    found, values = dot_products(3, "rademacher", size=500), products(3, "rademacher", 500, 0)
    assert set(values) == {-3, -1, 1, 3}
    assert found.counts.tolist() == [np.sum(values == value) for value in (-3, -1, 1, 3)]
    assert found.edges.tolist() == [-4, -2, 0, 2, 4]


@pytest.mark.parametrize("kind", DISTRIBUTIONS)
@pytest.mark.parametrize("d", [1, 2, 100, 4096])
def test_a_histogram_counts_every_pair(kind, d):
    found, values = dot_products(d, kind, size=1_000), products(d, kind, 1_000, 0)
    assert found.counts.sum() == 1_000 and len(found.edges) == len(found.counts) + 1
    assert found.edges[0] <= values.min() and values.max() <= found.edges[-1]


# --- rows of vectors


def test_rows_are_in_units_of_the_spread_of_all_their_numbers():
    e = embeddings()
    wide = e.matrix.astype(np.float64)
    expected = (wide - wide.mean()) / wide.std()
    found = population(e)
    atol = tolerance(np.float32, terms=1, scale=np.abs(expected).max(), why="stored in float32")
    np.testing.assert_allclose(found.rows.numpy(), expected, rtol=0, atol=atol)
    assert found.fourth == pytest.approx(stats.kurtosis(wide.ravel(), fisher=False))


@pytest.mark.parametrize("d", [1, 3, 5, 11])
def test_mean_and_variance_of_two_rows_are_those_over_all_pairs(d):
    found = population(embeddings(n=7, d=11)).part(d, seed=3)
    rows = found.rows.double().numpy()
    products = [float(a @ b) for a, b in itertools.product(rows, rows)]
    assert found.mean_product() == pytest.approx(np.mean(products))
    assert found.variance_product() == pytest.approx(np.var(products))


@pytest.mark.parametrize("sample", ac.SAMPLES)
def test_pairs_of_a_sample_vary_as_all_pairs_do(sample):
    found = dot_products(ac.sample(sample).dimension, ac.sample(sample), size=20_000)
    assert abs(found.variance.value - found.expected_variance) <= 4 * found.variance.error
    assert abs(found.mean.value - found.expected_mean) <= 4 * found.mean.error
    assert found.rows == found.total == len(ac.sample(sample)) and found.components == sample


def test_fewer_components_are_part_of_more():
    e = embeddings(d=5)
    small, large = (population(e).part(d, seed=1).rows.numpy() for d in (2, 4))
    np.testing.assert_array_equal(small, large[:, :2])


def test_of_many_rows_some_are_drawn(monkeypatch):
    monkeypatch.setattr(sys.modules[population.__module__], "MOST", 20)
    found = dot_products(5, embeddings(n=50), size=100)
    assert (found.rows, found.total) == (4, 50)


def test_huge_and_tiny_numbers_neither_overflow_nor_vanish():
    e = embeddings()
    plain = population(e).variance_product()
    for factor in (1e30, 1e-30):
        scaled = ac.Embeddings(e.words, e.matrix * np.float32(factor), "x")
        assert population(scaled).variance_product() == pytest.approx(plain, rel=1e-5)


def test_one_row_has_one_product():
    found = dot_products(2, ac.Embeddings(["a"], [[1.0, 3.0]], "one"), size=100)
    assert found.variance.value == 0 and found.kurtosis is None and found.expected_variance == 0


# --- progress, refusals


def test_lengths_reach_the_dimension():
    assert lengths("gaussian") == tuple(2**i for i in range(13))
    assert lengths(embeddings(d=6)) == (1, 2, 4, 6) and lengths(embeddings(d=4)) == (1, 2, 4)


def test_progress_counts_the_numbers_drawn_and_can_stop():
    seen = []
    sweep("uniform", 100, progress=lambda *at: seen.append(at))
    assert seen == sorted(seen) and seen[-1] == (819_100, 819_100)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dot_products(4096, size=100_000, progress=stop)


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({"d": 0}, "Vectors of 0 components were asked for, and 1 to 4,096 are possible"),
        ({"d": 4097}, "Vectors of 4,097 components"),
        ({"d": 6, "components": embeddings(d=5)}, "Vectors of 6 components were asked for, and 1 to 5 are possible"),
        ({"d": 1, "size": 99}, "99 pairs were asked for"),
        ({"d": 1, "size": 1_000_001}, "1,000,001 pairs"),
        ({"d": 1, "components": "cauchy"}, "no distribution “cauchy”. Choose one of gaussian, uniform, rademacher"),
        ({"d": 1, "components": ac.Embeddings(["a"], [[2.0, 2.0]], "two")}, "All numbers of two are equal"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, answer):
    with pytest.raises(ac.ScoringError, match=answer):
        dot_products(**arguments)
