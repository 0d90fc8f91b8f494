"""The figures of Diagnostics: valid for Plotly, drawn from the values given, safe with any word."""

import numpy as np
import plotly.graph_objects as go
import pytest

import attention_core as ac
from attention_core.plots import diagnostics, hubness
from attention_core.plots.theme import Style
from tests.unit.test_plots import EVIL, texts

pytestmark = pytest.mark.usefixtures("one_thread")


def evil():
    matrix = np.random.default_rng(0).standard_normal((40, 3)) + 1
    return ac.Embeddings([EVIL, "\ud800", "", *(f"{EVIL}{i}" for i in range(37))], matrix, "forty words")


def flat():
    return ac.Embeddings([f"w{i}" for i in range(30)], np.ones((30, 3)), "equal vectors")


def ranked():
    e = ac.sample("glove-en")
    rows = np.arange(0, 400)
    return ac.Embeddings([e.words[i] for i in rows], e.matrix[rows], "400 words", frequency_rank=e.frequency_rank[rows])


VECTORS = {"evil words": evil, "equal vectors": flat, "with ranks": ranked}
FOUND = {}


def found(name):
    if name not in FOUND:
        e = VECTORS[name]()
        FOUND[name] = e, ac.geometry(e), ac.neighbourhoods(e)
    return FOUND[name]


def sampled(name):
    e, geometry, _ = found(name)
    return e, geometry, ac.neighbourhoods(e, budget=ac.Budget(pairs=1, queries=20))


def histogram(e, geometry, lists, style):
    hubs = lists.hubness
    return hubness.hub_histogram(hubs["dot"], hubness.bin_edges(hubs), 100, style)


FIGURES = {
    "norms": lambda e, g, lists, style: diagnostics.norm_histogram(g.norms, style),
    "norms by rank": lambda e, g, lists, style: diagnostics.norms_by_rank(g, e.words, style),
    "cosines": lambda e, g, lists, style: diagnostics.cosine_histogram(ac.cosines(e), style),
    "hubs": histogram,
    "top hubs": lambda e, g, lists, style: hubness.top_hubs(lists.hubness, style),
    "overlap": lambda e, g, lists, style: hubness.overlap_bars(lists.overlap, list(lists.lists), style),
}
figures = pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)


@figures
@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("make", [found, sampled])
def test_a_figure_is_valid_for_plotly(draw, name, dark, make):
    drawn = draw(*make(name), Style(dark=dark))
    checked = go.Figure(drawn)
    assert checked.layout.font.color == Style(dark=dark).ink and checked.layout.height > 0
    assert checked.layout.xaxis.title.text


@figures
def test_no_word_is_taken_for_markup(draw):
    strings = list(texts(draw(*found("evil words"), Style())))
    assert not any("<img" in text or "\n" in text or "\u202e" in text for text in strings)


@figures
def test_every_text_of_a_figure_can_be_translated(draw):
    drawn = draw(*found("with ranks"), Style(text=lambda english: f"[{english}]"))
    words = {"words", "norm ‖x‖", "frequency rank", "lists that a word is in", "as the vectors are", "dot product"}
    assert not words & set(texts(drawn)) and any("[" in text for text in texts(drawn))


def test_the_histogram_of_norms_counts_every_word():
    e, geometry, _ = found("with ranks")
    bars = diagnostics.norm_histogram(geometry.norms)["data"][0]
    assert bars["y"].sum() == len(e)


def test_the_bins_of_hubs_hold_every_word_and_double():
    _, _, lists = found("with ranks")
    edges = hubness.bin_edges(lists.hubness)
    assert edges[:4].tolist() == [0, 1, 2, 4]
    for hub in lists.hubness.values():
        words = hubness.words_per_bin(hub, edges)
        assert words.sum() == 400 and words[0] == (hub.counts == 0).sum() and words[1] == (hub.counts == 1).sum()
        drawn = hubness.hub_histogram(hub, edges, 400)["data"][0]
        assert drawn["x"][:4] == ["0", "1", "2–3", "4–7"] and [y or 0 for y in drawn["y"]] == words.tolist()


def test_many_words_are_drawn_by_every_so_many_ranks():
    assert [diagnostics.shown_step(n) for n in (1, 2_000, 2_001, 400_000)] == [1, 1, 2, 200]


def test_norms_stand_at_their_frequency_rank_and_else_at_their_row():
    e, geometry, _ = found("with ranks")
    points, means = diagnostics.norms_by_rank(geometry, e.words)["data"]
    order = np.argsort(e.frequency_rank)
    np.testing.assert_array_equal(points["x"], e.frequency_rank[order])
    np.testing.assert_array_equal(points["y"], e.norms[order])
    np.testing.assert_array_equal(means["y"], geometry.decile_means())
    e, geometry, _ = found("evil words")
    drawn = diagnostics.norms_by_rank(geometry, e.words)
    assert "row of the file" in drawn["layout"]["xaxis"]["title"]["text"]
    np.testing.assert_array_equal(drawn["data"][0]["x"], np.arange(1, 41))


def test_the_shares_of_pairs_add_up_to_all():
    outlines = diagnostics.cosine_histogram(ac.cosines(found("with ranks")[0]))["data"]
    assert [round(float(outline["y"].sum()), 9) for outline in outlines] == [100, 100]


def test_the_variance_curve_ends_at_all_and_marks_ninety_percent():
    spectrum = ac.spectrum(found("with ranks")[0])
    drawn = go.Figure(diagnostics.variance_curve(spectrum))
    assert drawn.data[1].y[0] == 0 and drawn.data[1].y[-1] == pytest.approx(100, abs=1e-9)
    assert drawn.data[2].x == (spectrum.components,) and drawn.data[2].y[0] >= 90 - 1e-9


def test_the_bars_of_overlap_carry_intervals_only_where_sampled():
    assert "error_x" not in FIGURES["overlap"](*found("with ranks"), Style())["data"][0]
    _, _, lists = made = sampled("with ranks")
    bars = FIGURES["overlap"](*made, Style())["data"][0]
    low, high = lists.overlap["dot", "cosine"].interval
    assert bars["x"][0] == 100 * lists.overlap["dot", "cosine"].mean
    assert bars["error_x"]["array"][0] == pytest.approx(50 * (high - low))


def test_an_undefined_overlap_is_said():
    bars = FIGURES["overlap"](*found("equal vectors"), Style())["data"][0]
    assert bars["x"][0] is None and "undefined" in bars["y"][0]
