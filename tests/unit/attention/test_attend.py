"""Attention with options, each against its formula; and torch's kernel, which computes the same without weights."""

import numpy as np
import pytest
import torch

import attention_core as ac
from attention_core.attention import AttentionOptions, attend, masks, scaled
from tests.attending import DEVICES, array, by_hand, normal, qkv, rounding, softmax
from tests.tolerance import tolerance

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.parametrize("device", DEVICES)]
EVERYTHING = np.ones((3, 5), bool)
ATOL = float(tolerance(np.float64, terms=20, scale=50, why="scores of the order of 50 inside an exponent"))


def weights(device="cpu", mask=None, **options):
    q, k, v = qkv(device=device)
    return array(attend(q, k, v, mask, AttentionOptions(**options)).weights)


def logits(score="dot"):
    q, k, _ = (array(given) for given in qkv())
    if score == "cosine":
        return q @ k.T / np.linalg.norm(q, axis=1)[:, None] / np.linalg.norm(k, axis=1)
    if score == "euclidean":
        return -((q[:, None] - k) ** 2).sum(-1) / 2
    return q @ k.T


def close(found, wanted, atol=ATOL):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=atol)


@pytest.mark.parametrize(("score", "default"), [("dot", 7**-0.5), ("cosine", 1.0), ("euclidean", 1.0)])
@pytest.mark.parametrize("scale", [None, 1.0, 0.25, 3.0, -2.0])
@pytest.mark.parametrize("temperature", [1.0, 0.1, 5.0])
def test_any_measure_with_scale_and_temperature(device, score, default, scale, temperature):
    factor = (default if scale is None else scale) / temperature
    found = weights(device, score=score, scale=scale, temperature=temperature)
    close(found, softmax(logits(score) * factor, EVERYTHING))


def test_additive_weights(device):
    given = ac.AdditiveWeights.random(7, 7, hidden=13, seed=3)
    q, k, _ = (array(tensor) for tensor in qkv())
    w_query, w_key, v = (array(getattr(given, name)) for name in ("w_query", "w_key", "v"))
    scores = np.tanh((q @ w_query.T)[:, None] + k @ w_key.T) @ v
    close(weights(device, score="additive", weights=given), softmax(scores, EVERYTHING))


def test_a_soft_cap_comes_after_the_scale_and_before_the_mask(device):
    mask = masks.causal(3, 5)
    found = weights(device, mask, softcap=1.5, scale=2.0)
    close(found, softmax(1.5 * np.tanh(2 * logits() / 1.5), mask.numpy()))


@pytest.mark.parametrize("sink", [0.0, -3.0, 20.0])
def test_a_sink_takes_its_share_and_has_no_value(device, sink):
    z = logits() / 7**0.5
    found = weights(device, sink=sink)
    close(found, np.exp(z) / (np.exp(z).sum(-1, keepdims=True) + np.exp(sink)))
    assert (found.sum(-1) < 1).all()


def test_each_head_may_have_its_own_sink(device):
    q, k, v = qkv(2, 13, device=device)
    sinks = normal(13, 1, seed=4, device=device)
    found = attend(q, k, v, options=AttentionOptions(sink=sinks)).weights
    for head in (0, 12):
        alone = attend(q[:, head], k[:, head], v[:, head], options=AttentionOptions(sink=float(sinks[head, 0]))).weights
        close(array(found[:, head]), array(alone))


def test_a_row_with_a_sink_and_no_key_is_zero(device):
    mask = torch.zeros(3, 5, dtype=torch.bool)
    found = attend(*qkv(device=device), mask, AttentionOptions(sink=0.0))
    assert not found.weights.any() and not found.output.any()


def test_a_sink_has_a_gradient(device):
    sink = torch.zeros((), dtype=torch.float64, device=device, requires_grad=True)
    attend(*qkv(device=device), options=AttentionOptions(sink=sink)).weights.sum().backward()
    assert sink.grad < 0


def test_dropout_zeroes_its_share_and_rescales_the_rest(device):
    q, k, v = qkv(queries=101, keys=103, device=device)
    plain = array(scaled(q, k, v).weights)
    generator = torch.Generator().manual_seed(5)
    found = attend(q, k, v, options=AttentionOptions(dropout=0.25, generator=generator))
    kept = array(found.weights) != 0
    assert abs(kept.mean() - 0.75) < 4 * np.sqrt(0.25 * 0.75 / kept.size)
    close(array(found.weights), np.where(kept, plain / 0.75, 0))
    close(array(found.output), array(found.weights) @ array(v))


def test_dropout_is_repeated_by_its_seed_and_leaves_the_global_numbers_alone(device):
    def dropped(seed):
        options = AttentionOptions(dropout=0.5, generator=torch.Generator().manual_seed(seed))
        return attend(*qkv(device=device), options=options).weights

    before = torch.get_rng_state()
    assert torch.equal(dropped(1), dropped(1)) and not torch.equal(dropped(1), dropped(2))
    assert torch.equal(torch.get_rng_state(), before)


def test_nothing_is_dropped_unless_asked(device):
    q, k, v = qkv(device=device)
    for need_weights in (True, False):
        options = AttentionOptions(need_weights=need_weights)
        assert torch.equal(attend(q, k, v, options=options).output, attend(q, k, v, options=options).output)


# --- torch's kernel

