"""Figures of judgements, analogies and retrieval: valid for Plotly, drawn from the values given, safe with any word."""

from functools import cache

import numpy as np
import plotly.graph_objects as go
import pytest

import attention_core as ac
from attention_core.plots import estimates
from attention_core.plots.estimates import Mark
from attention_core.plots.judged import NAMED, farthest, free_places, judged_scores
from attention_core.plots.theme import Style
from attention_core.similarity.tables import JudgedPairs, Questions, Relevance
from tests.unit.test_plots import EVIL, texts

pytestmark = pytest.mark.usefixtures("one_thread")


def evil():
    return ac.Embeddings([EVIL, "\ud800", "", "c"], np.eye(4) + 1, "four words")


PAIRS = JudgedPairs("mine", ((EVIL, "c"), ("\ud800", "c"), ("", "c"), (EVIL, "")), (1.0, 2.0, 3.0, 4.0))
GLOVE = cache(lambda: ac.sample("glove-en"))


@cache
def judged(name):
    tables = {"wordsim353": (GLOVE, "wordsim353"), "evil words": (evil, PAIRS)}
    nothing = JudgedPairs("mine", (("x", "y"), ("a", "b")), (1.0, 2.0))
    e, table = {**tables, "undefined": (GLOVE, nothing)}[name]
    return ac.judge(e(), table)


@cache
def answered(name):
    sections = Questions("mine", ((EVIL, "\ud800", "", "c"),), (EVIL,))
    nothing = Questions("mine", (("x", "y", "z", "w"),), ("",))
    tables = {"relations-en": (GLOVE, "relations-en"), "evil words": (evil, sections), "undefined": (GLOVE, nothing)}
    e, table = tables[name]
    return ac.analogies(e(), table)


@cache
def retrieved(name):
    tables = {
        "groups-en": (GLOVE, "groups-en"),
        "evil words": (evil, Relevance("mine", {EVIL: {"c": 1.0}})),
        "undefined": (GLOVE, Relevance("mine", {"xyz": {"zyx": 1.0}})),
    }
    e, table = tables[name]
    return ac.retrieval(e(), table)


FIGURES = {
    "correlations": lambda style: [estimates.correlations(judged(n), style) for n in CASES[0]],
    "margins": lambda style: [estimates.margins(judged(n).margins, "x", style) for n in CASES[0]],
    "scatter": lambda style: [judged_scores(judged(n), m, style) for n in CASES[0] for m in ac.MEASURES],
    "accuracies": lambda style: [estimates.accuracies(answered(n), style) for n in CASES[1]],
    "sections": lambda style: [estimates.section_accuracies(answered(n), True, style) for n in CASES[1]],
    "metrics": lambda style: [estimates.metrics(retrieved(n), style) for n in CASES[2]],
}
REST = ("evil words", "undefined")
CASES = (("wordsim353", *REST), ("relations-en", *REST), ("groups-en", *REST))
figures = pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)


@figures
@pytest.mark.parametrize(("dark", "ink"), [(False, "#31333F"), (True, "#E6E8EC")], ids=["light", "dark"])
def test_a_figure_is_valid_for_plotly_and_in_the_ink_of_its_ground(draw, dark, ink):
    for drawn in draw(Style(dark=dark)):
        checked = go.Figure(drawn)
        assert checked.layout.height > 0 and checked.layout.font.color == ink


@figures
def test_no_word_is_taken_for_markup(draw):
    for drawn in draw(Style()):
        assert not any("<img" in text or "\n" in text or "\u202e" in text for text in texts(drawn))


@figures
def test_every_text_of_a_figure_can_be_translated(draw):
    words = {measure.label for measure in ac.MEASURES.values()} | {"undefined", "own words excluded"}
    for drawn in draw(Style(text=lambda english: f"[{english}]")):
        assert not words & set(texts(drawn))


def points(drawn):
    """(x, y) of every visible mark."""
    return {
        (x, y) for trace in drawn["data"] if "error_x" in trace for x, y in zip(trace["x"], trace["y"], strict=True)
    }


