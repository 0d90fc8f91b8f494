"""What is exported comes back: tables through pandas, code through exec."""

import ast
import contextlib
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core as ac
from attention_core.export.rankings import ranking_code, ranking_csv, ranking_table
from attention_core.export.table import FORMULA, cell

HOSTILE = [
    "'); import os #",
    '"""',
    "\\",
    "a'b\"c",
    "{0}",
    "%s",
    "\n",
    "q\r\nprint(1)",
    "\u2028",
    "国王",
    "",
    "\ud800",
    "=1+1",
]
pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = settings(max_examples=60, deadline=None, derandomize=True)


def embeddings(words, source="my words", seed=0):
    return ac.Embeddings(words, np.random.default_rng(seed).standard_normal((len(words), 5)), source)


def read(content):
    assert content.startswith(b"\xef\xbb\xbf")
    return pd.read_csv(io.BytesIO(content), encoding="utf-8-sig", keep_default_na=False, dtype=str)


# --- the table


def test_the_table_has_a_row_for_each_neighbour_under_each_measure(glove):
    c = ac.compare(glove, "king", k=7)
    table = ranking_table(glove, c)
    assert list(table.columns) == ["measure", "rank", "word", "score", "norm"] and len(table) == 4 * 7
    for name, ranking in c.rankings.items():
        rows = table[table["measure"] == name]
        assert rows["word"].tolist() == list(ranking.words) and rows["rank"].tolist() == ranking.ranks.tolist()
        np.testing.assert_array_equal(rows["score"], ranking.scores)
        np.testing.assert_array_equal(rows["norm"], [glove.norms[glove.index(word)] for word in ranking.words])


def test_an_undefined_score_is_nan_in_the_table():
    e = ac.Embeddings(["q", "zero"], [[1, 0], [0, 0]], "x")
    assert np.isnan(ranking_table(e, ac.compare(e, [1, 0], k=2, measures=["cosine"]))["score"]).tolist() == [
        False,
        True,
    ]


def test_a_ranking_without_words_gives_a_table_without_rows():
    e = ac.Embeddings(["q", "a"], [[0, 0], [1, 0]], "x")
    assert len(ranking_table(e, ac.compare(e, "q", measures=["cosine"]))) == 0


# --- CSV


def test_the_csv_has_the_figures_of_the_table_to_the_last_bit(glove):
    c = ac.compare(glove, "king", k=13)
    content, table = ranking_csv(glove, c, {}), ranking_table(glove, c)
    found = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")
    np.testing.assert_array_equal(found["score"], table["score"])
    np.testing.assert_array_equal(found["norm"], table["norm"])
    assert found["rank"].tolist() == table["rank"].tolist()


def test_every_row_of_the_csv_says_what_it_was_computed_from(glove):
    found = read(ranking_csv(glove, ac.compare(glove, "king", k=2), {"centred": "no", "version": "0.1.0"}))
    expected = {"query": "king", "source": "glove-en", "fingerprint": glove.fingerprint, "centred": "no"}
    assert all(set(found[name]) == {value} for name, value in {**expected, "version": "0.1.0"}.items())


def test_a_vector_as_the_query_is_named_in_the_csv(glove):
    found = read(ranking_csv(glove, ac.compare(glove, glove.vector("king"), k=2), {}))
    assert set(found["query"]) == {"(vector)"}


def test_the_empty_word_as_the_query_is_not_called_a_vector():
    e = embeddings(["", "b", "c"])
    assert set(read(ranking_csv(e, ac.compare(e, "", k=2), {}))["query"]) == {""}


def test_chinese_words_come_back():
    e = ac.sample("wiki-zh")
    c = ac.compare(e, "国王", k=5, measures=["cosine"])
    found = read(ranking_csv(e, c, {}))
    assert found["word"].tolist() == list(c["cosine"].words) and set(found["query"]) == {"国王"}


