"""Experiments as files and as code: both come back with the same figures."""

import contextlib
import io

import pandas as pd
import pytest

import attention_core as ac
from attention_core.experiments.cost import Cost, Run
from attention_core.export import scaling as export
from attention_core.export.table import table_csv

pytestmark = pytest.mark.usefixtures("one_thread")


def printed(code):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "exported", "exec"), {})
    return out.getvalue().splitlines()


def read(table, embeddings=None):
    return pd.read_csv(io.BytesIO(table_csv(table, embeddings, {})), encoding="utf-8-sig")


@pytest.mark.parametrize(("source", "kind"), [(None, "uniform"), ('ac.sample("glove-en").centred()', "")])
def test_the_variance_comes_back_from_file_and_code(glove, source, kind):
    e = glove.centred()
    found = ac.experiments.sweep(kind or e, size=100, seed=3)
    table = read(export.products_table(found), None if kind else e)
    assert table["d_k"].tolist() == list(found)
    assert table["variance"].tolist() == [one.variance.value for one in found.values()]
    assert table["kurtosis error"].tolist() == [one.kurtosis.error for one in found.values()]
    assert ("fingerprint" in table) == (source is not None)
    one = ac.experiments.dot_products(7, kind or e, 100, 3)
    lines = printed(export.products_code(source, kind, 7, 100, 3))
    assert lines[0] == f"{one.mean} {one.variance} {one.kurtosis}"
    assert lines[1].startswith(f"1 {found[1].variance.value} ") and len(lines) == 1 + len(found)


def test_saturation_comes_back_from_file_and_code():
    found = ac.experiments.changes([1, 2, 3], 9.0, 10.0)
    table = read(export.saturation_table({"1, 2, 3": found.multiplied}))
    assert table["jacobian"].tolist() == found.multiplied.jacobian.tolist() and table["factor"].tolist() == [10]
    lines = printed(export.saturation_code([1.0, 2.0, 3.0], 10.0, 9.0))
    for line, one in zip(lines, (found.given, found.shifted, found.multiplied), strict=False):
        assert str(one.weights[0].tolist()) in line and str(one.jacobian[0]) in line
    gradients = ac.experiments.gradients()
    assert len(lines) == 3 + 7 and str(gradients.unscaled[-1].typical) in lines[-1]
    table = read(export.gradients_table(gradients))
    assert table["typical low"].tolist()[-1] == gradients.unscaled[-1].typical.low
    assert table["scale"].unique().tolist() == ["1/sqrt(d_k)", "1"]


def test_overflow_comes_back_from_file_and_code():
    found = ac.experiments.overflow([12, 1])
    table = read(export.overflow_table(found))
    assert table["largest z"].tolist() == [one.last for one in found]
    assert table["naive"][0] == found[0].naive.why and table["naive"][1:].isna().all()
    lines = printed(export.overflow_code([12.0, 1.0]))
    assert lines[0] == f"float16 {found[0].last} {found[0].first_infinite} {found[0].last_sum} {found[0].lowest}"
    assert found[0].naive.why in lines[1] and str(found[3].shifted.error) in lines[-1]


def test_tiles_come_back_from_file_and_code():
    found = ac.experiments.tile_by_tile([1, 3, 2], 2)
    table = read(export.tiles_table(found))
    assert table["output so far"].tolist() == [*found.steps[0].weights, *found.steps[1].weights]
    assert table["rescale"].tolist() == [0] * 3 + [1] * 3 and table["to"].tolist() == [2] * 3 + [3] * 3
    lines = printed(export.tiles_code([1.0, 3.0, 2.0], 2, [32, 64]))
    assert lines[2] == f"{found.difference} {found.error}" and lines[3].startswith("Cost(n=32,") and len(lines) == 5


def test_costs_come_back_from_the_file():
    costs = [Cost(64, {"tiled": Run(0.5, 7), "fused": Run(0.25, None)}, {"full": "reasons"})]
    table = read(export.costs_table(costs))
    assert table["form"].tolist() == ["tiled", "fused", "full"] and table["seconds"].tolist()[:2] == [0.5, 0.25]
    assert table["peak bytes"].tolist()[0] == 7 and table["left out"].tolist()[2] == "reasons"
