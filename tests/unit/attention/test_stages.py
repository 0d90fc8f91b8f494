"""Every stage of attention against float64 numpy, torch's kernel and torch's own multi-head layer."""

import math
from importlib import import_module

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some

import attention_core as ac
from attention_core.attention import AttentionOptions, Settings, attend, masks, multi_head, stages
from attention_core.attention.projections import Projections
from attention_core.attention.stages import MASKS, POSITIONS, PROJECTIONS, SCALES, SIZED, matrix, stage_names
from tests.attending import DEVICES, array, by_hand, normal
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
N, D = 7, 12
X = normal(N, D, seed=3)
SCORES = {
    "dot": lambda q, k: q @ k.T,
    "cosine": lambda q, k: q @ k.T / np.linalg.norm(q, axis=1)[:, None] / np.linalg.norm(k, axis=1),
    "euclidean": lambda q, k: -((q[:, None] - k[None]) ** 2).sum(-1) / 2,
}
ATOL = tolerance(np.float64, terms=4 * D + N, scale=200, why="three projections, a product and a sum over keys")


def by_numpy(x, chosen, projections):
    """All of it, one head after the other, from the definitions."""
    x, heads, groups = array(x), chosen.heads, chosen.groups
    n, d = x.shape
    if chosen.positions == "sinusoidal":
        angles = np.arange(n)[:, None] * 10_000.0 ** -(np.arange(0, d, 2) / d)
        x = x + np.stack([np.sin(angles), np.cos(angles)], -1).reshape(n, -1)[:, :d]
    m = n if chosen.queries is None else min(n, chosen.queries)
    wq, wk, wv, wo = (array(w) for w in (projections.q, projections.k, projections.v, projections.o))
    q, k, v = x[n - m :] @ wq.T, x @ wk.T, x @ wv.T
    size, outputs, weights = d // heads, [], []
    for h in range(heads):
        g = h // (heads // groups)
        qh, kh, vh = (a[:, i * size : (i + 1) * size] for a, i in ((q, h), (k, g), (v, g)))
        if chosen.positions == "rope":
            qh, kh = (turned(a, np.arange(n)[n - len(a) :]) for a in (qh, kh))
        logits = SCORES[chosen.score](qh, kh) * chosen.factor(size)
        allowed = True if chosen.pattern(m, n) is None else array(chosen.pattern(m, n)).astype(bool)
        logits = np.where(allowed, logits, -np.inf)
        with np.errstate(invalid="ignore"):
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        weights.append(np.nan_to_num(powers / powers.sum(axis=1, keepdims=True)))
        outputs.append(weights[-1] @ vh)
    return np.concatenate(outputs, axis=1) @ wo.T, np.stack(weights)


def turned(a, places):
    """Pairs as complex numbers, times e^(i·angle)."""
    d = a.shape[1]
    angles = places[:, None] * 10_000.0 ** -(np.arange(0, d, 2) / d)
    z = (a[:, 0::2] + 1j * a[:, 1::2]) * np.exp(1j * angles)
    return np.stack([z.real, z.imag], -1).reshape(a.shape)


CHOICES = {
    "plain": Settings(),
    "causal, rope": Settings(mask="causal", positions="rope", heads=3),
    "window, sinusoidal": Settings(mask="window:3", positions="sinusoidal"),
    "prefix, random": Settings(mask="prefix:2", projection="random", seed=4, heads=2),
    "block, orthogonal": Settings(mask="block:3", projection="orthogonal", heads=4),
    "dilated, pca": Settings(mask="dilated:2", projection="pca", heads=6),
    "padding, cosine": Settings("cosine", temperature=0.1, mask="padding:4"),
    "euclidean, hot": Settings("euclidean", temperature=3.0, scale="1/√d", heads=2),
    "free scale": Settings(scale=-0.3),
    "several masks": Settings(mask="causal+window:3+padding:5", positions="rope"),
    "two ask": Settings(queries=2, mask="causal", positions="rope", projection="random"),
    "two ask, top left": Settings(queries=2, mask="causal", align="top-left"),
    "shared keys": Settings(heads=6, kv_heads=2, projection="orthogonal", positions="rope"),
    "one key head": Settings(heads=4, kv_heads=1, projection="random", mask="causal"),
    "nothing allowed": Settings(mask="padding:1"),
}
choices = pytest.mark.parametrize("chosen", CHOICES.values(), ids=CHOICES)


@choices
def test_weights_and_output_are_those_of_numpy(chosen):
    p = chosen.projections(D, X)
    found = stages(X, chosen, p)
    output, weights = by_numpy(X, chosen, p)
    np.testing.assert_allclose(array(found.output), output, atol=ATOL)
    for h in range(chosen.heads):
        np.testing.assert_allclose(array(found.head(h).weights), weights[h], atol=ATOL)


