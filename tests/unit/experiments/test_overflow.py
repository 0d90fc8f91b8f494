"""Where exponentials end, against every number of the short dtypes and against numpy for the long ones."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import attention_core as ac
from attention_core.experiments.overflow import overflow
from tests.attending import DEVICES
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = settings(max_examples=60, deadline=None)
PUBLISHED = {"float16": 11.09, "bfloat16": 88.72, "float32": 88.72, "float64": 709.78}


def by_name(scores, device="cpu"):
    return {one.dtype: one for one in overflow(scores, ac.Compute(device))}


def every(dtype):
    """All finite numbers of a dtype of 16 bits, in order."""
    numbers = torch.arange(-(2**15), 2**15, dtype=torch.int32).to(torch.int16).view(dtype)
    return numbers[numbers.isfinite()].sort().values


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_the_ends_of_short_dtypes_are_those_of_all_their_numbers(device, dtype):
    found = by_name([1.0, 2.0, 3.0], device)[str(dtype).removeprefix("torch.")]
    z = every(dtype).to(device)
    powers = z.exp()
    finite, positive = z[powers.isfinite()], z[powers > 0]
    assert found.last == finite.max().item() and found.first_infinite == z[powers.isinf()].min().item()
    assert found.lowest == positive.min().item() and found.first_zero == z[powers == 0].max().item()
    sums = powers.unsqueeze(-1).expand(-1, 3).sum(-1)
    assert found.last_sum == z[sums.isfinite()].max().item()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_ends_of_long_dtypes_are_those_of_numpy(dtype):
    found = by_name([1.0, 2.0])[np.dtype(dtype).name]
    with np.errstate(over="ignore", under="ignore"):
        assert np.isfinite(np.exp(dtype(found.last))) and np.isinf(np.exp(dtype(found.first_infinite)))
        assert np.exp(dtype(found.lowest)) > 0 and np.exp(dtype(found.first_zero)) == 0
    assert np.nextafter(dtype(found.last), dtype(np.inf)) == found.first_infinite
    assert np.nextafter(dtype(found.lowest), dtype(-np.inf)) == found.first_zero


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_known_thresholds(name):
    found = by_name([0.0])[name]
    assert found.log_largest == pytest.approx(PUBLISHED[name], abs=0.005)
    assert found.last <= found.log_largest + 1e-12 and found.first_infinite > found.last
    assert found.last_sum == found.last  # of one score


def test_a_sum_of_n_ends_ln_n_earlier():
    found = by_name([0.0] * 50)["float64"]
    assert found.last - found.last_sum == pytest.approx(math.log(50), abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        ([10, 11, 12], "an exponential is inf, and inf/inf is NaN"),
        ([11, 11], "the sum of the exponentials is inf"),
        ([-20, -30], "all exponentials are 0, and 0/0 is NaN"),
        ([70_000, 1], "a score is beyond the largest number"),
    ],
)
def test_what_fails_in_half_precision_is_named(scores, why):
    found = by_name(scores)["float16"]
    assert found.naive.why == why and found.naive.error is None
    assert (found.shifted.error is None) == (scores[0] == 70_000)


def test_the_shift_cures_what_overflows_in_every_dtype():
    for found in overflow([1000, 1001, 1002]):
        assert found.naive.error is None and None in found.naive.weights
        expected = special.softmax([0.0, 1.0, 2.0])
        error = 0 if found.dtype in ("float32", "float64") else 0.5  # 1,001 and 1,002 are rounded in half precision
        assert found.shifted.error <= error + 1e-6 and np.isfinite(expected).all()


@QUICK
@given(st.lists(st.floats(-20, 8), min_size=1, max_size=9))
def test_where_both_exist_both_are_the_softmax(scores):
    expected = special.softmax(np.array(scores))
    for found in overflow(scores):
        dtype = {"float16": np.float16, "float32": np.float32, "float64": np.float64}.get(found.dtype)
        if dtype is None or found.naive.error is None or (min(scores) < -5 and dtype is np.float16):
            continue  # numpy has no bfloat16, and powers below 0.006 lose digits in half precision
        atol = tolerance(dtype, terms=len(scores), scale=40, why="scores up to 20 are rounded, then raised and summed")
        np.testing.assert_allclose(found.naive.weights, expected, rtol=0, atol=atol)
        np.testing.assert_allclose(found.shifted.weights, expected, rtol=0, atol=atol)
        assert found.shifted.error == pytest.approx(np.abs(np.array(found.shifted.weights) - expected).max(), abs=1e-15)
