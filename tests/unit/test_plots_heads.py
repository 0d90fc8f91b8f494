"""The figures of heads: valid for Plotly on both grounds, drawn from what is given, safe with any word."""

import numpy as np
import plotly.graph_objects as go
import pytest

from attention_core.plots.head_bars import Bars, head_bars
from attention_core.plots.head_blocks import Side, block_picture, strongest
from attention_core.plots.heads import between_heads, centres, head_maps, word_shares
from attention_core.plots.sharing import sharing_diagram
from attention_core.plots.theme import Style
from tests.unit.test_plots import EVIL, texts

NAMES = ["1", "2", "3"]


def maps(heads=3, rows=2, columns=4):
    return np.random.default_rng(0).random((heads, rows, columns), dtype=np.float32)


def bars(**more):
    return Bars(NAMES, np.array([1.0, np.nan, -2.0]), "axis", **more)


FIGURES = {
    "maps": lambda words, style: head_maps(maps(), np.ones((2, 4), bool), NAMES, words[:2], words, style),
    "masked maps": lambda words, style: head_maps(maps(), np.tri(2, 4, dtype=bool), NAMES, words[:2], words, style),
    "many maps": lambda words, style: head_maps(maps(64), np.ones((2, 4), bool), ["x"] * 64, words[:2], words, style),
    "coarse maps": lambda words, style: head_maps(maps(), np.ones((2, 4), bool), NAMES, words * 2, words * 5, style),
    "distances": lambda _words, style: between_heads(
        np.array([[0, 0.2, np.nan], [0.2, 0, 0.1], [np.nan, 0.1, 0]]), NAMES, "distance", [NAMES] * 3, style
    ),
    "shares": lambda words, style: word_shares(np.array([[0.1, np.nan, 1, 0]] * 3), NAMES, words, style),
    "bars": lambda _words, style: head_bars(bars(), style),
    "ranges": lambda _words, style: head_bars(
        Bars(NAMES, np.ones(3), "axis", np.zeros(3), np.full(3, 2.0), 1.5, "even", np.ones(3), "length"), style
    ),
    "blocks": lambda words, style: block_picture(
        np.arange(-12.0, 12).reshape(4, 6), Side(4, tokens=words), Side(6, heads=3), style
    ),
    "components": lambda _words, style: block_picture(np.zeros((300, 400)), Side(300, heads=60), Side(400), style),
    "sharing": lambda _words, style: sharing_diagram(6, 2, style),
    "much sharing": lambda _words, style: sharing_diagram(64, 1, style),
}
figures = pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
WORDS = ["the", "cat", "the", "fish"]


@figures
@pytest.mark.parametrize(("dark", "ink"), [(False, "#31333F"), (True, "#E6E8EC")], ids=["light", "dark"])
def test_a_figure_is_valid_for_plotly_and_written_in_the_ink_of_its_ground(draw, dark, ink):
    drawn = go.Figure(draw(WORDS, Style(dark=dark)))
    assert drawn.layout.font.color == ink and drawn.layout.height > 0 and len(drawn.data)


@figures
def test_no_word_is_taken_for_markup(draw):
    drawn = go.Figure(draw([EVIL, "\ud800", "", "=1+1"], Style()))
    assert not any("<img" in text or "\n" in text or "\u202e" in text for text in texts(drawn.to_dict()))


@figures
def test_its_own_words_can_be_translated(draw):
    drawn = go.Figure(draw(WORDS, Style(text=lambda english: f"[{english}]"))).to_dict()
    found = set(texts(drawn))
    assert not found & {"weight", "head", "share", "component", "undefined", "queries", "keys and values"}


def test_all_heads_share_axes_and_one_scale_of_colours():
    drawn = go.Figure(FIGURES["maps"](WORDS, Style()))
    assert {trace.coloraxis for trace in drawn.data} == {"coloraxis"}
    assert drawn.layout.coloraxis.cmin == 0 and drawn.layout.coloraxis.cmax == pytest.approx(float(maps().max()))
    assert len({tuple(drawn.layout[f"xaxis{n}"].range) for n in ("", 2, 3)}) == 1
    assert [note.text for note in drawn.layout.annotations] == NAMES
    for trace, weights in zip(drawn.data, maps(), strict=True):
        np.testing.assert_array_equal(trace.z, weights)
    assert drawn.data[0].customdata[1][2] == "cat → the"


def test_what_is_masked_is_no_weight_and_says_so():
    heat, masked = go.Figure(FIGURES["masked maps"](WORDS, Style())).data[:2]
    may = np.tri(2, 4, dtype=bool)
    assert np.isnan(np.array(heat.z)[~may]).all() and np.isnan(np.array(masked.z)[may]).all()
    assert "masked" in masked.hovertemplate and masked.coloraxis is None


def test_a_cell_of_several_tokens_stands_in_their_middle():
    assert centres(10, 4).tolist() == [2.0, 5.0, 8.0, 10.0] and centres(3, 3).tolist() == [1, 2, 3]
    drawn = go.Figure(FIGURES["coarse maps"](WORDS, Style()))
    assert "mean of 5 × 5 pairs" in drawn.data[0].hovertemplate


def test_a_head_beside_itself_is_left_empty_and_nan_is_called_undefined():
    heat = go.Figure(FIGURES["distances"](WORDS, Style())).data[0]
    assert np.isnan(np.diag(np.array(heat.z, dtype=float))).all() and heat.zmax == 0.2
    assert list(heat.text[0]) == ["", "0.200", "undefined"]


def test_bars_say_their_numbers_ranges_and_the_reference():
    drawn = go.Figure(FIGURES["ranges"](WORDS, Style()))
    assert drawn.data[0].error_x.array.tolist() == [1, 1, 1] and drawn.data[0].error_x.arrayminus.tolist() == [1, 1, 1]
    assert drawn.layout.shapes[0].x0 == 1.5 and drawn.layout.annotations[0].text == "even"
    plain = go.Figure(FIGURES["bars"](WORDS, Style()))
    assert [tick.strip() for tick in plain.layout.yaxis2.ticktext] == ["1.00", "undefined", "−2.00"]


def test_a_large_matrix_keeps_its_largest_entries():
    big = np.zeros((500, 7))
    big[321, 3], big[322, 3] = -5, 4
    small = strongest(big, 100)
    assert small.shape == (100, 7) and small.min() == -5 and small.max() == 0
    np.testing.assert_array_equal(strongest(big[:90], 100), big[:90])


def test_blocks_are_divided_between_heads():
    drawn = go.Figure(FIGURES["blocks"](WORDS, Style()))
    assert [shape.x0 for shape in drawn.layout.shapes] == [2.5, 4.5]
    assert drawn.data[0].zmin == -drawn.data[0].zmax == -12


def test_each_query_head_is_tied_to_the_key_head_that_it_reads():
    drawn = go.Figure(sharing_diagram(6, 2))
    lines, (above, below) = drawn.data[:6], drawn.data[6:]
    assert [line.x[0] for line in lines] == list(above.x)
    assert [list(below.x).index(line.x[1]) for line in lines] == [0, 0, 0, 1, 1, 1]
    assert list(above.customdata) == [1, 1, 1, 2, 2, 2] and list(below.customdata) == ["1–3", "4–6"]
