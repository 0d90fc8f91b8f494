"""Latent attention in three forms: against numpy written from the papers, and against each other."""

import numpy as np
import pytest
import torch

from attention_core.attention import ExpandedCache, LatentAttention, LatentCache, LatentConfig, latent, masks
from attention_core.attention.rotary import Yarn
from tests.attending import DEVICES, array, normal, softmax
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
CONFIGS = {
    "queries compressed": LatentConfig(23, 3, 5, 7, 11, 6, 13),
    "queries as they are": LatentConfig(23, 3, 0, 7, 11, 6, 13, rope_theta=300.0),
    "none for no compression": LatentConfig(17, 2, None, 3, 1, 2, 5),
    "yarn": LatentConfig(23, 3, 5, 7, 11, 6, 13, yarn=Yarn(8, 32, mscale=1.0, mscale_all_dim=0.7)),
}
configs = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
devices = pytest.mark.parametrize("device", DEVICES)
ATOL = 1e-10
"""What the forms may differ by in float64."""


def turned(x, positions, config):
    """Pairs (2i, 2i + 1) as complex numbers times e^(ipω), slowed and lengthened as YaRN says."""
    d, yarn = x.shape[-1], config.yarn
    speeds = config.rope_theta ** -(np.arange(0, d, 2) / d)
    longer = 1.0
    if yarn is not None:
        edges = [d * np.log(yarn.original_max_position / (turns * 2 * np.pi)) / (2 * np.log(config.rope_theta))
                 for turns in (yarn.beta_fast, yarn.beta_slow)]  # fmt: skip
        low, high = max(np.floor(edges[0]), 0), min(np.ceil(edges[1]), d - 1)
        ramp = np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        speeds = speeds / yarn.factor * ramp + speeds * (1 - ramp)
        grown = [0.1 * m * np.log(yarn.factor) + 1 for m in (yarn.mscale, yarn.mscale_all_dim)]
        longer = grown[0] / grown[1]
    z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * np.multiply.outer(positions, speeds)) * longer
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def by_the_papers(attention, x, allowed):
    """DeepSeek-V2, eq. 9 to 19 and 37 to 47, one head and one sequence at a time: (output, weights)."""
    c, w = attention.config, {name: array(p) for name, p in attention.named_parameters()}
    places, size = np.arange(len(x)), c.qk_nope_head_dim + c.qk_rope_head_dim

    def norm(vectors, gain):
        return vectors / np.sqrt((vectors**2).mean(-1, keepdims=True) + c.rms_norm_eps) * gain

    if c.q_lora_rank:
        queries = norm(x @ w["q_a_proj.weight"].T, w["q_a_layernorm.weight"]) @ w["q_b_proj.weight"].T
    else:
        queries = x @ w["q_proj.weight"].T
    joint = x @ w["kv_a_proj_with_mqa.weight"].T
    made = norm(joint[:, : c.kv_lora_rank], w["kv_a_layernorm.weight"]) @ w["kv_b_proj.weight"].T
    rope_key = turned(joint[:, c.kv_lora_rank :], places, c)
    each, weights = c.qk_nope_head_dim + c.v_head_dim, []
    outputs = []
    scale = 1 / np.sqrt(size)
    if c.yarn is not None:
        scale *= (0.1 * c.yarn.mscale_all_dim * np.log(c.yarn.factor) + 1) ** 2
    for head in range(c.num_heads):
        q, kv = queries[:, head * size : (head + 1) * size], made[:, head * each : (head + 1) * each]
        q_rope = turned(q[:, c.qk_nope_head_dim :], places, c)
        logits = q[:, : c.qk_nope_head_dim] @ kv[:, : c.qk_nope_head_dim].T + q_rope @ rope_key.T
        weights.append(softmax(logits * scale, allowed))
        outputs.append(weights[-1] @ kv[:, c.qk_nope_head_dim :])
    return np.concatenate(outputs, axis=-1) @ w["o_proj.weight"].T, np.stack(weights)


def layer(config, dtype=torch.float64, device="cpu"):
    """Random weights, norms too."""
    attention = LatentAttention(config, seed=3, dtype=torch.float64)
    with torch.no_grad():
        for name, weight in attention.named_parameters():
            if "norm" in name:
                weight.copy_(1 + 0.3 * normal(*weight.shape))
    return attention.to(device=device, dtype=dtype)


def caches(config, x, capacity):
    return [kind(config, len(x), capacity, x) for kind in (LatentCache, ExpandedCache)]


