"""Human judgements in a real browser: the URL, a table of one's own, what can be downloaded, and accessibility."""

import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe

import attention_core as ac
from tests.browser.test_pages import LOOKS, WCAG


@pytest.mark.parametrize(("tab", "look"), [("Analogies", "light"), ("Retrieval", "phone")])
def test_no_tab_has_an_accessibility_violation(open_reader, tab, look):
    reader = open_reader(**LOOKS[look]).go(f"judgements?tab={tab}")
    reader.page.locator(".js-plotly-plot").first.wait_for()
    reader.screenshot(f"judgements-{tab.lower()}-{look}")
    found = Axe().run(reader.page, options=WCAG)
    assert found.response["violations"] == [], found.generate_report()


def test_choices_are_written_to_the_url_and_survive_a_reload(reader):
    reader.go("judgements?judged=rg65")
    reader.page.locator(".st-key-judged_by button", has_text="euclidean").click()
    reader.settle()
    assert "judged=rg65" in reader.page.url and "judged_by=euclidean" in reader.page.url
    reader.page.reload()
    reader.settle()
    assert "on 65 pairs" in reader.text()
    assert "Euclidean distance, lower is closer" in reader.page.locator(".st-key-judged-scores").inner_text()


def test_a_word_of_an_analogy_is_written_to_the_url(reader):
    reader.go("judgements?tab=Analogies&questions=relations-en")
    box = reader.page.get_by_label("is to b as", exact=True)
    box.fill("uncle")
    box.press("Enter")
    reader.settle()
    assert "analogy_b=uncle" in reader.page.url and "aunt" in reader.text()


def test_a_table_of_ones_own_is_read_and_its_scores_are_downloaded(reader, tmp_path):
    reader.go("judgements?judged=own")
    with reader.page.expect_download() as example:
        reader.page.get_by_role("button", name="An example file").click()
    path = tmp_path / "mine.csv"
    example.value.save_as(path)
    reader.page.locator("[data-testid='stMain'] [data-testid='stFileUploaderDropzoneInput']").set_input_files(path)
    reader.settle()
    assert "mine.csv: 12 read." in reader.text()
    reader.page.get_by_text("Take it with you").click()
    with reader.page.expect_download() as download:
        reader.page.get_by_role("button", name="Download judgements.csv").click()
    download.value.save_as(tmp_path / "scores.csv")
    table = pd.read_csv(tmp_path / "scores.csv", encoding="utf-8-sig")
    judged = ac.judge(ac.sample("glove-en"), path)
    assert table["cosine"].tolist() == judged["cosine"].scores.tolist()