PADDED = masks.padding(torch.tensor([0, 7]), 11)
NO_KEY = masks.causal(11, 11).index_fill(0, torch.tensor([3]), False)
MASKS = {
    "none": None,
    "causal": masks.causal(11, 11),
    "window": masks.sliding_window(11, 11, 3),
    "prefix": masks.prefix(11, 11, 4),
    "block": masks.block(11, 11, 3),
    "dilated": masks.dilated(11, 11, 2),
    "padding": PADDED,
    "padding and causal": PADDED & masks.causal(11, 11),
    "composed": masks.sliding_window(11, 11, 3) | ~masks.dilated(11, 11, 3),
    "a row without a key": NO_KEY,
    "additive": torch.zeros(11, 11).masked_fill(~NO_KEY, -torch.inf),
    "one row for all queries": torch.arange(11) < 4,
}


@pytest.mark.parametrize("rule", [None, "bottom-right", "top-left"])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("values", [7, 5], ids=["one size", "two sizes"])
def test_without_weights_the_output_is_the_same_for_every_mask(device, mask, rule, values):
    q, k, v = qkv(2, queries=11, keys=11, values=values, device=device)
    asked = {"causal": rule is not None, "align": rule or "bottom-right", "scale": 0.7}
    wanted = attend(q, k, v, mask, AttentionOptions(**asked))
    found = attend(q, k, v, mask, AttentionOptions(**asked, need_weights=False))
    close(array(found.output), array(wanted.output), rounding(np.float64, q, k, v))
    assert found.weights is None
    empty = ~wanted.weights.any(-1)
    assert not found.output[empty].any() and not wanted.output[empty].any()


@pytest.mark.parametrize("batch", [(), (2,), (2, 3), (2, 3, 5)], ids=str)
@pytest.mark.parametrize(("queries", "keys"), [(3, 11), (11, 3), (1, 11)])
@pytest.mark.parametrize("align", ["bottom-right", "top-left"])
def test_without_weights_any_axes_and_both_alignments(device, batch, queries, keys, align):
    q, k, v = qkv(*batch, queries=queries, keys=keys, device=device)
    options = AttentionOptions(causal=True, align=align, need_weights=False)
    output, _ = by_hand(q, k, v, masks.causal(queries, keys, align))
    close(array(attend(q, k, v, options=options).output), output, rounding(np.float64, q, k, v))


def test_without_weights_leading_axes_broadcast(device):
    q, k, v = normal(2, 1, 3, 7, device=device), normal(13, 5, 7, device=device), normal(1, 5, 11, device=device)
    mask = torch.rand(13, 1, 5) < 0.7
    found = attend(q, k, v, mask, AttentionOptions(need_weights=False)).output
    close(array(found), by_hand(q, k, v, mask)[0], rounding(np.float64, q, k, v))


def calls_of_the_kernel(monkeypatch, *given, **options):
    kernel, called = torch.nn.functional.scaled_dot_product_attention, []

    def counted(*args, **kwargs):
        called.append(args)
        return kernel(*args, **kwargs)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", counted)
    attend(*given, options=AttentionOptions(**options))
    return len(called)


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"scale": 2.0}, {"temperature": 3.0}], ids=str)
def test_torch_computes_what_it_can(device, monkeypatch, options):
    assert calls_of_the_kernel(monkeypatch, *qkv(device=device), need_weights=False, **options) == 1


@pytest.mark.parametrize("options", [{"softcap": 2.0}, {"sink": 0.0}, {"dropout": 0.1}, {"score": "cosine"}], ids=str)
def test_torch_is_not_asked_for_what_it_cannot(device, monkeypatch, options):
    assert calls_of_the_kernel(monkeypatch, *qkv(device=device), need_weights=False, **options) == 0


@pytest.mark.parametrize("where", [1, 2])
@pytest.mark.parametrize("held", [torch.nan, torch.inf, -torch.inf])
@pytest.mark.parametrize("values", [7, 5], ids=["one size", "two sizes"])
@pytest.mark.parametrize("mask", [None, masks.causal(5, 5)], ids=["flag", "mask"])
def test_without_weights_what_a_key_holds_reaches_only_what_may_attend_to_it(device, where, held, values, mask):
    given = list(qkv(2, queries=5, values=values, device=device))
    given[where] = given[where].index_fill(1, torch.tensor([3], device=device), held)
    options = {"causal": mask is None}
    wanted = attend(*given, mask, AttentionOptions(**options)).output
    found = attend(*given, mask, AttentionOptions(**options, need_weights=False)).output
    close(array(found[:, :3]), array(wanted[:, :3]))
    assert found[:, :3].isfinite().all()
    assert torch.equal(found[:, 3:].isfinite(), wanted[:, 3:].isfinite())


def test_without_weights_the_gradient_is_the_same(device):
    gradients = []
    for need_weights in (True, False):
        given = [tensor.requires_grad_() for tensor in qkv(2, queries=11, keys=11, values=7, device=device)]
        attend(*given, NO_KEY, AttentionOptions(need_weights=need_weights)).output.square().sum().backward()
        gradients.append([array(tensor.grad) for tensor in given])
    for with_weights, without in zip(*gradients, strict=True):
        close(without, with_weights)


@pytest.mark.parametrize(("queries", "keys"), [(0, 0), (0, 5), (3, 0)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("need_weights", [False, True])
def test_no_queries_or_no_keys(device, queries, keys, causal, need_weights):
    given = qkv(2, queries=queries, keys=keys, device=device)
    found = attend(*given, options=AttentionOptions(causal=causal, need_weights=need_weights)).output
    assert found.shape == (2, queries, 11) and not found.any()


@pytest.mark.parametrize("need_weights", [False, True])
def test_one_row_masks_all_queries_of_a_batch(device, need_weights):
    q, k, v = qkv(2, device=device)
    k, v = (given.index_fill(1, torch.tensor([4], device=device), torch.nan) for given in (k, v))
    options = AttentionOptions(need_weights=need_weights)
    found = attend(q, k, v, torch.arange(5) < 4, options).output
    close(array(found), array(attend(q, k[:, :4], v[:, :4], options=options).output))