@devices
@configs
@pytest.mark.parametrize("causal", [True, False])
def test_the_plain_form_is_that_of_the_papers(device, config, causal):
    attention, x = layer(config, device=device), normal(2, 9, config.hidden_size, device=device)
    found = attention(x, causal=causal)
    allowed = np.tri(9, dtype=bool) if causal else np.ones((9, 9), dtype=bool)
    for i in range(2):
        output, weights = by_the_papers(attention, array(x[i]), allowed)
        np.testing.assert_allclose(array(found.output[i]), output, rtol=0, atol=ATOL)
        np.testing.assert_allclose(array(found.weights[i]), weights, rtol=0, atol=ATOL)


@devices
@configs
@pytest.mark.parametrize("steps", [[1] * 9, [9], [5, 1, 1, 2], [1, 4, 4]], ids=str)
@pytest.mark.parametrize("laid_out", [False, True])
def test_however_tokens_come_every_form_gives_the_same(device, config, steps, laid_out):
    attention, x = layer(config, device=device), normal(2, 9, config.hidden_size, device=device)
    if laid_out:
        attention.absorb()
    wanted = attention(x)
    for take in (attention.prefill, attention.decode):
        for cache in caches(config, x, 11):
            parts = [take(part, cache) for part in x.split(steps, dim=1)]
            output = torch.cat([part.output for part in parts], dim=1)
            np.testing.assert_allclose(array(output), array(wanted.output), rtol=0, atol=ATOL)
            weights = wanted.weights[:, :, -steps[-1] :]
            np.testing.assert_allclose(array(parts[-1].weights), array(weights), rtol=0, atol=ATOL)
            assert cache.length == 9


@devices
def test_padding_at_the_left_is_seen_by_no_one_and_moves_no_position(device):
    """A shorter sequence after two tokens of padding gives what it gives alone, NaN in the padding or not."""
    config = CONFIGS["queries compressed"]
    attention, x = layer(config, device=device), normal(2, 7, 23, device=device)
    alone = attention(x[1:, 2:]).output[0]
    x[1, :2] = torch.nan
    real = torch.arange(7, device=device) >= torch.tensor([[0], [2]], device=device)
    positions = torch.arange(7, device=device) - torch.tensor([[0], [2]], device=device)
    plain = attention(x, mask=real.unsqueeze(1), positions=positions)
    np.testing.assert_allclose(array(plain.output[1, 2:]), array(alone), rtol=0, atol=ATOL)
    assert not plain.weights[1, :, :, :2].any()
    for cache in caches(config, x, 7):
        attention.prefill(x[:, :5], cache, real[:, None, :5], positions[:, :5])
        rest = [
            attention.decode(x[:, i : i + 1], cache, real[:, None, : i + 1], positions[:, i : i + 1]) for i in (5, 6)
        ]
        output = torch.cat([one.output for one in rest], dim=1)
        np.testing.assert_allclose(array(output[1]), array(alone[3:]), rtol=0, atol=ATOL)
        np.testing.assert_allclose(array(output[0]), array(plain.output[0, 5:]), rtol=0, atol=ATOL)


@pytest.mark.parametrize("shape", ["(query, key)", "(batch, query, key)", "(batch, head, query, key)"])
def test_a_mask_may_be_for_all_for_a_sequence_or_for_a_head(shape):
    config = CONFIGS["queries compressed"]
    attention, x = layer(config), normal(2, 7, 23)
    window = masks.sliding_window(7, 7, 3)
    mask = {
        "(query, key)": window,
        "(batch, query, key)": torch.stack([window, masks.causal(7, 7)]),
        "(batch, head, query, key)": torch.stack([torch.stack([window, window, masks.causal(7, 7)])] * 2),
    }[shape]
    wanted = attention(x, mask)
    each = torch.broadcast_to(mask if mask.ndim == 4 else mask.unsqueeze(-3), (2, 3, 7, 7))
    assert torch.equal(wanted.weights > 0, each)
    for cache in caches(config, x, 7):
        parts = [
            attention.decode(x[:, :4], cache, mask[..., :4, :4]),
            attention.decode(x[:, 4:], cache, mask[..., 4:, :]),
        ]
        output = torch.cat([part.output for part in parts], dim=1)
        np.testing.assert_allclose(array(output), array(wanted.output), rtol=0, atol=ATOL)


