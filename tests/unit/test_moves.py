"""What scaling, turning and shifting do to two vectors: sweeps, invariances and level curves."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core as ac
from attention_core.similarity.invariance import joint_shift, transformed
from attention_core.similarity.sweeps import RANGES
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = settings(max_examples=60, deadline=None, derandomize=True)
LAWS = ("scale invariant", "rotation invariant", "shift invariant", "symmetric")
WORDS = [("king", "prince"), ("king", "carrots"), ("cat", "the"), ("paris", "rome")]


@pytest.fixture(params=WORDS, ids="-".join)
def words(request, glove):
    return ac.pair(*(glove.vector(word) for word in request.param))


def in_plane(g):
    return np.append(g.plane.coordinates(g.a), 0), np.append(g.plane.coordinates(g.b), 0)


# --- moves


def test_a_move_scales_then_turns_then_shifts():
    g = ac.pair([1, 0], [0, 2], move=ac.Move(factor=3, degrees=90, shift=5))
    atol = tolerance(np.float64, terms=2, scale=6, why="sine and cosine of 90 degrees")
    np.testing.assert_allclose(g.b, [-6 + 5, 0], rtol=0, atol=atol)
    assert g.start.tolist() == [0, 2]


@pytest.mark.parametrize("degrees", [-170.0, -30.0, 30.0, 90.0])
def test_a_turn_adds_to_the_angle_and_keeps_the_length(words, degrees):
    g = words.with_move(ac.Move(degrees=degrees))
    expected = abs((words.angle + degrees + 180) % 360 - 180)
    assert g.angle == pytest.approx(expected, rel=0, abs=tolerance(np.float64, terms=50, scale=180, why="degrees"))
    assert g.norm_b == pytest.approx(words.norm_b, rel=0, abs=tolerance(np.float64, terms=50, scale=10, why="a turn"))


def test_a_move_stays_in_the_plane(words):
    g = words.with_move(ac.Move(factor=2.5, degrees=77, shift=-0.5))
    back = g.plane.points(g.plane.coordinates(g.b))
    np.testing.assert_allclose(back, g.b, rtol=0, atol=tolerance(np.float64, terms=50, scale=20, why="a projection"))


def test_no_move_leaves_every_bit_alone(words):
    assert words.with_move(ac.Move()).b.tobytes() == words.start.tobytes()


# --- sweeps


def test_a_sweep_is_the_score_after_each_move(words):
    g = words.with_move(ac.Move(factor=1.5, degrees=20, shift=0.25))
    for parameter, sweep in ac.sweeps(g, steps=5).items():
        assert (sweep.values[0], sweep.values[-1]) == RANGES[parameter]
        assert sweep.present == getattr(g.move, parameter)
        for i, value in enumerate(sweep.values.tolist()):
            kept = {"factor": 1.5, "degrees": 20.0, "shift": 0.25, parameter: value}
            one = g.with_move(ac.Move(**kept))
            for name, score in one.scores.items():
                atol = tolerance(np.float64, terms=114, scale=400, why="products of lengths below 20")
                expected = math.nan if score is None else score
                np.testing.assert_allclose(sweep.scores[name][i], expected, rtol=0, atol=atol)


def test_the_curves_have_their_known_shapes():
    """a = (2, 0), b = (1, 0): scaled and shifted, dot is linear; turned, it is a cosine."""
    found = ac.sweeps(ac.pair([2, 0], [1, 0]), steps=9)
    atol = tolerance(np.float64, terms=2, scale=10, why="two products")
    for parameter, expected in {
        "factor": 2 * found["factor"].values,
        "degrees": 2 * np.cos(np.radians(found["degrees"].values)),
        "shift": 2 + 4 * found["shift"].values,
    }.items():
        np.testing.assert_allclose(found[parameter].scores["dot"], expected, rtol=0, atol=atol)
    np.testing.assert_array_equal(np.isnan(found["factor"].scores["cosine"]), found["factor"].values == 0)


def test_a_line_has_no_sweep_of_degrees():
    assert set(ac.sweeps(ac.pair([1], [2]))) == {"factor", "shift"}


# --- invariances


def test_the_verdicts_on_words_are_what_the_measures_declare(words):
    for law, row in ac.invariances(words).items():
        for name, one in row.items():
            declared = law in ac.MEASURES[name].properties
            assert one.declared is declared
            assert one.verdict == ("unchanged" if declared else "changed"), (law, name)
            assert one.change == one.after - one.before


def test_each_transformation_is_what_it_says(words):
    pairs = transformed(words)
    a, b = words.a, words.b
    np.testing.assert_array_equal(pairs["scale invariant"][1], 2 * b)
    assert pairs["symmetric"] == (b, a)
    for before, after in zip((a, b), pairs["shift invariant"], strict=True):
        np.testing.assert_array_equal(after, before + joint_shift(words))
    for before, after in zip((a, b), pairs["rotation invariant"], strict=True):
        turned = math.degrees(math.acos(before @ after / (before @ before)))
        assert turned == pytest.approx(30, rel=0, abs=tolerance(np.float64, terms=50, scale=90, why="an arc cosine"))
    mean = (words.norm_a + words.norm_b) / 2
    assert joint_shift(words) * math.sqrt(50) == pytest.approx(mean, rel=1e-15)


@st.composite
def geometries(draw):
    d = draw(st.sampled_from([1, 2, 3, 7]))
    numbers = st.integers(-800, 800).map(lambda hundredths: hundredths / 100)
    a, b = (draw(st.lists(numbers, min_size=d, max_size=d)) for _ in range(2))
    nearly = draw(st.sampled_from([None, 0.0, 1e-15, 1e-9]))
    if nearly is not None:
        b = [x * (1 + nearly) for x in a]
    factor = draw(st.sampled_from([1e-30, 1.0, 1e12]))
    return ac.pair([factor * x for x in a], [factor * x for x in b])


@QUICK
@given(geometries())
def test_what_a_measure_declares_is_never_judged_changed(g):
    for law, row in ac.invariances(g).items():
        for name, one in row.items():
            assert not (one.declared and one.verdict == "changed"), (law, name, one)
            assert (one.verdict == "undefined") == (one.before is None or one.after is None)


def test_what_stays_by_accident_is_told_from_what_is_promised():
    """A dot product of 0 stays 0 when b is scaled, though no dot product promises it."""
    one = ac.invariances(ac.pair([1, 0], [0, 3]))["scale invariant"]["dot"]
    assert (one.verdict, one.declared) == ("unchanged", False)


@pytest.mark.parametrize("change", [1e-3, 1e-6, 1e-9])
def test_a_small_change_is_not_taken_for_rounding(change):
    """Swapping changes an additive score by v·W·(a − b); here the vectors differ by little."""
    g = ac.pair([1, 2, 3], [1, 2, 3 + change])
    one = ac.invariances(g)["symmetric"]["additive"]
    assert one.verdict == "changed" and abs(one.change) > 100 * one.tolerance


def test_a_zero_vector_leaves_the_cosine_rows_undefined():
    found = ac.invariances(ac.pair([0, 0], [1, 2]))
    assert all(found[law]["cosine"].verdict == "undefined" for law in LAWS)
    assert found["symmetric"]["dot"].verdict == "unchanged"


def test_a_line_has_no_rotation_to_try():
    assert list(ac.invariances(ac.pair([1], [2]))) == ["scale invariant", "shift invariant", "symmetric"]


# --- levels


def test_the_surfaces_are_those_of_the_formulas_in_the_plane(words):
    found = ac.levels(words, steps=6)
    (ax, ay, _), _b = in_plane(words)
    x, y = np.meshgrid(found.axis, found.axis)
    dot = ax * x + ay * y
    expected = {
        "dot": dot,
        "cosine": dot / math.hypot(ax, ay) / np.hypot(x, y),
        "euclidean": np.hypot(x - ax, y - ay),
    }
    for name, surface in expected.items():
        atol = tolerance(np.float64, terms=50, scale=200, why="products of lengths below 14")
        np.testing.assert_allclose(found.scores[name], surface, rtol=0, atol=atol)


def test_the_additive_surface_is_its_formula_with_the_points_of_the_plane(words):
    found = ac.levels(words, steps=4)
    weights = ac.AdditiveWeights.random(50, 50, seed=0)
    w1, w2, v = (w.numpy().astype(np.float64) for w in (weights.w_query, weights.w_key, weights.v))
    for row, y in enumerate(found.axis):
        for column, x in enumerate(found.axis):
            point = x * words.plane.basis[0] + y * words.plane.basis[1]
            expected = v @ np.tanh(w1 @ words.a + w2 @ point)
            atol = tolerance(np.float64, terms=114, scale=np.abs(v).sum() * 20, why="sums of 50 and of 64")
            assert found.scores["additive"][row, column] == pytest.approx(expected, rel=0, abs=atol)


def test_the_grid_reaches_past_both_vectors(words):
    reach = ac.levels(words, steps=4).axis[-1]
    assert reach == pytest.approx(1.25 * max(words.norm_a, words.norm_b), rel=1e-15)


def test_a_zero_query_has_no_cosine_anywhere():
    found = ac.levels(ac.pair([0, 0, 0], [0, 0, 0]))
    assert found.scores["cosine"] is None and found.axis[-1] == 1
    assert all(np.isfinite(found.scores[name]).all() for name in ("dot", "euclidean", "additive"))


def test_blocks_give_what_one_block_gives(words, monkeypatch):
    whole = ac.levels(words, steps=8)
    monkeypatch.setattr("attention_core.similarity.levels.BLOCK", 150)
    for name, surface in ac.levels(words, steps=8).scores.items():
        atol = tolerance(np.float64, terms=114, scale=200, why="sums in another order")
        np.testing.assert_allclose(surface, whole.scores[name], rtol=0, atol=atol)


def test_a_line_has_no_levels():
    assert ac.levels(ac.pair([1], [2])) is None
