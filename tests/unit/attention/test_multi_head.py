"""Multi-head attention against torch's module, the plain form head by head, and the cases of splitting and sharing."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_core.attention import (
    AttentionOptions,
    attend,
    masks,
    merge_heads,
    multi_head,
    rotary,
    scaled,
    split_heads,
)
from attention_core.attention.projections import Projections
from tests.attending import DEVICES, array, by_hand, normal
from tests.tolerance import tolerance

CASES = Path(__file__).parents[2] / "cases" / "attention"
pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.parametrize("device", DEVICES)]
ATOL = float(tolerance(np.float64, terms=40, scale=40, why="three products of some tens of terms and a softmax"))


def close(found, wanted, atol=ATOL):
    np.testing.assert_allclose(array(found), array(wanted) if torch.is_tensor(wanted) else wanted, rtol=0, atol=atol)


def case(name, device):
    with np.load(CASES / name / "inputs.npz") as stored:
        inputs = {key: torch.tensor(stored[key], device=device) for key in stored}
    return inputs, json.loads((CASES / name / "expected.json").read_text())


def test_05_each_key_head_serves_a_contiguous_block_of_query_heads(device):
    inputs, expected = case("05_gqa_repeat_order", device)
    joined = {name: merge_heads(heads) for name, heads in inputs.items()}  # (token, heads·d)
    x = torch.cat(list(joined.values()), dim=-1)
    pick = torch.eye(x.shape[-1], dtype=torch.float64)
    p = Projections(*pick.split([joined[name].shape[-1] for name in "qkv"]))
    found = multi_head(x, p, heads=4, kv_heads=2)
    close(found.head_outputs, expected["output"], expected["tolerance_abs"])
    assert np.abs(array(found.head_outputs) - expected["tiled_wrong_output"]).max() > 0.1


def test_06_heads_are_split_from_the_last_axis(device):
    inputs, expected = case("06_split_heads", device)
    assert split_heads(inputs["x"], 3).tolist() == expected["right"]
    found = multi_head(inputs["x2"], Projections.identity(6), heads=3)
    close(found.head_outputs, np.array(expected["self_attention_right"]).reshape(1, 3, 4, 2), 1e-12)


def test_07_heads_are_merged_token_by_token(device):
    inputs, expected = case("07_merge_heads", device)
    assert merge_heads(inputs["y"]).tolist() == expected["right"]


def test_10_the_scale_is_that_of_one_head(device):
    inputs, expected = case("10_scale_per_head", device)
    found = multi_head(inputs["x"], Projections.identity(8), heads=2)
    close(found.head_outputs, expected["output"], expected["tolerance_abs"])


def test_splitting_and_merging_undo_each_other(device):
    x = normal(2, 3, 5, 12, device=device)
    assert split_heads(x, 4).shape == (2, 3, 4, 5, 3)
    assert torch.equal(merge_heads(split_heads(x, 4)), x)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("masked", [None, "causal", "padding"])
def test_it_is_torch_s_multihead_attention(device, bias, masked):
    torch.manual_seed(1)
    module = torch.nn.MultiheadAttention(12, 3, bias=bias, batch_first=True, dtype=torch.float64, device=device)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter)
    x, p = normal(2, 5, 12, device=device), Projections.from_tensors(module.state_dict())
    mask = {"causal": masks.causal(5, 5), "padding": masks.padding(torch.tensor([5, 3]), 5), None: None}[masked]
    ignored = {} if mask is None else {"attn_mask": ~mask} if masked == "causal" else {"key_padding_mask": ~mask[:, 0]}
    ignored = {name: given.to(device) for name, given in ignored.items()}
    output, weights = module(x, x, x, average_attn_weights=False, **ignored)
    found = multi_head(x, p, heads=3, mask=mask)
    close(found.output, output, 100 * ATOL)
    close(found.weights, weights, 100 * ATOL)


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_each_head_is_the_plain_form_of_its_block(device, kv_heads):
    x, p = normal(2, 5, 12, device=device), Projections.random(3, 12, heads=6, kv_heads=kv_heads)
    found = multi_head(x, p, heads=6, kv_heads=kv_heads)
    for head in range(6):
        shared = head // (6 // kv_heads)
        q, k, v = (array(x) @ array(w)[2 * h : 2 * h + 2].T for w, h in ((p.q, head), (p.k, shared), (p.v, shared)))
        output, weights = by_hand(q, k, v)
        close(found.head_outputs[:, head], output)
        close(found.weights[:, head], weights)
        close(found.contributions[:, head], output @ array(p.o)[:, 2 * head : 2 * head + 2].T)
        close(found.q[:, head], q)
        close(found.k[:, shared], k)
        close(found.v[:, shared], v)


def test_the_contributions_of_the_heads_add_up_to_the_output(device):
    x, p = normal(2, 5, 12, device=device), Projections.random(3, 12, heads=4)
    biased = Projections(p.q, p.k, p.v, p.o, o_bias=normal(12))
    found = multi_head(x, biased, heads=4)
    close(found.contributions.sum(-3) + biased.o_bias.to(device), found.output)
    joined = multi_head(x, Projections(p.q, p.k, p.v), heads=4)
    close(joined.contributions.sum(-3), joined.output)
    close(joined.output, merge_heads(joined.head_outputs))


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)], ids=str)
def test_one_head_without_projections_is_the_plain_form(device, batch):
    x, mask = normal(*batch, 5, 7, device=device), masks.causal(5, 5)
    found, plain = multi_head(x, Projections.identity(7), heads=1, mask=mask), scaled(x, x, x, mask)
    close(found.output, plain.output)
    close(found.weights.squeeze(-3), plain.weights)


def test_a_mask_is_the_same_for_all_heads_or_of_each_head(device):
    x, p = normal(2, 5, 12, device=device), Projections.random(3, 12, heads=3)
    padding = masks.padding(torch.tensor([4, 2]), 5)
    assert not multi_head(x, p, 3, mask=padding).weights[1, :, :, 2:].any()
    of_each = torch.stack([masks.causal(5, 5), masks.sliding_window(5, 5, 1), masks.block(5, 5, 2)])
    weights = multi_head(x, p, 3, mask=of_each.unsqueeze(0)).weights
    assert torch.equal(weights != 0, of_each.expand(2, 3, 5, 5).to(device))
    assert torch.equal(multi_head(x[0], p, 3, mask=of_each).weights, weights[0])


def test_any_attention_may_be_given(device):
    x, p, at = normal(2, 5, 12, device=device), Projections.random(3, 12, heads=3), torch.arange(5)
    cosine = multi_head(x, p, 3, attention=partial(attend, options=AttentionOptions("cosine", temperature=0.1)))
    q, k = (torch.nn.functional.normalize(given, dim=-1) for given in (cosine.q, cosine.k))
    close(cosine.weights, torch.softmax(q @ k.mT / 0.1, dim=-1))
    turned = multi_head(
        x, p, 3, attention=lambda q, k, v, mask: scaled(rotary.rotate(q, at), rotary.rotate(k, at), v, mask)
    )
    close(turned.weights, scaled(*(rotary.rotate(given, at) for given in (turned.q, turned.k)), turned.v).weights)
    fast = multi_head(x, p, 3, attention=partial(attend, options=AttentionOptions(need_weights=False)))
    assert fast.weights is None
    close(fast.output, multi_head(x, p, 3).output)


def test_word_order_is_invisible_without_positions(device):
    x, p, order = normal(3, 12, device=device), Projections.random(3, 12, heads=3), [2, 1, 0]
    close(multi_head(x[order], p, 3).output, multi_head(x, p, 3).output[order])


def test_weights_follow_the_vectors_in_dtype_and_device(device):
    found = multi_head(normal(5, 12, device=device, dtype=torch.float32), Projections.random(3, 12, heads=3), 3)
    assert found.output.dtype == found.contributions.dtype == torch.float32 and found.output.device.type == device
