"""Colours, numbers and labels: the same everywhere, and safe with any word."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core as ac
from attention_core.plots import theme
from attention_core.plots.norms import neighbour_norms
from attention_core.plots.rankings import ranked_bars, word_colours
from attention_core.plots.theme import MUTED, OKABE_ITO, Style, label, measure_colour, number, percent

pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = settings(max_examples=100, deadline=None, derandomize=True)


# --- colours


def test_a_word_that_two_measures_name_has_a_colour_and_the_others_have_none(glove):
    c = ac.compare(glove, "king")
    named = [row for ranking in c.rankings.values() for row in ranking.indices.tolist()]
    assert set(word_colours(c)) == {row for row in named if named.count(row) > 1}


def test_bars_have_the_colours_of_their_words(glove):
    c = ac.compare(glove, "king")
    colours = word_colours(c)
    drawn = ranked_bars(c["dot"], glove.norms, colours)["data"][0]["marker"]["color"]
    assert list(drawn) == [colours.get(row, MUTED) for row in c["dot"].indices.tolist()]


def test_the_colour_of_a_measure_is_its_place_in_the_registry():
    assert [measure_colour(name) for name in ac.MEASURES] == list(OKABE_ITO[:4])


def test_a_measure_keeps_its_colour_whichever_are_shown(glove):
    c = ac.compare(glove, "king", measures=["euclidean"])
    assert neighbour_norms(glove, c)["data"][1]["marker"]["color"] == measure_colour("euclidean")


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
    [
        ("king", "king"),
        ("国王", "国王"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("a\nb\x00", "a␣b␣"),
        ("", "(empty)"),
        ("\ud800", "␣"),
    ],
)
def test_a_label_is_the_word_without_markup_and_controls(word, shown):
    assert label(word) == shown


@pytest.mark.parametrize(("size", "shown"), [(24, 24), (25, 24), (10**4, 24)])
def test_a_long_word_is_shortened(size, shown):
    assert len(label("x" * size)) == shown and label("x" * size).endswith("x" if size <= 24 else "…")
