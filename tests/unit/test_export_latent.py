"""Latent attention as files and as code: both come back with the same figures."""

import contextlib
import io

import numpy as np
import pandas as pd
import pytest

import attention_core as ac
from attention_core.attention import LatentConfig, latent
from attention_core.export.latent import cost_csv, cost_table, latent_code, low_rank_code, low_rank_csv
from tests.attending import normal

pytestmark = pytest.mark.usefixtures("one_thread")
CONFIG = LatentConfig(23, 3, 5, 7, 11, 6, 13)


def read(content):
    return pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")


def printed(code):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "exported", "exec"), {})
    return out.getvalue().splitlines()


def test_the_file_has_a_row_for_each_form_and_context_and_what_was_measured():
    timing = latent.decode_times(CONFIG, (5, 64), rounds=1)
    table = cost_table(CONFIG, (16, 64), 2, timing)
    found = read(cost_csv(table, CONFIG, {"model": "=1+1"}))
    assert found["tokens"].tolist() == [5] * 3 + [16] * 3 + [64] * 3
    for n, form, operations in found[["tokens", "form", "operations"]].values.tolist():
        assert operations == latent.costs(CONFIG, n)[form].operations
    assert (found["bytes_held"] == 2 * found["numbers_held"]).all()
    measured = found.set_index(["tokens", "form"])["milliseconds"]
    assert measured[64, "absorbed"] == pytest.approx(1e3 * timing.forms["absorbed"][1].seconds)
    assert measured.isna().sum() == 3 and set(found["model"]) == {"'=1+1"} and set(found["kv_lora_rank"]) == {7}


def test_the_code_counts_the_chosen_sizes_and_decodes():
    lines = printed(latent_code(CONFIG, 64))
    assert lines == ["13 90", str(latent.costs(CONFIG, 64)), "True"]


@pytest.mark.parametrize("text", [None, "the river bank"])
def test_the_errors_come_back_from_file_and_code(glove, text):
    sentence = None if text is None else ac.attention.sentence(text, glove)
    lines = printed(low_rank_code('ac.sample("glove-en")', 50, 2, 3, 9, sentence))
    ranks, errors = (np.array(eval(line)) for line in lines)
    assert len(ranks) == len(errors) == 24 and errors[-1] < 1e-6 < errors[0]
    weights = ac.attention.projections.Projections.random(0, 6, 2)
    small = latent.low_rank([normal(5, 6)], normal(9, 6), weights, 2)
    found = read(low_rank_csv(small, glove, {"seed": "3"}))
    assert found["rank"].tolist() == 2 * list(small.ranks) and set(found["fingerprint"]) == {glove.fingerprint}
    by_way = found.set_index(["latent", "rank"])
    for way, of in small.attended.items():
        np.testing.assert_allclose(by_way.loc[way]["attention_error"], of, rtol=1e-15)
        np.testing.assert_allclose(by_way.loc[way]["singular_value"], small.singular[way][:6], rtol=1e-15)
