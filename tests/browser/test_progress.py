"""Long work in a real browser: a bar that says what is done, a button that stops it, and one that takes it up again."""

import numpy as np
import pytest

STOP = "button:has-text('Stop')"
WORDS, SIZE = 40_000, 8
"""800 million pairs: some seconds, and a file of two megabytes."""


@pytest.fixture
def file(tmp_path):
    vectors = np.random.default_rng(0).standard_normal((WORDS, SIZE)).astype(np.float32)
    path = tmp_path / "many.npz"
    np.savez(path, words=[f"w{i}" for i in range(WORDS)], vectors=vectors)
    return path


def test_long_work_can_be_stopped_and_taken_up_again(reader, file):
    reader.go("?source=file").upload(file)
    reader.page.locator(".st-key-navigation a", has_text="Score distributions").click()
    main = reader.page.locator("[data-testid='stMain']")
    main.locator(STOP).click()
    reader.settle()
    text = reader.text()
    assert "Stopped: Counting the scores of all pairs." in text
    assert main.locator(STOP).count() == 0
    assert main.locator("[data-testid='stProgress']").count() == 0
    assert reader.page.locator(".st-key-distribution-cosine").count() == 0
    assert reader.page.locator(".st-key-distribution-additive .js-plotly-plot").count() == 1  # the rest goes on
    main.get_by_role("button", name="Compute").click()
    main.locator("[data-testid='stProgress']").wait_for()
    reader.settle()
    assert "All 799,980,000 pairs" in reader.text()
    assert "Stopped" not in reader.text()
    assert reader.page.locator(".st-key-distribution-cosine .js-plotly-plot").count() == 1


def test_two_readers_who_ask_for_the_same_both_get_it(open_reader):
    readers = [open_reader() for _ in range(2)]
    for one in readers:
        one.page.goto(f"{one.url}/distributions?source=wiki-zh&centre=true", wait_until="domcontentloaded")
    for one in readers:
        assert "All 24,735,061 pairs" in one.settle().text()
