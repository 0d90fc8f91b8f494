"""The heads as a table and as code that runs."""

import io

import numpy as np
import pandas as pd
import pytest
import torch

import attention_core as ac
from attention_core.attention import Settings, head_ranks, stages, survey
from attention_core.export.heads import heads_code, heads_csv, heads_table
from tests.attending import normal

pytestmark = pytest.mark.usefixtures("one_thread")


def surveyed(e, **settings):
    chosen = Settings(**{"heads": 5, **settings})
    words = ac.attention.sentence("the cat eats the fish", e)
    x = torch.tensor(words.matrix, dtype=torch.float64)
    return words, survey(stages(x, chosen, chosen.projections(50, e.matrix)))


def test_a_row_for_each_head_with_all_its_digits(glove):
    words, found = surveyed(glove, kv_heads=1, mask="causal")
    ranks = head_ranks(found.stages.projections, 5)
    content = heads_csv(heads_table(found, ranks, 4, words.tokens[4]), glove, {"note": "=1"})
    table = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")
    assert table["head"].tolist() == [1, 2, 3, 4, 5] and set(table["kv_head"]) == {1}
    np.testing.assert_array_equal(table["entropy"], found.profile.entropy.mean)
    np.testing.assert_array_equal(table["lowest distance"], found.profile.distance.low)
    np.testing.assert_array_equal(table["effective rank of scores"], ranks.scores)
    np.testing.assert_array_equal(table["share of the output"], found.contributions(4).shares)
    np.testing.assert_array_equal(table["distance to 3"], found.distances.values[2])
    assert set(table["word"]) == {"fish"} and set(table["note"]) == {"'=1"}


def test_what_is_undefined_is_an_empty_cell():
    found = survey(stages(torch.zeros(2, 4, dtype=torch.float64), Settings(heads=2)))
    table = heads_table(found, head_ranks(found.stages.projections, 2), 0, "zero")
    assert table["share of the output"].isna().all() and table["cosine with the output"].isna().all()


@pytest.mark.parametrize(
    "settings",
    [
        Settings(heads=5),
        Settings(heads=10, kv_heads=2, projection="pca", mask="causal"),
        Settings("cosine", temperature=0.1, projection="random", seed=3, heads=5, positions="rope"),
    ],
)
def test_the_code_runs_and_prints_what_the_page_shows(glove, settings, capsys):
    words = ac.attention.sentence("the cat eats the fish", glove)
    exec(heads_code('ac.sample("glove-en")', words, settings, token=2), {})
    x = torch.tensor(words.matrix, dtype=torch.float64)
    found = survey(stages(x, settings, settings.projections(50, glove.matrix)))
    printed = capsys.readouterr().out
    assert str(found.distances.values.round(3)) in printed and str(found.contributions(2).shares) in printed


def test_the_code_for_weights_of_ones_own_loads_them(glove, tmp_path, monkeypatch, capsys):
    p = ac.attention.projections.Projections(*(normal(24, 50, seed=i) for i in range(3)), normal(50, 24))
    p.save(tmp_path / "weights.safetensors")
    monkeypatch.chdir(tmp_path)
    words, settings = ac.attention.first_words(glove, 6), Settings(projection="own", heads=4, kv_heads=2)
    exec(heads_code('ac.sample("glove-en")', words, settings), {})
    x = torch.tensor(words.matrix, dtype=torch.float64)
    found = survey(stages(x, settings, ac.attention.shared(p, 4, 2)))
    assert str(found.distances.values.round(3)) in capsys.readouterr().out
