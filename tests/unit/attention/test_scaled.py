"""The plainest attention against float64 by hand, torch's kernel, and the laws it obeys."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.attention import Attention, masks, scaled
from tests.attending import DEVICES, array, by_hand, normal, qkv, rounding
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = settings(max_examples=40, deadline=None)
devices = pytest.mark.parametrize("device", DEVICES)
WIDTHS = [torch.float64, torch.float32, torch.bfloat16, torch.float16]


def some_mask(*shape, seed=9, device="cpu"):
    """Half of the keys allowed, and one query with none."""
    mask = torch.tensor(np.random.default_rng(seed).random(shape) < 0.5)
    mask[..., 1, :] = False
    return mask.to(device)


def close(found, wanted, atol):
    np.testing.assert_allclose(array(found), wanted, rtol=0, atol=atol)


@devices
@pytest.mark.parametrize("dtype", WIDTHS, ids=str)
@pytest.mark.parametrize("batch", [(), (2,), (2, 13), (2, 1, 3)], ids=str)
@pytest.mark.parametrize("masked", [False, True])
def test_it_is_the_formula_in_float64(device, dtype, batch, masked):
    q, k, v = qkv(*batch, device=device, dtype=dtype)
    mask = some_mask(*batch, 3, 5, device=device) if masked else None
    found, (output, weights) = scaled(q, k, v, mask), by_hand(q, k, v, True if mask is None else mask)
    # torch.finfo of bfloat16 has no twin in numpy: half precision's ε times the ratio of the two
    eps = torch.finfo(dtype).eps / torch.finfo(torch.float64).eps
    assert found.output.dtype == found.weights.dtype == dtype
    close(found.weights, weights, eps * rounding(np.float64, q, k))
    close(found.output, output, eps * rounding(np.float64, q, k, v))


@devices
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scale", [None, 1.0, 0.1, -0.5, 0.0])
def test_it_is_what_torch_computes(device, causal, scale):
    q, k, v = qkv(2, queries=5, device=device)
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)
    close(scaled(q, k, v, causal=causal, scale=scale).output, array(wanted), rounding(np.float64, q, k, v))


@devices
def test_leading_axes_broadcast(device):
    q, k, v = normal(2, 1, 3, 7, device=device), normal(13, 5, 7, device=device), normal(1, 5, 11, device=device)
    found, (output, _) = scaled(q, k, v), by_hand(q, k, v)
    assert found.output.shape == (2, 13, 3, 11)
    close(found.output, output, rounding(np.float64, q, k, v))


def test_a_row_is_the_weighted_sum_of_values():
    q, k, v = qkv()
    found = scaled(q, k, v)
    row = sum(float(found.weights[1, j]) * array(v)[j] for j in range(5))
    close(found.output[1], row, tolerance(np.float64, terms=5, scale=float(v.abs().max()), why="a sum over keys"))


@devices
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_scores_as_large_as_they_get_neither_overflow_nor_vanish(device, dtype):
    keys = torch.tensor([[1e4], [1e4 - 1], [-1e4]], dtype=dtype, device=device)
    found = scaled(torch.ones(1, 1, dtype=dtype, device=device), keys, torch.eye(3, dtype=dtype, device=device))
    close(found.weights, [[1 / (1 + np.exp(-1)), 1 / (1 + np.e), 0]], tolerance(np.float32, terms=3, why="a softmax"))


@devices
@pytest.mark.parametrize("broken", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("where", ["k", "v"])
def test_what_a_later_key_holds_reaches_no_earlier_row(device, broken, where):
    given = dict(zip("qkv", qkv(2, queries=5, device=device), strict=True))
    clean = scaled(**given, causal=True)
    given[where] = given[where].clone()
    given[where][:, 4] = broken
    found = scaled(**given, causal=True)
    assert torch.equal(found.output[:, :4], clean.output[:, :4]) and found.output[:, 4].isnan().all()


@devices
def test_a_masked_score_that_overflows_reaches_no_row(device):
    q = torch.tensor([[1e30, 1e30], [1.0, 1.0]], device=device)
    k = torch.tensor([[0.0, 0.0], [1e30, -1e30]], device=device)  # q·k is inf − inf in float32
    mask = torch.tensor([[True, False], [True, False]], device=device)
    found = scaled(q, k, q, mask)
    assert torch.equal(found.weights.cpu(), torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
    assert torch.equal(found.output, q[:1].expand(2, 2))


@devices
@pytest.mark.parametrize("broken", [float("nan"), float("inf"), 1e200])
def test_what_padding_holds_reaches_no_gradient(device, broken):
    clean, stuffed = ([tensor.clone() for tensor in qkv(2, device=device)] for _ in range(2))
    for tensor in stuffed[1:]:
        tensor[:, 4] = broken
    for tensors in (clean, stuffed):
        for tensor in tensors:
            tensor.requires_grad_()
        scaled(*tensors, masks.padding(torch.tensor([4, 0]), 5)).output.square().sum().backward()
    assert all(torch.equal(a.grad, b.grad) for a, b in zip(clean, stuffed, strict=True))


@devices
def test_a_row_without_a_key_has_no_gradient_either(device):
    q, k, v = (tensor.requires_grad_() for tensor in qkv(device=device))
    scaled(q, k, v, some_mask(3, 5, device=device)).output.sum().backward()
    assert not q.grad[1].any() and v.grad.any() and all(t.grad.isfinite().all() for t in (q, k, v))


def test_its_gradient_is_that_of_finite_differences():
    given = [tensor.requires_grad_() for tensor in qkv()]
    assert torch.autograd.gradcheck(lambda q, k, v: scaled(q, k, v, some_mask(3, 5)).output, given)


def test_no_keys_at_all_give_zeros():
    q, k, v = qkv(keys=0)
    found = scaled(q, k, v)
    assert found.weights.shape == (3, 0) and found.output.tolist() == np.zeros((3, 11)).tolist()


def test_one_token_attends_to_itself_alone():
    q, k, v = qkv(queries=1, keys=1)
    found = scaled(q, k, v, causal=True)
    assert found.weights.item() == 1 and torch.equal(found.output, v)


def test_the_given_tensors_stay_as_they_are():
    given, mask = qkv(), some_mask(3, 5)
    before = [tensor.clone() for tensor in (*given, mask)]
    scaled(*given, mask)
    assert all(torch.equal(a, b) for a, b in zip(before, (*given, mask), strict=True))


def test_entropy_is_zero_on_one_key_and_the_logarithm_of_their_number_at_most():
    weights = torch.tensor([[0.0, 1.0, 0.0, 0.0], [0.25] * 4, [0.0] * 4], dtype=torch.float64)
    atol = tolerance(np.float64, terms=4, why="four logarithms")
    np.testing.assert_allclose(Attention(weights, weights).entropy(), [0, np.log(4), 0], rtol=0, atol=atol)


# --- laws

scenes = st.integers(0, 2**32 - 1)


@QUICK
@given(scenes)
def test_rows_sum_to_one_or_to_zero_where_no_key_is_allowed(seed):
    q, k, v = qkv(queries=7, seed=seed)
    mask = some_mask(7, 5, seed=seed)
    weights = scaled(3 * q, k, v, mask).weights
    assert not weights[~mask].any() and (weights >= 0).all()
    wanted = mask.any(-1).double()
    close(weights.sum(-1), array(wanted), tolerance(np.float64, terms=5, why="a softmax of five"))


@QUICK
@given(scenes)
def test_permuting_keys_permutes_columns_and_permuting_queries_rows(seed):
    q, k, v = qkv(seed=seed)
    mask = some_mask(3, 5, seed=seed)
    rng = np.random.default_rng(seed)
    columns, rows = (torch.tensor(rng.permutation(n)) for n in (5, 3))
    found = scaled(q[rows], k[columns], v[columns], mask[rows][:, columns])
    plain = scaled(q, k, v, mask)
    close(found.weights, array(plain.weights[rows][:, columns]), rounding(np.float64, q, k))
    close(found.output, array(plain.output[rows]), rounding(np.float64, q, k, v))


@QUICK
@given(scenes, st.integers(1, 10))
def test_a_causal_prefix_is_unchanged_by_later_words(seed, length):
    q, k, v = qkv(queries=11, keys=11, seed=seed)
    whole, part = scaled(q, k, v, causal=True), scaled(q[:length], k[:length], v[:length], causal=True)
    close(whole.output[:length], array(part.output), rounding(np.float64, q, k, v))
    later = scaled(q, *(torch.cat([t[:length], -9 * t[length:]]) for t in (k, v)), causal=True)
    assert torch.equal(later.output[:length], whole.output[:length])


@QUICK
@given(scenes, st.floats(-30, 30))
def test_a_common_shift_of_the_scores_changes_nothing(seed, shift):
    q, k, v = qkv(seed=seed)
    shifted = torch.cat([q, torch.full((3, 1), shift, dtype=q.dtype)], 1), torch.cat([k, torch.ones(5, 1).to(k)], 1)
    found = scaled(*shifted, v, scale=1.0)
    atol = rounding(np.float64, *shifted, v)
    close(found.output, array(scaled(q, k, v, scale=1.0).output), atol)


@pytest.mark.parametrize(
    "mask", [masks.causal(5, 5), masks.sliding_window(5, 5, 2), masks.prefix(5, 5, 3), masks.block(5, 5, 2)]
)
def test_masked_entries_are_exactly_zero(mask):
    q, k, v = qkv(2, queries=5)
    assert not scaled(q, k, v, mask).weights[:, ~mask].any()
