"""The map and the figure beside it: valid for Plotly, drawn from the values given, safe with any word."""

import itertools

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest

import attention_core as ac
from attention_core.plots import labels
from attention_core.plots import map as module
from attention_core.plots.labels import Frame, placed
from attention_core.plots.map import Window, kept_neighbours, word_map
from attention_core.plots.theme import LETTER, Style, measure_colour

pytestmark = pytest.mark.usefixtures("one_thread")
EVIL = "<b>&'\"%{x}<img src=x onerror=alert(1)>\n\u202e"


def evil():
    return ac.Embeddings(
        ["q", EVIL, "\ud800", "", "国王"], np.random.default_rng(0).standard_normal((5, 4)), "five words"
    )


def bundled(embeddings):
    return {name: group.rows for name, group in ac.word_groups(embeddings).items()}


def equal():
    return ac.Embeddings(["q", "b", "c"], np.ones((3, 4)), "equal")


def zero():
    return ac.Embeddings(["q", "b", "c", "d"], [[0.0], [1], [2], [5]], "one dimension")


SETS = {"evil words": evil, "equal vectors": equal, "one dimension and a zero query": zero}
GROUPS = {"a group": np.array([0, 2]), "none drawn": np.array([], dtype=np.int64)}
SHAPES = list(itertools.product([2, 3], [False, True]))


