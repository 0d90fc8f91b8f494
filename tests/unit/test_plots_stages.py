"""The figures of attention over a sentence: valid for Plotly, drawn from the values given, safe with any word."""

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_core.plots.attending import difference_bars, entropy_bars, weighted_sum
from attention_core.plots.heat import Grid, heat_map, numbered
from attention_core.plots.strip import Small, strip
from attention_core.plots.theme import SEQUENTIAL, SIGNED, Style
from tests.unit.test_plots_two_vectors import EVIL, texts

INF, NAN = -math.inf, math.nan
MIXED = np.array([[0.5, INF, NAN], [-1.5, 2.0, INF]])
STRANGE = [EVIL, "\ud800", "", "the", "the"]


def grid(values, **more):
    rows, columns = values.shape
    names = [STRANGE[i % 5] for i in range(max(rows, columns))]
    return Grid(values, numbered(names, rows), numbered(names, columns), ("query", "key"), **more)


FIGURES = {
    "mixed": lambda style: heat_map(grid(MIXED), style, (1, 0)),
    "all masked": lambda style: heat_map(grid(np.full((2, 2), INF)), style),
    "undefined": lambda style: heat_map(grid(np.full((2, 2), NAN)), style),
    "zeros": lambda style: heat_map(grid(np.zeros((1, 1))), style),
    "negative": lambda style: heat_map(grid(-np.ones((3, 30))), style),
    "large": lambda style: heat_map(grid(np.random.default_rng(0).random((500, 500), np.float32), whole=False), style),
    "strip": lambda style: strip([[Small("X", MIXED, (4096, 384))], [Small("softmax", MIXED, (2, 3))] * 4], "X", style),
    "entropy": lambda style: entropy_bars(
        STRANGE, np.array([0.1, 0, NAN, 0, 1]), np.array([1, 0, 1, INF, 2]), 3, style
    ),
    "many entropies": lambda style: entropy_bars(["a"] * 99, np.ones(99), np.full(99, 2.0), 0, style),
    "sum": lambda style: weighted_sum(numbered(STRANGE, 5), np.ones((5, 40)), np.ones(40), style),
    "differences": lambda style: difference_bars(STRANGE, np.array([0, 1e-17, NAN, 2, 0.1]), 1e-12, style),
    "no difference": lambda style: difference_bars(["a", "b"], np.zeros(2), 1e-12, style),
}
figures = pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)


@figures
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_figure_is_valid_for_plotly(draw, dark):
    style = Style(dark=dark)
    assert go.Figure(draw(style)).layout.font.color == style.ink


@figures
def test_no_word_is_taken_for_markup(draw):
    assert not any("<img" in text or "\n" in text or "\u202e" in text for text in texts(draw(Style())))


@figures
def test_every_text_can_be_translated(draw):
    english = {"query", "key", "entropy in nats", "their sum", "largest change of a component", "rounding", "masked"}
    assert not english & set(texts(draw(Style(text=lambda text: f"[{text}]"))))


def test_no_two_rows_have_one_name():
    drawn = heat_map(grid(np.zeros((5, 5))))
    assert len(set(drawn["data"][0]["y"])) == len(set(drawn["data"][0]["x"])) == 5


def test_masked_cells_are_grey_and_named_and_undefined_ones_are_said():
    heat, grey, cells = heat_map(grid(MIXED))["data"]
    np.testing.assert_array_equal(np.isnan(heat["z"]), ~np.isfinite(MIXED))
    np.testing.assert_array_equal(np.isnan(grey["z"]), ~np.isneginf(MIXED))
    assert [said for _, _, said in cells["customdata"]] == ["0.5", "masked", "undefined", "-1.5", "2.0", "masked"]
    assert heat["text"][0] == ["0.500", "", ""]


def test_a_cell_can_be_clicked_where_there_are_few():
    drawn = heat_map(grid(np.zeros((50, 50))))
    assert drawn["data"][-1]["customdata"][51][:2] == [1, 1] and drawn["data"][0]["hoverinfo"] == "skip"
    assert len(heat_map(grid(np.zeros((51, 50))))["data"]) == 1
    assert len(heat_map(grid(np.zeros((5, 5)), whole=False))["data"]) == 1


def test_exact_numbers_are_told_on_hover():
    value = 0.1234567890123456
    assert heat_map(grid(np.array([[value]])))["data"][-1]["customdata"] == [[0, 0, repr(value)]]


@pytest.mark.parametrize(
    ("values", "scale", "low", "high"),
    [
        ([-1.0, 3.0], SIGNED, -3, 3),
        ([0.2, 0.9], SEQUENTIAL, 0, 0.9),
        ([-5.0, -1.0], SEQUENTIAL, -5, 0),
        ([0.0], SEQUENTIAL, 0, 1),
    ],
)
def test_numbers_of_both_signs_are_coloured_around_zero(values, scale, low, high):
    heat = heat_map(grid(np.array([values])))["data"][0]
    assert (heat["colorscale"], heat["zmin"], heat["zmax"]) == (scale, low, high)


def test_maps_side_by_side_can_share_a_scale():
    heat = heat_map(grid(np.array([[0.2, 0.9]]), span=(0.0, 2.0)))["data"][0]
    assert (heat["zmin"], heat["zmax"]) == (0, 2)


def test_the_strip_names_each_stage_and_frames_the_chosen_one():
    drawn = FIGURES["strip"](Style())
    assert drawn["data"][-1]["customdata"] == ["X", *["softmax"] * 4] and len(drawn["layout"]["shapes"]) == 2
    assert drawn["data"][-1]["text"] == ["<b>X</b><br>4,096 × 384", *["softmax<br>2 × 3"] * 4]


def test_the_small_maps_stand_upright_below_what_is_clicked():
    drawn = strip([[Small("X", MIXED, (2, 3))], [Small("Q", MIXED, (2, 3))] * 2], "X")["data"]
    bars = drawn[-1]
    for i, trace in enumerate(drawn[:-1:2]):  # each is followed by its masked cells
        np.testing.assert_array_equal(trace["z"], np.where(np.isfinite(MIXED), MIXED, NAN)[::-1].astype(np.float32))
        for start, step, count, low, extent in (
            (trace["x0"], trace["dx"], 3, bars["x"][i] - bars["width"][i] / 2, bars["width"][i]),
            (trace["y0"], trace["dy"], 2, bars["base"][i], bars["y"][i]),
        ):
            assert start - step / 2 == pytest.approx(low) and step * count == pytest.approx(extent)
    assert bars["base"][0] > bars["base"][1] + bars["y"][1]


def test_blocks_are_named_by_their_first_token():
    assert numbered(["a", "b", "c", "d"], 2, step=2) == ["1… a", "3… c"]
    assert numbered(["a", "b", "c"], 2, first=1) == ["2 b", "3 c"]


def test_the_last_row_of_a_sum_is_the_sum():
    drawn = weighted_sum(["1 a", "2 b"], np.array([[1.0, 2], [3, 4]]), np.array([4.0, 6]))
    assert drawn["data"][0]["z"].tolist() == [[1, 2], [3, 4], [4, 6]] and drawn["data"][0]["y"][-1] == "their sum"
