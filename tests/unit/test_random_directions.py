"""Random directions: against the closed form of their cosine, and against vectors that are made."""

import numpy as np
import pytest
from scipy.stats import beta

import attention_core as ac

pytestmark = pytest.mark.usefixtures("one_thread")
SAMPLING = 4 / np.sqrt(524_288)
"""How far a share of the pairs drawn may lie from the true one: more than four standard errors."""


def embeddings(matrix):
    return ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, "some words")


def normal(words, d):
    return np.random.default_rng(1).standard_normal((words, d))


@pytest.mark.parametrize("d", [2, 3, 7, 50])
def test_the_cosine_has_its_closed_form(d):
    found = ac.random_directions(embeddings(normal(101, d)), "cosine")
    for cosine in (-0.9, -0.1, 0.0, 0.3, 0.9):
        expected = beta((d - 1) / 2, (d - 1) / 2).cdf((cosine + 1) / 2)
        assert abs(found.below(cosine).value - expected) < SAMPLING


def test_in_one_dimension_a_direction_is_a_sign():
    found = ac.random_directions(embeddings(normal(101, 1)), "cosine")
    assert (found.lowest.score, found.highest.score) == (-1, 1)
    assert abs(found.below(0.0).value - 0.5) < SAMPLING


@pytest.mark.parametrize("measure", ["dot", "euclidean", "additive"])
def test_scores_are_those_of_gaussian_vectors_with_these_norms(measure):
    e = embeddings(normal(211, 7) * np.exp(np.random.default_rng(2).normal(size=(211, 1))))
    rng = np.random.default_rng(3)
    first, second = rng.integers(211, size=20_000), rng.integers(1, 211, size=20_000)
    ends = []
    for rows in (first, (first + second) % 211):
        made = rng.standard_normal((20_000, 7))
        ends.append(e.norms[rows, None] * made / np.linalg.norm(made, axis=1, keepdims=True))
    weights = ac.AdditiveWeights.random(7, 7, seed=0) if measure == "additive" else None
    scores = ac.score(ends[0][:, None], ends[1][:, None], measure, weights)[:, 0, 0]
    found = ac.random_directions(e, measure)
    # the additive score is taken on one draw of 211 vectors, whose directions move its shares as a whole
    slack = 0.06 if measure == "additive" else 4 / np.sqrt(20_000)
    for share in (0.05, 0.5, 0.95):
        assert abs(found.below(float(np.quantile(scores, share))).value - share) < slack


def test_a_seed_repeats_the_draw_and_another_does_not():
    e = embeddings(normal(101, 7))
    draws = [ac.random_directions(e, "dot", seed=seed).mean.value for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]


def test_zero_vectors_have_no_direction():
    matrix = normal(101, 7)
    matrix[:50] = 0
    assert ac.random_directions(embeddings(matrix), "cosine").pairs == 524_288
    assert "fewer than two" in ac.random_directions(embeddings(np.zeros((5, 3))), "cosine").why
    assert ac.random_directions(embeddings(np.zeros((5, 3))), "dot").constant
