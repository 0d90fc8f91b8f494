"""Sizes: cases with published answers, every layer counted by hand, and what is refused."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core as ac
from attention_core.kv_cache import FORMATS, PRESETS, Latent, ModelPreset, shortcut, sizes

CASES = Path(__file__).parents[2] / "cases/attention"
V3 = PRESETS["DeepSeek-V3"]


def case(name):
    inputs, expected = (json.loads((CASES / name / f"{part}.json").read_text()) for part in ("inputs", "expected"))
    return inputs["models"], expected, inputs.get("bytes_per_element", 2)


def with_heads(model):
    size = model["head_dim"]
    return ModelPreset(
        model["name"], model["hidden"], model["n_heads"], model["n_kv_heads"], size, size, (None,) * model["layers"]
    )


def with_latent(model):
    return ModelPreset(
        model["name"], model["hidden"], model["n_heads"], model["n_heads"], model["qk_nope"] + model["qk_rope"],
        model["v"], (None,) * model["layers"], Latent(model["kv_lora_rank"], model["qk_rope"]),
    )  # fmt: skip


def test_21_key_and_value_heads_and_explicit_head_sizes_count():
    models, expected, _ = case("21_kv_gqa_head_dim")
    for model in models:
        s, name = sizes(with_heads(model), 1), model["name"]
        assert s.total == expected["bytes_per_token"][name]
        assert s.bytes["mha"] == expected["wrong_if_kv_heads_ignored"][name]
        if model["head_dim"] != model["hidden"] // model["n_heads"]:
            assert s.total != expected["wrong_if_head_dim_is_hidden_over_heads"][name]


def test_22_a_latent_and_one_rotary_key_are_cached():
    models, expected, _ = case("22_kv_mla")
    for model in models:
        s, name = sizes(with_latent(model), 1), model["name"]
        layers = model["layers"]
        assert s.own == "mla" and s.total == expected["bf16_bytes_per_token"][name]
        assert s.layouts["mla"].numbers * layers == expected["elements_per_token"][name]
        assert s.layouts["expanded"].numbers * layers == expected["expanded_cache_elements"][name]
        assert s.layouts["mha"].numbers * layers == expected["same_heads_mha_elements_128"][name]
    ratios, wrong, s = expected["v3_ratios"], expected["wrong"], sizes(V3, 1)
    assert s.total / s.bytes["mha"] == ratios["to_mha_128x128"]
    assert s.total / s.bytes["expanded"] == ratios["to_expanded_mla"]
    assert s.layouts["mla"].numbers * 61 / shortcut(V3).standard == pytest.approx(ratios["to_2d"], rel=1e-15)
    assert shortcut(V3).share == ratios["seed_claim"]
    assert (
        2 * shortcut(V3).standard == wrong["generic_hidden_over_heads"]
        and 2 * shortcut(V3).latent == wrong["without_rope"]
    )
    assert not set(wrong.values()) & set(s.bytes.values())
    flash = sizes(V3, 1, dtype="flashmla")
    assert flash.layouts["mla"].bytes(FORMATS["flashmla"]) == expected["fp8_flashmla_bytes"]["per_token_layer"]
    assert flash.total == expected["fp8_flashmla_bytes"]["v3_per_token"]
    assert sizes(V3, 1 << 20).total / 2**30 == expected["v3_one_MiToken_GiB"]
    assert sizes(V3, 100_000).total / 1e9 == expected["v3_100k_tokens_GB"]


def test_the_articles_figures_and_the_right_ones():
    short, s = shortcut(V3), sizes(V3, 1)
    assert short.standard == 874_496 and 2 * short.standard / 1e6 == 1.748992  # 2·d·L in two bytes
    assert 100_000 * 2 * short.standard / 1e9 == pytest.approx(174.9, abs=0.05)
    assert s.bytes["mha"] / 1e6 == 3.997696 and s.bytes["expanded"] / 1e6 == 4.99712
    assert short.latent == 512 * 61 and s.layouts["mla"].numbers == 576
    assert shortcut(PRESETS["Qwen2.5-72B"]).latent is None


def test_a_company_with_qwen_and_twenty_users():
    s = sizes(PRESETS["Qwen2.5-72B"], 32_768, 20)
    assert s.total == 200 * 2**30 and s.bytes["mla"] == 56.25 * 2**30
    assert s.fitting(80 * 10**9) == 7 and s.fitting(80 * 10**9, "mla") == 26


@pytest.mark.parametrize("name", PRESETS)
def test_what_the_other_layouts_keep(name):
    preset, s = PRESETS[name], sizes(PRESETS[name], 1)
    q, v = preset.qk_nope_head_dim, preset.v_head_dim
    assert s.layouts["mha"].numbers == preset.heads * (q + v) and s.layouts["mqa"].numbers == q + v
    groups = [n for n in range(2, 9) if preset.heads % n == 0 and n < preset.heads]
    if s.own == "gqa":
        assert s.layouts["gqa"].numbers == preset.kv_heads * (q + v)
    elif groups:
        assert s.layouts["gqa"].numbers == max(groups) * (q + v)
    else:
        assert s.bytes["gqa"] is None and str(preset.heads) in s.why["gqa"]
    rank, rope = (preset.latent.kv_lora_rank, preset.latent.qk_rope_head_dim) if preset.latent else (4 * q, q / 2)
    assert s.layouts["mla"].numbers == rank + rope
    assert ("expanded" in s.bytes) == (preset.latent is not None)


def test_a_head_whose_half_is_odd_gets_an_even_rotary_key():
    s = sizes(ModelPreset("mine", 600, 6, 6, 50, 50, (None,)), 1)
    assert [part.size for part in s.layouts["mla"].parts] == [200, 26]


def test_a_latent_larger_than_the_hidden_state_is_no_layout():
    s = sizes(ModelPreset("wide heads", 100, 2, 2, 64, 64, (None,)), 1)
    assert s.bytes["mla"] is None and "larger than the hidden state of 100" in s.why["mla"]
    with pytest.raises(ac.CacheError, match="wide heads has no size as “mla”"):
        s.of("mla")


QUICK = settings(max_examples=60, deadline=None)
windows = st.lists(st.one_of(st.none(), st.integers(1, 50)), min_size=1, max_size=7).map(tuple)
models = st.builds(
    lambda groups, per, qk, v, w: ModelPreset("any", 4096, groups * per, groups, qk, v, w),
    st.integers(1, 4), st.integers(1, 5), st.integers(1, 40), st.integers(1, 40), windows,
)  # fmt: skip


@QUICK
@given(models, st.integers(1, 60), st.integers(1, 9), st.sampled_from(["float32", "bfloat16", "float8", "int4"]))
def test_the_size_is_what_layers_sequences_tokens_and_heads_take_one_by_one(preset, tokens, batch, dtype):
    bits = {"float32": 32, "bfloat16": 16, "float8": 8, "int4": 4}[dtype]
    counted = 0
    for window in preset.windows:
        held = tokens if window is None or window > tokens else window
        for size in (preset.qk_head_dim, preset.v_head_dim):
            counted += batch * held * preset.kv_heads * ((size * bits + 7) // 8)
    s = sizes(preset, tokens, batch, dtype)
    assert s.total == counted == sum(s.parts(s.own).values())
    assert s.per_token[s.own] == sizes(preset, 1, 1, dtype).total


@QUICK
@given(models, st.integers(1, 60), st.integers(1, 9), st.integers(0, 200_000))
def test_what_fits_fits_and_one_more_does_not(preset, tokens, batch, memory):
    s = sizes(preset, tokens, batch)
    count = s.fitting(memory)
    assert not count or sizes(preset, tokens, count).total <= memory
    assert sizes(preset, tokens, count + 1).total > memory
    longest = s.longest(memory)
    if longest is None:
        assert sizes(preset, 10**9, batch).total <= memory
    else:
        assert not longest or sizes(preset, longest, batch).total <= memory
        assert sizes(preset, longest + 1, batch).total > memory


IMPOSSIBLE = [(0, 1, "bfloat16"), (-5, 1, "bfloat16"), (1, 0, "bfloat16"), (1, -1, "bfloat16"), (1.5, 1, "bfloat16"),
              (True, 1, "bfloat16"), ("8", 1, "bfloat16"), (2**41, 1, "bfloat16"), (1, 2**41, "bfloat16"),
              (float("nan"), 1, "bfloat16"), (1, 1, "float128"), (1, 1, "")]  # fmt: skip


@pytest.mark.parametrize(("tokens", "batch", "dtype"), IMPOSSIBLE)
def test_impossible_workloads_are_refused(tokens, batch, dtype):
    with pytest.raises(ac.CacheError, match=r"(Give|Choose) "):
        sizes(V3, tokens, batch, dtype)


def test_an_unknown_layout_is_refused():
    with pytest.raises(ac.CacheError, match="choose one of mha, gqa, mqa, mla, expanded"):
        sizes(V3, 1).of("paged")


def test_all_presets_are_sized_in_ten_milliseconds():
    taken = []
    for tokens in range(1, 8):
        started = time.perf_counter()
        for preset in PRESETS.values():
            assert sizes(preset, 1000 * tokens, 20).bytes
        taken.append(time.perf_counter() - started)
    assert min(taken) < 0.01
