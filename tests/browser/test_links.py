"""Links: every choice is in the URL, and a link shows the same view to anyone, at any time."""

import pytest

import attention_core as ac

ALL_INK = """ink => {
    const texts = [...document.querySelectorAll(".st-key-bars-dot .ytick text")]
    return texts.length > 0 && texts.every(text => getComputedStyle(text).fill === ink)
}"""
"""Looked at again until it holds: a figure that has just been drawn may be drawn once more."""
VIEW = "rankings?source=minilm-en&q=cat&k=5&centre=true&measures=dot&measures=cosine&tab=Agreement&stat=rbo"


@pytest.mark.parametrize("path", ["", "rankings?q=cat&k=6", VIEW], ids=["overview", "rankings", "everything chosen"])
def test_a_link_works_on_a_server_that_has_just_started(open_reader, cold_server, path):
    reader = open_reader(at=cold_server).go(path)
    assert reader.page.locator(".st-key-navigation").is_visible()
    assert reader.page.locator(".st-key-source").is_visible()
    assert reader.page.locator(".js-plotly-plot").count() >= 2


def test_a_link_restores_every_choice(reader):
    reader.go(VIEW)
    e = ac.sample("minilm-en").centred()
    assert reader.neighbours("cosine") == list(ac.compare(e, "cat", 5)["cosine"].words)
    assert "minilm-en, centred · 1,505 × 384" in reader.text()
    assert reader.page.locator(".st-key-bars-euclidean").count() == 0
    assert reader.page.get_by_role("tab", name="Agreement").get_attribute("aria-selected") == "true"


def test_choices_are_written_to_the_url_and_survive_a_reload(reader):
    reader.go("rankings").ask("cat")
    reader.page.locator(".st-key-measures button", has_text="additive").click()
    reader.settle()
    for part in ("q=cat", "measures=dot", "measures=cosine", "measures=euclidean"):
        assert part in reader.page.url
    before = reader.neighbours("dot")
    reader.page.reload()
    reader.settle()
    assert reader.neighbours("dot") == before
    assert reader.page.locator(".st-key-bars-additive").count() == 0


def test_the_word_goes_along_to_another_page(reader):
    reader.go("").ask("cat")
    reader.page.locator("[data-testid='stMain'] [data-testid='stPageLink'] a[href*='rankings']").first.click()
    reader.settle()
    assert "/rankings" in reader.page.url
    assert reader.neighbours("cosine")[:2] == ["dog", "rabbit"]


def test_back_never_leads_to_an_error(reader):
    reader.go("").ask("cat")
    reader.page.locator(".st-key-navigation a").last.click()
    reader.settle()
    for _ in range(2):
        reader.page.go_back()
        reader.settle()
        assert "cannot be shown" not in reader.text()
        assert "glove-en · 8,170 × 50" in reader.text()


def test_an_unknown_word_is_not_taken_silently(reader):
    reader.go("rankings").ask("princ")
    assert "“princ” is not among the words of glove-en." in reader.text()
    reader.page.get_by_role("button", name="prince", exact=True).click()
    reader.settle()
    assert "neighbours of prince" in " ".join(reader.text().split())


def test_a_value_that_is_not_possible_is_named(reader):
    reader.go("rankings?k=500&source=word2vec")
    assert "The link asks for k = 500" in reader.text()
    assert "The link asks for source = word2vec" in reader.page.locator("[data-testid='stSidebar']").inner_text()


def test_a_page_follows_a_change_of_the_colour_scheme(open_reader):
    reader = open_reader(color_scheme="dark").go("rankings")
    reader.page.wait_for_function(ALL_INK, arg="rgb(230, 232, 236)")
