"""Diagnostics in a real browser: links, the download, an uploaded file, and long work that is stopped."""

import io

import numpy as np
import pandas as pd


def matrix_file(tmp_path, n, d):
    path = tmp_path / "vectors.npz"
    matrix = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    np.savez(path, words=np.array([f"w{i}" for i in range(n)]), vectors=matrix + 0.3)
    return path


def test_every_choice_is_in_the_address_and_comes_back(reader):
    reader.go("diagnostics")
    assert "Use cosine" in reader.text()
    reader.page.locator(".st-key-store button", has_text="FAISS").click()
    reader.settle()
    reader.page.locator(".st-key-diagnostics_measure button", has_text="euclidean").click()
    reader.settle()
    reader.page.get_by_role("tab", name="Anisotropy").click()
    reader.settle()
    assert all(part in reader.page.url for part in ("store=FAISS", "diagnostics_measure=euclidean", "tab=Anisotropy"))
    reader.page.reload()
    reader.settle()
    assert "IndexFlatL2" in reader.text() and "0.0005 after centring" in reader.text()


def test_the_csv_holds_every_word(reader):
    reader.go("diagnostics")
    reader.page.locator(".st-key-along summary").click()
    reader.settle()
    with reader.page.expect_download() as download:
        reader.page.locator(".st-key-csv-diagnostics button").click()
    with open(download.value.path(), "rb") as file:
        table = pd.read_csv(io.BytesIO(file.read()), encoding="utf-8-sig", keep_default_na=False)
    assert len(table) == 8_170 and table.set_index("word")["lists_dot"]["you"] == 603


def test_long_work_can_be_stopped_and_leaves_what_the_norms_tell(reader, tmp_path):
    reader.go("diagnostics")
    reader.page.locator(".st-key-source label", has_text="file").click()
    reader.settle()
    path = matrix_file(tmp_path, 23_000, 128)  # all of them are asked for their neighbours
    reader.page.locator("[data-testid='stFileUploaderDropzoneInput']").first.set_input_files(path)
    doing = reader.page.locator("[data-testid=stProgress]", has_text="Finding the closest words of all words")
    doing.wait_for(timeout=60_000)
    reader.page.locator("[data-testid=stButton]", has_text="Stop").get_by_role("button").click()
    reader.page.get_by_text("Stopped: Finding the closest words of all words.").first.wait_for()
    reader.settle()
    assert "Probably cosine" in reader.text() and "This rests on the closest words" in reader.text()
    assert reader.page.get_by_role("button", name="Compute").count() == 1
