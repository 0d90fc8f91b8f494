"""Two vectors: the worked example, brute force in higher precision, and what is undefined or refused."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.spatial.distance
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core as ac
from attention_core.errors import ScoringError
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = settings(max_examples=60, deadline=None, derandomize=True)
NUMBERS = st.integers(-800, 800).map(lambda hundredths: hundredths / 100)


@st.composite
def pairs(draw):
    d = draw(st.sampled_from([1, 2, 3, 5, 13]))
    return tuple(np.array(draw(st.lists(NUMBERS, min_size=d, max_size=d))) for _ in range(2))


def close(scale, terms, why):
    return {"rel": 0, "abs": tolerance(np.float64, terms=terms, scale=scale, why=why)}


def test_the_worked_example_has_its_published_figures():
    g = ac.pair([1, 2, 3, 4], [2, 0, 1, 3])
    assert g.scores["dot"] == 17
    assert g.scores["cosine"] == pytest.approx(0.8295150620062532, **close(1, 4, "a quotient of two sums of 4"))
    assert g.scores["euclidean"] == pytest.approx(3.1622776601683795, **close(4, 4, "the root of 4 squares"))
    assert g.angle == pytest.approx(math.degrees(math.acos(17 / math.sqrt(30 * 14))), **close(90, 4, "two arcs"))
    assert g.projection == pytest.approx(17 / math.sqrt(30), **close(4, 4, "a sum of 4 divided by a length"))
    assert g.lengths_times_cosine == pytest.approx(17, **close(17, 4, "three factors, each a sum of 4"))
    assert g.terms().products.tolist() == [2, 0, 3, 12] and g.terms().running.tolist() == [2, 2, 5, 17]


@pytest.mark.parametrize("words", [("king", "prince"), ("king", "emperor"), ("apple", "the"), ("cat", "cat")])
def test_the_figures_of_two_words_are_those_of_scipy_and_of_the_exact_sum(glove, words):
    a, b = (glove.vector(word).astype(np.float64) for word in words)
    g = ac.pair(a, b)
    exact = sum((Fraction(x) * Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True)), Fraction(0))
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    assert g.scores["dot"] == pytest.approx(float(exact), **close(size, 50, "50 products"))
    assert g.lengths_times_cosine == pytest.approx(float(exact), **close(size, 50, "lengths and cosine of 50 terms"))
    assert g.scores["cosine"] == pytest.approx(
        1 - scipy.spatial.distance.cosine(a, b), **close(1, 50, "a quotient of sums of 50")
    )
    assert g.scores["euclidean"] == pytest.approx(
        scipy.spatial.distance.euclidean(a, b), **close(10, 50, "the root of 50 squares")
    )


def test_king_and_prince_have_the_reference_scores(glove):
    """Six decimals of a float64 computation outside of this project."""
    g = ac.pair(glove.vector("king"), glove.vector("prince"))
    rounded = {name: round(g.scores[name], 6) for name in ("dot", "cosine", "euclidean")}
    assert rounded == {"dot": 22.499263, "cosine": 0.823666, "euclidean": 3.117501}


def test_the_additive_score_is_that_of_its_formula(glove):
    weights = ac.AdditiveWeights.random(50, 50, seed=3)
    a, b = glove.vector("king"), glove.vector("queen")
    w1, w2, v = (w.numpy().astype(np.float64) for w in (weights.w_query, weights.w_key, weights.v))
    expected = v @ np.tanh(w1 @ a.astype(np.float64) + w2 @ b.astype(np.float64))
    found = ac.pair(a, b, weights).scores["additive"]
    assert found == pytest.approx(expected, **close(np.abs(v).sum() * 10, 50 + 64, "sums of 50 and of 64"))


@pytest.mark.parametrize("degrees", [0.0, 1e-7, 0.001, 30.0, 90.0, 179.9999999, 180.0])
def test_the_angle_keeps_its_digits_where_an_arc_cosine_loses_them(degrees):
    turn = math.radians(degrees)
    a, b = np.array([3.0, 0.0]), 5 * np.array([math.cos(turn), math.sin(turn)])
    assert ac.pair(a, b).angle == pytest.approx(degrees, rel=1e-13, abs=2e-14)


@QUICK
@given(pairs())
def test_the_projection_leaves_a_rest_at_right_angles(pair):
    a, b = pair
    g = ac.pair(a, b)
    if g.foot is None:
        assert not a.any()
        return
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    assert float((b - g.foot) @ a) == pytest.approx(0, **close(size, len(a), "a sum of d products that cancel"))
    assert abs(g.projection) <= g.norm_b + tolerance(np.float64, terms=len(a), scale=g.norm_b, why="Cauchy-Schwarz")


@QUICK
@given(pairs())
def test_the_plane_keeps_lengths_angle_and_distance(pair):
    a, b = pair
    g = ac.pair(a, b)
    basis = g.plane.basis if len(a) > 1 else g.plane.basis[:1]
    np.testing.assert_allclose(
        basis @ basis.T, np.eye(len(basis)), atol=tolerance(np.float64, terms=len(a), why="d products of a unit vector")
    )
    (ax, ay), (bx, by) = g.plane.coordinates(np.stack([a, b]))
    size = 1 + float(np.linalg.norm(a) + np.linalg.norm(b))
    assert math.hypot(ax, ay) == pytest.approx(g.norm_a, **close(size, len(a), "two sums of d"))
    assert math.hypot(bx, by) == pytest.approx(g.norm_b, **close(size, len(a), "two sums of d"))
    assert math.hypot(ax - bx, ay - by) == pytest.approx(g.scores["euclidean"], **close(size, len(a), "sums of d"))
    assert ax * bx + ay * by == pytest.approx(g.scores["dot"], **close(size**2, len(a), "products of sums of d"))


@QUICK
@given(pairs())
def test_the_terms_sum_to_the_dot_product_in_either_order(pair):
    g = ac.pair(*pair)
    for largest_first in (False, True):
        terms = g.terms(largest_first)
        size = float(np.abs(terms.products).sum())
        assert terms.running[-1] == pytest.approx(g.scores["dot"], **close(size, len(pair[0]), "d products"))
        assert sorted(terms.components.tolist()) == list(range(len(pair[0])))
        assert terms.positive[1] + terms.negative[1] == pytest.approx(
            g.scores["dot"], **close(size, len(pair[0]), "d products")
        )
    sizes = np.abs(g.terms(largest_first=True).products)
    assert (np.diff(sizes) <= 0).all()


def test_positive_and_negative_products_are_counted_apart():
    terms = ac.pair([1, -2, 3, 0], [4, 5, -6, 7]).terms()
    assert (terms.positive, terms.negative) == ((1, 4.0), (2, -28.0))


# --- undefined


@pytest.mark.parametrize(
    ("a", "b", "why", "projection"),
    [
        ([0, 0, 0], [1, 2, 3], "a is a zero vector", None),
        ([1, 2, 2], [0, 0, 0], "b is a zero vector", 0.0),
        ([0, 0], [0, 0], "a and b are zero vectors", None),
        ([0], [2], "a is a zero vector", None),
    ],
)
def test_a_zero_vector_leaves_angle_and_cosine_undefined_and_says_why(a, b, why, projection):
    g = ac.pair(a, b)
    assert g.angle is None and g.scores["cosine"] is None and g.lengths_times_cosine is None
    assert why in g.undefined and g.projection == projection
    assert g.scores["dot"] == 0 and g.scores["euclidean"] == max(g.norm_a, g.norm_b)


@pytest.mark.parametrize(
    ("a", "b", "note"),
    [
        ([1, 2, 3], [2, 4, 6], "parallel"),
        ([1, 2, 3], [-1, -2, -3], "parallel"),
        ([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], "parallel"),
        ([0, 0, 0], [1, 2, 3], "one of the vectors is zero"),
        ([0, 0, 0], [0, 0, 0], "both vectors are zero"),
        ([3], [-2], "one component"),
        ([1, 2], [2, 4], ""),
        ([1, 2, 3], [1, 2, 4], ""),
    ],
)
def test_a_plane_that_the_vectors_leave_open_is_told(a, b, note):
    plane = ac.pair(a, b).plane
    assert note in plane.note and bool(note) == bool(plane.note)


def test_equal_vectors_have_angle_and_distance_zero(glove):
    g = ac.pair(glove.vector("king"), glove.vector("king"))
    assert g.angle == 0 and g.scores["euclidean"] == 0 and g.scores["cosine"] == 1


def test_opposite_vectors_enclose_180_degrees():
    assert ac.pair([0.1, 0.2, 0.7], [-0.1, -0.2, -0.7]).angle == 180


@pytest.mark.parametrize("size", [1e-100, 1e-45, 1e38, 1e99])
def test_very_long_and_very_short_vectors_have_their_angle(size):
    g = ac.pair([size, 0, 0], [size, size, 0])
    assert g.angle == pytest.approx(45, rel=1e-14) and np.isfinite(g.plane.basis).all()


# --- refused


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        ([1, 2, 3], [1, 2], "a has 3 components, b 2"),
        ([], [], r"found shape \(0,\)"),
        ([[1, 2]], [1, 2], r"found shape \(1, 2\)"),
        ([1, math.nan], [1, 2], "Number 2 of a is nan"),
        ([1, 2], [math.inf, 2], "Number 1 of b is inf"),
        ([1e101, 2], [1, 2], "Number 1 of a is 1e\\+101"),
        ([1, 2], [1, 1e-101], "Number 2 of b is 1e-101"),
        ("king", [1, 2], "Numbers are expected for a"),
    ],
)
def test_what_is_no_pair_of_vectors_is_refused_with_what_to_do(a, b, answer):
    with pytest.raises(ScoringError, match=answer) as refused:
        ac.pair(a, b)
    assert str(refused.value).count(". ") >= 1


def test_weights_of_another_size_are_refused():
    with pytest.raises(ScoringError, match="take queries of 3"):
        ac.pair([1, 2], [3, 4], ac.AdditiveWeights.random(3, 3))


@pytest.mark.parametrize("options", [{"factor": math.nan}, {"degrees": math.inf}, {"shift": 1e7}])
def test_a_move_that_is_no_number_is_refused(options):
    with pytest.raises(ScoringError, match=f"{next(iter(options))} is"):
        ac.Move(**options)


def test_a_line_has_no_room_to_turn():
    with pytest.raises(ScoringError, match="cannot be turned"):
        ac.pair([1], [2], move=ac.Move(degrees=30))
    assert ac.pair([1], [2], move=ac.Move(factor=3, shift=1)).b.tolist() == [7]