@pytest.mark.parametrize("word", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=", '=HYPERLINK("http://x","y")'])
def test_a_word_that_starts_a_formula_is_marked(word):
    e = embeddings(["q", word])
    found = ranking_csv(e, ac.compare(e, "q", measures=["dot"]), {})
    assert cell(word) == f"'{word}" and read(found)["word"].tolist() == [f"'{word}"]


@pytest.mark.parametrize("column", ["query", "source", "note"])
def test_no_other_cell_starts_a_formula_either(column):
    e = embeddings(["=q", "a"], source="=evil()")
    found = read(ranking_csv(e, ac.compare(e, "=q", measures=["dot"]), {"note": "@note"}))
    assert found[column].str.startswith("'").all()


@pytest.mark.parametrize("word", ["king", "", "'", " =1", "1-1", "a=b", "国王"])
def test_a_word_that_starts_no_formula_is_left_alone(word):
    assert cell(word) == word


def test_negative_scores_stay_numbers():
    e = ac.Embeddings(["q", "minus"], [[1, 0], [-1, 0]], "x")
    assert read(ranking_csv(e, ac.compare(e, "q", measures=["cosine"]), {}))["score"].tolist() == ["-1.0"]


@QUICK
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
        min_size=2,
        max_size=5,
        unique=True,
    )
)
def test_words_of_any_characters_come_back_from_the_csv(words):
    e = embeddings(words)
    c = ac.compare(e, e.matrix[0], k=len(words), measures=["dot"])
    found = read(ranking_csv(e, c, {}))["word"].tolist()
    assert found == [f"'{word}" if word[:1] in FORMULA and word else word for word in c["dot"].words]


def test_half_a_surrogate_in_a_word_does_not_stop_the_export():
    e = embeddings(["q", "a\ud800"])
    assert len(read(ranking_csv(e, ac.compare(e, "q", measures=["dot"]), {}))) == 1


# --- code


def printed(code):
    """What the code prints, by measure."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "exported", "exec"), {})
    lines = out.getvalue().splitlines()
    return {name: ast.literal_eval(rest) for name, rest in (line.split(" ", 1) for line in lines)}


def pairs(comparison):
    return {n: list(zip(r.words, r.scores.tolist(), strict=True)) for n, r in comparison.rankings.items()}


@pytest.mark.parametrize("measures", [["dot"], ["cosine", "euclidean"], ["dot", "cosine", "euclidean", "additive"]])
def test_the_code_prints_the_same_rankings(glove, measures):
    c = ac.compare(glove, "king", k=3, measures=measures)
    assert printed(ranking_code('ac.sample("glove-en")', "king", c, seed=0)) == pairs(c)


def test_the_code_repeats_the_seed_of_the_weights(glove):
    weights = ac.AdditiveWeights.random(50, 50, seed=7)
    c = ac.compare(glove, "king", k=3, measures=["additive"], weights=weights)
    assert printed(ranking_code('ac.sample("glove-en")', "king", c, seed=7)) == pairs(c)


def test_the_code_repeats_how_the_vectors_were_prepared(glove):
    c = ac.compare(glove.centred().normalised(), "king", k=3, measures=["dot"])
    assert printed(ranking_code('ac.sample("glove-en").centred().normalised()', "king", c, seed=0)) == pairs(c)


def test_the_code_repeats_the_numbers_of_a_vector(glove):
    query = tuple(np.random.default_rng(0).standard_normal(50).tolist())
    c = ac.compare(glove, query, k=3, measures=["cosine"])
    assert printed(ranking_code('ac.sample("glove-en")', query, c, seed=0)) == pairs(c)


@pytest.mark.parametrize("word", HOSTILE)
def test_no_word_escapes_its_quotes(word):
    e = embeddings([word, "b", "c"])
    c = ac.compare(e, word, k=2, measures=["dot"])
    source = f"ac.Embeddings({list(e.words)!r}, {e.matrix.tolist()!r}, 'x')"
    assert printed(ranking_code(source, word, c, seed=0)) == pairs(c)
