"""The figures of scale and softmax: valid for Plotly, drawn from the values given, translated, on both grounds."""

import itertools
import math

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy import stats

import attention_core as ac
from attention_core.experiments.cost import Cost, Run
from attention_core.experiments.gradients import gradients
from attention_core.experiments.overflow import overflow
from attention_core.experiments.saturation import saturation
from attention_core.experiments.tile_by_tile import tile_by_tile
from attention_core.experiments.variance import dot_products, sweep
from attention_core.plots.costs import FORMS, cost_lines
from attention_core.plots.dot_products import kurtosis_lines, product_histogram, variance_lines
from attention_core.plots.overflow import working_ranges
from attention_core.plots.saturation import gradient_lines, sharpness, weight_bars
from attention_core.plots.theme import Style
from attention_core.plots.tiles import tile_bars

pytestmark = pytest.mark.usefixtures("one_thread")
EVIL = "<b>&'\"%{x}<img src=x onerror=alert(1)>\n\u202e"
ROW = [2.0, 5.0, -1.0, 8.0, 3.0]
COSTS = [
    Cost(512, {form: Run(0.001 * i, 10**6 * i) for i, form in enumerate(FORMS, 1)}, {}),
    Cost(1024, {"tiled": Run(0.01, 0), "fused": Run(0.02, None)}, {"full": "reasons"}),
]


def rows(scores):
    return {"1, 2, 3": saturation([1, 2, 3]), EVIL: saturation(scores)}


def vectors():
    return ac.Embeddings([EVIL, "b", "c"], np.random.default_rng(0).standard_normal((3, 5)) + 1, EVIL)


FIGURES = {
    "histogram": lambda s: product_histogram(dot_products(9, size=200), False, s),
    "histogram, scaled": lambda s: product_histogram(dot_products(9, "rademacher", size=200), True, s),
    "histogram of one value": lambda s: product_histogram(
        dot_products(1, ac.Embeddings(["a"], [[1, 2]], "a")), False, s
    ),
    "variance": lambda s: variance_lines(sweep("uniform", size=100), 64, s),
    "variance of vectors": lambda s: variance_lines(sweep(vectors(), size=100), None, s),
    "kurtosis": lambda s: kurtosis_lines(sweep("uniform", size=100), 64, s),
    "kurtosis of vectors": lambda s: kurtosis_lines(sweep(vectors(), size=100), None, s),
    "weights": lambda s: weight_bars(np.array(ROW), {EVIL: np.ones(5) / 5, "b": np.eye(5)[0]}, s),
    "sharpness": lambda s: sharpness(rows(ROW), 10.0, s),
    "sharpness of one score": lambda s: sharpness(rows([5.0]), 0.1, s),
    "gradients": lambda s: gradient_lines(gradients([1, 16], seeds=2, tokens=3), s),
    "ranges": lambda s: working_ranges(overflow(ROW), ROW, s),
    "ranges, far scores": lambda s: working_ranges(overflow([-1e6, 1e6]), [-1e6, 1e6], s),
    "tiles": lambda s: tile_bars(tile_by_tile(ROW, 2), 2, s),
    "tiles of one score": lambda s: tile_bars(tile_by_tile([-3.0], 1), 1, s),
    "time": lambda s: cost_lines(COSTS, (512, 1024), "seconds", s),
    "memory": lambda s: cost_lines(COSTS, (512, 1024), "peak", s),
}
figures = pytest.mark.parametrize("draw", list(FIGURES.values()), ids=list(FIGURES))


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        inside = value.values() if isinstance(value, dict) else value
        yield from itertools.chain.from_iterable(map(texts, inside))


def numbers(value):
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, (dict, list, tuple, np.ndarray)):
        inside = value.values() if isinstance(value, dict) else list(value)
        yield from itertools.chain.from_iterable(map(numbers, inside))


@figures
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_figure_is_valid_for_plotly_and_holds_finite_numbers(draw, dark):
    drawn = draw(Style(dark=dark))
    assert go.Figure(drawn).layout.font.color == Style(dark=dark).ink
    assert all(map(math.isfinite, numbers(drawn)))


@figures
def test_no_word_is_taken_for_markup(draw):
    assert not any("<img" in text or "\n" in text or "\u202e" in text for text in texts(draw(Style())))


@figures
def test_every_title_and_name_can_be_translated(draw):
    drawn = draw(Style(text=lambda english: f"[{english}]"))
    axes = [axis["title"]["text"] for name, axis in drawn["layout"].items() if "axis" in name and "title" in axis]
    assert axes and all(text.startswith("[") for text in axes)
    given = {"1, 2, 3", "b"}
    names = {trace["name"] for trace in drawn["data"] if "name" in trace} - given
    assert all(name.startswith("[") or "img" in name for name in names)


def test_a_histogram_is_a_density_beside_the_normal_one():
    found = dot_products(100, size=5_000)
    bars, line = product_histogram(found, False)["data"]
    assert np.sum(bars["y"] * bars["width"]) == pytest.approx(1)
    np.testing.assert_allclose(line["y"], stats.norm(0, 10).pdf(line["x"]), rtol=1e-12)
    _, unit = product_histogram(found, True)["data"]
    np.testing.assert_allclose(unit["y"], stats.norm(0, 1).pdf(unit["x"]), rtol=1e-12)


def test_variances_stand_at_their_values_with_their_errors():
    found = sweep("uniform", size=200)
    *_, plain, scaled = variance_lines(found)["data"]
    assert plain["x"] == list(found) and plain["y"] == [one.variance.value for one in found.values()]
    assert plain["error_y"]["array"] == [one.variance.error for one in found.values()]
    np.testing.assert_allclose(scaled["y"], np.array(plain["y"]) / list(found))
    assert len(variance_lines(sweep(vectors(), size=100))["data"]) == 5  # and the line over all pairs of rows


def test_a_band_reaches_from_the_lowest_to_the_largest_exponent():
    found = overflow(ROW)
    bands, scores, shifted = working_ranges(found, ROW)["data"]
    for base, length, one in zip(bands["base"], bands["x"], found, strict=True):
        assert math.sinh(base) == pytest.approx(one.lowest) and math.sinh(base + length) == pytest.approx(one.last)
    assert [math.sinh(x) for x in scores["x"][:5]] == pytest.approx(ROW)
    assert [math.sinh(x) for x in shifted["x"][:5]] == pytest.approx([z - 8 for z in ROW])


def test_tiles_are_told_apart_and_the_maximum_runs():
    found = tile_by_tile(ROW, 2)
    scores, highest, so_far, full = tile_bars(found, 2)["data"]
    assert [state for _, state in scores["customdata"]] == ["seen"] * 2 + ["this tile"] * 2 + ["not yet seen"]
    assert highest["y"] == [5, 5, 8, 8] and highest["x"] == [0.5, 2.5, 2.5, 4.5]
    assert so_far["y"] == list(found.steps[1].weights) and full["y"] == list(found.full)


def test_costs_are_drawn_where_they_are_known():
    full, tiled, fused = cost_lines(COSTS, (512, 1024), "peak")["data"]
    assert (full["x"], tiled["x"], fused["x"]) == ([512], [512], [512])
    assert [trace["y"] for trace in (full, tiled, fused)] == [[1], [2], [3]]
    assert cost_lines(COSTS, (512, 1024), "seconds")["data"][1]["y"] == [2, 10]
