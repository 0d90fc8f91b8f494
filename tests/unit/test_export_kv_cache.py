"""What Cache size exports comes back: tables through pandas, code through exec."""

import io
from contextlib import redirect_stdout

import pandas as pd
import pytest

from attention_core.export.kv_cache import measured_table, presets_table, sizes_code, sizes_csv, sizes_table
from attention_core.kv_cache import PRESETS, Workload, format_bytes, measure, sizes

MEMORY = 80 * 10**9
FOUND = {name: sizes(PRESETS[name], 32_768, 20) for name in ("Qwen2.5-72B", "DeepSeek-V3", "Falcon-7B")}


def test_the_table_names_the_baseline_of_each_share():
    table = sizes_table(FOUND, MEMORY).set_index(["model", "layout"])
    mla = table.loc["Qwen2.5-72B", "MLA"]
    assert mla["would save"] == pytest.approx(1 - 576 / 2048) and mla["own saves"] == pytest.approx(1 - 2048 / 576)
    assert mla["times own"] == 0.28125 and mla["GiB"] == 56.25 and mla["sequences"] == 26
    mha = table.loc["DeepSeek-V3", "MHA"]
    assert mha["own saves"] == 1 - 0.017578125 and mha["bytes per token"] == 3_997_696
    assert table.loc["Falcon-7B", "GQA"].isna()["bytes"] and table["own"].sum() == 3


def test_the_csv_comes_back_with_what_it_was_computed_from():
    table = pd.read_csv(io.BytesIO(sizes_csv(FOUND, MEMORY)), encoding="utf-8-sig")
    expected = sizes_table(FOUND, MEMORY)
    assert table["bytes"].tolist()[:5] == expected["bytes"].tolist()[:5]
    assert set(table["tokens"]) == {32_768} and set(table["batch"]) == {20} and set(table["memory"]) == {MEMORY}
    assert table["standing"].unique().tolist() == ["second-hand", "first-hand"]
    assert table["source of the model"].str.contains("deepseek-ai/DeepSeek-V3").sum() == 5


def test_the_code_prints_the_sizes():
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(sizes_code(list(FOUND), False, Workload(32_768, 20)), "exported", "exec"), {})
    lines = printed.getvalue().splitlines()
    assert lines[0] == "Qwen2.5-72B gqa 200 GiB" and "mla 56.25 GiB" in lines
    for s in FOUND.values():
        for layout, count in s.bytes.items():
            assert f"{layout} {s.why[layout] if count is None else format_bytes(count)}" in lines


def test_the_code_reads_one_s_own_configuration(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12}')
    exec(compile(sizes_code([], True, Workload(1)), "exported", "exec"), {})
    assert capsys.readouterr().out.splitlines()[0] == "config.json mha 36 KiB"


def test_every_model_is_in_the_table_with_its_source():
    table = presets_table(PRESETS, Workload(1)).set_index("model")
    assert len(table) == len(PRESETS) and table["source"].all() and table.loc["DeepSeek-V3", "bytes"] == 70_272
    assert pd.isna(table.loc["DeepSeek-V3", "key and value heads"]) and table.loc["Gemma-3-1B", "window"] == 512


def test_the_measured_table_sets_tensors_beside_the_formula():
    table = measured_table({"it": measure(PRESETS["GPT-2 small"], 5)})
    assert table.loc[0, "bytes in tensors"] == table.loc[0, "bytes by the formula"] == 5 * 36_864
    assert table.loc[0, "difference"] == 0 and table.loc[0, "layers"] == "12 of 12"
