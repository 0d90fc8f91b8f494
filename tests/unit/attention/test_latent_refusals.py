"""Latent attention refuses what does not fit, says what was given and what to do, and reads checkpoints."""

import re

import pytest
import torch
from safetensors.torch import save_file

from attention_core import memory
from attention_core.attention import ExpandedCache, LatentAttention, LatentCache, LatentConfig, latent
from attention_core.attention.rotary import Yarn, rotate
from attention_core.errors import AttentionError

SIZES = {"hidden_size": 23, "num_heads": 3, "q_lora_rank": 5, "kv_lora_rank": 7, "qk_nope_head_dim": 11,
         "qk_rope_head_dim": 6, "v_head_dim": 13}  # fmt: skip
CONFIG = LatentConfig(**SIZES)
HUB = {"hidden_size": 5120, "num_attention_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512,
       "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "rope_theta": 10000}  # fmt: skip
SCALING = {"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1,
           "mscale": 0.707, "mscale_all_dim": 0.707}  # fmt: skip


def refused(message):
    return pytest.raises(AttentionError, match=re.escape(message))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_heads": 0}, "num_heads is 0, and a whole number of 1 or more is expected."),
        ({"hidden_size": -5}, "hidden_size is -5, and"),
        ({"kv_lora_rank": 0}, "kv_lora_rank is 0, and"),
        ({"q_lora_rank": -1}, "q_lora_rank is -1, and a whole number of 0 or more is expected."),
        ({"v_head_dim": 2.5}, "v_head_dim is 2.5, and"),
        ({"num_heads": True}, "num_heads is True, and"),
        ({"qk_rope_head_dim": 5}, "qk_rope_head_dim is 5, and rotary components turn in pairs. Give an even"),
        ({"qk_rope_head_dim": 0}, "qk_rope_head_dim is 0, and"),
        ({"kv_lora_rank": 24}, "kv_lora_rank is 24, more than the 23 components of the hidden state"),
        ({"q_lora_rank": 24}, "q_lora_rank is 24, more than the 23"),
        ({"rope_theta": 1.0}, "A rope_theta above 1"),
        ({"rope_theta": float("nan")}, "A rope_theta above 1"),
        ({"rms_norm_eps": -1e-6}, "an rms_norm_eps of 0 or more"),
    ],
)
def test_an_impossible_configuration_is_named(change, message):
    with refused(message):
        LatentConfig(**SIZES | change)


@pytest.mark.parametrize(
    "change",
    [{"factor": 0.5}, {"factor": float("inf")}, {"original_max_position": 0}, {"beta_slow": 0}, {"beta_fast": 0.5},
     {"mscale": -1}, {"mscale_all_dim": float("nan")}],
    ids=str,
)  # fmt: skip
def test_an_impossible_stretch_is_named(change):
    with refused("Take rope_scaling as the model's config.json has it."):
        Yarn(**{"factor": 40.0} | change)


def test_a_stretch_needs_a_base_above_one():
    with refused("Give theta above 1"):
        rotate(torch.ones(1, 2), torch.tensor([0]), theta=1.0, yarn=Yarn(2.0))


def test_a_configuration_of_the_hub_is_read():
    plain = LatentConfig(5120, 128, 1536, 512, 128, 64, 128)
    assert LatentConfig.read(HUB) == plain
    old = LatentConfig.read(HUB | {"rope_scaling": SCALING})
    assert old.yarn == Yarn(40, 4096, 32, 1, 0.707, 0.707)
    new = SCALING | {"rope_type": SCALING["type"], "rope_theta": 10000}
    assert LatentConfig.read(HUB | {"rope_theta": None, "rope_parameters": new}) == old
    assert not LatentConfig.read(HUB | {"q_lora_rank": None}).compresses_queries


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"hidden_size": 4096, "num_attention_heads": 32}, "lacks kv_lora_rank, qk_nope_head_dim"),
        (HUB | {"rope_scaling": {"type": "linear", "factor": 2}}, "stretched by “linear”"),
        (HUB | {"num_attention_heads": "many"}, "num_heads is 'many', and"),
        (HUB | {"qk_rope_head_dim": 63}, "rotary components turn in pairs"),
    ],
)
def test_a_configuration_that_is_none_of_latent_attention_is_named(config, message):
    with refused(message):
        LatentConfig.read(config)


@pytest.mark.parametrize("kind", [LatentCache, ExpandedCache])
def test_a_cache_has_room_and_says_when_it_is_full(kind):
    attention, x = LatentAttention(CONFIG), torch.zeros(2, 3, 23)
    with refused("A cache for 2 sequences of 0 tokens was asked for."):
        kind(CONFIG, 2, 0, x)
    cache = kind(CONFIG, 2, 4, x)
    attention.decode(x, cache)
    with refused("The cache has room for 4 tokens, 3 are held and 3 more were given."):
        attention.decode(x, cache)
    assert cache.length == 3
    for wrong in (x[0], x[:1], x.double()):
        with refused("Make the cache for this batch with like=x."):
            attention.decode(wrong, cache)


