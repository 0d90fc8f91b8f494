"""MLA in a real browser: links, measuring that can be stopped, the download, and every tab accessible."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.test_pages import LOOKS, WCAG

TABS = ("Three forms", "Low rank", "Rotary key")


def test_a_link_restores_sizes_tab_and_latent(reader):
    reader.go("mla?mla_model=DeepSeek-V2-Lite&mla_dtype=float32&tab=Low+rank&mla_rank=41")
    text = " ".join(reader.text().split())
    assert "DeepSeek-V2-Lite keeps 576 numbers" in text and "A latent of 41 numbers in place of 100" in text


def test_what_is_chosen_is_written_to_the_address_and_survives_a_reload(reader):
    reader.go("mla")
    reader.page.get_by_role("radio", name="absorb").or_(reader.page.get_by_role("button", name="absorb")).first.click()
    reader.settle()
    assert "mla_step=absorb" in reader.page.url
    reader.page.reload()
    assert "they differ by" in reader.settle().text()


def test_measuring_can_be_stopped_and_taken_up_again(reader):
    reader.go("mla?tab=Three+forms&mla_model=DeepSeek-V2-Lite")
    main = reader.page.locator("[data-testid='stMain']")
    main.get_by_role("button", name="Measure on this machine").click()
    main.locator("button:has-text('Stop')").click()
    assert "Stopped: Timing three forms of decoding." in reader.settle().text()


def test_the_costs_can_be_downloaded(reader):
    reader.go("mla")
    reader.page.get_by_text("Take it with you").click()
    reader.settle()
    with reader.page.expect_download() as download:
        reader.page.locator(".st-key-csv-mla button").click()
    lines = download.value.path().read_text("utf-8-sig").splitlines()
    assert lines[0].startswith("tokens,form,numbers_held") and len(lines) == 1 + 3 * 9


@pytest.mark.parametrize("look", ["dark", "phone"])
def test_no_tab_has_an_accessibility_violation(open_reader, look):
    reader = open_reader(**LOOKS[look]).go("mla")
    for tab in TABS:
        reader.page.get_by_role("tab", name=tab).click()
        reader.settle().screenshot(f"mla-{tab.split()[0].lower()}-{look}")
        found = Axe().run(reader.page, options=WCAG)
        assert found.response["violations"] == [], found.generate_report()
