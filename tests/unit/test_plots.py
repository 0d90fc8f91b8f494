"""Every figure: valid for Plotly, drawn from the values given, readable on both grounds, safe with any word."""

import itertools
from functools import cache

import numpy as np
import plotly.graph_objects as go
import pytest

import attention_core as ac
from attention_core.plots import agreement, norms, rankings
from attention_core.plots.agreement import STATISTICS
from attention_core.plots.rankings import word_colours
from attention_core.plots.theme import Style

pytestmark = pytest.mark.usefixtures("one_thread")
EVIL = "<b>&'\"%{x}<img src=x onerror=alert(1)>\n\u202e"


def checked(make):
    """A figure as Plotly's own object, which refuses what its schema does not know."""
    return lambda *args, **kwargs: go.Figure(make(*args, **kwargs))


agreement_map, neighbour_norms = checked(agreement.agreement_map), checked(norms.neighbour_norms)
bump, ranked_bars = checked(rankings.bump), checked(rankings.ranked_bars)
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
    drawn = ranked_bars(c["cosine"], e.norms, {})
    assert drawn.data[0].x[-1] == 0 and drawn.data[0].customdata[-1][2] == "undefined"
    assert "undefined" in drawn.layout.yaxis2.ticktext[-1]


@pytest.mark.parametrize("measure", ["dot", "cosine", "euclidean", "additive"])
def test_every_bar_lies_inside_the_axis(glove, measure):
    ranking = ac.compare(glove, "king", k=50)[measure]
    low, high = ranked_bars(ranking, glove.norms, {}).layout.xaxis.range
    assert low <= min(0, ranking.scores.min()) and max(0, ranking.scores.max()) <= high


def test_the_numbers_stand_at_the_right_where_the_figure_makes_room_for_them():
    e = ac.Embeddings(["q", "a", "b", "c"], [[1, 0], [2, 1], [-2, 1], [-3, 1]], "x")
    drawn = ranked_bars(ac.compare(e, "q", measures=["dot"])["dot"], e.norms, {})
    assert (drawn.layout.yaxis2.side, drawn.layout.yaxis2.automargin) == ("right", True)
    assert tuple(drawn.layout.yaxis2.range) == tuple(drawn.layout.yaxis.range)
    assert tuple(drawn.layout.xaxis.range) == (-3, 2)


def test_the_numbers_beside_a_bar_are_its_score_and_norm(glove):
    ranking = ac.compare(glove, "king", k=3)["cosine"]
    texts_beside = [text.split() for text in ranked_bars(ranking, glove.norms, {}).layout.yaxis2.ticktext]
    expected = [[f"{s:.3f}", f"‖{glove.norms[i]:.2f}‖"] for s, i in zip(ranking.scores, ranking.indices, strict=True)]
    assert texts_beside == expected


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


@pytest.mark.parametrize("size", [1e-40, 1.0, 1e16, 1e38])
def test_norms_that_only_rounding_separates_are_drawn(size):
    e = ac.Embeddings(["a", "b", "c"], np.array([[0.1, 0.2, 0.8], [0.2, 0.1, 0.8], [0.8, 0.1, 0.2]]) * size, "x")
    drawn = neighbour_norms(e, ac.compare(e, "a"))
    assert sum(drawn.data[0].y) == 3


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
