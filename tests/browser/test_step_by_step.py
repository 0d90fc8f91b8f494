"""Step by step in a real browser: clicks, the address, the download, and every tab accessible."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.test_pages import LOOKS, WCAG

TABS = ["Row as a sum", "Words", "Word order", "Two settings", "Numbers"]


def click(reader, key, across, down):
    """A click into a figure, at a share of its width and height."""
    plot = reader.page.locator(f".st-key-{key} .js-plotly-plot").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
    reader.page.mouse.move(x, y)
    reader.page.wait_for_timeout(300)
    reader.page.mouse.click(x, y)
    return reader.settle()


def test_a_click_chooses_a_stage_and_a_cell_and_the_address_keeps_both(reader):
    reader.go("step_by_step")
    click(reader, "strip", 0.1, 0.75)
    assert "stage=scores" in reader.page.url
    click(reader, "map-of-stage", 0.95, 0.9)
    assert "cell_row=5" in reader.page.url and "cell_column=5" in reader.page.url
    assert "fish asks, fish answers" in " ".join(reader.text().split())
    reader.page.reload()
    reader.settle()
    assert "fish asks, fish answers" in " ".join(reader.text().split())


def test_every_heat_map_is_drawn_once(reader):
    count = "window.drawn = 0; const draw = HTMLCanvasElement.prototype.toDataURL;"
    count += "HTMLCanvasElement.prototype.toDataURL = function (...asked) { drawn++; return draw.apply(this, asked); };"
    reader.page.add_init_script(count)
    reader.go("step_by_step?sentence=a+dog+chased+the+cat+up+the+tree")
    for control, choice in (("mask", "causal"), ("stage", "scores")):
        reader.page.evaluate("window.drawn = 0")
        reader.page.locator(f".st-key-{control} button", has_text=choice).first.click()
        reader.settle()
        maps = reader.page.locator(".js-plotly-plot").evaluate_all(
            "plots => plots.flatMap(p => p.data).filter(t => t.type == 'heatmap').length"
        )
        assert reader.page.evaluate("window.drawn") == maps > 10


def test_a_pinned_setting_travels_with_the_link(reader):
    reader.go("step_by_step?tab=Two+settings&mask=causal")
    reader.page.get_by_role("button", name="Pin the present settings").click()
    reader.settle()
    assert "pinned=mask%3Dcausal" in reader.page.url
    reader.go(reader.page.url.partition("/step")[1].lstrip("/") + reader.page.url.partition("/step")[2])
    assert "Both settings give the same weights" in reader.text()


def test_other_vectors_leave_no_warning_behind(reader):
    reader.go("step_by_step?sentence=a+dog+chased+the+cat+up+the+tree&cell_row=8")
    reader.page.locator(".st-key-source label", has_text="wiki-zh").click()
    reader.settle()
    assert "not possible here" not in reader.text()
    assert reader.page.locator(".st-key-map-of-stage .js-plotly-plot").is_visible()


def test_the_pairs_can_be_downloaded(reader):
    reader.go("step_by_step?mask=causal")
    reader.page.get_by_text("Take it with you").click()
    reader.settle()
    with reader.page.expect_download() as download:
        reader.page.locator(".st-key-csv-step_by_step button").click()
    lines = download.value.path().read_text("utf-8-sig").splitlines()
    assert len(lines) == 26 and lines[0].startswith("head,query_place,query,key_place,key,score,scaled,allowed,weight")


@pytest.mark.parametrize("look", ["dark", "phone"])
def test_no_tab_has_an_accessibility_violation(open_reader, look):
    reader = open_reader(**LOOKS[look]).go("step_by_step?mask=window&heads=2&sentence_by=text&text=the+catt+eats+fish")
    for tab in TABS:
        reader.page.get_by_role("tab", name=tab).click()
        reader.settle().screenshot(f"step_by_step-{tab.split()[-1].lower()}-{look}")
        found = Axe().run(reader.page, options=WCAG)
        assert found.response["violations"] == [], found.generate_report()