@pytest.mark.parametrize("make", SETS.values(), ids=SETS)
@pytest.mark.parametrize(("dimensions", "near"), SHAPES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_map_is_valid_for_plotly(make, dimensions, near, dark):
    e = make()
    drawn = word_map(
        e, ac.project(e, dimensions=dimensions), ac.compare(e, "q"), GROUPS, Window(near), Style(dark=dark)
    )
    assert len(go.Figure(drawn).data) == 8
    assert drawn["layout"]["font"]["color"] == ("#E6E8EC" if dark else "#31333F")


@pytest.mark.parametrize("dimensions", [2, 3])
def test_no_word_is_taken_for_markup(dimensions):
    e = evil()
    drawn = word_map(e, ac.project(e, dimensions=dimensions), ac.compare(e, "q"), {EVIL: np.array([1, 2])})
    assert not any("<img" in text or "\n" in text or "\u202e" in text for text in texts(drawn))
    assert any("国王" in text for text in texts(drawn))


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        inside = value.values() if isinstance(value, dict) else value
        yield from itertools.chain.from_iterable(map(texts, inside))


def test_every_text_can_be_translated(glove):
    mark = Style(text=lambda english: f"[{english}]")
    picture, comparison = ac.project(glove, rows=range(200)), ac.compare(glove, "king", 3)
    drawn = word_map(glove, picture, comparison, {}, style=mark)
    names = [trace["name"] for trace in drawn["data"]]
    assert all(name.startswith("[") for name in names)
    assert "[norm]" in drawn["data"][0]["hovertemplate"]
    assert drawn["layout"]["xaxis"]["title"]["text"].startswith("[axis 1: ")
    found = kept_neighbours(ac.faithfulness(glove, picture), mark)
    assert found["layout"]["xaxis"]["title"]["text"] == "[kept of 10]"


@pytest.fixture(scope="module")
def drawn(glove):
    comparison = ac.compare(glove, "king", 10)
    return comparison, ac.project(glove), word_map(glove, ac.project(glove), comparison, bundled(glove))


def test_every_word_is_a_point_that_carries_its_row_and_norm(glove, drawn):
    _, picture, figure = drawn
    words = figure["data"][0]
    np.testing.assert_array_equal(words["customdata"][:, 0], np.arange(8170))
    np.testing.assert_allclose(words["customdata"][:, 1], glove.norms, rtol=1e-6)
    assert words["hovertext"][glove.index("king")] == "king"
    span = np.abs(picture.points).max()
    np.testing.assert_allclose(np.column_stack([words["x"], words["y"]]), picture.points, rtol=0, atol=1e-4 * span)


@pytest.mark.parametrize("measure", ["dot", "cosine", "euclidean", "additive"])
def test_each_measure_rings_its_own_neighbours_in_its_colour(drawn, measure):
    comparison, _, figure = drawn
    [ring] = [t for t in figure["data"] if t["marker"].get("line", {}).get("color") == measure_colour(measure)]
    assert ring["customdata"][:, 0].tolist() == comparison[measure].indices.tolist()
    assert ring["marker"]["symbol"] == "circle-open"


def test_a_word_of_several_measures_stands_in_rings_of_several_sizes_and_says_so(glove, drawn):
    comparison, _, figure = drawn
    row = glove.index("emperor")
    rings = [t for t in figure["data"] if "open" in str(t["marker"].get("symbol")) and row in t["customdata"][:, 0]]
    assert [ring["name"] for ring in rings] == ["dot product", "cosine"]
    assert len({ring["marker"]["size"] for ring in rings}) == 2
    said = rings[0]["hovertext"][rings[0]["customdata"][:, 0].tolist().index(row)]
    ranks = {name: comparison[name].all_ranks[row] for name in ("dot", "cosine")}
    assert said == f"emperor</b><br>rank {ranks['dot']}, dot product<br>rank {ranks['cosine']}, cosine<b>"


def test_the_query_is_a_star_on_top(glove, drawn):
    star = drawn[2]["data"][-1]
    assert star["marker"]["symbol"] == "star" and star["customdata"][0, 0] == glove.index("king")


def test_groups_are_filled_each_in_its_colour(glove, drawn):
    filled = {t["name"]: t for t in drawn[2]["data"][1:17]}
    assert len({t["marker"]["color"] for t in filled.values()}) == 16
    for name, rows in bundled(glove).items():
        assert filled[name]["customdata"][:, 0].tolist() == rows.tolist()


def test_both_axes_have_one_scale(drawn):
    layout = drawn[2]["layout"]
    assert layout["yaxis"]["scaleanchor"] == "x" and layout["yaxis"]["scaleratio"] == 1
    assert layout["xaxis"]["title"]["text"] == "axis 1: 7.37 % of the variance"


def test_a_near_window_shows_the_query_and_all_neighbours_that_tell_something(glove, drawn):
    comparison, picture, _ = drawn
    layout = word_map(glove, picture, comparison, {}, Window(near=True))["layout"]
    telling = {row for name in ("dot", "cosine", "euclidean") for row in comparison[name].indices.tolist()}
    points = picture.points[picture.places(sorted({*telling, comparison.index}))]
    for axis, values in zip(("xaxis", "yaxis"), points.T, strict=True):
        low, high = layout[axis]["range"]
        assert low < values.min() and values.max() < high
    assert layout["xaxis"]["range"][1] - layout["xaxis"]["range"][0] < np.ptp(picture.points[:, 0]) / 2


def test_what_is_not_drawn_is_left_out(glove):
    picture = ac.project(glove, rows=range(50, 150))
    figure = word_map(glove, picture, ac.compare(glove, "king", 10), bundled(glove))
    for trace in figure["data"]:
        assert set(trace["customdata"][:, 0]) <= set(range(50, 150))


@pytest.mark.parametrize(("words", "kind"), [(1_000, "scatter"), (1_001, "scattergl")])
def test_few_points_need_no_webgl(glove, words, kind):
    figure = word_map(glove, ac.project(glove, rows=range(words)), None, {})
    assert {trace["type"] for trace in figure["data"]} == {kind} and figure["layout"]["showlegend"] is False


def test_ten_thousand_points_make_a_short_message():
    rng = np.random.default_rng(0)
    e = ac.Embeddings([f"word{i}" for i in range(10_000)], rng.standard_normal((10_000, 5)), "x")
    figure = word_map(e, ac.project(e), ac.compare(e, "word0"), {})
    assert figure["data"][0]["x"].dtype == np.float32
    assert len(plotly.io.to_json(figure, validate=False)) < 700_000


# --- names


def boxes(names, offsets, frame, points):
    pixels = frame.pixels(points)
    for i, (dx, dy) in offsets:
        half = LETTER * len(names[i]) / 2
        yield pixels[i, 0] + dx - half, pixels[i, 0] + dx + half, pixels[i, 1] + dy


def test_names_do_not_cover_each_other(glove, drawn):
    comparison, picture, _ = drawn
    rows = comparison["cosine"].indices
    names = [glove.words[row] for row in rows]
    points = picture.points[rows]
    frame = Frame(picture.points.min(axis=0), picture.points.max(axis=0), 700, 500)
    found = list(boxes(names, placed(points, names, frame), frame, points))
    assert len(found) == 10
    assert all(a >= -350 and b <= 350 and abs(y) <= 250 for a, b, y in found)
    for (a, b, y), (c, d, z) in itertools.combinations(found, 2):
        assert b <= c or d <= a or abs(y - z) >= labels.LINE - 0.2


def test_the_first_names_do_not_cover_each_other_on_a_phone_either(glove, drawn):
    comparison, picture, _ = drawn
    figure = word_map(glove, picture, comparison, {})
    notes = figure["layout"]["annotations"]
    assert len(notes) > labels.PHONE_NAMES and notes[0]["text"] == "<b>king</b>"
    shown = [note for note in notes[: labels.PHONE_NAMES] if note.get("visible", True)]
    assert len(shown) > 3
    low, high = figure["layout"]["xaxis"]["range"]
    scale = labels.PHONE / (high - low)
    found = []
    for note in shown:
        name = note["text"].removeprefix("<b>").removesuffix("</b>")
        x, y = (note["x"] - low) * scale + note["ax"], -note["y"] * scale + note["ay"]
        found.append((x - LETTER * len(name) / 2, x + LETTER * len(name) / 2, y))
    assert all(a >= 0 and b <= labels.PHONE for a, b, _ in found)
    for (a, b, y), (c, d, z) in itertools.combinations(found, 2):
        assert b <= c or d <= a or abs(y - z) >= labels.LINE


def test_a_name_without_room_is_left_out():
    frame = Frame(np.zeros(2), np.ones(2), 800, 800)
    found = placed(np.full((200, 2), 0.5), ["a long name"] * 200, frame)
    assert 5 < len(found) < 200 and found[0][0] == 0


def test_a_map_names_few_words(glove, drawn):
    _, picture, _ = drawn
    figure = word_map(glove, picture, ac.compare(glove, "king", 50), {})
    notes = [note["text"] for note in figure["layout"]["annotations"]]
    assert len(notes) <= module.NAMED + 1 and notes[0] == "<b>king</b>"


# --- what is kept


def test_the_bars_are_the_overlaps_with_their_intervals(glove, drawn):
    found = ac.faithfulness(glove, drawn[1])
    figure = go.Figure(kept_neighbours(found))
    bars, chance = figure.data
    overlaps = [kept.overlap for kept in found.measures.values()]
    assert list(bars.x) == [o.value for o in overlaps]
    np.testing.assert_allclose(bars.error_x.array, [o.high - o.value for o in overlaps])
    assert chance.x[0] == found.by_chance and figure.layout.xaxis.range == (0, 10)


def test_an_overlap_that_is_undefined_is_said():
    e = equal()
    figure = go.Figure(kept_neighbours(ac.faithfulness(e, ac.project(e))))
    assert set(figure.data[0].customdata) == {"undefined"}
