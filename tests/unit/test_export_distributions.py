"""What a reader takes from Score distributions: tables, CSV, and code that prints the same figures."""

import contextlib
import io

import numpy as np
import pandas as pd
import pytest

import attention_core as ac
from attention_core.export.distributions import (
    distribution_code,
    distribution_csv,
    groups_table,
    standing_table,
    summary_table,
)

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def e():
    matrix = np.random.default_rng(0).standard_normal((211, 7))
    matrix[5] = 0
    return ac.Embeddings(["=1+1", *(f"w{i}" for i in range(1, 211))], matrix, "some words")


@pytest.fixture(scope="module")
def found(e):
    return ac.distributions(e)


def test_the_summary_holds_the_figures_of_each_measure(found):
    table = summary_table(found).set_index("measure")
    assert list(table.index) == list(ac.MEASURES)
    for name, row in table.iterrows():
        assert row["variance"] == found[name].deviation ** 2 and row["99 %"] == found[name].quantile(0.99).value
        assert row["pairs"] == found[name].pairs and row["undefined"] == found[name].undefined


def test_a_measure_without_a_distribution_is_left_out():
    zero = ac.Embeddings(["a", "b"], np.zeros((2, 3)), "zero")
    assert list(summary_table(ac.distributions(zero, ["dot", "cosine"]))["measure"]) == ["dot"]


def test_the_standing_of_each_neighbour_is_its_percentile(e, found):
    c = ac.compare(e, "w1", k=210)
    table = standing_table(c, found)
    assert len(table) == 4 * 210 - 1  # the zero vector has no cosine
    row = table[(table["measure"] == "euclidean")].iloc[0]
    assert row["word"] == c["euclidean"].words[0]
    assert row["farther"] == found["euclidean"].percentile(float(c["euclidean"].scores[0])).value
    assert not table.isna().any().any()


def test_the_pairs_inside_groups_are_named(e):
    table = groups_table(e, [ac.group_scores(e, [["w1", "w2", "w3"]], "dot")])
    assert table[["first", "second"]].to_numpy().tolist() == [["w1", "w2"], ["w1", "w3"], ["w2", "w3"]]


def test_the_csv_holds_every_bin_and_what_it_was_computed_from(e, found):
    table = pd.read_csv(io.BytesIO(distribution_csv(e, found, {"centre": "true"})))
    for name, part in table.groupby("measure"):
        assert part["pairs"].tolist() == found[name].counts.tolist()
        assert part["from"].tolist() == found[name].edges[:-1].tolist()
    assert set(table["fingerprint"]) == {e.fingerprint} and set(table["centre"]) == {True}
    assert not table["sampled"].any()


def test_the_code_prints_the_same_figures():
    code = distribution_code('ac.sample("minilm-en")', ["dot", "additive"], "king", 2, 3)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    e, weights = ac.sample("minilm-en"), ac.AdditiveWeights.random(384, 384, seed=3)
    expected = ac.distributions(e, ["dot", "additive"], weights=weights)
    lines = printed.getvalue().splitlines()
    assert len(lines) == 6
    for line, (name, one) in zip(lines[::3], expected.items(), strict=True):
        assert line == f"{name} {one.pairs} {one.mean.value} {one.variance} {one.quantile(0.99).value}"
    c = ac.compare(e, "king", k=2, measures=["dot"])["dot"]
    score = float(c.scores[0])
    assert lines[1].split(maxsplit=1) == [c.words[0], f"{score} {expected['dot'].percentile(score)}"]
