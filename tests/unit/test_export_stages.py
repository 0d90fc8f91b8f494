"""Attention over a sentence as CSV and code: every pair, and code that computes the same."""

import csv
import io

import numpy as np
import pytest
import torch

import attention_core as ac
from attention_core.attention.stages import Settings, stages
from attention_core.export.stages import LARGEST, stages_code, stages_csv, stages_table

pytestmark = pytest.mark.usefixtures("one_thread")


def attended(sentence, settings, matrix):
    return stages(
        torch.tensor(sentence.matrix, dtype=torch.float64), settings, settings.projections(matrix.shape[1], matrix)
    )


def test_every_pair_has_a_row(glove):
    s = ac.attention.sentence("the cat eats", glove)
    found = attended(s, Settings(mask="causal", queries=2), glove.matrix)
    rows = list(csv.DictReader(io.StringIO(stages_csv(s, found, 0, glove, {"seed": "3"}).decode("utf-8-sig"))))
    assert [(row["query"], row["key"], row["allowed"]) for row in rows] == [
        ("cat", "the", "True"), ("cat", "cat", "True"), ("cat", "eats", "False"),
        ("eats", "the", "True"), ("eats", "cat", "True"), ("eats", "eats", "True"),
    ]  # fmt: skip
    assert [float(row["weight"]) for row in rows] == found.head(0).weights.flatten().tolist()
    assert [float(row["score"]) for row in rows] == found.head(0).scores.flatten().tolist()
    assert {row["fingerprint"] for row in rows} == {glove.fingerprint} and {row["seed"] for row in rows} == {"3"}
    assert [(row["query_place"], row["key_place"]) for row in rows[:2]] == [("2", "1"), ("2", "2")]


def test_a_long_sentence_keeps_the_largest_weights(glove):
    s = ac.attention.first_words(glove, 501)
    found = attended(s, Settings(), glove.matrix)
    table, weights = stages_table(s.tokens, found), found.head(0).weights.numpy()
    assert len(table) == 501 * LARGEST
    np.testing.assert_array_equal(table["weight"][:LARGEST], np.sort(weights[0])[::-1][:LARGEST])


def test_a_word_that_a_spreadsheet_would_run_is_marked():
    e = ac.Embeddings(["=1+1", "\ud800"], np.eye(2), "x")
    s = ac.attention.first_words(e, 2)
    content = stages_csv(s, attended(s, Settings(), e.matrix), 0, e, {}).decode("utf-8-sig")
    assert "'=1+1" in content and "\n=" not in content


@pytest.mark.parametrize(
    ("text", "how", "settings"),
    [
        ("the cat eats the fish", "skip", Settings()),
        (
            "the 'quoted' catt\n",
            "random",
            Settings("cosine", temperature=0.1, mask="window:2", heads=5, projection="pca"),
        ),
        (
            "",
            "skip",
            Settings(scale=0.3, positions="rope", projection="random", seed=3, score="additive", score_seed=2),
        ),
    ],
)
def test_the_code_prints_the_same(glove, capsys, text, how, settings):
    s = ac.attention.sentence(text, glove, how, 7) if text else ac.attention.first_words(glove, 4)
    number = settings.heads - 1
    exec(stages_code('ac.sample("glove-en")', s, settings, number), {})
    printed = capsys.readouterr().out
    found = attended(s, settings, glove.matrix)
    assert printed.startswith(f"{s.tokens}\n{found.head(number).weights}\n")
    assert printed.endswith(f"{found.output}\n")
