"""Figures that papers, tools and threads print, row by row with the verdict on each."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from attention_core.kv_cache import PRESETS, Latent, ModelPreset, sizes

FILE = Path(__file__).parents[2] / "oracles/published_kv_figures.csv"
ROWS = {row["figure"]: row for row in csv.DictReader(FILE.read_text().splitlines())}
V3, V2, GIB = PRESETS["DeepSeek-V3"], PRESETS["DeepSeek-V2"], 2**30


def total(name, tokens=1, **options):
    return sizes(PRESETS[name], tokens, **options).total


def numbers(preset):
    s = sizes(preset, 1)
    return s.layouts[s.own].numbers * preset.layers


def heads(layers, count, size=128):
    """Numbers per token of a model with MHA."""
    return numbers(ModelPreset("MHA", 8192, count, count, size, size, (None,) * layers))


RECOMPUTED = {
    "DeepSeek-V3 KV cache per token": lambda: total("DeepSeek-V3") / 1000,
    "Qwen-2.5 72B KV cache per token": lambda: total("Qwen2.5-72B") / 1000,
    "LLaMA-3.1 405B KV cache per token": lambda: total("Llama-3.1-405B") / 1000,
    "Multiplier Qwen/V3": lambda: total("Qwen2.5-72B") / total("DeepSeek-V3"),
    "Multiplier Llama-405B/V3": lambda: total("Llama-3.1-405B") / total("DeepSeek-V3"),
    "DeepSeek-V2 MLA, GQA-equivalent groups": lambda: numbers(V2) / 60 / (2 * 128),
    "small MoE w/ MHA elements per token": lambda: heads(27, 16) / 1000,
    "small MoE w/ MLA": lambda: numbers(PRESETS["DeepSeek-V2-Lite"]) / 1000,
    "large MoE w/ MHA": lambda: heads(60, 56) / 1000,
    "large MoE w/ MLA": lambda: numbers(V2) / 1000,
    "KV cache reduction V2 vs DeepSeek 67B": lambda: 100 * (1 - numbers(V2) * 6 / 8 / total("DeepSeek-LLM-67B")),
    "FP8-with-scale latent cache per token per layer": lambda: total("DeepSeek-V3", dtype="flashmla") / 61,
    "vLLM gpt-oss-120b bytes per token at length 1": lambda: total("gpt-oss-120b"),
    "Gemma-3 27B correct estimate (context 131072)": lambda: total("Gemma-3-27B", 131_072) / GIB,
    "DeepSeek-V3.1 correct estimate": lambda: total("DeepSeek-V3.1", 163_840) / GIB,
    "Kimi-K2.5 estimate": lambda: total("Kimi-K2-Instruct", 262_144) / GIB,
    "V3.x cache at 1 Mi tokens": lambda: total("DeepSeek-V3", 1 << 20) / GIB,
    "V3.x cache at 160k": lambda: total("DeepSeek-V3", 163_840) / GIB,
    "GPT-2 (XL) per token": lambda: total("GPT-2 XL") / 1024,
    "Llama 3 8B per token": lambda: total("Llama-3-8B") / 1024,
    "Llama 3.2 1B per token": lambda: total("Llama-3.2-1B") / 1024,
    "OLMo 2 7B per token": lambda: total("OLMo-2-7B") / 1024,
    "DeepSeek V3 per token": lambda: total("DeepSeek-V3") / 1024,
    "DeepSeek-V3 per token": lambda: total("DeepSeek-V3") / 1000,
    "Llama-2-13B per output token": lambda: total("Llama-2-13B") / 1e6,
    "Llama-3-70B per 32K context": lambda: total("Llama-3.1-70B", 32_768) / 1e9,
    "V3 latent cache in 65536 tokens, 4 bit": lambda: total("DeepSeek-V3", 65_536, dtype="int4") / 61 / 2**20,
}
"""In the unit of the row."""
TWO_FIGURES = {"MLA/MHA small and large", 'DeepSeek-R1 "compression" figures'}


def published(row):
    """The printed figure, and half a unit of its last digit."""
    digits = re.search(r"\d+(\.\d+)?", row["published"])
    decimals = len((digits[1] or ".")[1:])
    return float(digits[0]), 0.5 * 10.0**-decimals


def test_every_row_is_here():
    assert set(RECOMPUTED) | TWO_FIGURES == set(ROWS) and len(ROWS) == 29


@pytest.mark.parametrize("figure", RECOMPUTED)
def test_the_figure_comes_out_and_the_verdict_holds(figure):
    row, value = ROWS[figure], RECOMPUTED[figure]()
    assert value == pytest.approx(float(row["recomputed"]), rel=2e-5 if "." in row["recomputed"] else 1e-12)
    printed, rounding = published(row)
    agrees = row["verdict"].startswith("match") or row["verdict"].endswith("rounded up")
    assert agrees == (abs(value - printed) <= rounding * 1.000001)


def test_the_shares_of_the_v2_paper():
    small = numbers(PRESETS["DeepSeek-V2-Lite"]) / heads(27, 16)
    large = numbers(V2) / heads(60, 56)
    row = ROWS["MLA/MHA small and large"]
    assert row["recomputed"] == f"{small:.4f} and {large:.4f}"
    assert row["published"] == f"{100 * small:.0f} % and {100 * large:.0f} %" and row["verdict"] == "match"


def test_the_compression_of_r1_is_larger_than_its_reporter_said():
    row, expanded = ROWS['DeepSeek-R1 "compression" figures'], sizes(V3, 1)
    share = 1 - expanded.layouts["mla"].numbers / expanded.layouts["expanded"].numbers
    assert row["recomputed"] == f"40960n -> 576n = {100 * share:.2f} %"
    assert "8704n = 82.29" in row["published"] and round(100 * (1 - 8704 / 49_152), 2) == 82.29


# --- what the verdicts say beside


def test_405b_with_16_heads_would_be_twice_as_large():
    doubled = sizes(replace(PRESETS["Llama-3.1-405B"], kv_heads=16), 1).total
    assert doubled == 1_032_192 and "1032.192" in ROWS["LLaMA-3.1 405B KV cache per token"]["verdict"]


def test_v2_saves_less_at_equal_precision():
    saved = 100 * (1 - numbers(V2) / numbers(PRESETS["DeepSeek-LLM-67B"]))
    assert f"{saved:.2f} %" in ROWS["KV cache reduction V2 vs DeepSeek 67B"]["verdict"]


def test_vllm_s_tokens_fit_what_its_log_says():
    assert round(5.38 * GIB / total("gpt-oss-120b")) == 78_352


def test_gpt_2_without_xl_is_another_model():
    assert total("GPT-2 small") == 36 * 1024


def test_a_figure_in_kib_that_is_labelled_kb():
    assert total("DeepSeek-V3") / 1024 == pytest.approx(68.6, abs=0.05) and total("DeepSeek-V3") / 1000 > 70


def test_10_4_gb_is_no_32k_context():
    assert total("Llama-3.1-70B", 32_768) == 10 * GIB and total("Llama-3.1-70B", 32_000) / 1e9 == pytest.approx(
        10.486, abs=5e-4
    )


def test_a_reporter_forgot_61_layers_and_most_of_the_rotary_key():
    forgotten = replace(V3, qk_head_dim=188, latent=Latent(512, 60), windows=(None,))
    assert sizes(forgotten, 65_536, dtype="int4").total == 17.875 * 2**20
    assert total("DeepSeek-V3", 65_536, dtype="int4") == 1098 * 2**20
