"""Every figure: valid for Plotly, drawn from the values given, readable on both grounds, safe with any word."""

import itertools
from functools import cache

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core as ac
from attention_core.plots import theme
from attention_core.plots.agreement import STATISTICS, agreement_map
from attention_core.plots.norms import neighbour_norms
from attention_core.plots.rankings import bump, ranked_bars, word_colours
from attention_core.plots.theme import MUTED, OKABE_ITO, Style, label, measure_colour, number, percent

pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = settings(max_examples=100, deadline=None, derandomize=True)
EVIL = "<b>&'\"%{x}<img src=x onerror=alert(1)>\n\u202e"
FIGURES = {
    "bars": lambda e, c, style: ranked_bars(next(iter(c.rankings.values())), e.norms, word_colours(c), style),
    "bump": lambda e, c, style: bump(c, word_colours(c), style),
    "norms": neighbour_norms,
    "agreement": lambda e, c, style: agreement_map(c, "tau", style),
}
figures = pytest.mark.parametrize("draw", list(FIGURES.values()), ids=list(FIGURES))


def zero_among_words():
    vectors = [[1.0, 2.0], [0.0, 0.0], [3.0, 1.0], [-1.0, 0.5], [2.0, 2.0]]
    return ac.Embeddings(["q", "zero", "b", "c", "d"], vectors, "five words")


def evil_words():
    return ac.Embeddings(["q", EVIL, "\ud800", ""], np.eye(4) + 1, "four words")


GLOVE = cache(lambda: ac.sample("glove-en"))
COMPARISONS = {
    "ten neighbours": (GLOVE, "king", {}),
    "fifty neighbours": (GLOVE, "king", {"k": 50}),
    "one neighbour": (GLOVE, "king", {"k": 1}),
    "one measure": (GLOVE, "king", {"measures": ["euclidean"]}),
    "a vector": (GLOVE, [0.1] * 50, {}),
    "an undefined score": (zero_among_words, "q", {}),
    "a zero query": (zero_among_words, "zero", {"measures": ["cosine", "dot"]}),
    "nothing at all": (zero_among_words, "zero", {"measures": ["cosine"]}),
    "evil words": (evil_words, "q", {}),
}


@cache
def compared(name):
    """The embeddings and the comparison of that name."""
    make, query, options = COMPARISONS[name]
    e = make()
    return e, ac.compare(e, query, **options)


asked = pytest.mark.parametrize("name", list(COMPARISONS))


