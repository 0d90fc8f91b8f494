"""Scaling and softmax in a real browser: the address, the stop button, the download, and every tab accessible."""

from axe_playwright_python.sync_playwright import Axe

from tests.browser.test_pages import LOOKS, WCAG

STOP, AGAIN = ".st-key-stop-measuring button", ".st-key-measure-again button"


def stopped(reader):
    """Ends the measuring, which all readers share."""
    reader.page.locator(f"{STOP}, {AGAIN}").first.wait_for()
    if reader.page.locator(STOP).count():
        reader.page.locator(STOP).click()
    reader.page.locator(AGAIN).wait_for()
    return reader.settle()


def heights(reader, key):
    plot = reader.page.locator(f".st-key-{key} .js-plotly-plot").first
    return plot.evaluate("p => p._fullData.map(t => Array.from(t.y))")


def test_a_link_restores_what_is_done_to_the_scores(reader):
    reader.go("scaling?tab=Saturation&scaling_row=own&scaling_scores=0+0&scaling_factor=3&scaling_shift=-5")
    assert heights(reader, "weights") == [[0.5, 0.5]] * 3
    assert "Adding −5 to every score changes no weight." in reader.text()


def test_what_is_chosen_is_written_to_the_address(reader):
    reader.go("scaling?scaling_pairs=1000")
    reader.page.get_by_role("radio", name="vectors").click()
    reader.settle()
    assert "scaling_components=vectors" in reader.page.url and "with 50 components" in reader.text()
    reader.page.reload()
    reader.settle()
    assert "with 50 components" in reader.text()


def test_measuring_goes_on_beside_the_page_until_it_is_stopped(reader):
    reader.page.goto(f"{reader.url}/scaling?tab=Online+softmax", wait_until="domcontentloaded")
    stopped(reader).page.locator(AGAIN).click()
    reader.page.locator(STOP).wait_for()
    slider = reader.page.locator(".st-key-scaling_step input[type='range']")
    slider.focus()
    slider.press("ArrowRight")
    reader.page.get_by_text("After tile 2 of 3 the running maximum is 12").wait_for()
    assert reader.page.locator(STOP).count() == 1
    assert "Stopped: Measuring time and memory." in stopped(reader).text()


def test_the_variances_can_be_downloaded(reader):
    reader.go("scaling?scaling_pairs=1000")
    reader.page.get_by_text("Take it with you").click()
    reader.settle()
    with reader.page.expect_download() as download:
        reader.page.locator(".st-key-csv-variance button").click()
    lines = download.value.path().read_text("utf-8-sig").splitlines()
    assert len(lines) == 14 and lines[0].startswith("components,d_k,pairs,seed,mean")


def test_no_tab_has_an_accessibility_violation(open_reader):
    reader = open_reader(**LOOKS["dark"]).go("scaling?scaling_pairs=1000")
    for tab in ("Saturation", "Overflow", "Online softmax"):
        reader.page.get_by_role("tab", name=tab).click()
        if tab == "Online softmax":
            stopped(reader)
        reader.settle().screenshot(f"scaling-{tab.split()[0].lower()}-dark")
        found = Axe().run(reader.page, options=WCAG)
        assert found.response["violations"] == [], found.generate_report()