def test_a_mark_and_its_interval_stand_where_the_figures_say():
    judgements = judged("wordsim353")
    drawn = estimates.correlations(judgements)
    assert points(drawn) == {(each.rho, i) for i, each in enumerate(judgements.values())}
    [cosine] = [trace for trace in drawn["data"] if trace["x"] == [judgements["cosine"].rho]]
    low, high = judgements["cosine"].interval
    assert cosine["x"][0] + cosine["error_x"]["array"][0] == pytest.approx(high, abs=1e-12)
    assert cosine["x"][0] - cosine["error_x"]["arrayminus"][0] == pytest.approx(low, abs=1e-12)
    assert drawn["layout"]["yaxis2"]["ticktext"][1] == " 0.503  (0.411 to 0.593)"
    assert "n = 353 pairs" in drawn["layout"]["xaxis"]["title"]["text"]


def test_a_difference_that_cannot_be_told_is_grey_and_hollow():
    margins = judged("wordsim353").margins
    traces = [trace for trace in estimates.margins(margins, "x")["data"] if "error_x" in trace]
    shown = {x: trace["marker"]["symbol"] for trace in traces for x in trace["x"]}
    assert {shown[m.value] for m in margins if m.told} == {"circle"}
    assert {shown[m.value] for m in margins if not m.told} == {"circle-open"}


def test_every_interval_lies_inside_the_axis():
    judgements = judged("wordsim353")
    low, high = estimates.correlations(judgements)["layout"]["xaxis"]["range"]
    assert all(low < each.interval[0] and each.interval[1] < high for each in judgements.values())


def test_what_is_undefined_is_said_and_has_no_mark():
    drawn = estimates.correlations(judged("undefined"))
    assert points(drawn) == set() and set(drawn["layout"]["yaxis2"]["ticktext"]) == {" undefined"}


def test_accuracies_are_drawn_with_and_without_own_words():
    answers = answered("relations-en")
    drawn = estimates.accuracies(answers)
    expected = {each.total.accuracy for each in answers.values()} | {e.total.accuracy_allowed for e in answers.values()}
    assert {x for x, _ in points(drawn)} == expected and len(points(drawn)) == 8
    names = [trace.get("name") for trace in drawn["data"] if trace.get("name")]
    assert names == ["own words excluded", "own words allowed"]


@pytest.mark.parametrize("allowed", [False, True])
def test_sections_are_drawn_with_their_counts(allowed):
    answers = answered("relations-en")
    drawn = estimates.section_accuracies(answers, allowed)
    assert drawn["layout"]["yaxis"]["ticktext"] == ["capital (600)", "gender (210)"]
    figure = "accuracy_allowed" if allowed else "accuracy"
    expected = {getattr(share, figure) for each in answers.values() for share in each.sections.values()}
    assert {x for x, _ in points(drawn)} == expected


def test_no_two_marks_of_a_row_lie_on_each_other():
    heights = [y for _, y in points(estimates.metrics(retrieved("groups-en")))]
    assert len(set(heights)) == 12


def test_the_scatter_has_every_pair_and_names_the_worst():
    judgements = judged("wordsim353")
    drawn = judged_scores(judgements, "cosine")
    everything, named = drawn["data"]
    assert everything["x"].tolist() == list(judgements.table.scores)
    assert everything["y"].tolist() == judgements["cosine"].scores.tolist()
    sizes = np.abs(judgements["cosine"].residuals)
    assert sorted(sizes[farthest(sizes, NAMED)]) == sorted(sizes)[-NAMED:]
    assert "asylum – madhouse" in named["text"]


def test_a_distance_is_drawn_with_the_closest_at_the_top():
    assert judged_scores(judged("wordsim353"), "euclidean")["layout"]["yaxis"]["autorange"] == "reversed"
    assert judged_scores(judged("wordsim353"), "cosine")["layout"]["yaxis"]["autorange"] is True


def test_labels_that_find_no_place_are_left_out():
    places = free_places(np.full(9, 0.5), np.full(9, 0.5), ["a – b"] * 9)
    placed = [place for place in places if place]
    assert 0 < len(placed) == len(set(placed)) < 9


def test_a_mark_without_an_interval_is_drawn():
    drawn = estimates.estimates([Mark("row", "", 0.5, None, "red")], "x")
    assert drawn["data"][0]["error_x"]["array"] == [0.0]
