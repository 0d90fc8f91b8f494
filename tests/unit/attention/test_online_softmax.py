"""Tiled attention: the same as the plain form whatever the tile, with a true trace, mergeable, in little memory."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_core.attention import AttentionOptions, Tiling, attend, masks, merge, online_softmax, scaled
from tests.attending import DEVICES, array, normal, qkv, rounding
from tests.tolerance import tolerance

ROOT = Path(__file__).parents[3]
CASE = ROOT / "tests" / "cases" / "attention" / "25_online_softmax_merge"
MODULE = sys.modules["attention_core.attention.online_softmax"]
pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.parametrize("device", DEVICES)]
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def close(found, wanted, atol):
    np.testing.assert_allclose(array(found), wanted, rtol=0, atol=atol)


def case(device):
    """A query of 1 and keys that are the scores: d = 1, so that the scale is 1."""
    with np.load(CASE / "inputs.npz") as stored:
        scores, values = (torch.tensor(stored[name], device=device) for name in ("scores", "values"))
    return torch.ones(1, 1, dtype=torch.float64, device=device), scores.unsqueeze(1), values


@pytest.mark.parametrize("tile", [1, 2, 3, 7, 100])
def test_25_any_tile_gives_the_full_softmax(device, tile):
    expected = json.loads((CASE / "expected.json").read_text())
    found = online_softmax(*case(device), tile=tile)
    close(found.output[0], expected["full_output"], expected["tolerance_abs"])
    assert found.lse.item() == pytest.approx(expected["lse_natural"], abs=expected["tolerance_abs"])


def test_25_the_trace_of_tiles_of_two(device):
    expected = json.loads((CASE / "expected.json").read_text())
    found = online_softmax(*case(device), tile=2, tiling=Tiling(trace="outputs")).trace
    assert [step.stop for step in found] == [2, 4, 6, 7]
    for step, wanted in zip(found, expected["tile2"]["trace"], strict=True):
        unnormalised = (step.output[0] * step.sum).tolist()
        numbers = [step.start, step.max.item(), step.rescale.item(), step.sum.item(), *unnormalised]
        wanted = [wanted[name] for name in ("start", "m", "rescale", "l")] + wanted["o"]
        np.testing.assert_allclose(numbers, wanted, rtol=0, atol=expected["tolerance_abs"])


@pytest.mark.parametrize("cut", [1, 3, 6])
def test_25_parts_are_merged_by_their_natural_log_sum_exp(device, cut):
    expected = json.loads((CASE / "expected.json").read_text())
    q, k, v = case(device)
    found = merge([online_softmax(q, k[:cut], v[:cut]), online_softmax(q, k[cut:], v[cut:])])
    close(found.output[0], expected["full_output"], expected["tolerance_abs"])
    assert found.lse.item() == pytest.approx(expected["lse_natural"], abs=expected["tolerance_abs"])


@QUICK
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 64), st.sampled_from([None, "padding", "rows"]))
def test_neither_tile_nor_block_matters(device, seed, tile, block, masked):
    q, k, v = qkv(2, queries=7, keys=37, seed=seed, device=device)
    mask = None
    if masked:
        shape = (2, 1, 37) if masked == "padding" else (7, 37)
        mask = torch.tensor(np.random.default_rng(seed).random(shape) < 0.2)
    for align in (None, "bottom-right", "top-left"):
        tiling = Tiling(causal=align is not None, align=align or "bottom-right")
        wanted = attend(q, k, v, mask, AttentionOptions(causal=tiling.causal, align=tiling.align))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(MODULE, "BLOCK", block)
            found = online_softmax(q, k, v, tile, mask, tiling)
        close(found.output, array(wanted.output), rounding(np.float64, q, k, v))
        empty = ~wanted.weights.any(-1)
        assert not found.output[empty].any() and (found.lse[empty] == -torch.inf).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_narrow_dtypes(device, dtype):
    q, k, v = qkv(2, 3, queries=13, keys=37, device=device, dtype=dtype)
    found = online_softmax(q, k, v, tile=5)
    eps = torch.finfo(dtype).eps / torch.finfo(torch.float64).eps
    assert found.output.dtype == dtype and found.lse.dtype == torch.float32
    close(found.output, array(scaled(*(t.double() for t in (q, k, v))).output), eps * rounding(np.float64, q, k, v))


def test_sums_beyond_half_precision_do_not_overflow(device):
    q, k, v = (torch.full((1, n, 2), x, dtype=torch.float16, device=device) for n, x in ((3, 0), (512, 0), (512, 2e4)))
    assert (online_softmax(q, k, v).output == 2e4).all()


@pytest.mark.parametrize(("queries", "keys"), [(0, 0), (0, 5), (3, 0)])
def test_no_queries_or_no_keys(device, queries, keys):
    found = online_softmax(*qkv(2, queries=queries, keys=keys, device=device), tiling=Tiling(causal=True))
    assert found.output.shape == (2, queries, 11) and not found.output.any()
    assert (found.lse == -torch.inf).all() and len(found.trace) == (keys > 0)


def test_lse_and_trace_are_those_of_the_scores(device):
    q, k, v = qkv(2, queries=7, keys=11, device=device)
    found = online_softmax(q, k, v, tile=4, tiling=Tiling(scale=0.5, causal=True))
    scores = (0.5 * q @ k.mT).masked_fill(~masks.causal(7, 11).to(device), -torch.inf)
    close(found.lse, array(scores.logsumexp(-1)), rounding(np.float64, q, k))
    for before, step in zip((None, *found.trace), found.trace, strict=False):
        maximum = scores[..., : step.stop].amax(-1)
        close(step.max, array(maximum), rounding(np.float64, q, k))
        close(step.sum, array((scores[..., : step.stop] - maximum.unsqueeze(-1)).exp().sum(-1)), 1e-12)
        factor = np.zeros(1) if before is None else np.exp(array(before.max) - array(maximum))
        close(step.rescale, np.broadcast_to(factor, step.rescale.shape), rounding(np.float64, q, k))
        assert step.output is None
    assert [(step.start, step.stop) for step in found.trace] == [(0, 4), (4, 8), (8, 11)]


def test_the_last_partial_output_is_the_output(device):
    q, k, v = qkv(2, queries=7, keys=11, device=device)
    found = online_softmax(q, k, v, 4, tiling=Tiling(trace="outputs"))
    assert torch.equal(found.trace[-1].output, found.output)
    close(found.trace[0].output, array(scaled(q, k[:, :4], v[:, :4]).output), rounding(np.float64, q, k, v))
    assert online_softmax(q, k, v, 4, tiling=Tiling(trace="none")).trace == ()


def test_leading_axes_broadcast(device):
    q, k, v = normal(2, 1, 3, 7, device=device), normal(13, 5, 7, device=device), normal(1, 5, 11, device=device)
    mask = torch.rand(13, 1, 5) < 0.7
    close(online_softmax(q, k, v, 2, mask).output, array(scaled(q, k, v, mask).output), rounding(np.float64, q, k, v))


@pytest.mark.parametrize("where", [1, 2])
def test_what_a_later_key_holds_reaches_no_earlier_row(device, where):
    given = list(qkv(2, queries=5, device=device))
    tiling = Tiling(causal=True)
    clean = online_softmax(*given, tile=2, tiling=tiling).output
    given[where] = given[where].index_fill(1, torch.tensor([4], device=device), torch.nan)
    found = online_softmax(*given, tile=2, tiling=tiling).output
    close(found[:, :4], array(clean[:, :4]), rounding(np.float64, given[0], given[0], given[0]))
    assert found[:, 4].isnan().all()


@pytest.mark.parametrize("causal", [False, True])
def test_its_gradient_is_that_of_the_plain_form(device, causal):
    gradients = []
    for attention in (
        lambda q, k, v: online_softmax(q, k, v, 4, tiling=Tiling(causal=causal)),
        lambda q, k, v: scaled(q, k, v, causal=causal),
    ):
        given = [tensor.requires_grad_() for tensor in qkv(2, queries=7, keys=11, device=device)]
        attention(*given).output.square().sum().backward()
        gradients.append([array(tensor.grad) for tensor in given])
    for tiled, plain in zip(*gradients, strict=True):
        np.testing.assert_allclose(tiled, plain, rtol=0, atol=tolerance(np.float64, terms=99, scale=99, why="sums"))


def test_parts_without_a_key_are_merged_away(device):
    q, k, v = qkv(device=device)
    whole, nothing = online_softmax(q, k, v), online_softmax(q, k, v, mask=torch.zeros(3, 5, dtype=torch.bool))
    assert torch.equal(merge([nothing, whole]).output, whole.output)
    assert not merge([nothing, nothing]).output.any() and (merge([nothing]).lse == -torch.inf).all()


MEMORY = """
import torch
from attention_core.attention import Tiling, online_softmax, scaled
torch.set_num_threads(1)

