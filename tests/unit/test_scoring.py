"""ac.score: against other libraries, whatever the kind, dtype and leading axes of the vectors."""

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise

import attention_core as ac
from tests.tolerance import tolerance

NAMES = ["dot", "cosine", "euclidean", "additive"]
pytestmark = pytest.mark.usefixtures("one_thread")
names = pytest.mark.parametrize("measure", NAMES)
ORACLES = {
    "dot, scikit-learn": ("dot", pairwise.linear_kernel),
    "cosine, scikit-learn": ("cosine", pairwise.cosine_similarity),
    "cosine, scipy": ("cosine", lambda q, k: 1 - cdist(q, k, "cosine")),
    "euclidean, scikit-learn": ("euclidean", pairwise.euclidean_distances),
    "euclidean, scipy": ("euclidean", cdist),
}


def vectors(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def weights_for(measure, size):
    return ac.AdditiveWeights.random(size, size, hidden=13, seed=3) if measure == "additive" else None


@pytest.mark.parametrize("oracle", ORACLES)
def test_scores_are_those_of_other_libraries(oracle):
    measure, compute = ORACLES[oracle]
    q, k = vectors(7, 53, seed=1), vectors(11, 53, seed=2)
    size = float(np.linalg.norm(q, axis=1).max() * np.linalg.norm(k, axis=1).max())
    atol = tolerance(np.float64, terms=53, scale=size, why="53 products; both far from 0 distance")
    np.testing.assert_allclose(ac.score(q, k, measure), compute(q, k), rtol=0, atol=atol)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [("dot", 17.0), ("cosine", 0.8295150620062532), ("euclidean", 3.1622776601683795)],
)
def test_the_textbook_pair_has_its_textbook_scores(measure, expected):
    found = ac.score(np.array([[1.0, 2, 3, 4]]), np.array([[2.0, 0, 1, 3]]), measure)
    assert found[0, 0] == pytest.approx(expected, rel=0, abs=tolerance(np.float64, terms=4, scale=4, why="4 products"))


@names
def test_torch_and_numpy_agree(measure):
    q, k, weights = vectors(3, 5, seed=4), vectors(7, 5, seed=5), weights_for(measure, 5)
    found = ac.score(torch.tensor(q), torch.tensor(k), measure, weights)
    assert isinstance(found, torch.Tensor)
    np.testing.assert_array_equal(found.numpy(), ac.score(q, k, measure, weights))


@names
def test_leading_axes_are_independent_batches(measure):
    q, k, weights = vectors(2, 3, 5, 7, seed=6), vectors(2, 3, 11, 7, seed=7), weights_for(measure, 7)
    found = ac.score(q, k, measure, weights)
    assert found.shape == (2, 3, 5, 11)
    atol = tolerance(np.float64, terms=13, scale=20, why="the same sums, perhaps in another order")
    np.testing.assert_allclose(found[1, 2], ac.score(q[1, 2], k[1, 2], measure, weights), rtol=0, atol=atol)


@names
@pytest.mark.parametrize("batched", ["queries", "keys"])
def test_leading_axes_broadcast(measure, batched):
    q, k, weights = vectors(5, 7, seed=8), vectors(11, 7, seed=9), weights_for(measure, 7)
    stacked = (np.stack([q, q]), k) if batched == "queries" else (q, np.stack([k, k]))
    found = ac.score(*stacked, measure, weights)
    atol = tolerance(np.float64, terms=13, scale=20, why="the same sums, perhaps in another order")
    np.testing.assert_allclose(found, np.stack([ac.score(q, k, measure, weights)] * 2), rtol=0, atol=atol)


@names
@pytest.mark.parametrize(
    ("given", "scored"),
    [
        (torch.float16, torch.float32),
        (torch.bfloat16, torch.float32),
        (torch.int64, torch.float32),
        (torch.float32, torch.float32),
        (torch.float64, torch.float64),
    ],
)
def test_torch_scores_are_float32_or_wider(measure, given, scored):
    ones = torch.ones(2, 3, dtype=given)
    assert ac.score(ones, ones, measure, weights_for(measure, 3)).dtype == scored


