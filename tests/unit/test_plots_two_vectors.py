"""The figures of two vectors: valid for Plotly, drawn from the values given, safe with any word."""

import itertools
import math

import numpy as np
import plotly.graph_objects as go
import pytest

import attention_core as ac
from attention_core.measures import MEASURES
from attention_core.plots.levels import level_curves
from attention_core.plots.plane import plane_picture
from attention_core.plots.sweeps import sweep_panels
from attention_core.plots.terms import term_bars
from attention_core.plots.theme import Style, measure_colour
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
EVIL = "<b>&'\"%{x}<img src=x onerror=alert(1)>\n\u202e"
PAIRS = {
    "four numbers": ([1, 2, 3, 4], [2, 0, 1, 3]),
    "the plane": ([4, 1], [1.5, 3]),
    "opposite": ([1, 2], [-2, -4]),
    "equal": ([1, 2, 3], [1, 2, 3]),
    "a zero": ([0, 0, 0], [1, 2, 3]),
    "b zero": ([1, 2, 3], [0, 0, 0]),
    "both zero": ([0, 0], [0, 0]),
    "a line": ([2], [-3]),
    "very long": ([1e99, 0], [1e99, 1e98]),
    "very short": ([1e-99, 0, 0], [1e-99, 1e-98, 0]),
    "two sizes": ([1e-9, 0], [1e9, 1e9]),
}


def sweeps_of(g, style):
    return [sweep_panels(sweep, g, style) for sweep in ac.sweeps(g, steps=9).values()]


def levels_of(g, style):
    found = ac.levels(g, steps=6)
    return [] if found is None else [level_curves(found, g, name, (EVIL, "\ud800"), style) for name in MEASURES]


FIGURES = {
    "plane": lambda g, style: [plane_picture(g, (EVIL, "\ud800"), style)],
    "terms": lambda g, style: [term_bars(g.terms(), style), term_bars(g.terms(largest_first=True), style)],
    "sweeps": sweeps_of,
    "levels": levels_of,
}
figures = pytest.mark.parametrize("draw", list(FIGURES.values()), ids=list(FIGURES))


def texts(value):
    """Every string in a figure's description."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable(map(texts, value.values()))
    elif isinstance(value, (list, tuple)):
        yield from itertools.chain.from_iterable(map(texts, value))


def numbers(value):
    """Every number in a figure's description."""
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable(map(numbers, value.values()))
    elif isinstance(value, (list, tuple, np.ndarray)):
        yield from itertools.chain.from_iterable(map(numbers, list(value)))


# --- all figures


@figures
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_figure_is_valid_for_plotly_and_holds_finite_numbers(draw, pair, dark):
    style = Style(dark=dark)
    for drawn in draw(ac.pair(*pair, move=ac.Move(factor=1.5)), style):
        assert go.Figure(drawn).layout.font.color == style.ink
        assert all(map(math.isfinite, numbers(drawn)))


@figures
def test_no_word_is_taken_for_markup(draw):
    for drawn in draw(ac.pair(*PAIRS["four numbers"]), Style()):
        assert not any("<img" in text or "\n" in text or "\u202e" in text for text in texts(drawn))


@figures
def test_every_text_of_a_figure_can_be_translated(draw):
    english = {m.label for m in MEASURES.values()} | {"along a", "at right angles to it", "product aᵢbᵢ", "sum so far"}
    for drawn in draw(ac.pair(*PAIRS["four numbers"]), Style(text=lambda text: f"[{text}]")):
        found = {text.replace("<br>", " ") for text in texts(drawn)}
        assert not english & found and any("[" in text for text in found)


# --- the plane


def tips(drawn):
    return [trace for trace in drawn["data"] if trace["mode"] == "lines+markers"]


def test_the_arrows_end_where_the_vectors_end():
    a, b = tips(plane_picture(ac.pair([4, 1], [1.5, 3])))
    assert (a["x"], a["y"], b["x"], b["y"]) == ([0, 4], [0, 1], [0, 1.5], [0, 3])


def test_arrows_of_many_components_have_the_true_lengths_and_angle():
    g = ac.pair([1, 2, 3, 4], [2, 0, 1, 3])
    (ax, ay), (bx, by) = ((arrow["x"][1], arrow["y"][1]) for arrow in tips(plane_picture(g)))
    atol = tolerance(np.float64, terms=4, scale=30, why="a projection of 4 components")
    assert (ax, ay) == (pytest.approx(math.sqrt(30), abs=atol), pytest.approx(0, abs=atol))
    assert math.hypot(bx, by) == pytest.approx(math.sqrt(14), abs=atol)
    assert math.degrees(math.atan2(by, bx)) == pytest.approx(g.angle, abs=60 * atol)


@pytest.mark.parametrize("b", [[1.5, 3], [3, -1], [-2, 1], [-1, -4]])
def test_the_arc_runs_from_one_vector_to_the_other(b):
    drawn = plane_picture(ac.pair([2, 1], b))
    arc = next(trace for trace in drawn["data"] if len(trace["x"]) == 60)
    ends = [math.atan2(arc["y"][i], arc["x"][i]) for i in (0, -1)]
    atol = tolerance(np.float64, terms=4, scale=10, why="sines and cosines of an angle that was added up")
    assert ends == [pytest.approx(math.atan2(1, 2), abs=atol), pytest.approx(math.atan2(b[1], b[0]), abs=atol)]


