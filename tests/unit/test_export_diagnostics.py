"""What Diagnostics gives away comes back: the table through pandas, the code through exec."""

import contextlib
import io

import numpy as np
import pandas as pd
import pytest

import attention_core as ac
from attention_core.export.diagnostics import diagnostics_code, diagnostics_csv, diagnostics_table

pytestmark = pytest.mark.usefixtures("one_thread")


def words(*names, ranks=None):
    matrix = np.random.default_rng(0).standard_normal((len(names), 3))
    return ac.Embeddings(names, matrix, "my words", frequency_rank=ranks)


def test_the_table_has_a_row_for_each_word():
    e = words("a", "b", "c", "d", ranks=[4, 3, 2, 1])
    found = ac.neighbourhoods(e, 2)
    table = diagnostics_table(e, found)
    columns = ["word", "frequency_rank", "norm", "lists_dot", "lists_cosine", "lists_euclidean", "asked"]
    assert list(table.columns) == columns and table["word"].tolist() == list(e.words)
    np.testing.assert_array_equal(table["norm"], e.norms)
    np.testing.assert_array_equal(table["lists_dot"], found.hubness["dot"].counts)
    assert set(table["asked"]) == {4}


def test_without_ranks_there_is_no_column_for_them():
    assert "frequency_rank" not in diagnostics_table(words("a", "b", "c"), ac.neighbourhoods(words("a", "b", "c")))


def test_the_csv_comes_back_with_settings_and_no_formula():
    e = words("=1+1", "国王", "\ud800", "d")
    content = diagnostics_csv(e, ac.neighbourhoods(e, 2), {"centre": "true"})
    table = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")
    assert table["word"].tolist() == ["'=1+1", "国王", "?", "d"]
    assert set(table["k"]) == {2} and set(table["centre"]) == {True} and set(table["fingerprint"]) == {e.fingerprint}


def test_the_code_prints_the_figures():
    printed = io.StringIO()
    source = 'ac.Embeddings("abcdef", [[1, 2], [2, 1], [5, 1], [0, 3], [1, 1], [-1, 2]], "x").centred()'
    with contextlib.redirect_stdout(printed):
        exec(diagnostics_code(source), {})
    expected = ac.diagnostics(eval(source, {"ac": ac}))
    assert f"mean cosine of two words {expected.anisotropy}" in printed.getvalue()
    assert f"dot {expected.hubness['dot'].skewness}" in printed.getvalue()