def test_the_wider_of_two_dtypes_is_used():
    q, k = torch.ones(1, 2, dtype=torch.float16), torch.ones(1, 2, dtype=torch.float64)
    assert ac.score(q, k, "dot").dtype == torch.float64


def test_a_product_beyond_float16_is_finite():
    q = torch.full((1, 3), 300.0, dtype=torch.float16)
    assert ac.score(q, q, "dot").item() == 270_000.0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.int64, np.bool_])
@names
def test_numpy_scores_are_float64_whatever_is_given(measure, dtype):
    q, k = np.array([[1, 0, 1]], dtype=dtype), np.array([[1, 1, 0], [1, 0, 1]], dtype=dtype)
    weights = weights_for(measure, 3)
    found = ac.score(q, k, measure, weights)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, ac.score(q.astype(np.float64), k.astype(np.float64), measure, weights))


@names
def test_what_is_given_is_left_as_it_is(measure):
    q, k = vectors(2, 3, seed=10), vectors(5, 3, seed=11)
    before = q.copy(), k.copy()
    ac.score(q, k, measure, weights_for(measure, 3))
    np.testing.assert_array_equal(q, before[0])
    np.testing.assert_array_equal(k, before[1])


def test_read_only_arrays_are_scored_without_a_warning(glove):
    assert ac.score(glove.matrix[:2], glove.matrix[:3]).shape == (2, 3)


@names
def test_no_keys_give_no_scores(measure):
    assert ac.score(np.ones((2, 3)), np.ones((0, 3)), measure, weights_for(measure, 3)).shape == (2, 0)


def test_a_gradient_flows_through_a_score():
    q = torch.tensor([[1.0, 2.0]], requires_grad=True)
    ac.score(q, torch.tensor([[3.0, 5.0]]), "dot").sum().backward()
    assert q.grad.tolist() == [[3.0, 5.0]]


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e300])
def test_a_cosine_neither_overflows_nor_vanishes(size):
    q, k = size * np.array([[3.0, 4.0]]), np.array([[3.0, 4.0], [-4.0, 3.0]]) / size
    found = ac.score(q, k, "cosine")
    np.testing.assert_allclose(found, [[1, 0]], rtol=0, atol=tolerance(np.float64, terms=2, why="two products"))


def test_no_cosine_of_float32_vectors_leaves_its_range():
    q = torch.tensor(vectors(997, 24, seed=12), dtype=torch.float32)
    found = ac.score(q, q, "cosine")
    assert found.abs().max() <= 1 and torch.acos(found).isfinite().all()


def test_a_cosine_with_a_zero_vector_is_nan_and_the_others_stay_defined():
    found = ac.score(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 0.0]]), "cosine")
    np.testing.assert_array_equal(found, [[1.0, np.nan], [np.nan, np.nan]])


def test_a_euclidean_distance_comes_from_differences():
    assert ac.score(np.array([[1e8, 1.0]]), np.array([[1e8, 1.5]]), "euclidean").tolist() == [[0.5]]


def test_an_unknown_measure_is_refused_with_those_there_are():
    with pytest.raises(ac.ScoringError, match="“manhattan”.*dot, cosine, euclidean, additive"):
        ac.score(np.ones((1, 2)), np.ones((1, 2)), "manhattan")


@pytest.mark.parametrize("measure", ["dot", "cosine", "euclidean"])
@pytest.mark.parametrize(
    ("queries", "keys"),
    [((2, 3), (5, 7)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 5, 3), (7, 5, 3))],
    ids=["sizes", "one key", "one query", "batches"],
)
def test_shapes_that_do_not_fit_are_refused_by_the_core(measure, queries, keys):
    with pytest.raises(ac.ScoringError, match=r"\. "):
        ac.score(np.ones(queries), np.ones(keys), measure)
