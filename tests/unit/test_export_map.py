"""What is taken from a map comes back: the table through pandas, the code through exec."""

import contextlib
import io

import numpy as np
import pandas as pd
import pytest

import attention_core as ac
from attention_core.export.map import map_code, map_csv, map_table

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def e():
    words = ["q", "=1+1", "国王", "\ud800", "e", "f"]
    return ac.Embeddings(words, np.random.default_rng(0).standard_normal((6, 3)), "six words")


def test_the_table_has_a_row_for_each_word_drawn(e):
    picture, comparison = ac.project(e, dimensions=3, rows=[0, 2, 5]), ac.compare(e, "q", 2, ["dot", "cosine"])
    table = map_table(e, picture, comparison, {"a": np.array([0, 2]), "b": np.array([2])})
    assert table["word"].tolist() == ["q", "国王", "f"] and table["groups"].tolist() == ["a", "a; b", ""]
    np.testing.assert_array_equal(table[["x", "y", "z"]], picture.points)
    np.testing.assert_array_equal(table["norm"], e.norms[[0, 2, 5]])
    for name in ("dot", "cosine"):
        expected = [
            1 + list(comparison[name].words).index(w) if w in comparison[name].words else None for w in table.word
        ]
        assert [None if rank is pd.NA else rank for rank in table[f"rank, {name}"]] == expected


def test_only_rows_that_were_chosen_are_listed(e):
    table = map_table(e, ac.project(e), ac.compare(e, "q"), {}, [4, 1, 4])
    assert table["word"].tolist() == ["=1+1", "e"] and list(table.columns)[-1] == "y"


def test_the_csv_says_what_it_was_computed_from(e):
    picture = ac.project(e, rows=[0, 1, 3])
    content = map_csv(map_table(e, picture, ac.compare(e, "q"), {}), e, picture, {"seed": "3"})
    found = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig", dtype=str)
    assert found["word"].tolist() == ["q", "'=1+1", "?"]
    assert set(found["method"]) == {"pca"} and set(found["drawn"]) == {"3"} and set(found["words"]) == {"6"}
    assert set(found["fingerprint"]) == {e.fingerprint} and set(found["seed"]) == {"3"}


def printed(code):
    out = io.StringIO()
    names = {}
    with contextlib.redirect_stdout(out):
        exec(compile(code, "exported", "exec"), names)
    return names, out.getvalue().splitlines()


@pytest.mark.parametrize(("limit", "seed", "weights"), [(10_000, 0, 0), (700, 5, 3)])
def test_the_code_makes_the_same_picture(glove, limit, seed, weights):
    own = ac.AdditiveWeights.random(50, 50, seed=weights)
    rows = ac.map_rows(glove, ac.compare(glove, "cat", 50, weights=own), limit, seed)
    picture = ac.project(glove, rows=rows)
    names, lines = printed(map_code('ac.sample("glove-en")', picture, "cat", (limit, seed), weights))
    np.testing.assert_array_equal(names["p"].rows, picture.rows)
    np.testing.assert_array_equal(names["p"].points, picture.points)
    assert lines[1] == f"dot {ac.faithfulness(glove, picture)['dot'].overlap} " + str(
        ac.faithfulness(glove, picture)["dot"].trustworthiness
    )


def test_the_code_repeats_the_options_of_t_sne(e):
    options = ac.TsneOptions(1.5, "euclidean", 4)
    picture = ac.Projection("t-sne", np.arange(6), np.zeros((6, 2)), 6, options=options)
    code = map_code("e", picture, "'); import os #", (2_000, 4), 0)
    assert "options=ac.TsneOptions(perplexity=1.5, distance='euclidean', seed=4)" in code
    compile(code, "exported", "exec")


@pytest.mark.parametrize("word", ["'); import os #", "\\", "国王", "\n"])
def test_no_word_escapes_its_quotes(e, word):
    picture = ac.Projection("pca", np.arange(3), np.zeros((3, 2)), 6)
    assert f"ac.compare(e, {word!r}, k=50" in map_code("e", picture, word, (3, 0), 0)