def texts(value):
    """Every string in a figure's description."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable(map(texts, value.values()))
    elif isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype == object):
        yield from itertools.chain.from_iterable(map(texts, value))


# --- all figures


@figures
@asked
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_figure_is_valid_for_plotly(draw, name, dark):
    e, c = compared(name)
    drawn = draw(e, c, Style(dark=dark))
    checked = go.Figure(drawn.to_dict())
    assert len(checked.data) == len(drawn.data) and checked.layout.height > 0


@figures
@pytest.mark.parametrize(("dark", "ink"), [(False, "#31333F"), (True, "#E6E8EC")], ids=["light", "dark"])
def test_a_figure_is_written_in_the_ink_of_its_ground(draw, dark, ink):
    e, c = compared("one neighbour")
    assert draw(e, c, Style(dark=dark)).layout.font.color == ink


@figures
def test_no_word_is_taken_for_markup(draw):
    e, c = compared("evil words")
    assert not any("<img" in text or "\n" in text or "\u202e" in text for text in texts(draw(e, c, Style()).to_dict()))


@figures
def test_every_text_of_a_figure_can_be_translated(draw):
    e, c = compared("an undefined score")
    drawn = draw(e, c, Style(text=lambda english: f"[{english}]")).to_dict()
    words = {m.label for m in ac.MEASURES.values()} | {"undefined", "rank", "score", "norm", "words", "norm ‖k‖"}
    found = {text.replace("<br>", " ") for text in texts(drawn)}
    assert not words & found and any("[" in text for text in found)


# --- ranked bars


def test_the_bars_are_the_scores_and_the_places_run_down(glove):
    ranking = ac.compare(glove, "king", k=7)["euclidean"]
    drawn = ranked_bars(ranking, glove.norms, {})
    np.testing.assert_array_equal(drawn.data[0].x, ranking.scores)
    assert list(drawn.data[0].y) == list(range(7)) and tuple(drawn.layout.yaxis.range) == (6.5, -0.5)


def test_the_ticks_are_ranks_and_words(glove):
    ranking = ac.compare(glove, "king", k=3)["cosine"]
    drawn = ranked_bars(ranking, glove.norms, {})
    assert [tick.split() for tick in drawn.layout.yaxis.ticktext] == [["1", "prince"], ["2", "queen"], ["3", "ii"]]


def test_the_hover_of_a_bar_has_the_score_and_the_norm_with_all_digits(glove):
    ranking = ac.compare(glove, "king", k=3)["cosine"]
    details = ranked_bars(ranking, glove.norms, {}).data[0].customdata
    assert [float(row[2]) for row in details] == ranking.scores.tolist()
    assert [row[3] for row in details] == glove.norms[ranking.indices].tolist()


def test_tied_words_show_one_rank():
    e = ac.Embeddings(["q", "a", "b", "c"], [[1, 0], [2, 1], [2, 5], [1, 0]], "x")
    drawn = ranked_bars(ac.compare(e, "q", measures=["dot"])["dot"], e.norms, {})
    assert [tick.split()[0] for tick in drawn.layout.yaxis.ticktext] == ["1", "1", "3"]


def test_an_undefined_score_is_said_and_drawn_as_no_bar():
    e, c = compared("an undefined score")
    bars, numbers = ranked_bars(c["cosine"], e.norms, {}).data
    assert bars.x[-1] == 0 and "undefined" in numbers.text[-1] and bars.customdata[-1][2] == "undefined"


@pytest.mark.parametrize("measure", ["dot", "cosine", "euclidean", "additive"])
def test_every_bar_lies_inside_the_axis(glove, measure):
    ranking = ac.compare(glove, "king", k=50)[measure]
    low, high = ranked_bars(ranking, glove.norms, {}).layout.xaxis.range
    assert low <= min(0, ranking.scores.min()) and max(0, ranking.scores.max()) < high


def test_the_numbers_stand_to_the_right_of_bars_below_zero_too():
    e = ac.Embeddings(["q", "a", "b", "c"], [[1, 0], [2, 1], [-2, 1], [-3, 1]], "x")
    drawn = ranked_bars(ac.compare(e, "q", measures=["dot"])["dot"], e.norms, {})
    assert list(drawn.data[0].x) == [2, -2, -3] and list(drawn.data[1].x) == [2, 0, 0]
    assert drawn.layout.xaxis.range[0] <= -3 and drawn.layout.xaxis.range[1] > 2


def test_the_numbers_beside_a_bar_are_its_score_and_norm(glove):
    ranking = ac.compare(glove, "king", k=3)["cosine"]
    texts_beside = [text.split() for text in ranked_bars(ranking, glove.norms, {}).data[1].text]
    expected = [[f"{s:.3f}", f"‖{glove.norms[i]:.2f}‖"] for s, i in zip(ranking.scores, ranking.indices, strict=True)]
    assert texts_beside == expected


# --- colours


def test_a_word_that_two_measures_name_has_a_colour_and_the_others_have_none(glove):
    c = ac.compare(glove, "king")
    named = [row for ranking in c.rankings.values() for row in ranking.indices.tolist()]
    assert set(word_colours(c)) == {row for row in named if named.count(row) > 1}


def test_bars_have_the_colours_of_their_words(glove):
    c = ac.compare(glove, "king")
    colours = word_colours(c)
    drawn = ranked_bars(c["dot"], glove.norms, colours).data[0].marker.color
    assert list(drawn) == [colours.get(row, MUTED) for row in c["dot"].indices.tolist()]


def test_the_colour_of_a_measure_is_its_place_in_the_registry():
    assert [measure_colour(name) for name in ac.MEASURES] == list(OKABE_ITO[:4])


def test_a_measure_keeps_its_colour_whichever_are_shown(glove):
    c = ac.compare(glove, "king", measures=["euclidean"])
    assert neighbour_norms(glove, c).data[1].marker.color == measure_colour("euclidean")


def luminance(colour):
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize(("dark", "ground"), [(False, "#FFFFFF"), (True, "#0E1117")], ids=["light", "dark"])
def test_the_ink_is_readable_on_its_ground(dark, ground):
    light, dim = sorted((luminance(Style(dark=dark).ink), luminance(ground)), reverse=True)
    assert (light + 0.05) / (dim + 0.05) > 7


def test_no_two_words_share_a_colour_of_the_palette():
    assert len(set(theme.WORDS)) == len(theme.WORDS) and len(set(OKABE_ITO)) == len(OKABE_ITO)


# --- bump


def test_a_line_has_the_rank_of_its_word_under_each_measure(glove):
    c = ac.compare(glove, "king", k=10)
    colours = word_colours(c)
    lines = bump(c, colours).data[1:]
    for row, line in zip(colours, lines, strict=True):
        places = [list(r.indices).index(row) + 1 if row in r.indices else 11 for r in c.rankings.values()]
        assert list(line.y) == places and line.line.color == colours[row]


def test_words_that_stand_alone_are_points_at_their_rank(glove):
    c = ac.compare(glove, "king", k=10)
    colours = word_colours(c)
    found = bump(c, colours).data[0]
    alone = [
        (i, r.indices.tolist().index(row) + 1)
        for i, r in enumerate(c.rankings.values())
        for row in r.indices.tolist()
        if row not in colours
    ]
    assert list(zip(found.x, found.y, strict=True)) == alone


def test_a_word_outside_a_top_k_keeps_its_true_rank_on_hover(glove):
    c = ac.compare(glove, "king", k=10)
    row, line = next(
        (row, line)
        for row, line in zip(word_colours(c), bump(c, word_colours(c)).data[1:], strict=True)
        if 11 in line.y
    )
    ranks = [f"{ranking.all_ranks[row]:,}" for ranking in c.rankings.values()]
    assert [details[1] for details in line.customdata] == ranks


def test_a_measure_without_a_ranking_has_no_column_in_a_bump_chart():
    _, c = compared("a zero query")
    assert list(bump(c, word_colours(c)).layout.xaxis.ticktext) == ["dot product"]


# --- norms


def test_the_histogram_counts_every_word(glove):
    bars = neighbour_norms(glove, ac.compare(glove, "king")).data[0]
    counts, edges = np.histogram(glove.norms, bins=60)
    assert list(bars.y) == list(counts) and sum(bars.y) == len(glove)
    np.testing.assert_array_equal(np.asarray(bars.x), (edges[1:] + edges[:-1]) / 2)


@pytest.mark.parametrize("place", range(4))
def test_the_marks_are_the_norms_of_the_neighbours(glove, place):
    c = ac.compare(glove, "king")
    ranking = list(c.rankings.values())[place]
    marks = neighbour_norms(glove, c).data[1 + place]
    assert list(marks.x) == [glove.norms[glove.index(word)] for word in ranking.words]
    assert set(marks.y) == {place} and list(marks.customdata) == list(ranking.words)


# --- agreement


@pytest.mark.parametrize("statistic", list(STATISTICS))
def test_the_cells_are_the_agreement_of_each_pair(glove, statistic):
    c = ac.compare(glove, "king")
    cells = agreement_map(c, statistic).data[0].z
    for (i, a), (j, b) in itertools.product(enumerate(c.rankings), repeat=2):
        expected = None if a == b else getattr(c.agreement[a, b], STATISTICS[statistic])
        assert cells[i][j] == expected


@pytest.mark.parametrize(("statistic", "low"), [("tau", -1), ("spearman", -1), ("rbo", 0), ("overlap", 0)])
def test_the_scale_of_a_signed_statistic_is_centred_on_zero(glove, statistic, low):
    drawn = agreement_map(ac.compare(glove, "king"), statistic).data[0]
    assert (drawn.zmin, drawn.zmax) == (low, 1)


def test_an_undefined_agreement_is_said_and_not_coloured():
    _, c = compared("a zero query")
    drawn = agreement_map(c, "tau").data[0]
    assert drawn.z[0][1] is None and drawn.text[0][1] == "undefined" and drawn.text[0][0] == ""


# --- numbers and labels


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (27.2056, "27.2"),
        (-3.1, "−3.10"),
        (999.4, "999"),
        (999.6, "1,000"),
        (0.9996, "1.00"),
        (0.001, "0.00100"),
        (0.00099, "9.90e−4"),
        (999_999.0, "1,000,000"),
        (1e6, "1.00e6"),
        (-1.5e-300, "−1.50e−300"),
    ],
)
def test_a_number_has_three_significant_digits(value, written):
    assert number(value) == written


@QUICK
@given(st.floats(1e-300, 1e300) | st.floats(-1e300, -1e-300))
def test_a_number_read_back_is_within_half_a_unit_of_its_third_digit(value):
    read = float(number(value).replace(",", "").replace("−", "-"))
    half_a_unit = 0.5 * 10.0 ** (np.floor(np.log10(abs(value))) - 2)
    assert abs(read - value) <= half_a_unit * 1.001


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.0, "0 %"),
        (1e-9, "< 1 %"),
        (0.00499, "< 1 %"),
        (0.005, "< 1 %|1 %"),
        (0.0051, "1 %"),
        (0.5, "50 %"),
        (0.9949, "99 %"),
        (0.995, "> 99 %"),
        (1 - 1e-9, "> 99 %"),
        (1.0, "100 %"),
    ],
)
def test_a_share_is_whole_percent_and_never_wrongly_none_or_all(share, written):
    assert percent(share) in written.split("|")


@pytest.mark.parametrize(
    ("word", "shown"),
    [("king", "king"), ("国王", "国王"), ("<b>&", "&lt;b&gt;&amp;"), ("a\nb\x00", "a␣b␣"), ("", "␀"), ("\ud800", "␣")],
)
def test_a_label_is_the_word_without_markup_and_controls(word, shown):
    assert label(word) == shown


@pytest.mark.parametrize(("size", "shown"), [(24, 24), (25, 24), (10**4, 24)])
def test_a_long_word_is_shortened(size, shown):
    assert len(label("x" * size)) == shown and label("x" * size).endswith("x" if size <= 24 else "…")
