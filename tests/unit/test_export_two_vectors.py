"""Two vectors as a file and as code: both come back with the same figures."""

import contextlib
import io

import numpy as np
import pandas as pd
import pytest

import attention_core as ac
from attention_core.export.two_vectors import pair_code, pair_csv, pair_table

pytestmark = pytest.mark.usefixtures("one_thread")


def read(content):
    return pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")


def printed(code):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "exported", "exec"), {})
    return out.getvalue().splitlines()


def test_the_file_has_a_row_for_each_component_and_every_figure_to_the_last_bit(glove):
    g = ac.pair(glove.vector("king"), glove.vector("prince"), move=ac.Move(factor=1.5, degrees=20, shift=-0.25))
    found = read(pair_csv(g, glove, {"first": "king", "second": "=1+1"}))
    assert found["component"].tolist() == list(range(1, 51))
    for name, values in {"a": g.a, "b": g.b, "product": g.a * g.b, "sum": np.cumsum(g.a * g.b)}.items():
        np.testing.assert_array_equal(found[name], values)
    same = {"factor": 1.5, "degrees": 20, "shift": -0.25, "norm_a": g.norm_a, "angle": g.angle, **g.scores}
    assert all((found[name] == value).all() for name, value in same.items())
    assert set(found["fingerprint"]) == {glove.fingerprint} and set(found["second"]) == {"'=1+1"}


def test_typed_numbers_have_no_source_and_undefined_figures_are_empty():
    found = read(pair_csv(ac.pair([0, 0], [1, 2]), None, {}))
    assert "fingerprint" not in found and found[["angle", "projection", "cosine"]].isna().all(axis=None)
    assert pair_table(ac.pair([0, 0], [1, 2]))["dot"].tolist() == [0, 0]


@pytest.mark.parametrize("move", [ac.Move(), ac.Move(factor=2.0, degrees=-30.0, shift=0.5)])
def test_the_code_of_two_words_prints_the_same_figures(glove, move):
    weights = ac.AdditiveWeights.random(50, 50, seed=7)
    g = ac.pair(glove.vector("king"), glove.vector("cat"), weights, move)
    lines = printed(pair_code('ac.sample("glove-en")', "king", "cat", g, seed=7))
    assert lines[:3] == [
        str(g.scores),
        f"{g.angle} {g.projection} {g.norm_a} {g.norm_b}",
        str(g.terms().products.tolist()),
    ]
    assert "symmetric" in lines[-1] and "unchanged" in lines[-1]


def test_the_code_of_typed_numbers_loads_no_vectors():
    g = ac.pair([1, 2, 3, 4], [2, 0, 1, 3])
    code = pair_code("ac.load('x')", (1.0, 2.0, 3.0, 4.0), (2.0, 0.0, 1.0, 3.0), g, seed=0)
    assert "ac.load" not in code and printed(code)[0] == str(g.scores)


@pytest.mark.parametrize("word", ["'); import os #", '"""', "\\", "\n", "国王", "", "\ud800"])
def test_no_word_escapes_its_quotes(word):
    e = ac.Embeddings([word, "b"], [[1.0, 2.0], [3.0, 4.0]], "x")
    g = ac.pair(e.matrix[0], e.matrix[1])
    source = f"ac.Embeddings({list(e.words)!r}, {e.matrix.tolist()!r}, 'x')"
    assert printed(pair_code(source, word, "b", g, seed=0))[0] == str(g.scores)