def held(kind):
    return 1024 * int(open("/proc/self/status").read().partition(f"{kind}:")[2].split()[0])

def most(run):
    run(600)  # what libraries keep for themselves
    open("/proc/self/clear_refs", "w").write("5")  # sets the high-water mark back to what is held now
    before = held("VmRSS")
    run(4001)
    return held("VmHWM") - before

q, k, v = (torch.randn(4, 4001, 64) for _ in range(3))
for causal in (False, True):
    print(most(lambda n: online_softmax(q[:, :n], k[:, :n], v[:, :n], tiling=Tiling(causal=causal))))
print(most(lambda n: scaled(q[:, :n], k[:, :n], v[:, :n])))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_memory_holds_a_block_of_scores_and_no_matrix(device):
    if device != "cpu":
        pytest.skip("the process's memory is that of the CPU")
    run = subprocess.run([sys.executable, "-c", MEMORY], cwd=ROOT, check=True, capture_output=True, text=True)
    plainly, causally, whole = map(int, run.stdout.split())
    output, trace, matrix = 4 * 4 * 4001 * 64, 3 * 4 * 4 * 4001 * 8, 4 * 4 * 4001**2
    assert max(plainly, causally) < output + trace + 4 * 4 * MODULE.BLOCK < matrix / 8 < matrix < whole
