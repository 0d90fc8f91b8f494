"""The models as data: recorded figures come out, and impossible ones are refused."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

import attention_core as ac
from attention_core.kv_cache import PRESETS, Latent, ModelPreset, sizes

ROWS = {
    row["model"]: row
    for row in csv.DictReader((Path(__file__).parents[2] / "oracles/model_presets.csv").read_text().splitlines())
}
V3, QWEN = PRESETS["DeepSeek-V3"], PRESETS["Qwen2.5-72B"]


def without_indexer(name):
    return replace(PRESETS[name], indexer_bytes=0)


def test_there_are_45_models_and_their_aliases():
    assert {preset.name for preset in PRESETS.values()} == set(ROWS) and len(ROWS) == 45
    assert PRESETS["DeepSeek-R1"] is V3 and PRESETS["DeepSeek-V3.1"] is V3
    assert PRESETS["Llama-3.1-8B"].name == "Llama-3-8B" and PRESETS["Llama-3.3-70B"].name == "Llama-3.1-70B"
    assert all(preset.source and preset.standing != "own" and not preset.own for preset in PRESETS.values())


@pytest.mark.parametrize("name", ROWS)
def test_the_recorded_figures_come_out(name):
    row, preset = ROWS[name], without_indexer(name)
    each = sizes(preset, 1)
    assert preset.window_counts[None] == int(row["full_layers"])
    assert preset.layers - preset.window_counts[None] == int(row["sliding_layers"])
    assert each.layouts[each.own].numbers * preset.layers == int(row["elements_per_token_all_layers"])
    assert each.total == int(row["bytes_per_token_2byte"])
    assert each.total / 1000 == pytest.approx(float(row["KB"]), abs=5e-4)
    assert each.total / 1024 == pytest.approx(float(row["KiB"]), abs=5e-4)
    for tokens in (8192, 131_072):
        assert sizes(preset, tokens).total == int(row[f"bytes_at_{tokens}"])


def test_windows_stand_where_the_families_put_them():
    assert PRESETS["Gemma-2-9B"].windows[:3] == (4096, None, 4096)
    assert PRESETS["Gemma-3-1B"].windows[4:7] == (512, None, 512) and PRESETS["Gemma-3-1B"].windows[-2:] == (512, 512)
    assert PRESETS["gpt-oss-20b"].windows[:2] == (128, None)
    assert set(PRESETS["Mistral-7B-v0.1"].windows) == {4096}


def test_what_was_not_read_at_the_source_says_so():
    first = {name for name, preset in PRESETS.items() if preset.standing == "first-hand"}
    assert first == {
        "DeepSeek-V2",
        "DeepSeek-V2-Lite",
        "DeepSeek-V3",
        "DeepSeek-R1",
        "DeepSeek-V3.1",
        "DeepSeek-V3.2-Exp",
    }
    assert PRESETS["Phi-3-mini-4k"].standing == "inferred" and "was not seen" in PRESETS["Phi-3-mini-4k"].source
    assert PRESETS["Kimi-K2-Instruct"].standing == "second-hand"


def test_llama_405b_has_8_key_and_value_heads_and_a_warning():
    preset = PRESETS["Llama-3.1-405B"]
    assert preset.kv_heads == 8 and "16" in preset.note


def test_deepseek_v32_keeps_132_bytes_more_for_each_token_and_layer():
    s = sizes(PRESETS["DeepSeek-V3.2-Exp"], 1)
    assert s.total == 61 * (2 * 576 + 132) and s.parts("mla")["indexer keys"] == 61 * 132
    assert s.bytes["mha"] == sizes(V3, 1).bytes["mha"]


IMPOSSIBLE = {
    "heads that form no groups": (QWEN, {"kv_heads": 7}, "64 query heads cannot share 7"),
    "no heads": (QWEN, {"heads": 0, "kv_heads": 1}, "heads is 0"),
    "no key and value heads": (QWEN, {"kv_heads": 0}, "kv_heads is 0"),
    "a negative size": (QWEN, {"qk_head_dim": -128}, "qk_head_dim is -128"),
    "no layers": (QWEN, {"windows": ()}, "layers is 0"),
    "a window of nothing": (QWEN, {"windows": (None, 0)}, "window of less than one token"),
    "an odd rotary size": (V3, {"latent": Latent(512, 63)}, "rotary part of 63"),
    "a rotary part as large as the key": (V3, {"latent": Latent(512, 192)}, "rotary part of 192"),
    "a rank above the hidden size": (V3, {"latent": Latent(8192, 64)}, "latent of 8192"),
    "a query rank above the hidden size": (V3, {"latent": Latent(512, 64, 8192)}, "latent of 8192"),
    "a rank of 0": (V3, {"latent": Latent(0, 64)}, "size below 1"),
}


@pytest.mark.parametrize(("preset", "change", "told"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_models_are_refused(preset, change, told):
    with pytest.raises(ac.CacheError, match=told) as refused:
        replace(preset, **change)
    assert str(refused.value).count(". ") >= 1  # what is wrong, then what to do


def test_a_model_of_one_s_own_is_its_own():
    own = ModelPreset("mine", 96, 6, 3, 16, 16, (None,) * 5)
    assert own.own and own.layers == 5 and own.qk_nope_head_dim == 16 and V3.qk_nope_head_dim == 128
