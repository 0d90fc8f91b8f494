"""The figures of latent attention: valid for Plotly, drawn from the values given, safe with any word."""

import itertools
import math

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from attention_core.attention import LatentConfig, latent
from attention_core.attention.projections import Projections
from attention_core.plots.latent import (
    COLOURS,
    against_context,
    decode_lines,
    folding_errors,
    low_rank_lines,
    singular_values,
)
from attention_core.plots.latent_flow import KEPT, latent_flow
from attention_core.plots.latent_steps import Block, matrices
from attention_core.plots.theme import SEQUENTIAL, SIGNED, Style
from tests.attending import normal

pytestmark = pytest.mark.usefixtures("one_thread")
EVIL = "<b>&'\"%{x}<img src=x onerror=alert(1)>\n\u202e"
V3, PLAIN = LatentConfig(7168, 128, 1536, 512, 128, 64, 128), LatentConfig(2048, 16, 0, 512, 128, 64, 128)
TIMING = latent.Timing(
    (64, 256, 1024),
    {
        "naive": (latent.Decoded(0.1, 1, 0.0), latent.Decoded(0.4, 4, 0.0), None),
        "expanded": tuple(latent.Decoded(s, 1, 0.0) for s in (0.001, 0.004, 0.02)),
        "absorbed": tuple(latent.Decoded(s, 1, 0.0) for s in (0.002, 0.003, 0.005)),
    },
    "float32",
    1,
)
LOW = latent.low_rank([normal(5, 6)], normal(9, 6), Projections.random(0, 6, 2), 2)
FOLDED = latent.commuting(PLAIN, [0, 1, 10])
BLOCKS = [Block("c", normal(2, 3).numpy()), Block("k<sup>R</sup>", np.zeros((2, 2)))]
FIGURES = {
    "flow": lambda style: latent_flow(V3, 2, style),
    "flow without query compression": lambda style: latent_flow(PLAIN, 4, style),
    "costs": lambda style: against_context(
        (16, 256), dict.fromkeys(latent.FORMS, (1, None)), style.text("bytes"), style
    ),
    "times": lambda style: decode_lines(TIMING, style),
    "low rank": lambda style: low_rank_lines(LOW, 3, style),
    "singular values": lambda style: singular_values(LOW, None, style),
    "folding": lambda style: folding_errors(FOLDED, style),
    "matrices": lambda style: matrices(BLOCKS, (EVIL, "\ud800"), style),
}
figures = pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)


def leaves(value):
    """Every text and number in a figure's description."""
    if isinstance(value, dict):
        return itertools.chain.from_iterable(map(leaves, value.values()))
    if isinstance(value, (list, tuple, np.ndarray)):
        return itertools.chain.from_iterable(map(leaves, list(value)))
    return [value]


@figures
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_figure_is_valid_for_plotly_and_holds_finite_numbers(draw, dark):
    style = Style(dark=dark)
    drawn = draw(style)
    assert go.Figure(drawn).layout.font.color == style.ink
    assert all(math.isfinite(leaf) for leaf in leaves(drawn) if isinstance(leaf, (int, float)))


@figures
def test_no_word_is_taken_for_markup(draw):
    for text in (leaf for leaf in leaves(draw(Style())) if isinstance(leaf, str)):
        assert "<img" not in text and "\n" not in text and "\u202e" not in text


@figures
def test_words_are_translated(draw):
    found = [leaf for leaf in leaves(draw(Style(text=lambda text: f"[{text}]"))) if isinstance(leaf, str)]
    english = {
        "tokens in the cache",
        "naive",
        "absorbed",
        "of these vectors",
        "separate rotary key",
        "share of the largest",
    }
    assert not english & set(found)


def boxes(drawn):
    return [note["text"] for note in drawn["layout"]["annotations"] if not note["showarrow"]]


def test_the_flow_has_the_shapes_of_the_model_and_weighs_what_is_cached():
    drawn = latent_flow(V3, 2)
    text = " ".join(boxes(drawn))
    for shape in ("7,168", "1,536", "512 + 64", "128 × (128 + 64)", "128 × 512", "128 × n", "128 × 128"):
        assert f"<br>{shape}" in text
    assert "cached: 576 numbers, 1,152 bytes" in text
    assert "cached: 576 numbers, 2,304 bytes" in " ".join(boxes(latent_flow(V3, 4)))
    assert [shape["line"]["color"] for shape in drawn["layout"]["shapes"]].count(KEPT) == 2


def test_without_query_compression_there_is_no_box_for_it():
    assert not any("norm(W<sup>DQ</sup>" in text for text in boxes(latent_flow(PLAIN, 2)))
    arrows = [len([a for a in latent_flow(c, 2)["layout"]["annotations"] if a["showarrow"]]) for c in (V3, PLAIN)]
    assert arrows[0] == arrows[1] + 1


def test_lines_are_the_milliseconds_measured_and_the_crossing_is_shaded():
    drawn = decode_lines(TIMING)
    lines = {line["line"]["color"]: line["y"] for line in drawn["data"]}
    assert lines[COLOURS["absorbed"]] == [2, 3, 5] and lines[COLOURS["naive"]] == [100, 400, None]
    [shade] = drawn["layout"]["shapes"]
    assert (shade["x0"], shade["x1"]) == (64, 256)


def test_errors_and_singular_values_are_those_found():
    lines = low_rank_lines(LOW, 3)["data"]
    assert [line["x"] for line in lines] == [list(LOW.ranks)] * 2
    assert [line["y"] for line in lines] == [list(errors) for errors in LOW.attended.values()]
    values = singular_values(LOW, 3)["data"][0]["y"]
    np.testing.assert_allclose(values, LOW.singular["weights"] / LOW.singular["weights"][0])


def test_all_zero_keys_and_values_have_singular_values_of_zero():
    zero = torch.zeros(3, 6, dtype=torch.float64)
    found = latent.low_rank([zero], zero, Projections.random(0, 6, 2), 2)
    assert not singular_values(found, None)["data"][1]["y"].any()


def test_the_blocks_share_one_scale_and_stand_apart():
    first, second = matrices(BLOCKS, ("a", "b"))["data"]
    assert (first["zmin"], first["zmax"]) == (second["zmin"], second["zmax"]) and first["zmin"] == -first["zmax"]
    assert second["x"][0] - first["x"][-1] > 1 and first["colorscale"] is SIGNED
    assert first["texttemplate"] == "%{text}"
    weights = matrices([Block("a", np.eye(2), ("the", EVIL))], ("the", EVIL), shares=True)["data"][0]
    assert (weights["zmin"], weights["zmax"], weights["colorscale"]) == (0, 1, SEQUENTIAL)


def test_many_columns_are_not_written_into():
    assert matrices([Block("h", np.ones((2, 50)))], ("a", "b"))["data"][0]["texttemplate"] == ""
