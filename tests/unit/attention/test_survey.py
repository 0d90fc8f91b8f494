"""All heads at once, block by block, against multi-head attention in one piece."""

from functools import partial
from importlib import import_module

import numpy as np
import pytest
import torch

import attention_core as ac
from attention_core.attention import AttentionOptions, Settings, attend, masks, multi_head, stages, survey
from tests.attending import DEVICES, array, normal
from tests.tolerance import tolerance

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.parametrize("device", DEVICES)]
surveying = import_module("attention_core.attention.stages.survey")
ATOL = float(tolerance(np.float64, terms=60, scale=20, why="three products of some tens of terms and a softmax"))


def close(found, wanted, atol=ATOL):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=atol)


@pytest.mark.parametrize("kv_heads", [1, 2, None])
def test_it_is_multi_head_attention(device, kv_heads):
    x, settings = (
        normal(11, 12, device=device),
        Settings(mask="causal", projection="random", heads=6, kv_heads=kv_heads),
    )
    p = settings.projections(12)
    found, whole = survey(stages(x, settings, p)), multi_head(x, p, 6, kv_heads, masks.causal(11, 11))
    close(found.maps, array(whole.weights), atol=1e-6)  # pictures are float32
    close(array(found.stages.head_outputs), array(whole.head_outputs))
    close(found.contributions(4).vectors, array(whole.contributions)[:, 4])
    assert found.cell == 1
    assert np.array_equal(found.open, array(masks.causal(11, 11)).astype(bool))
    close(found.distances.values, ac.attention.head_distances(whole.weights).values)
    close(found.profile.entropy.values, ac.attention.head_profile(whole.weights).entropy.values)


def test_blocks_of_queries_give_the_same(device, monkeypatch):
    x, settings = (
        normal(23, 12, device=device),
        Settings("cosine", temperature=0.2, mask="window:5", heads=3),
    )
    whole = survey(stages(x, settings))
    monkeypatch.setattr(surveying, "BLOCK", 3 * 23 * 4)
    calls = []
    found = survey(stages(x, settings), progress=lambda done, total: calls.append((done, total)))
    assert calls[0] == (4, 23) and calls[-1] == (23, 23) and len(calls) == 6
    np.testing.assert_array_equal(found.maps, whole.maps)
    close(found.distances.values, whole.distances.values)
    close(found.profile.distance.mean, whole.profile.distance.mean)
    close(found.profile.distance.even, whole.profile.distance.even)


def test_the_last_tokens_alone_may_ask(device):
    x = normal(9, 12, device=device)
    found = survey(stages(x, Settings(mask="causal", heads=3, queries=4)))
    whole = survey(stages(x, Settings(mask="causal", heads=3)))
    close(found.maps, whole.maps[:, 5:], atol=1e-6)
    close(found.profile.distance.values, whole.profile.distance.values[:, 5:])
    assert found.distances.total == 4


def test_large_pictures_are_means_of_cells(device, monkeypatch):
    monkeypatch.setattr(surveying, "CELLS", 2 * 4 * 4)
    monkeypatch.setattr(surveying, "FINE", 4)
    monkeypatch.setattr(surveying, "BLOCK", 2 * 11 * 3)
    x, settings = normal(11, 12, device=device), Settings(mask="causal", heads=2)
    found = survey(stages(x, settings))
    weights = array(multi_head(x, settings.projections(12), 2, mask=masks.causal(11, 11)).weights)
    assert found.cell == 3 and found.maps.shape == (2, 4, 4)
    wanted = [[[w[r : r + 3, c : c + 3].mean() for c in range(0, 11, 3)] for r in range(0, 11, 3)] for w in weights]
    close(found.maps, wanted, atol=1e-6)
    assert np.array_equal(found.open, np.tri(4, dtype=bool))


def test_of_very_many_queries_a_seeded_sample_is_compared(device, monkeypatch):
    monkeypatch.setattr(surveying, "COMPARED", 2**2 * 200 * 20)
    monkeypatch.setattr(surveying, "FEWEST", 10)
    x, settings = normal(200, 12, device=device), Settings(heads=2)
    found = [survey(stages(x, settings), seed).distances for seed in (0, 0, 1)]
    assert (found[0].queries == 20).all() and found[0].total == 200
    assert np.array_equal(found[0].values, found[1].values) and not np.array_equal(found[0].values, found[2].values)
    monkeypatch.setattr(surveying, "COMPARED", 10**9)
    whole = survey(stages(x, settings)).distances.values[0, 1]
    assert found[0].errors[0, 1] > 0 and abs(found[0].values[0, 1] - whole) < 4 * found[0].errors[0, 1]


def test_all_tokens_may_be_masked(device):
    found = survey(stages(normal(5, 12, device=device), Settings(mask="prefix:0", heads=2, align="top-left")))
    assert np.isfinite(found.maps).all()


def test_an_undefined_cosine_is_refused_with_the_reason(device):
    x = normal(3, 12, device=device)
    x[1] = 0
    with pytest.raises(ac.AttentionError, match="cosine with a zero vector is undefined"):
        survey(stages(x, Settings("cosine", heads=2)))


def test_the_reader_may_stop_it(device):
    def stop(_done, _total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        survey(stages(normal(5, 12, device=device), Settings(heads=2)), progress=stop)


def test_any_score_is_that_of_attend(device):
    x, settings = normal(7, 12, device=device), Settings("euclidean", heads=3)
    whole = multi_head(x, settings.projections(12), 3, attention=partial(attend, options=AttentionOptions("euclidean")))
    close(survey(stages(x, settings)).maps, array(whole.weights), atol=1e-6)


def test_half_precision_weights_of_ones_own_are_taken(device):
    p = ac.attention.projections.Projections(*(torch.eye(12, dtype=torch.float16) for _ in range(3)))
    x = normal(5, 12, device=device)
    close(survey(stages(x, Settings(heads=3), p)).maps, survey(stages(x, Settings(heads=3))).maps, atol=1e-6)