@choices
def test_they_are_those_of_attend(chosen):
    found = stages(X, chosen, chosen.projections(D, X))
    for h in range(chosen.heads):
        head = found.head(h)
        expected = attend(head.q, head.k, head.v, head.mask, chosen.options(head.q.shape[-1]))
        torch.testing.assert_close(head.weights, expected.weights, atol=float(ATOL), rtol=0)
        torch.testing.assert_close(found.head_outputs[h], expected.output, atol=float(ATOL), rtol=0)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_output_is_that_of_torchs_kernel(device, dtype):
    x = normal(N, D, device=device, dtype=dtype)
    found = stages(x, Settings(mask="causal", projection="random", heads=2))
    expected = torch.nn.functional.scaled_dot_product_attention(found.q, found.k, found.v, is_causal=True)
    atol = tolerance(dtype_of(dtype), terms=D + N, scale=100, why="a product in an exponent, then a sum over keys")
    torch.testing.assert_close(found.head_outputs, expected, atol=float(atol), rtol=0)


def dtype_of(dtype):
    return np.float32 if dtype == torch.float32 else np.float64


def test_the_output_is_that_of_torchs_multi_head_attention():
    layer = torch.nn.MultiheadAttention(D, 4, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        layer.in_proj_bias.copy_(normal(3 * D, seed=8))
        expected, weights = layer(X[None], X[None], X[None], average_attn_weights=False)
    found = stages(X, Settings(heads=4), Projections.from_tensors(layer.state_dict()))
    torch.testing.assert_close(found.output, expected[0], atol=float(ATOL), rtol=0)
    torch.testing.assert_close(found.head(2).weights, weights[0, 2], atol=float(ATOL), rtol=0)


def test_it_is_multi_head_with_nothing_thrown_away():
    chosen = Settings(heads=6, kv_heads=3, projection="random", mask="causal")
    p = chosen.projections(D)
    found, expected = stages(X, chosen, p), multi_head(X, p, 6, 3, masks.causal(N, N))
    torch.testing.assert_close(found.output, expected.output, atol=float(ATOL), rtol=0)
    torch.testing.assert_close(found.contributions.sum(0), expected.output, atol=float(ATOL), rtol=0)


@pytest.mark.parametrize("score", list(ac.MEASURES))
def test_every_measure_has_all_stages(score):
    chosen = Settings(score, mask="causal", heads=2, positions="sinusoidal")
    found = stages(X, chosen)
    head = found.head(1)
    shapes = {name: tuple(matrix(found, head, name).shape) for name in stage_names(chosen)}
    assert shapes["scores"] == shapes["softmax"] == (N, N) and shapes["Q"] == (N, D // 2)
    assert shapes["joined"] == shapes["output"] == (N, D) and "X + P" in shapes
    torch.testing.assert_close(head.weights.sum(dim=1), torch.ones(N, dtype=torch.float64))


def test_the_scaled_and_masked_scores_follow_from_the_scores():
    head = stages(X, Settings(temperature=2.0, mask="window:2")).head(0)
    torch.testing.assert_close(head.scaled, head.scores / math.sqrt(D) / 2)
    allowed = masks.sliding_window(N, N, 2)
    assert torch.equal(head.masked.isneginf(), ~allowed) and torch.equal(head.masked[allowed], head.scaled[allowed])
    assert bool((head.weights[~allowed] == 0).all())


# --- settings


@pytest.mark.parametrize(
    ("scale", "expected"), [("usual", D**-0.5), ("1/√d", D**-0.5), ("1", 1), ("1/d", 1 / D), (7, 7)]
)
def test_the_scale_is_what_it_says(scale, expected):
    assert Settings(scale=scale, temperature=4).factor(D) == pytest.approx(expected / 4, rel=1e-15)


def test_scores_that_are_no_products_are_not_scaled_unless_asked():
    assert Settings("cosine").factor(D) == 1 and Settings("cosine", scale="1/d").factor(D) == 1 / D


def test_shared_key_heads_are_the_mean_of_their_group():
    whole = Settings(projection="orthogonal", heads=6).projections(D)
    pooled = Settings(projection="orthogonal", heads=6, kv_heads=2).projections(D)
    expected = array(whole.k).reshape(2, 3, 2, D).mean(axis=1).reshape(4, D)
    np.testing.assert_allclose(array(pooled.k), expected, atol=1e-15)
    assert torch.equal(pooled.q, whole.q)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"score": "manhattan"}, "no score “manhattan”"),
        ({"scale": "2/d"}, "no scale “2/d”"),
        ({"scale": math.nan}, "scale is a finite number"),
        ({"temperature": 0.0}, "temperature is a number above 0"),
        ({"mask": "future"}, "no mask “future”"),
        ({"mask": "window:0"}, "window of 0"),
        ({"mask": "window"}, "no mask “window”.*window:2"),
        ({"mask": "causal:3"}, "no mask “causal:3”"),
        ({"mask": "causal+"}, "no mask “”"),
        ({"mask": "causal+block:-1"}, "no mask “block:-1”"),
        ({"align": "middle"}, "align is bottom-right or top-left"),
        ({"queries": 0}, "0 queries were asked for"),
        ({"projection": "learnt"}, "no projection “learnt”"),
        ({"positions": "alibi"}, "no positions “alibi”"),
        ({"heads": 0}, "0 query heads"),
        ({"heads": 4, "kv_heads": 3}, "4 query heads cannot share 3"),
        ({"heads": 5}, r"5 heads do not divide 12 components.*1, 2, 3, 4, 6, 12"),
        ({"heads": 4, "positions": "rope"}, "even size"),
        ({"projection": "pca"}, "vocabulary="),
        ({"projection": "own"}, "none were given"),
    ],
)
def test_settings_that_do_not_fit_are_refused(given, message):
    with pytest.raises(ac.AttentionError, match=message):
        stages(X, Settings(**given))


