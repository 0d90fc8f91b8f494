"""What is read off the stages: terms of a number, spread, largest weights, sums, swaps, blocks, written settings."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

import attention_core as ac
from attention_core.attention import Settings, stages
from attention_core.attention.stages import (
    PAIRS,
    POSITIONS,
    PROJECTIONS,
    SCALES,
    made,
    matrix,
    pooled,
    read,
    spread,
    stage_names,
    strongest,
    swap,
    weighted,
    written,
)
from tests.attending import array, normal
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
N, D = 7, 12
X = normal(N, D, seed=3)
ATOL = tolerance(np.float64, terms=6 * D, scale=100, why="sums of products in two orders")
WORDS = ["the", "cat", "eats", "the", "fish", "at", "home"]


# --- terms


@pytest.mark.parametrize("score", list(ac.MEASURES))
@pytest.mark.parametrize("stage", PAIRS)
def test_the_terms_of_a_pair_sum_to_its_score(score, stage):
    found = stages(X, Settings(score, heads=2, projection="random"))
    head = found.head(1)
    for i, j in itertools.product(range(0, N, 3), range(N)):
        one = made(found, 1, stage, i, j)
        assert one.terms.running[-1] == pytest.approx(float(head.scores[i, j]), abs=ATOL)
        assert one.way == pytest.approx([float(m[i, j]) for m in (head.scores, head.scaled, head.weights)], abs=ATOL)
        assert one.value == pytest.approx(float(matrix(found, head, stage)[i, j]), abs=ATOL)
        assert list(abs(one.terms.products)) == sorted(abs(one.terms.products), reverse=True)


@pytest.mark.parametrize("chosen", [Settings(heads=3, projection="random"), Settings(heads=4, kv_heads=2, queries=3)])
def test_the_terms_of_all_other_numbers_sum_to_them(chosen):
    found = stages(X, chosen)
    for stage in (name for name in stage_names(chosen) if name not in (*PAIRS, "X")):
        values = matrix(found, found.head(2), stage)
        for i, j in itertools.product((0, len(values) - 1), (0, values.shape[1] - 1)):
            one = made(found, 2, stage, i, j)
            assert one.value == pytest.approx(float(values[i, j]), abs=ATOL)
            assert one.terms.running[-1] == pytest.approx(float(values[i, j]), abs=ATOL), stage


def test_a_number_that_was_given_or_turned_has_no_terms():
    found = stages(X, Settings(positions="rope"))
    assert made(found, 0, "X", 1, 2).terms is None and made(found, 0, "X", 1, 2).value == float(X[1, 2])
    assert made(found, 0, "Q", 1, 2).terms is None and made(found, 0, "V", 1, 2).terms is not None


def test_a_masked_pair_keeps_its_score_and_has_no_weight():
    one = made(stages(X, Settings(mask="causal")), 0, "softmax", 0, 3)
    assert one.masked and one.value == 0 and one.way[0] is not None
    assert made(stages(X, Settings(mask="causal")), 0, "masked", 0, 3).value is None


def test_a_cosine_with_a_zero_vector_is_undefined():
    x = X.clone()
    x[2] = 0
    one = made(stages(x, Settings("cosine")), 0, "softmax", 2, 0)
    assert one.way == (None, None, None) and one.terms is None and one.value is None


@pytest.mark.parametrize(("stage", "row", "column"), [("softmax", N, 0), ("scores", 0, N), ("X", 0, D), ("Q", -1, 0)])
def test_a_cell_that_is_not_there_is_refused(stage, row, column):
    with pytest.raises(ac.AttentionError, match="was asked for"):
        made(stages(X, Settings()), 0, stage, row, column)


# --- spread, largest weights, sums


def test_entropy_is_that_of_its_definition_and_at_most_ln_of_what_is_allowed():
    found = stages(X, Settings(mask="window:3"))
    head = found.head(0)
    weights, one = array(head.weights), spread(found, head)
    logs = np.log(weights, where=weights > 0, out=np.zeros_like(weights))
    np.testing.assert_allclose(array(one.entropy), -(weights * logs).sum(1), atol=1e-14)
    np.testing.assert_allclose(array(one.most), np.log([1, 2, 3, 3, 3, 3, 3]))
    np.testing.assert_allclose(array(one.own), weights.diagonal())
    assert bool((one.entropy <= one.most + 1e-12).all())


def test_what_a_token_keeps_is_its_own_weight_when_the_last_ones_ask():
    found = stages(X, Settings(queries=2))
    own = spread(found, found.head(0)).own
    assert own.tolist() == [found.head(0).weights[0, N - 2].item(), found.head(0).weights[1, N - 1].item()]


def test_a_token_that_may_attend_to_none_has_no_most():
    found = stages(X, Settings(mask="padding:3"))
    assert bool(spread(found, found.head(0)).most.isfinite().all())
    nobody = stages(X, Settings(mask="causal", queries=2, align="top-left"))
    assert spread(nobody, nobody.head(0)).most.tolist() == pytest.approx([0, math.log(2)])


def test_the_largest_weights_come_first():
    found = stages(X, Settings(mask="causal"))
    weights = array(found.head(0).weights)
    links = strongest(found, found.head(0), 9)
    assert [link.weight for link in links] == sorted(weights[np.tril_indices(N)], reverse=True)[:9]
    assert all(weights[link.query, link.key] == link.weight and link.key <= link.query for link in links)


def test_a_word_on_itself_wherever_it_stands_can_be_left_out():
    found = stages(X, Settings(scale=0.0, queries=5))
    pairs = {(link.query, link.key) for link in strongest(found, found.head(0), 100, WORDS)}
    assert pairs == {(i, j) for i in range(2, N) for j in range(N) if WORDS[i] != WORDS[j]}


@pytest.mark.parametrize("most", [3, 50])
def test_a_row_of_the_output_is_the_sum_of_its_terms(most):
    head = stages(X, Settings(projection="random")).head(0)
    found = weighted(head, 4, most)
    assert found.others == max(0, N - most) and found.keys.tolist() == sorted(found.keys.tolist())
    torch.testing.assert_close(found.terms.sum(0) + found.rest, head.output[4], atol=float(ATOL), rtol=0)
    torch.testing.assert_close(found.output, head.output[4], atol=float(ATOL), rtol=0)
    assert float(found.weights.sum()) + found.rest_weight == pytest.approx(1, abs=1e-12)
    assert float(found.weights.min()) >= float(head.weights[4].sort(descending=True).values[min(most, N) - 1])


# --- word order


def test_without_positions_and_mask_order_is_invisible():
    e = ac.sample("wiki-zh")
    x = torch.tensor(ac.attention.sentence("猫 吃 鱼", e).matrix, dtype=torch.float64)
    found = swap(x, Settings(), 0, 2)
    assert not found.visible and found.largest < 1e-13
    other = torch.tensor(ac.attention.sentence("鱼 吃 猫", e).matrix, dtype=torch.float64)
    torch.testing.assert_close(stages(other, Settings()).output[[2, 1, 0]], found.before, atol=1e-13, rtol=0)


@pytest.mark.parametrize(
    "chosen",
    [Settings(positions="sinusoidal"), Settings(positions="rope"), Settings(mask="causal"), Settings(mask="window:2")],
    ids=["sinusoidal", "rope", "causal", "window"],
)
def test_positions_and_masks_show_the_order(chosen):
    found = swap(X, chosen, 0, N - 1)
    assert found.visible and found.largest == pytest.approx(float(found.differences.max()))


@pytest.mark.parametrize("projection", ["identity", "random", "orthogonal"])
@pytest.mark.parametrize("score", list(ac.MEASURES))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_rounding_is_never_taken_for_order(projection, score, dtype):
    chosen = Settings(score, projection=projection, heads=3, temperature=0.3)
    for seed in range(3):
        x = normal(11, D, seed=seed, dtype=dtype) * 10.0**seed
        assert not swap(x, chosen, 0, 9, chosen.projections(D)).visible


def test_keys_that_swap_places_swap_their_columns():
    order = torch.tensor([2, 1, 0, 3, 4, 5, 6])
    first, second = stages(X, Settings()).head(0).weights, stages(X[order], Settings()).head(0).weights
    torch.testing.assert_close(second, first[order][:, order], atol=1e-14, rtol=0)


def test_a_token_that_is_not_there_cannot_be_swapped():
    with pytest.raises(ac.AttentionError, match=f"Choose 1 to {N}"):
        swap(X, Settings(), 0, N)


# --- blocks


@pytest.mark.parametrize(("how", "of"), [("max", np.max), ("mean", np.mean)])
@pytest.mark.parametrize("most", [3, 4, 6])
def test_each_value_is_that_of_its_block(how, of, most):
    values = array(normal(11, 7))
    found = pooled(torch.tensor(values), most, how)
    down, across = found.block
    assert found.shape == (11, 7) and max(found.values.shape) <= most
    for i, j in itertools.product(*map(range, found.values.shape)):
        expected = of(values[i * down : (i + 1) * down, j * across : (j + 1) * across])
        assert float(found.values[i, j]) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("how", ["max", "mean"])
def test_masked_and_undefined_numbers_count_only_where_there_is_nothing_else(how):
    inf, nan = -math.inf, math.nan
    values = torch.tensor([[inf, 2.0, inf, inf, nan, nan, nan, inf]])
    assert str(pooled(values, 4, how).values.tolist()) == str([[2.0, inf, nan, inf]])


def test_a_small_matrix_is_left_alone_and_another_pooling_is_refused():
    found = pooled(X, 500)
    assert found.is_whole and found.values is X
    with pytest.raises(ac.AttentionError, match="no pooling “median”"):
        pooled(X, 500, "median")


# --- written settings


@given(
    some.builds(
        Settings,
        some.sampled_from(list(ac.MEASURES)),
        some.sampled_from(SCALES) | some.floats(-9, 9),
        some.floats(0.1, 10),
        some.sampled_from(["none", "causal", "window:3", "causal+prefix:0+padding:12"]),
        some.sampled_from(["bottom-right", "top-left"]),
        some.none() | some.integers(1, 99),
        some.sampled_from(PROJECTIONS),
        some.integers(0, 99),
        some.sampled_from([2, 4]),
        some.sampled_from([None, 1, 2]),
        some.sampled_from(POSITIONS),
        some.integers(0, 99),
    )
)
def test_written_settings_are_read_back(chosen):
    assert read(written(chosen)) == chosen


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mask", "“mask” is not a setting"),
        ("colour=red", "“colour=red” is not a setting"),
        ("mask=", "not a setting"),
        ("heads=two", "number is expected for heads, found “two”"),
        ("temperature=warm", "number is expected for temperature"),
        ("scale=2/d", "number is expected for scale"),
        ("temperature=-1", "temperature is a number above 0"),
        ("mask=future", "no mask"),
    ],
)
def test_text_that_is_no_settings_is_refused(text, message):
    with pytest.raises(ac.AttentionError, match=message):
        read(text)
