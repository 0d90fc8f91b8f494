"""Two vectors in a real browser: the address, a suggestion, the download, and every tab accessible."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.test_pages import LOOKS, WCAG

MOVED = "two_vectors?two=numbers&vec_a=3+0&vec_b=0+4&scale_b=2&turn_b=90&tab=When+b+moves"


def tip(reader, key, place):
    """Where the arrow of that place among the figure's traces ends."""
    plot = reader.page.locator(f".st-key-{key} .js-plotly-plot").first
    return plot.evaluate("(p, i) => { const t = p._fullData.at(i); return [t.x[1], t.y[1]] }", place)


def test_a_link_restores_the_vectors_and_the_move(reader):
    reader.go(MOVED)
    assert tip(reader, "plane", -1) == pytest.approx([-8, 0], abs=1e-12)
    assert reader.page.locator(".st-key-sweep-factor .js-plotly-plot").is_visible()


def test_what_is_chosen_is_written_to_the_address_and_survives_a_reload(reader):
    reader.go("two_vectors?two=plane")
    slider = reader.page.locator(".st-key-a_x input[type='range']")
    slider.focus()
    slider.press("ArrowLeft")
    reader.settle()
    assert "a_x=3.9" in reader.page.url
    reader.page.reload()
    reader.settle()
    assert tip(reader, "plane", -2) == [3.9, 1]


def test_a_suggestion_replaces_the_second_word_alone(reader):
    reader.go("two_vectors?q=cat&q2=princ")
    reader.page.get_by_role("button", name="princess", exact=True).click()
    reader.settle()
    assert "cat and princess enclose" in " ".join(reader.text().split())
    assert "q=cat" in reader.page.url and "q2=princess" in reader.page.url


def test_the_products_can_be_downloaded(reader):
    reader.go("two_vectors")
    reader.page.get_by_text("Take it with you").click()
    reader.settle()
    with reader.page.expect_download() as download:
        reader.page.locator(".st-key-csv-two_vectors button").click()
    lines = download.value.path().read_text("utf-8-sig").splitlines()
    assert len(lines) == 51 and lines[0].startswith("component,a,b,product,sum")


@pytest.mark.parametrize("look", ["dark", "phone"])
def test_no_tab_has_an_accessibility_violation(open_reader, look):
    reader = open_reader(**LOOKS[look]).go("two_vectors?q2=carrots&turn_b=-40")
    for tab in ("When b moves", "Invariance"):
        reader.page.get_by_role("tab", name=tab).click()
        reader.settle().screenshot(f"two_vectors-{tab.split()[0].lower()}-{look}")
        found = Axe().run(reader.page, options=WCAG)
        assert found.response["violations"] == [], found.generate_report()