@pytest.mark.parametrize("x", [X[0], X[:0], X[None], X.int()], ids=["a vector", "no token", "a batch", "integers"])
def test_vectors_that_do_not_fit_are_refused(x):
    with pytest.raises(ac.AttentionError, match="are expected"):
        stages(x, Settings())


def test_projections_of_another_size_are_refused():
    with pytest.raises(ac.AttentionError, match=r"11.*expected by the projections, found \(7, 12\)"):
        stages(X, Settings(), Projections.identity(11))


def test_a_head_or_a_row_that_is_not_there_is_refused():
    found = stages(X, Settings(heads=2))
    for ask in (lambda: found.head(2), lambda: found.head(-1), lambda: found.head(0).row(N)):
        with pytest.raises(ac.AttentionError, match="asked for"):
            ask()


def test_several_masks_allow_what_each_of_them_allows():
    pattern = Settings(mask="causal+window:3+padding:4").pattern(N, N)
    expected = [[key <= query and query - key < 3 and key < 4 for key in range(N)] for query in range(N)]
    assert array(pattern).tolist() == expected
    assert Settings().pattern(N, N) is None


@pytest.mark.parametrize("score", list(ac.MEASURES))
def test_scores_made_in_blocks_are_those_made_at_once(score, monkeypatch):
    at_once = stages(X, Settings(score, mask="causal")).head(0)
    # the package's attribute of that name is the function
    monkeypatch.setattr(import_module("attention_core.attention.stages.stages"), "BLOCK", 2 * N)
    told = []
    found = stages(X, Settings(score, mask="causal"), progress=lambda done, _total: told.append(done), keep=0)
    torch.testing.assert_close(found.head(0).weights, at_once.weights, atol=float(ATOL), rtol=0)
    assert found.head(0) is found.kept and told == [0, 2, 4, 6]


def test_progress_is_told_and_may_stop_the_work():
    told = []
    stages(X, Settings(heads=3), progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 3 * N), (N, 3 * N), (2 * N, 3 * N)]


# --- laws

PATTERNS = some.lists(
    some.builds(
        lambda name, size: f"{name}:{size}" if name in SIZED else name, some.sampled_from(MASKS), some.integers(1, 5)
    ),
    max_size=3,
).map(lambda names: "+".join(names) or "none")
SETTINGS = some.builds(
    Settings,
    some.sampled_from(["dot", "cosine", "euclidean"]),
    some.sampled_from([*SCALES, 0.5]),
    some.floats(0.1, 10),
    PATTERNS,
    some.sampled_from(["bottom-right", "top-left"]),
    some.none() | some.integers(1, 9),
    some.sampled_from([p for p in PROJECTIONS if p not in ("pca", "own")]),
    some.integers(0, 9),
    some.sampled_from([1, 2, 3]),
    some.none(),
    some.sampled_from(POSITIONS),
)


@settings(max_examples=40, deadline=None)
@given(SETTINGS)
def test_rows_sum_to_one_or_to_zero_and_masked_weights_are_zero(chosen):
    found = stages(X, chosen)
    head = found.head(0)
    allowed = torch.ones(head.weights.shape, dtype=torch.bool) if head.mask is None else head.mask
    expected = allowed.any(dim=1).double()
    torch.testing.assert_close(head.weights.sum(dim=1), expected, atol=1e-12, rtol=0)
    assert bool((head.weights[~allowed] == 0).all()) and bool(found.output.isfinite().all())


@settings(max_examples=20, deadline=None)
@given(SETTINGS.filter(lambda s: s.queries is None))
def test_later_words_do_not_change_a_causal_prefix(chosen):
    chosen = Settings(**{**vars(chosen), "mask": "causal"})
    whole, start = stages(X, chosen), stages(X[:4], chosen)
    torch.testing.assert_close(whole.output[:4], start.output, atol=float(ATOL), rtol=0)


def test_the_reference_by_hand_agrees_too():
    found = stages(X, Settings())
    output, weights = by_hand(X, X, X)
    np.testing.assert_allclose(array(found.output), output, atol=ATOL)
    np.testing.assert_allclose(array(found.head(0).weights), weights, atol=ATOL)
    assert AttentionOptions().factor(D) == Settings().factor(D)
