"""A row of scores tile by tile: the state after each tile by numpy, and the end equal to the full softmax."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import attention_core as ac
from attention_core.experiments.tile_by_tile import tile_by_tile
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = settings(max_examples=60, deadline=None)
SCORES = [2.0, 5.0, 1.0, 8.0, 3.0, 12.0, 4.0]


@pytest.mark.parametrize("tile", [1, 2, 3, 7])
def test_each_step_is_that_of_the_scores_so_far(tile):
    found = tile_by_tile(SCORES, tile)
    before = None
    for number, step in enumerate(found.steps):
        seen = np.array(SCORES[: step.stop])
        atol = tolerance(np.float32, terms=7, scale=2, why="powers up to 1 in float32, rescaled and summed")
        assert (step.start, step.max) == (number * tile, seen.max())
        assert step.sum == pytest.approx(np.exp(seen - seen.max()).sum(), abs=float(atol))
        assert step.rescale == pytest.approx(0 if before is None else np.exp(before - seen.max()), abs=float(atol))
        np.testing.assert_allclose(step.weights[: step.stop], special.softmax(seen), rtol=0, atol=atol)
        assert not any(step.weights[step.stop :])
        before = seen.max()
    assert found.steps[-1].stop == 7 and len(found.steps) == -(-7 // tile)


@QUICK
@given(st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=64), st.data())
def test_the_end_is_the_full_softmax_whatever_the_tile(scores, data):
    tile = data.draw(st.integers(1, len(scores)))
    found = tile_by_tile(scores, tile)
    atol = tolerance(np.float32, terms=len(scores), why="powers up to 1 in float32, summed in another order")
    assert found.difference <= atol and found.error <= atol
    np.testing.assert_allclose(found.exact, special.softmax(np.array(scores)), rtol=0, atol=1e-12)
    assert sum(found.steps[-1].weights) == pytest.approx(1, abs=float(atol))


@pytest.mark.parametrize("tile", [0, 4, -1])
def test_a_tile_that_does_not_fit_is_refused(tile):
    with pytest.raises(ac.ScoringError, match=f"Tiles of {tile} were asked for, of 3 scores. Choose from 1 to 3."):
        tile_by_tile([1, 2, 3], tile)


def test_scores_far_apart_leave_weights_of_exactly_0():
    found = tile_by_tile([-1e6, 0.0, 1e6], 1)
    assert found.steps[-1].weights == (0, 0, 1) and found.difference == 0