def test_the_foot_of_the_projection_is_drawn():
    drawn = plane_picture(ac.pair([2, 0], [3, 4]))
    drop = next(trace for trace in drawn["data"] if trace["line"].get("dash") == "dash")
    assert (drop["x"], drop["y"]) == ([3, 3], [4, 0]) and drop["hovertemplate"].startswith("projection of b on a 3.0")


def test_a_moved_vector_leaves_its_shadow():
    drawn = plane_picture(ac.pair([2, 0], [3, 4], move=ac.Move(factor=2)))
    assert [arrow["x"][1] for arrow in tips(drawn)] == [3, 2, 6]


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_both_axes_have_one_scale_and_hold_every_tip(pair):
    drawn = plane_picture(ac.pair(*pair))
    x, y = drawn["layout"]["xaxis"]["range"], drawn["layout"]["yaxis"]["range"]
    assert drawn["layout"]["yaxis"]["scaleanchor"] == "x"
    for arrow in tips(drawn):
        assert x[0] <= arrow["x"][1] <= x[1] and y[0] <= arrow["y"][1] <= y[1]


# --- terms


def test_the_bars_are_the_products_and_the_line_their_sum():
    terms = ac.pair([1, -2, 3], [4, 5, 6]).terms()
    line, bars = term_bars(terms)["data"]
    assert list(bars["y"]) == [4, -10, 18] and list(line["y"]) == [4, -6, 12]
    assert bars["customdata"] == [[1, 1, 4, 4, 4], [2, -2, 5, -10, -6], [3, 3, 6, 18, 12]]
    assert len(set(bars["marker"]["color"])) == 2


def test_few_products_are_written_below_their_bars_and_many_are_counted():
    few = term_bars(ac.pair([1, -2.5], [4, 5]).terms())["layout"]["xaxis"]
    assert few["ticktext"] == ["1<br>× 4", "−2.5<br>× 5"]
    many = term_bars(ac.pair(np.ones(50), np.ones(50)).terms(largest_first=True))["layout"]["xaxis"]
    assert "ticktext" not in many and many["title"]["text"] == "the 50 components, largest product first"


# --- sweeps


def test_the_present_move_is_marked_on_every_curve():
    g = ac.pair([2, 1], [1, 3], move=ac.Move(factor=2))
    sweep = ac.sweeps(g)["factor"]
    traces = sweep_panels(sweep, g)["data"]
    for i, (name, score) in enumerate(g.scores.items()):
        curve, point = traces[2 * i : 2 * i + 2]
        assert curve["line"]["color"] == measure_colour(name) and (point["x"], point["y"]) == ([2.0], [score])
        np.testing.assert_array_equal(np.array(curve["y"], dtype=float), sweep.scores[name])


def test_an_undefined_score_is_a_gap_and_gets_no_mark():
    g = ac.pair([2, 1], [1, 3], move=ac.Move(factor=0))
    traces = [t for t in sweep_panels(ac.sweeps(g)["factor"], g)["data"] if t["line" if "line" in t else "marker"]]
    cosine = [t for t in traces if (t.get("line") or t["marker"])["color"] == measure_colour("cosine")]
    assert len(cosine) == 1 and cosine[0]["y"][0] is None


# --- levels


@pytest.fixture(scope="module")
def mapped():
    g = ac.pair([2, 0], [1, 2])
    found = ac.levels(g)
    return g, {name: level_curves(found, g, name) for name in MEASURES}


def test_all_measures_share_the_axes_and_one_scale(mapped):
    _, drawn = mapped
    axes = [(d["layout"]["xaxis"]["range"], d["layout"]["yaxis"]["range"]) for d in drawn.values()]
    assert all(axis == axes[0] for axis in axes) and axes[0][0] == axes[0][1]
    assert all(d["layout"]["yaxis"]["scaleanchor"] == "x" for d in drawn.values())


@pytest.mark.parametrize("name", list(MEASURES))
def test_a_signed_score_is_clear_at_zero_and_a_distance_runs_from_near_to_far(mapped, name):
    _, drawn = mapped
    surface = drawn[name]["data"][0]
    if MEASURES[name].best == "highest":
        assert surface["zmin"] == -surface["zmax"] and surface["colorscale"][1] == [0.5, Style().ground]
    else:
        assert (surface["zmin"], surface["zmax"]) == (
            pytest.approx(surface["z"].min()),
            pytest.approx(surface["z"].max()),
        )


@pytest.mark.parametrize("name", list(MEASURES))
def test_the_thick_line_is_the_level_of_b(mapped, name):
    g, drawn = mapped
    contours = drawn[name]["data"][1]["contours"]
    assert contours["start"] == contours["end"] == g.scores[name] and contours["coloring"] == "none"


@pytest.mark.parametrize("name", list(MEASURES))
def test_the_thin_lines_stand_at_round_scores_inside_the_surface(mapped, name):
    surface = mapped[1][name]["data"][0]
    contours = surface["contours"]
    lines = np.arange(contours["start"], contours["end"], contours["size"])
    assert 4 <= len(lines) <= 13 and surface["z"].min() <= lines[0] + 1e-6
    assert f"{contours['size']:e}"[0] in "125"


def test_a_measure_that_is_undefined_has_arrows_and_no_curves():
    g = ac.pair([0, 0], [1, 2])
    drawn = level_curves(ac.levels(g), g, "cosine")
    assert all(trace["type"] == "scatter" for trace in drawn["data"])
