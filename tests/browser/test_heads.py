"""Heads in a real browser: the URL, weights of one's own, what is downloaded, and accessibility of its tabs."""

import pandas as pd
import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from safetensors.torch import save_file

from tests.browser.test_pages import LOOKS, WCAG


@pytest.mark.parametrize(
    ("tab", "look"), [("Subspaces", "light"), ("Concat+and+W_O", "dark"), ("Contributions", "phone")]
)
def test_no_tab_has_an_accessibility_violation(open_reader, tab, look):
    reader = open_reader(**LOOKS[look]).go(f"heads?tab={tab}&kv_heads=1&mask=causal")
    reader.page.locator(".js-plotly-plot").nth(1).wait_for()
    reader.screenshot(f"heads-{tab.split('+')[0].lower()}-{look}")
    found = Axe().run(reader.page, options=WCAG)
    assert found.response["violations"] == [], found.generate_report()


def test_choices_are_written_to_the_url_and_survive_a_reload(reader):
    reader.go("heads?heads=10&kv_heads=2&projection=pca&tab=Sharing")
    assert "grouped-query attention (GQA)" in reader.text()
    reader.page.get_by_role("tab", name="Contributions").click()
    reader.settle()
    box = reader.page.locator(".st-key-heads_token input")
    box.fill("2")
    box.press("Enter")
    reader.settle()
    assert "heads_token=2" in reader.page.url and "heads=10" in reader.page.url
    reader.page.reload()
    assert "of the output of cat" in reader.settle().text()


def test_weights_of_ones_own_are_read_and_what_they_give_is_downloaded(reader, tmp_path):
    save_file(torch.nn.MultiheadAttention(50, 5).state_dict(), tmp_path / "secret.safetensors")
    reader.go("heads?projection=own")
    main = reader.page.locator("[data-testid='stMain'] [data-testid='stFileUploaderDropzoneInput']")
    main.set_input_files(tmp_path / "secret.safetensors")
    reader.page.get_by_text("secret.safetensors: Projections(q (50, 50)").wait_for()
    assert "secret" not in reader.settle().page.url
    reader.page.get_by_text("Take it with you").click()
    with reader.page.expect_download() as download:
        reader.page.get_by_role("button", name="Download heads.csv").click()
    download.value.save_as(tmp_path / "heads.csv")
    table = pd.read_csv(tmp_path / "heads.csv", encoding="utf-8-sig")
    assert table["head"].tolist() == [1, 2, 3, 4, 5] and set(table["attention"]) == {"projection=own heads=5"}
