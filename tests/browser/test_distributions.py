"""Score distributions in a real browser: its link, what a score box says, the download, every tab's accessibility."""

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe

import attention_core as ac
from tests.browser.test_pages import LOOKS, WCAG


def test_a_choice_is_written_to_the_url_and_survives_a_reload(reader):
    reader.go("distributions?source=minilm-en")
    box = reader.page.locator(".st-key-score_cosine input")
    box.fill("0.62")
    box.press("Enter")
    reader.settle()
    reader.page.locator(".st-key-distributions_log label").first.click()
    reader.settle()
    assert "score_cosine=0.62" in reader.page.url and "distributions_log=true" in reader.page.url
    told = "0.62: closer than 99."
    assert told in reader.text()
    reader.page.reload()
    assert told in reader.settle().text()


def test_the_download_holds_all_pairs(reader):
    reader.go("distributions?source=minilm-en")
    reader.page.get_by_text("Take it with you").click()
    reader.settle()
    with reader.page.expect_download() as download:
        reader.page.locator(".st-key-csv-distributions button").click()
    table = pd.read_csv(download.value.path())
    n = len(ac.sample("minilm-en"))
    assert table.groupby("measure")["pairs"].sum()["cosine"] == n * (n - 1) // 2


@pytest.mark.parametrize("look", ["light", "phone"])
def test_no_tab_has_an_accessibility_violation(open_reader, look):
    reader = open_reader(**LOOKS[look]).go("distributions?source=minilm-en")
    for tab in ("Quantiles", "Word groups"):
        reader.page.get_by_role("tab", name=tab).click()
        reader.settle().screenshot(f"distributions-{tab.split()[0].lower()}-{look}")
        found = Axe().run(reader.page, options=WCAG)
        assert found.response["violations"] == [], found.generate_report()