def test_a_query_with_no_allowed_key_gives_zero():
    attention, x = layer(CONFIGS["queries compressed"]), normal(1, 3, 23)
    cache = LatentCache(attention.config, 1, 3, x)
    mask = torch.tensor([[False, False, False], [True, False, False], [True, True, True]])
    for found in (attention(x, mask), attention.decode(x, cache, mask)):
        assert not found.output[0, 0].any() and found.output[0, 1:].any()


@devices
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_narrower_numbers_stay_within_their_rounding(device, dtype):
    config = CONFIGS["yarn"]
    exact, x = layer(config), normal(2, 9, 23)
    wanted = array(exact(x).output)
    attention, x = exact.to(device=device, dtype=dtype), x.to(device=device, dtype=dtype)
    eps = torch.finfo(dtype).eps
    bound = float(tolerance(np.float64, terms=23, scale=np.abs(wanted).max(), why="five products of at most 23 terms"))
    atol = bound * eps / np.finfo(np.float64).eps
    for cache in caches(config, x, 9):
        found = torch.cat([attention.decode(x[:, i : i + 1], cache).output for i in range(9)], dim=1)
        assert found.dtype == dtype
        np.testing.assert_allclose(array(found), wanted, rtol=0, atol=atol)


def test_gradients_flow_through_every_form():
    attention, x = layer(CONFIGS["yarn"]), normal(1, 5, 23)
    wanted = torch.autograd.grad(attention(x).output.square().sum(), attention.kv_b_proj.weight)[0]
    rows, q = attention.compressed(x, torch.arange(5)), attention.queries(x, torch.arange(5))
    output = attention.joined(attention.absorbed(q, rows)).output
    found = torch.autograd.grad(output.square().sum(), attention.kv_b_proj.weight)[0]
    np.testing.assert_allclose(array(found), array(wanted), rtol=0, atol=1e-9)


def test_positions_follow_what_is_cached():
    config = CONFIGS["queries compressed"]
    attention, x = layer(config), normal(1, 6, 23)
    wanted = attention(x).output[:, 5:]
    for cache in caches(config, x, 6):
        attention.prefill(x[:, :5], cache)
        np.testing.assert_allclose(array(attention.decode(x[:, 5:], cache).output), array(wanted), rtol=0, atol=ATOL)
    for cache in caches(config, x, 6):
        attention.prefill(x[:, :5], cache)
        wrong = attention.decode(x[:, 5:], cache, positions=torch.tensor([0])).output
        assert (wrong - wanted).abs().max() > 1e-3


def test_the_same_seed_gives_the_same_weights_and_leaves_others_alone():
    torch.manual_seed(0)
    before = torch.get_rng_state()
    first, again, other = (LatentAttention(CONFIGS["yarn"], seed=s) for s in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))
    assert not torch.equal(first.o_proj.weight, other.o_proj.weight)


def test_every_intermediate_is_what_it_is_called():
    attention = layer(CONFIGS["queries compressed"])
    x = normal(5, 23)
    s, c = latent.steps(attention, x), attention.config
    up = array(attention.kv_b_proj.weight).reshape(c.num_heads, -1, c.kv_lora_rank)
    key_up, value_up = up[:, : c.qk_nope_head_dim], up[:, c.qk_nope_head_dim :]
    close = {"rtol": 0, "atol": ATOL}
    np.testing.assert_allclose(s.key_nope, np.einsum("hdr,tr->htd", key_up, s.latent), **close)
    np.testing.assert_allclose(s.values, np.einsum("hdr,tr->htd", value_up, s.latent), **close)
    np.testing.assert_allclose(s.absorbed_query, np.einsum("htd,hdr->htr", s.query_nope, key_up), **close)
    logits = np.einsum("htr,sr->hts", s.absorbed_query, s.latent) + np.einsum("htr,sr->hts", s.query_rope, s.rope_key)
    np.testing.assert_allclose(s.weights, softmax(logits * c.scale, np.tri(5, dtype=bool)[None].repeat(3, 0)), **close)
    np.testing.assert_allclose(s.head_outputs, np.einsum("htr,hdr->htd", s.mixed_latent, value_up), **close)
    np.testing.assert_allclose(s.output, by_the_papers(attention, array(x), np.tri(5, dtype=bool))[0], **close)


def test_side_by_side_the_forms_give_one_output_from_caches_of_their_sizes():
    attention = layer(CONFIGS["yarn"])
    found = latent.side_by_side(attention, normal(6, 23))
    assert max(found.differences.values()) < ATOL and found.largest > 0.1
    assert found.nbytes == {"naive": 6 * 8 * 13, "absorbed": 6 * 8 * 13, "expanded": 6 * 8 * 3 * (17 + 13)}
