"""Softmaxes that are shifted and sharpened, and the gradients that they let through."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

import attention_core as ac
from attention_core.experiments.gradients import gradients
from attention_core.experiments.saturation import FACTORS, changes, jacobian_norm, saturation
from tests.attending import DEVICES
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = settings(max_examples=60, deadline=None)
CASE = Path(__file__).parents[2] / "cases" / "attention" / "29_softmax_shift_and_saturation"
GIVEN, EXPECTED = (json.loads((CASE / name).read_text()) for name in ("inputs.json", "expected.json"))
rows = st.lists(st.floats(-50, 50), min_size=1, max_size=9)


@pytest.mark.parametrize("name", ["z1", "z2", "z3", "z4"])
def test_29_the_weights_of_the_case(name):
    found = saturation(GIVEN[name], [1.0])
    np.testing.assert_allclose(found.weights[0], EXPECTED[f"softmax_{name}"], rtol=0, atol=EXPECTED["tolerance_abs"])


@pytest.mark.parametrize("name", ["z1", "z3"])
def test_29_the_norm_of_the_jacobian(name):
    assert saturation(GIVEN[name], [1.0]).jacobian[0] == pytest.approx(
        EXPECTED[f"jacobian_frobenius_{name}"], abs=1e-15
    )


def test_a_factor_of_ten_is_the_row_ten_times_as_large():
    one, ten = saturation([1, 2, 3], [1.0, 10.0]), saturation([10, 20, 30], [1.0])
    for name in ("weights", "entropy", "jacobian"):
        np.testing.assert_array_equal(getattr(one, name)[1], getattr(ten, name)[0])


@QUICK
@given(rows, st.floats(-1000, 1000))
def test_a_shift_changes_nothing_but_rounding(scores, shift):
    rounding = tolerance(np.float64, terms=1, scale=1100, why="scores are rounded once the shift is added")
    assert changes(scores, shift, 1.0).moved <= rounding


@QUICK
@given(rows, st.floats(0, 20))
def test_weights_entropy_and_jacobian_are_those_of_scipy_and_autograd(scores, factor):
    found = saturation(scores, [factor])
    p = special.softmax(factor * np.array(scores))
    atol = tolerance(np.float64, terms=len(scores), scale=1000, why="exponents up to 1,000 are rounded")
    np.testing.assert_allclose(found.weights[0], p, rtol=0, atol=atol)
    assert found.entropy[0] == pytest.approx(stats.entropy(p), abs=float(atol))
    z = torch.tensor(scores, dtype=torch.float64) * factor
    jacobian = torch.autograd.functional.jacobian(lambda x: torch.softmax(x, 0), z)
    assert found.jacobian[0] == pytest.approx(float(jacobian.norm()), abs=float(atol))


@QUICK
@given(rows)
def test_a_factor_only_sharpens(scores):
    found = saturation(scores)
    slack = tolerance(np.float64, terms=len(scores), scale=5000, why="exponents up to 5,000 are rounded")
    assert (np.diff(found.largest) >= -slack).all() and (np.diff(found.entropy) <= slack).all()


def test_a_jacobian_keeps_its_digits_where_one_weight_is_nearly_1():
    tiny = np.exp(-200.0)
    p = torch.tensor([1.0, tiny], dtype=torch.float64)  # all four entries are ± p(1 − p) = tiny
    assert jacobian_norm(p) == pytest.approx(2 * tiny, rel=1e-14)
    assert np.linalg.norm(np.diag(p) - np.outer(p, p)) < tiny * 2  # the formula as it stands loses the first entry


def test_a_single_score_has_all_the_weight():
    found = saturation([5.0])
    assert (found.weights == 1).all() and not found.entropy.any() and not found.jacobian.any()
    assert len(found.factors) == len(FACTORS) == 161


@pytest.mark.parametrize(
    ("scores", "answer"),
    [
        ([], "1 to 64 scores is expected, and 0 were given"),
        (range(65), "and 65 were given"),
        ([1, float("nan")], "Score 2 is nan"),
        ([float("-inf")], "Score 1 is -inf"),
        ([0, 0, 1e7], "Score 3 is 1e\\+07, and scores from −1,000,000 to 1,000,000"),
    ],
)
@pytest.mark.parametrize("take", [saturation, ac.experiments.overflow, lambda z: ac.experiments.tile_by_tile(z, 1)])
def test_scores_that_are_none_are_refused(take, scores, answer):
    with pytest.raises(ac.ScoringError, match=answer):
        take(list(scores))


@pytest.mark.parametrize(("factor", "shift"), [(float("nan"), 0), (1, float("inf"))])
def test_a_factor_or_shift_that_is_not_finite_is_refused(factor, shift):
    with pytest.raises(ac.ScoringError, match="not finite"):
        saturation([1], [factor], shift)


# --- gradients through attention


def by_hand(d, scale, tokens, seed):
    """The norms of ∂L/∂qᵢ = scale·Kᵀ(diag(p) − ppᵀ)V gᵢ, with numpy."""
    generator = torch.Generator().manual_seed(seed)
    q, k, v, up = torch.randn(4, tokens, d, generator=generator, dtype=torch.float64).numpy()
    p = special.softmax(scale * q @ k.T, axis=1)
    rows = [scale * k.T @ (np.diag(p[i]) - np.outer(p[i], p[i])) @ v @ up[i] for i in range(tokens)]
    return np.linalg.norm(rows, axis=1) / np.linalg.norm(up, axis=1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", ["scaled", "unscaled"])
def test_gradients_are_those_worked_out_by_hand(device, kind):
    found = gradients([5], seeds=3, tokens=7, compute=ac.Compute(device))
    [one] = getattr(found, kind)
    norms = [by_hand(5, 5**-0.5 if kind == "scaled" else 1.0, 7, seed) for seed in range(3)]
    for spread, logs in (
        (one.typical, np.log([np.median(x) for x in norms])),
        (one.mean, np.log([np.mean(x) for x in norms])),
        (one.few, np.log([np.max(x) / np.sum(x) for x in norms])),
    ):
        low, high = stats.t.interval(0.95, 2, logs.mean(), stats.sem(logs))
        np.testing.assert_allclose(spread, np.exp([logs.mean(), low, high]), rtol=1e-10)


def test_with_the_scale_gradients_stay_and_without_it_the_typical_one_vanishes():
    found = gradients(seeds=5)
    kept = [one.typical.value for one in found.scaled[1:]]
    lost = [one.typical.value for one in found.unscaled]
    assert max(kept) < 1.5 * min(kept)
    assert lost[-1] < 1e-4 * kept[-1] and lost[-3] > lost[-2] > lost[-1]
    assert found.unscaled[-1].mean.value > found.scaled[-1].mean.value
    assert found.unscaled[-1].few.value > 0.9 > 0.3 > found.scaled[-1].few.value
    assert found.unscaled[-1].largest.value > 0.95 > 0.3 > found.scaled[-1].largest.value


def test_progress_counts_runs_and_can_stop():
    seen = []
    gradients([1, 2], seeds=2, tokens=3, progress=lambda *at: seen.append(at))
    assert seen == [(i, 8) for i in range(1, 9)]


@pytest.mark.parametrize("asked", [{"sizes": []}, {"sizes": [0]}, {"sizes": [5000]}, {"seeds": 1}, {"tokens": 1}])
def test_runs_that_are_not_possible_are_refused(asked):
    with pytest.raises(ac.ScoringError, match="Choose sizes from 1 to 4,096, 2 to 100 seeds and 2 to 512 tokens"):
        gradients(**asked)
