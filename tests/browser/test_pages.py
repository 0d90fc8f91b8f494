"""Every page in a real browser: renders, is accessible, and looks right in each colour scheme and size."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

PAGES = sorted((Path(__file__).resolve().parents[2] / "pages").glob("*.py"))
PATHS = {page.stem: "" if page.stem == "overview" else page.stem for page in PAGES}
"""A page's path in the address is the name of its file."""
LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
}
WCAG = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
TABS = ["Agreement", "Norms", "Table"]
"""Of Rankings, besides the one that it opens with."""


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
def test_a_page_renders_accessible_with_figures_described(open_reader, path, look):
    reader = open_reader(**LOOKS[look]).go(path)
    reader.page.locator(".js-plotly-plot").first.wait_for()
    reader.screenshot(f"{path or 'overview'}-{look}")
    found = Axe().run(reader.page, options=WCAG)
    assert found.response["violations"] == [], found.generate_report()
    charts = reader.page.locator("[data-testid='stPlotlyChart']")
    described = reader.page.locator(
        "[data-testid='stPlotlyChart'] [aria-label], [data-testid='stPlotlyChart'][aria-label]"
    )
    assert charts.count() > 0
    assert described.count() >= charts.count()  # for those who do not see them


@pytest.mark.parametrize("look", ["light", "dark"])
def test_no_other_tab_of_rankings_has_an_accessibility_violation(open_reader, look):
    reader = open_reader(**LOOKS[look]).go("rankings")
    for tab in TABS:
        reader.page.get_by_role("tab", name=tab).click()
        reader.settle().screenshot(f"rankings-{tab.split()[0].lower()}-{look}")
        found = Axe().run(reader.page, options=WCAG)
        assert found.response["violations"] == [], found.generate_report()


def test_a_page_shows_no_undefined_number(reader):
    text = reader.go("rankings?tab=Table").text()
    assert "NaN" not in text and "nan" not in text.split() and "Traceback" not in text


def test_the_page_can_be_used_by_keyboard(reader):
    reader.go("rankings")
    slider = reader.page.locator(".st-key-k input[type='range']")
    slider.focus()
    slider.press("ArrowRight")
    reader.settle()
    assert "k=11" in reader.page.url
    assert len(reader.neighbours("dot")) == 11


def test_chinese_words_are_drawn(reader):
    reader.go("rankings?source=wiki-zh")
    assert reader.neighbours("cosine")[0] == "君主"
    ticks = reader.page.locator(".st-key-bars-cosine .ytick text").first
    assert "君主" in ticks.text_content()
