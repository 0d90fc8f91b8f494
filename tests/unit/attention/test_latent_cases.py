"""The cases of latent attention: the scale, the three forms, and what is cached."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_core.attention import ExpandedCache, LatentCache, LatentConfig, latent
from attention_core.attention.rotary import Yarn
from tests.attending import DEVICES, array

CASES = Path(__file__).parents[2] / "cases" / "attention"
pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.parametrize("device", DEVICES)]
NAMES = {
    "q_a": "q_a_proj", "q_n": "q_a_layernorm", "q_b": "q_b_proj", "kv_a": "kv_a_proj_with_mqa",
    "kv_n": "kv_a_layernorm", "kv_b": "kv_b_proj", "o": "o_proj",
}  # fmt: skip
SIZES = LatentConfig(10, 2, 7, 6, 4, 4, 3)
YARN = Yarn(40, 4096, 32, 1, mscale=1.0, mscale_all_dim=1.0)


class Case:
    def __init__(self, name, device, config=SIZES):
        self.expected = json.loads((CASES / name / "expected.json").read_text())
        with np.load(CASES / name / "inputs.npz") as stored:
            given = {key: torch.tensor(stored[key], device=device) for key in stored}
        self.h = given.pop("h")
        self.attention = latent.from_tensors({f"{NAMES[key]}.weight": w for key, w in given.items()}, config)

    def close(self, found, wanted):
        np.testing.assert_allclose(array(found), np.array(wanted), rtol=0, atol=self.expected["tolerance_abs"])

    def far(self, found, wrong):
        assert np.abs(array(found) - np.array(wrong)).max() > 1e-3


def test_11_the_scale_is_that_of_the_whole_head(device):
    case = Case("11_mla_scale", device)
    assert case.attention.config.scale == pytest.approx(case.expected["scale"], rel=1e-15)
    found = case.attention(case.h)
    case.close(found.output, case.expected["output"])
    case.close(found.weights, case.expected["probs"])
    cache = LatentCache(SIZES, 1, 5, case.h)
    absorbed = torch.cat([case.attention.decode(h[None, None], cache).output for h in case.h], dim=1)[0]
    case.close(absorbed, case.expected["output"])
    for wrong in ("wrong_scale_d_nope", "wrong_scale_latent_plus_rope"):
        case.far(absorbed, case.expected[wrong])


def test_11_yarn_turns_slower_and_multiplies_the_scale(device):
    case = Case("11_mla_scale", device, LatentConfig(10, 2, 7, 6, 4, 4, 3, yarn=YARN))
    wanted = case.expected["yarn"]
    assert case.attention.config.scale == pytest.approx(wanted["scale"], rel=1e-15)
    cache = LatentCache(case.attention.config, 1, 5, case.h)
    for found in (case.attention(case.h).output, case.attention.decode(case.h[None], cache).output[0]):
        case.close(found, wanted["output"])
        case.far(found, wanted["without_mscale"])


def test_11_the_scales_of_the_models(device):
    wanted = json.loads((CASES / "11_mla_scale" / "expected.json").read_text())["v3_constants"]
    v3 = LatentConfig(7168, 128, 1536, 512, 128, 64, 128)
    assert v3.scale == pytest.approx(wanted["scale_192"], rel=1e-15)
    stretched = LatentConfig(7168, 128, 1536, 512, 128, 64, 128, yarn=YARN)
    assert stretched.scale == pytest.approx(wanted["scale_v3"], rel=1e-15)
    lite = LatentConfig(2048, 16, 0, 512, 128, 64, 128, yarn=Yarn(40, mscale=0.707, mscale_all_dim=0.707))
    assert lite.scale == pytest.approx(wanted["scale_v2lite"], rel=1e-15)
    assert lite.yarn.length_factor == 1


def test_13_three_forms_and_what_is_cached(device):
    case = Case("13_mla_absorbed_and_cache", device)
    config, h = case.attention.config, case.h[None]
    case.close(case.attention(case.h).output, case.expected["naive_output"])
    latents, expanded = LatentCache(config, 1, 5, h), ExpandedCache(config, 1, 5, h)
    for cache in (latents, expanded):
        found = torch.cat([case.attention.decode(h[:, i : i + 1], cache).output for i in range(5)], dim=1)[0]
        case.close(found, case.expected["decode_step_by_step"])
    case.close(latents.rows[0, :, :6], case.expected["cached_latent_after_rmsnorm"])
    case.close(latents.rows[0, :, 6:], case.expected["cached_rope_key_shared_by_heads"])
    case.far(latents.rows[0, :, :6], case.expected["latent_before_rmsnorm"])
    assert latents.nbytes == 5 * 8 * case.expected["elements_cached_per_token"] == 5 * 8 * config.cached
    assert expanded.nbytes == 5 * 8 * case.expected["elements_of_full_kv_per_token"] == 5 * 8 * config.expanded


def test_22_what_models_keep_of_a_token(device):
    folder = CASES / "22_kv_mla"
    wanted = json.loads((folder / "expected.json").read_text())
    for model in json.loads((folder / "inputs.json").read_text())["models"]:
        config = LatentConfig(model["hidden"], model["n_heads"], 0, *(model[n] for n in ("kv_lora_rank", "qk_nope")),
                              model["qk_rope"], model["v"])  # fmt: skip
        name, layers = model["name"], model["layers"]
        assert config.cached * layers == wanted["elements_per_token"][name]
        assert config.expanded * layers == wanted["expanded_cache_elements"][name]
        row = torch.zeros(1, 1, config.cached, dtype=torch.bfloat16, device=device)
        cache = LatentCache(config, 1, 1, row)
        cache.append(row)
        assert cache.nbytes * layers == wanted["bf16_bytes_per_token"][name]
