"""The histogram of scores: valid for Plotly, drawn from the counts given, safe with any word."""

import itertools

import numpy as np
import plotly.graph_objects as go
import pytest

import attention_core as ac
from attention_core.plots import distributions
from attention_core.plots.distributions import Mark
from attention_core.plots.theme import Style, measure_colour
from attention_core.similarity.distribution import histogram

pytestmark = pytest.mark.usefixtures("one_thread")
EVIL = "<b>&'\"%{x}<img src=x onerror=alert(1)>\n\u202e"


def embeddings(matrix):
    return ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, "some words")


def long_vector():
    matrix = np.random.default_rng(0).standard_normal((211, 7))
    matrix[3] *= 1e4
    return embeddings(matrix)


VECTORS = {
    "ordinary": lambda: embeddings(np.random.default_rng(0).standard_normal((211, 7))),
    "one long vector": long_vector,
    "all alike": lambda: embeddings(np.ones((11, 3))),
    "zero": lambda: embeddings(np.zeros((11, 3))),
    "two words": lambda: embeddings(np.eye(2)),
}
kinds = pytest.mark.parametrize("kind", list(VECTORS))


def drawn(kind, measure, marks=(), **options):
    e = VECTORS[kind]()
    counted, expected = ac.distribution(e, measure), ac.random_directions(e, measure)
    made = distributions.score_histogram(measure, histogram(counted), histogram(expected), marks, **options)
    return go.Figure(made), counted


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain.from_iterable(map(texts, value.values()))
    elif isinstance(value, (list, tuple)):
        yield from itertools.chain.from_iterable(map(texts, value))


@kinds
@pytest.mark.parametrize("measure", list(ac.MEASURES))
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("log", [False, True], ids=["linear", "logarithmic"])
def test_the_figure_is_valid_and_in_the_ink_of_its_ground(kind, measure, dark, log):
    figure, counted = drawn(kind, measure, [Mark(0.5, "word")], log=log, style=Style(dark=dark))
    assert figure.layout.font.color == Style(dark=dark).ink
    assert figure.layout.yaxis.type == ("log" if log else "linear")
    assert figure.layout.xaxis.title.text == ac.MEASURES[measure].label and figure.layout.yaxis.title.text
    low, high = figure.layout.xaxis.range
    assert np.isfinite([low, high]).all() and low < high and low <= 0.5 <= high
    if counted.pairs:
        assert np.isfinite(np.asarray(figure.data[0].y, dtype=float)).all()


def test_the_bars_are_the_shares_of_the_pairs_in_the_measure_s_colour():
    figure, counted = drawn("ordinary", "cosine")
    shown = histogram(counted)
    bars = figure.data[0]
    np.testing.assert_allclose(np.asarray(bars.y), 100 * shown.counts / counted.pairs, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(bars.x), (shown.edges[1:] + shown.edges[:-1]) / 2)
    assert bars.marker.color == measure_colour("cosine")
    assert bars.customdata[40][1] == f"{shown.counts[40]:,}"


def test_the_line_of_random_directions_has_the_area_of_the_bars():
    figure, _ = drawn("ordinary", "dot")
    bars, line = figure.data
    step = float(np.median(np.asarray(bars.width)))
    area = np.nansum(np.asarray(line.y, dtype=float)) * float(np.diff(np.asarray(line.x))[5])
    assert abs(area / step - 100) < 3
    assert [note.text for note in figure.layout.annotations] == ["┄ random directions"]


def test_a_wide_outer_bin_is_as_low_as_its_pairs_lie_thin_and_outside_the_picture():
    figure, counted = drawn("one long vector", "dot")
    shown, bars = histogram(counted), figure.data[0]
    usual = np.median(np.diff(shown.edges))
    widest = int(np.diff(shown.edges).argmax())
    share = 100 * shown.counts[widest] / counted.pairs * usual / np.diff(shown.edges)[widest]
    np.testing.assert_allclose(bars.y[widest], share)
    assert figure.layout.xaxis.range[1] - figure.layout.xaxis.range[0] < (shown.edges[-1] - shown.edges[0]) / 2


def test_a_mark_stands_at_its_score_and_its_word_is_no_markup():
    figure, _ = drawn("ordinary", "dot", [Mark(1.25, EVIL, "said")])
    mark = figure.data[-1]
    assert list(mark.x) == [1.25] and mark.customdata[0][1] == "1.25000"
    assert not any("<img" in text or "\n" in text or "\u202e" in text for text in texts(figure.to_dict()))


def test_every_text_can_be_translated():
    figure, _ = drawn("ordinary", "dot", style=Style(text=lambda english: f"[{english}]"))
    found = set(texts(figure.to_dict()))
    assert not {"dot product", "% of the pairs", "┄ random directions"} & found
    assert "[dot product]" in found
