"""The cases of attention: each stands for a kind of mistake, whose result must not come out."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import attention_core as ac
from attention_core.attention import AttentionOptions, attend, masks, scaled
from tests.attending import DEVICES, array
from tests.tolerance import tolerance

CASES = Path(__file__).parents[2] / "cases" / "attention"
pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.parametrize("device", DEVICES)]
WITHOUT_WEIGHTS = AttentionOptions(need_weights=False)


class Case:
    def __init__(self, name, device):
        self.expected = json.loads((CASES / name / "expected.json").read_text())
        with np.load(CASES / name / "inputs.npz") as stored:
            self.inputs = {key: torch.tensor(stored[key], device=device) for key in stored}

    def __getitem__(self, name):
        return self.inputs[name]

    def close(self, found, name):
        wanted = np.array(self.expected[name], dtype=float)
        np.testing.assert_allclose(array(found), wanted, rtol=0, atol=self.expected["tolerance_abs"])

    def far(self, found, name):
        assert np.abs(array(found) - np.array(self.expected[name], dtype=float)).max() > 1e-3


def test_01_a_row_whose_keys_are_all_masked_is_zero_and_leaves_the_others_alone(device):
    case = Case("01_fully_masked_row", device)
    found = scaled(case["q"], case["k"], case["v"], case["allow"])
    case.close(found.output, "output")
    case.close(found.weights, "weights")
    assert not found.output[1].any() and not found.weights[1].any()
    for options in (AttentionOptions(), WITHOUT_WEIGHTS):
        other = attend(case["q"], case["k"], case["v"], case["allow"], options).output
        case.close(other, "output")
        assert not other[1].any()


def test_02_true_means_may_attend(device):
    case = Case("02_bool_mask_polarity", device)
    masks_given = (case["mask_true_means_attend"], ~case["mask_true_means_ignore"])
    for mask in masks_given:
        for found in (scaled(case["q"], case["k"], case["v"], mask), attend(case["q"], case["k"], case["v"], mask)):
            case.close(found.output, "output")
            case.close(found.weights, "weights")
        case.close(attend(case["q"], case["k"], case["v"], mask, WITHOUT_WEIGHTS).output, "output")
        case.close(scaled(case["q"], case["k"], case["v"], ~mask).output, "inverted_output")


@pytest.mark.parametrize("align", ["bottom-right", "top-left"])
@pytest.mark.parametrize(("given", "prefix"), [(("q", "k", "v"), ""), (("q_long", "k_short", "v_short"), "q_long_")])
def test_04_the_causal_rule_aligns_at_the_last_or_the_first(device, align, given, prefix):
    case = Case("04_causal_alignment", device)
    q, k, v = (case[name] for name in given)
    name = prefix + align.replace("-", "_")
    mask = masks.causal(len(q), len(k), align)
    if name + "_mask" in case.expected:
        assert mask.int().tolist() == case.expected[name + "_mask"]
    case.close(scaled(q, k, v, mask).output, name + "_output")
    for need_weights in (True, False):
        options = AttentionOptions(causal=True, align=align, need_weights=need_weights)
        case.close(attend(q, k, v, options=options).output, name + "_output")


def test_04_the_plain_form_aligns_at_the_last(device):
    case = Case("04_causal_alignment", device)
    case.close(scaled(case["q"], case["k"], case["v"], causal=True).output, "bottom_right_output")


def test_16_a_raw_score_beyond_half_precision_does_not_overflow(device):
    case = Case("16_fp16_overflow", device)
    q, k, v = (case[name].half() for name in "qkv")
    assert (q @ k.mT).isinf().all(), "the raw scores overflow"
    atol = tolerance(np.float16, terms=3, why="weights of 0 and 1 in half precision")
    for found in (scaled(q, k, v), attend(q, k, v), attend(q, k, v, options=WITHOUT_WEIGHTS)):
        np.testing.assert_allclose(array(found.output), case.expected["output"], rtol=0, atol=atol)


def test_16_a_factor_above_one_is_applied_after_the_product(device):
    q = torch.full((1, 1), 600.0, dtype=torch.float16, device=device)
    k = torch.tensor([[100.0], [99.0]], dtype=torch.float16, device=device)
    found = attend(q, k, k, options=AttentionOptions(scale=1.0, temperature=0.005)).weights
    assert found.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("stuffing", ["garbage", "nan"])
def test_19_what_padded_keys_hold_does_not_matter(device, stuffing):
    case = Case("19_key_padding", device)
    mask = masks.padding((~case["pad_true"]).sum(-1), 4)
    assert torch.equal(mask[:, 0], ~case["pad_true"])
    clean = scaled(case["q"], case["k"], case["v"], mask)
    case.close(clean.output, "output")
    case.close(clean.weights, "weights")
    k, v = case[f"k_{stuffing}"], case[f"v_{stuffing}"]
    assert torch.equal(scaled(case["q"], k, v, mask).output, clean.output)
    for options in (AttentionOptions(), WITHOUT_WEIGHTS):
        case.close(attend(case["q"], k, v, mask, options).output, "output")


def test_19_an_item_that_is_padding_alone_gives_zeros(device):
    case = Case("19_key_padding", device)
    mask = masks.padding(torch.tensor([0, 2]), 4)
    for options in (AttentionOptions(), WITHOUT_WEIGHTS):
        found = attend(case["q"], case["k_nan"], case["v_nan"], mask, options).output
        assert not found[0].any() and found[1].any() and found.isfinite().all()


def test_26_squared_distances_weigh_as_dot_products_less_half_the_squared_norms(device):
    case = Case("26_euclidean_gram_form", device)
    v = torch.eye(2, dtype=torch.float64, device=device)
    found = attend(case["x"], case["y"], v, options=AttentionOptions("euclidean")).weights
    case.close(found, "softmax_neg_half_sq")
    case.close(found, "softmax_dot_minus_half_k2")
    case.close(ac.score(case["x"], case["y"], "euclidean"), "distances")


def test_26_long_and_near_vectors_keep_their_distance_in_float32(device):
    case = Case("26_euclidean_gram_form", device)
    a, b = (torch.full((1, int(case["dim"])), float(case[name]), device=device) for name in ("a_value", "b_value"))
    found = attend(a, torch.cat([a, b]), torch.eye(2, device=device), options=AttentionOptions("euclidean")).weights
    apart = case.expected["exact_long_vectors_distance"] ** 2 / 2
    step = float(b[0, 0].double() - a[0, 0].double())
    assert found[0, 1] / found[0, 0] == pytest.approx(np.exp(-(step**2) * len(a[0]) / 2), abs=1e-6)
    assert apart == pytest.approx(step**2 * len(a[0]) / 2, rel=0.05)


def test_28_additive_weights_of_queries_and_keys_of_two_sizes(device):
    case = Case("28_additive_bahdanau", device)
    weights = ac.AdditiveWeights(*(case[name].cpu() for name in ("W1", "W2", "v")))
    options = AttentionOptions("additive", weights=weights)
    values = torch.eye(3, dtype=torch.float64, device=device)
    case.close(options.logits(case["q"], case["k"]), "scores")
    case.close(attend(case["q"], case["k"], values, options=options).weights, "weights")
    masked = attend(case["q"], case["k"], values, case["allow"], options).weights
    case.close(masked, "weights_masked")
    assert masked[0, 2] == 0


def test_29_a_shift_changes_nothing_and_a_factor_sharpens(device):
    given = json.loads((CASES / "29_softmax_shift_and_saturation" / "inputs.json").read_text())
    expected = json.loads((CASES / "29_softmax_shift_and_saturation" / "expected.json").read_text())
    one, values = (
        torch.ones(1, 1, dtype=torch.float64, device=device),
        torch.eye(3, dtype=torch.float64, device=device),
    )
    for name in ("z1", "z2", "z3", "z4"):
        keys = torch.tensor(given[name], dtype=torch.float64, device=device).unsqueeze(1)
        found = scaled(one, keys, values).weights
        wanted = expected[f"softmax_{name}"]
        np.testing.assert_allclose(array(found)[0], wanted, rtol=0, atol=expected["tolerance_abs"])
        if f"jacobian_frobenius_{name}" in expected:
            jacobian = torch.autograd.functional.jacobian(lambda z: scaled(one, z, values).weights[0], keys)
            size = float(torch.linalg.matrix_norm(jacobian[..., 0]))
            assert size == pytest.approx(expected[f"jacobian_frobenius_{name}"], rel=1e-11)
