"""When two scores are equal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.measures import MEASURES
from attention_core.similarity.rescoring import _settled
from attention_core.similarity.ties import closest_first, keys_of, tie_keys
from tests.tolerance import tolerance

QUICK = settings(max_examples=200, deadline=None, derandomize=True)
TWELVE_DIGITS = st.integers(10**11 + 1, 10**12 - 2)
EXPONENTS = st.integers(-100, 100)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def scaled(digits, exponent):
    return digits * 10.0**exponent


@QUICK
@given(TWELVE_DIGITS, EXPONENTS, st.floats(-0.4, 0.4), st.sampled_from([-1, 1]))
def test_scores_that_round_to_the_same_12_digits_tie(digits, exponent, more, sign):
    keys = tie_keys(sign * np.array([scaled(digits, exponent), scaled(digits + more, exponent)]))
    assert keys[0] == keys[1]


@QUICK
@given(TWELVE_DIGITS, EXPONENTS, st.floats(-0.4, 0.4), st.floats(-0.4, 0.4))
def test_scores_that_differ_in_the_12th_digit_do_not_tie(digits, exponent, more, other):
    keys = tie_keys(np.array([scaled(digits + more, exponent), scaled(digits + 1 + other, exponent)]))
    assert keys[0] < keys[1]


@QUICK
@given(FINITE, FINITE)
def test_rounding_keeps_the_order(a, b):
    low, high = tie_keys(np.array(sorted([a, b])))
    assert low <= high


@QUICK
@given(FINITE.filter(lambda x: abs(x) > 1e-280))
def test_a_key_is_the_score_to_12_significant_digits(score):
    """Within half a unit of the twelfth digit, and what rounding the power of ten adds."""
    key = tie_keys(np.array([score]))[0]
    half = 0.5 * 10.0 ** (np.floor(np.log10(abs(score))) - 11)
    assert abs(key - score) <= half + tolerance(np.float64, terms=2, scale=abs(score), why="a product and a quotient")


@QUICK
@given(FINITE)
def test_a_score_and_its_opposite_have_opposite_keys(score):
    keys = tie_keys(np.array([score, -score]))
    assert keys[0] == -keys[1]


def test_undefined_stays_undefined():
    assert np.isnan(tie_keys(np.array([np.nan, 1.0])))[0]


@pytest.mark.parametrize(("score", "counts"), [(0.9e-12, False), (-0.9e-12, False), (1.1e-12, True), (-1.1e-12, True)])
def test_what_lies_below_the_floor_counts_as_zero(score, counts):
    assert (tie_keys(np.array([score]), zero_below=1e-12)[0] != 0) == counts


def test_the_floor_may_differ_from_score_to_score():
    assert tie_keys(np.array([1e-3, 1e-3]), np.array([1e-2, 1e-4])).tolist() == [0.0, 1e-3]


def test_shapes_are_kept():
    assert tie_keys(np.ones((2, 3, 5))).shape == (2, 3, 5)


@pytest.mark.parametrize("score", [1e-320, -1e-320, 1e-291])
def test_scores_too_small_for_a_power_of_ten_count_as_zero(score):
    assert tie_keys(np.array([score]))[0] == 0


@pytest.mark.parametrize(("name", "noise"), [("dot", 9e-12), ("cosine", 9e-13)])
def test_noise_is_measured_by_what_was_summed(name, noise):
    keys = keys_of(MEASURES[name], np.array([noise, -noise, 100 * noise]), 2.0, np.array([5.0, 5.0, 5.0]))
    assert keys[0] == keys[1] == 0 and keys[2] != 0


def test_a_small_euclidean_distance_is_never_noise():
    assert keys_of(MEASURES["euclidean"], np.array([1e-30]), 1e6, np.array([1e6]))[0] != 0


@pytest.mark.parametrize(
    ("name", "order"), [("dot", [2, 0, 3, 1, 4]), ("cosine", [2, 0, 3, 1, 4]), ("euclidean", [1, 0, 3, 2, 4])]
)
def test_closest_come_first_ties_in_file_order_and_undefined_last(name, order):
    assert closest_first(MEASURES[name], np.array([0.5, -1.0, 2.0, 0.5, np.nan])).tolist() == order


@pytest.mark.parametrize(("rows", "key_of_all"), [([0, 1], False), ([0, 2], False), ([0, 1, 2], False), ([0, 2], True)])
def test_equal_distances_are_settled_where_they_cannot_round_apart(rows, key_of_all):
    """Two evaluations can round them apart unless the vectors are twins, or every number near them has one key."""
    matrix = np.array([[1, 2], [1, 2], [2, 1]], np.float32)
    distances = np.full((1, 1, len(rows)), 5.0)
    least, greatest = (distances, distances) if key_of_all else (distances - 1, distances + 1)
    settled = _settled(matrix, [np.array([[rows]]), distances, least, greatest], k=1)
    assert settled.tolist() == [[key_of_all or rows == [0, 1]]]
