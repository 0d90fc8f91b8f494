"""What is exported of judgements comes back: tables through pandas, code through exec."""

import contextlib
import io

import numpy as np
import pandas as pd
import pytest

import attention_core as ac
from attention_core.export import judgements as export
from attention_core.export.table import table_csv
from attention_core.similarity.tables import JudgedPairs, read_pairs, read_questions, read_relevance

pytestmark = pytest.mark.usefixtures("one_thread")
READ = {"rg65": read_pairs, "relations-zh": read_questions, "groups-en": read_relevance}


def printed(code):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "exported", "exec"), {})
    return dict(line.split(" ", 1) for line in out.getvalue().splitlines())


@pytest.mark.parametrize("seed", [0, 7])
def test_the_code_prints_the_same_correlations(glove, seed):
    found = ac.judge(glove, "rg65", weights=ac.AdditiveWeights.random(50, 50, seed=seed))
    lines = printed(export.judged_code('ac.sample("glove-en")', "rg65", seed))
    assert lines == {name: f"{judged.rho} {judged.interval}" for name, judged in found.items()}


def test_the_code_prints_the_same_accuracies(glove):
    found = ac.analogies(glove, "relations-en")
    lines = printed(export.answered_code('ac.sample("glove-en")', "relations-en"))
    assert lines == {name: f"{each.accuracy} {each.total.accuracy_allowed}" for name, each in found.items()}


def test_the_code_prints_the_same_retrieval(glove):
    found = ac.retrieval(glove, "groups-en", 5)
    lines = printed(export.retrieved_code('ac.sample("glove-en")', "groups-en", 5, 0))
    expected = {name: f"{each.recall.value} {each.mrr.value} {each.ndcg.value}" for name, each in found.items()}
    assert lines == expected


def test_the_csv_of_pairs_has_every_score_to_the_last_bit(glove):
    found = ac.judge(glove, "rg65")
    table = pd.read_csv(io.BytesIO(table_csv(export.judged_table(found), glove, {})), encoding="utf-8-sig")
    assert len(table) == 65 and set(table["source"]) == {"glove-en"}
    for name, judged in found.items():
        np.testing.assert_array_equal(table[name], judged.scores)


def test_a_pair_that_starts_a_formula_is_marked():
    e = ac.Embeddings(["=1+1", "b", "\ud800"], np.eye(3), "x")
    pairs = JudgedPairs("mine", (("=1+1", "b"), ("b", "\ud800")), (1.0, 2.0))
    table = export.judged_table(ac.judge(e, pairs))
    assert b"'=1+1" in table_csv(table, e, {})


@pytest.mark.parametrize("name", READ)
def test_an_example_is_read_as_what_it_shows(name):
    table = ac.JUDGEMENTS[name].read()
    found = READ[name](io.BytesIO(export.example(table)), "example.csv")
    assert type(found) is type(table) and len(found) > 0


def test_tables_of_what_is_undefined_have_empty_cells(glove):
    nothing = JudgedPairs("mine", (("xyz", "zyx"),), (1.0,))
    assert export.summary(ac.judge(glove, nothing))["rho"].isna().all()
    assert len(export.judged_table(ac.judge(glove, nothing))) == 0
    unasked = ac.analogies(glove, io.BytesIO(b"xx,yy,zz,ww\n"))
    assert export.answered_table(unasked)["accuracy"].isna().all()
    missed = ac.retrieval(glove, io.BytesIO(b"query,item\nxx,yy\n"))
    assert export.retrieved_table(missed)["value"].isna().all()
