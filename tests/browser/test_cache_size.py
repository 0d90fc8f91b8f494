"""What only a browser shows of Cache size: the link, one's own configuration, the table as a file, and stopping."""

import io
import json
from pathlib import Path

import pandas as pd


def test_a_link_carries_every_choice_and_the_table_comes_as_a_file(reader):
    reader.go("cache_size?cache_models=Qwen2.5-72B&cache_tokens=4096&cache_batch=3&cache_dtype=float8&cache_unit=GB")
    assert "holds 163.84 KB per token, 2.013 GB for 3 sequences of 4,096 tokens." in reader.text()
    reader.page.get_by_text("Take it with you").click()
    reader.settle()
    with reader.page.expect_download() as download:
        reader.page.locator(".st-key-csv-cache_sizes button").click()
    table = pd.read_csv(io.BytesIO(Path(download.value.path()).read_bytes()), encoding="utf-8-sig")
    own = table[table["own"]]
    assert own["bytes"].tolist() == [3 * 4096 * 80 * 2 * 8 * 128] and set(table["dtype"]) == {"float8"}
    reader.page.get_by_text("GiB", exact=True).first.click()
    reader.settle()
    assert "cache_unit" not in reader.page.url or "cache_unit=GiB" in reader.page.url
    assert "cache_tokens=4096" in reader.page.url and "cache_models=Qwen2.5-72B" in reader.page.url


def test_one_s_own_configuration_joins_the_models_and_a_bad_one_is_refused(reader, tmp_path):
    reader.go("cache_size?cache_models=Phi-2")
    reader.page.get_by_text("Your own model").click()
    uploader = reader.page.locator("[data-testid='stMain'] [data-testid='stFileUploaderDropzoneInput']")
    file = tmp_path / "secret-name.json"
    file.write_text("[1, 2]")
    uploader.set_input_files(file)
    reader.settle()
    assert "A JSON object was expected, found a list. Give the config.json of a model." in reader.text()
    own = tmp_path / "secret-own.json"
    own.write_text(json.dumps({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12}))
    uploader.set_input_files(own)
    reader.page.get_by_text("Read: 12 layers").wait_for()
    reader.settle()
    assert "config.json (MHA) holds 22.5 GiB, 36 KiB per token" in reader.text()
    assert "The number of key and value heads is missing" in reader.text()
    assert "secret" not in reader.page.url


def test_a_measurement_can_be_stopped_and_taken_up_again(reader):
    reader.go("cache_size?cache_models=Phi-2&cache_dtype=int4&tab=Measured")
    reader.page.get_by_role("button", name="Measure on this machine").click()
    main = reader.page.locator("[data-testid='stMain']")
    main.get_by_role("button", name="Stop").click()
    reader.settle()
    assert "Stopped: Filling caches with real tensors." in reader.text()
    reader.page.get_by_role("button", name="Compute").wait_for()
