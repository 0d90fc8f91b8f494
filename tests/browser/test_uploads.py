"""Uploads: every format through the browser, how a file was read, and memory that does not grow."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

CASES = Path(__file__).resolve().parents[1] / "cases/formats"


def resident(server):
    """Megabytes that the server holds; Linux only."""
    status = Path(f"/proc/{server.process.pid}/status")
    if not status.exists():
        pytest.skip("the server's memory is read from /proc, which only Linux has")
    return int(re.search(r"VmRSS:\s+(\d+)", status.read_text())[1]) / 1000


def test_ten_uploads_of_15_megabytes_leave_no_more_than_one(reader, cold_server, tmp_path):
    rng = np.random.default_rng(0)
    reader.url = cold_server.url
    reader.go("?source=file")
    rows = [" ".join(row) for row in np.char.mod("%.6f", rng.standard_normal((16_000, 100))).tolist()]
    held = []
    for turn in range(10):
        file = tmp_path / f"v{turn}.txt"
        file.write_text("".join(f"w{turn}_{i} {row}\n" for i, row in enumerate(rows)))
        assert file.stat().st_size > 15_000_000
        reader.upload(file)
        assert f"v{turn}.txt" in reader.page.locator("section[data-testid='stSidebar']").inner_text()
        held.append(resident(cold_server))
    assert held[-1] - held[1] < 60, held  # eight more uploads: 120 MB of files, 51 MB of vectors


ALIKE = ("word2vec_text.txt", "word2vec_binary.bin", "wide.csv", "openai_style_embedding_column.csv", "vectors.npz",
         "vectors.safetensors", "list_column_pandas_f64.parquet", "projector_vectors.tsv")  # fmt: skip
"""The same vectors in other formats."""


def test_every_format_shows_the_same_neighbours_in_the_browser(reader):
    reader.go("rankings?source=file").upload(CASES / "glove_text.txt")
    expected = reader.neighbours("cosine")
    assert len(expected) == 10
    for name in ALIKE:
        if name == "projector_vectors.tsv":
            words = reader.page.locator("[data-testid='stFileUploaderDropzoneInput']").nth(1)
            words.set_input_files(CASES / "projector_metadata.tsv")
            reader.settle()
        reader.upload(CASES / name)
        assert name in reader.page.locator("section[data-testid='stSidebar']").inner_text()
        assert reader.neighbours("cosine") == expected, name


def test_how_a_file_was_read_is_shown_and_may_be_chosen(reader, tmp_path):
    file = tmp_path / "table.csv.gz"
    file.write_bytes(gzip.compress(b"id,word,d0,d1\n7,river,0.5,1\n8,stone,2,3\n9,lamp,1,1\n"))
    sidebar = reader.page.locator("section[data-testid='stSidebar']")
    reader.go("rankings?source=file").upload(file)
    assert "table.csv (CSV/TSV table, gzip)" in sidebar.inner_text()
    assert "Not part of the vectors: column “id”." in sidebar.inner_text()
    sidebar.get_by_text("How to read it").click()
    sidebar.get_by_label("Column of words").fill("id")
    sidebar.get_by_label("Column of words").press("Enter")
    reader.settle()
    reader.upload(file)
    assert sorted(reader.neighbours("cosine")) == ["8", "9"]


def test_a_refusal_shows_the_line_between_its_neighbours(reader, tmp_path):
    file = tmp_path / "cut.vec"
    file.write_text("4 2\nriver 0.5 1\nstone 0.75\nlamp 1 2\ncloud 3 4\n")
    reader.go("rankings?source=file").upload(file)
    assert "2  river 0.5 1\n3  stone 0.75\n4  lamp 1 2" in reader.text()


def test_reading_can_be_stopped(reader, tmp_path):
    header, row = ",".join(f"d{i}" for i in range(100)), ",".join(["0.12345"] * 100)
    file, small = tmp_path / "large.csv", tmp_path / "small.csv"
    file.write_text(f"word,{header}\n" + "".join(f"w{i},{row}\n" for i in range(70_000)))
    small.write_text("word,d0,d1\nriver,0.5,1\nstone,2,3\nlamp,1,1\n")
    sidebar = reader.page.locator("section[data-testid='stSidebar']")
    reader.go("?source=file")
    reader.page.locator("[data-testid='stFileUploaderDropzoneInput']").first.set_input_files(file)
    sidebar.get_by_role("button", name="Stop").click(timeout=30_000)
    reader.settle()
    assert "large.csv" not in sidebar.inner_text() and not sidebar.get_by_role("button", name="Stop").count()
    reader.upload(small)
    assert "3 × 2" in reader.text()