@pytest.mark.parametrize(("kind", "numbers"), [(LatentCache, 13), (ExpandedCache, 90)])
def test_a_cache_that_would_not_fit_is_refused_before_it_is_allocated(kind, numbers, monkeypatch):
    monkeypatch.setattr(torch, "empty", lambda *_, **__: pytest.fail("allocated"))
    like = torch.zeros(1, dtype=torch.bfloat16)
    needed = f"{2 * numbers * 3 * 10**12:,}"
    with refused(f"A cache for 3 sequences of 1,000,000,000,000 tokens would take {needed} bytes"):
        kind(CONFIG, 3, 10**12, like)
    monkeypatch.setattr(memory, "available", lambda _device: 1000)
    with refused("GiB), and 1,000 (0.0 GiB) are free on cpu. Give fewer of one of them, or a narrower dtype."):
        kind(CONFIG, 1, 100, like)


@pytest.mark.parametrize("x", [torch.zeros(3, 22), torch.zeros(23), torch.zeros(3, 23).double()], ids=str)
def test_hidden_states_that_do_not_fit_are_named(x):
    with refused("Hidden states (..., token, 23) in torch.float32 on cpu are expected"):
        LatentAttention(CONFIG)(x)


def test_a_mask_over_other_keys_is_refused():
    attention, x = LatentAttention(CONFIG), torch.zeros(1, 3, 23)
    cache = LatentCache(CONFIG, 1, 3, x)
    with refused("A mask that broadcasts to"):
        attention.decode(x, cache, torch.ones(3, 2, dtype=torch.bool))


# --- checkpoints


def state():
    return {name: weight.clone() for name, weight in LatentAttention(CONFIG, seed=5).state_dict().items()}


def test_a_state_dict_comes_back_whatever_its_dtype():
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        given = {name: weight.to(dtype) for name, weight in state().items()}
        found = latent.from_tensors(given, CONFIG).state_dict()
        assert all(torch.equal(found[name], weight) for name, weight in given.items()) and len(found) == len(given)


def test_what_lies_beside_a_layer_is_left_alone():
    given = {f"layers.0.{name}": weight for name, weight in state().items()}
    given |= {"layers.0.rotary_emb.inv_freq": torch.zeros(3), "layers.1.o_proj.weight": torch.zeros(1)}
    assert torch.equal(latent.from_tensors(given, CONFIG, "layers.0.").o_proj.weight, state()["o_proj.weight"])


def test_blocks_of_eight_bits_are_multiplied_by_their_scales():
    config = LatentConfig(300, 2, 0, 7, 60, 20, 80)
    given = {name: weight.clone() for name, weight in LatentAttention(config).state_dict().items()}
    rows, columns = given["o_proj.weight"].shape  # (300, 160): three blocks by two
    scales = torch.arange(1.0, 7.0).reshape(3, 2)
    eight = (given["o_proj.weight"] * 4).to(torch.float8_e4m3fn)
    found = latent.from_tensors(
        given | {"o_proj.weight": eight, "o_proj.weight_scale_inv": scales}, config
    ).o_proj.weight
    wanted = [[eight[i, j].float() * scales[i // 128, j // 128] for j in range(columns)] for i in (0, 127, 128, 299)]
    assert torch.equal(found[[0, 127, 128, 299]], torch.tensor(wanted).bfloat16().float()) and len(found) == rows
    with refused("o_proj.weight_scale_inv is missing"):
        latent.from_tensors(given | {"o_proj.weight": eight}, config)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.pop("o_proj.weight"), "lacks o_proj.weight"),
        (
            lambda s: s.update({"q_proj.weight": s.pop("q_b_proj.weight")}),
            "lacks q_b_proj.weight and has besides q_proj",
        ),
        (lambda s: s.update({"kv_b_proj.weight": torch.zeros(72, 8)}), "kv_b_proj.weight (72, 7) is expected"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_named(change, message):
    given = state()
    change(given)
    with refused(message):
        latent.from_tensors(given, CONFIG)


def test_a_file_is_read_and_what_is_no_safetensors_is_refused(tmp_path):
    save_file(state(), tmp_path / "layer.safetensors")
    assert torch.equal(latent.load(tmp_path / "layer.safetensors", CONFIG).o_proj.weight, state()["o_proj.weight"])
    torch.save(state(), tmp_path / "layer.bin")
    for name in ("layer.bin", "nothing"):
        with refused(f"{name}: a safetensors file is expected"):
            latent.load(tmp_path / name, CONFIG)


HUGE = LatentConfig(10**6, 10**6, 0, 10**6, 10**6, 2, 1)


def test_a_layer_whose_weights_would_not_fit_is_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr(torch, "empty", lambda *_, **__: pytest.fail("allocated"))
    with refused("A layer of 2,000,005,000,002,000,000 weights would take 8,000,020,000,008,000,000 bytes"):
        LatentAttention(HUGE)


def test_matrices_larger_than_what_is_set_aside_are_not_shown():
    with refused("The matrix of one head of these sizes, turned in float64, would take 32,000,000,000,000 bytes"):
        latent.commuting(HUGE, [0])
    with refused("The matrices of a layer of these sizes would take"):
        latent.decode_times(HUGE, [4])
