"""What is said of heads: against plain numpy, against what a rotation or a shared subspace must give, and refusals."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

import attention_core as ac
from attention_core.attention import (
    head_contributions,
    head_distances,
    head_profile,
    head_ranks,
    head_subspaces,
    masks,
    multi_head,
    shared,
)
from attention_core.attention.projections import PARTS, Projections
from tests.attending import array, normal, softmax
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
ATOL = float(tolerance(np.float64, terms=60, scale=20, why="products and norms of some tens of components"))


def weights(heads=3, queries=5, keys=7, seed=0, allowed=True):
    logits = np.random.default_rng(seed).standard_normal((heads, queries, keys)) * 3
    return softmax(logits, np.broadcast_to(allowed, logits.shape))


def close(found, wanted, atol=ATOL):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=atol)


# --- distances


def kl(p, q):
    kept = p > 0
    return (p[kept] * np.log2(p[kept] / q[kept])).sum()


def by_hand(p, q):
    m = (p + q) / 2
    return np.sqrt(max(0.0, (kl(p, m) + kl(q, m)) / 2))


def test_the_distance_is_the_mean_over_the_queries_of_the_definition():
    w = weights()
    found = head_distances(torch.tensor(w))
    wanted = [[np.mean([by_hand(p, q) for p, q in zip(a, b, strict=True)]) for b in w] for a in w]
    close(found.values, wanted)
    assert (found.queries == 5).all() and (found.errors == 0).all()


def test_scipy_agrees_and_the_base_is_2():
    w = weights(heads=2, queries=1)
    assert head_distances(torch.tensor(w)).values[0, 1] == pytest.approx(jensenshannon(w[0, 0], w[1, 0], base=2))


def test_no_key_in_common_is_1_and_the_same_weights_are_0():
    w = torch.tensor([[[0.5, 0.5, 0.0]], [[0.0, 0.0, 1.0]], [[0.5, 0.5, 0.0]]])
    assert head_distances(w).values.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


@given(st.integers(0, 10_000))
def test_it_is_a_metric_that_does_not_mind_the_order_of_keys(seed):
    w = weights(heads=3, queries=2, keys=4, seed=seed)
    d = head_distances(torch.tensor(w)).values
    assert (d >= 0).all() and (d <= 1 + ATOL).all() and (np.diag(d) == 0).all()
    assert np.array_equal(d, d.T) and d[0, 1] <= d[0, 2] + d[2, 1] + ATOL
    close(head_distances(torch.tensor(w[:, :, [2, 0, 3, 1]])).values, d)


def test_rows_that_differ_by_rounding_alone_are_no_nan():
    w = weights(heads=1, queries=200, keys=50)
    nearly = np.nextafter(w, 1)
    assert np.isfinite(head_distances(torch.tensor(np.concatenate([w, nearly]))).values).all()


def test_rows_without_an_allowed_key_do_not_count():
    allowed = np.array([True, False, True, True, False])[:, None]
    w = weights(allowed=allowed)
    found = head_distances(torch.tensor(w))
    assert (found.queries == 3).all() and found.total == 5
    close(found.values, head_distances(torch.tensor(w[:, [0, 2, 3]])).values)
    nothing = head_distances(torch.zeros(2, 3, 4))
    assert np.isnan(nothing.values).all() and nothing.pair(farthest=True) is None


def test_distances_of_more_rows_are_added():
    w = torch.tensor(weights(queries=9))
    found = head_distances(w[:, :4]) + head_distances(w[:, 4:])
    close(found.values, head_distances(w).values)
    assert found.total == 9


def test_the_error_of_a_sample_is_that_of_sampling_without_replacement():
    w = torch.tensor(weights(heads=2, queries=40))
    whole = np.array([head_distances(w[:, [i]]).values[0, 1] for i in range(40)])
    draws = np.random.default_rng(0).permuted(np.tile(whole, (4000, 1)), axis=1)[:, :10]
    errors = [replace(head_distances(w[:, list(range(i, 40, 4))]), total=40).errors[0, 1] for i in range(4)]
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(draws.mean(axis=1).std(), rel=0.1)


def test_the_farthest_and_the_closest_two_are_named():
    found = head_distances(torch.tensor([[[1.0, 0.0]], [[0.9, 0.1]], [[0.0, 1.0]]]))
    assert found.pair(farthest=True) == (0, 2) and found.pair(farthest=False) == (0, 1)
    assert head_distances(torch.ones(1, 2, 2)).pair(farthest=True) is None


# --- spread


def test_entropy_and_distance_are_those_of_the_formulas():
    w = weights(queries=5, keys=7)
    found = head_profile(torch.tensor(w))
    places = np.arange(2, 7)[:, None] - np.arange(7)
    close(found.distance.values, (w * np.abs(places)).sum(-1))
    close(found.entropy.values, -(w * np.log(w)).sum(-1))
    close(found.entropy.mean, found.entropy.values.mean(axis=1))
    close(found.entropy.low, found.entropy.values.min(axis=1))
    close(found.entropy.high, found.entropy.values.max(axis=1))
    assert found.entropy.even_mean == pytest.approx(np.log(7))
    assert found.distance.even_mean == pytest.approx(np.abs(places).mean())


def test_even_weights_are_those_over_the_allowed_keys():
    mask = masks.causal(4, 4)
    even = array(mask) / array(mask).sum(-1, keepdims=True)
    found = head_profile(torch.tensor(even)[None], mask)
    close(found.entropy.even, np.log([1, 2, 3, 4]))
    close(found.distance.even, [0, 0.5, 1, 1.5])
    close(found.entropy.mean[0], found.entropy.even_mean)
    close(found.distance.mean[0], found.distance.even_mean)


def test_a_row_without_an_allowed_key_does_not_count():
    mask = torch.tensor([[False, False], [True, True]])
    found = head_profile(torch.tensor([[[0.0, 0.0], [0.5, 0.5]]], dtype=torch.float64), mask)
    assert np.isnan(found.entropy.values[0, 0]) and found.entropy.mean.tolist() == [pytest.approx(np.log(2))]
    assert found.entropy.counts.tolist() == [False, True]
    nothing = head_profile(torch.zeros(2, 3, 4), torch.zeros(3, 4, dtype=torch.bool)).distance
    assert nothing.mean is nothing.low is nothing.high is nothing.even_mean is None


# --- subspaces


def test_random_subspaces_hold_rank_over_size_and_overlap_by_as_much_on_average():
    x = normal(400, 30)
    found = [head_subspaces(Projections.random(seed, 30, 5), 5, x) for seed in range(12)]
    assert np.mean([one.held for one in found]) == pytest.approx(6 / 30, abs=0.01)
    off = ~np.eye(5, dtype=bool)
    assert np.mean([one.overlap[off] for one in found]) == pytest.approx(6 / 30, abs=0.01)
    assert all((one.by_chance == 0.2).all() for one in found)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", ["identity", "orthogonal", "pca"])
def test_subspaces_at_right_angles_share_everything_out(kind, part):
    x = normal(40, 12) * torch.arange(1, 13)
    p = {
        "identity": Projections.identity(12),
        "orthogonal": Projections.orthogonal_subspaces(1, 12, 3),
        "pca": Projections.pca_subspaces(x, 3),
    }[kind]
    found = head_subspaces(p, 3, x, part)
    close(found.overlap, np.eye(3))
    close(found.held.sum(), 1)
    close(found.seen.sum(axis=0), np.ones(40))
    assert found.ranks.tolist() == [4, 4, 4]
    if kind == "pca":
        sizes = np.linalg.svd(array(x) - array(x).mean(0), compute_uv=False) ** 2
        close(found.held, sizes.reshape(3, 4).sum(1) / sizes.sum())


def test_known_angles_between_planes():
    angle = np.deg2rad(30)
    k = torch.tensor([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, np.cos(angle), np.sin(angle)]], dtype=torch.float64)
    found = head_subspaces(Projections(k, k, k), 2, np.eye(3))
    close(found.angles[0, 1], [0, 30], atol=1e-6)
    close(found.overlap[0, 1], (1 + np.cos(angle) ** 2) / 2)


def test_key_heads_that_are_shared_are_fewer_subspaces():
    p = Projections.random(0, 12, heads=6, kv_heads=2)
    sizes = {part: len(head_subspaces(p, 6, normal(5, 12), part).ranks) for part in PARTS}
    assert sizes == {"query": 6, "key": 2, "value": 2}


def test_what_has_no_variance_no_length_or_no_rank_is_undefined():
    p = Projections(torch.zeros(4, 4), torch.zeros(4, 4), torch.eye(4))
    found = head_subspaces(p, 2, np.array([[0.0, 0, 0, 0]]))
    assert np.isnan(found.held).all() and np.isnan(found.seen).all() and np.isnan(found.overlap).all()
    assert found.ranks.tolist() == [0, 0] and np.isnan(head_ranks(p, 2).scores).all()


def test_the_effective_rank_is_that_of_the_product():
    p = Projections.random(3, 20, heads=4, kv_heads=2)
    found = head_ranks(p, 4)
    q, k, v, o = (array(w) for w in (p.q, p.k, p.v, p.o))
    for head in range(4):
        mine, kv = slice(5 * head, 5 * head + 5), slice(5 * (head // 2), 5 * (head // 2) + 5)
        for value, product in ((found.scores, q[mine].T @ k[kv]), (found.values, o[:, mine] @ v[kv])):
            sizes = np.linalg.svd(product, compute_uv=False)[:5]
            shares = sizes / sizes.sum()
            assert value[head] == pytest.approx(np.exp(-(shares * np.log(shares)).sum()), abs=1e-9)
    assert found.size == 5


# --- contributions and sharing


def test_contributions_and_bias_add_up_to_the_output_and_its_length():
    p = Projections.random(0, 12, heads=3)
    p = Projections(p.q, p.k, p.v, p.o, o_bias=normal(12, seed=5))
    done = multi_head(normal(5, 12), p, 3)
    found = head_contributions(done.contributions, 2, p.o_bias)
    close(found.output, array(done.output)[2])
    close(found.norms, np.linalg.norm(array(done.contributions)[:, 2], axis=-1))
    close(found.along.sum() + found.bias_along, np.linalg.norm(found.output))
    close(found.shares * np.linalg.norm(found.output), found.along)
    close(found.cosines, found.along / found.norms)


def test_an_output_of_0_has_no_shares_and_a_head_of_0_no_cosine():
    found = head_contributions(torch.tensor([[[1.0, 2.0]], [[-1.0, -2.0]]]), 0)
    assert found.along is None and found.shares is None and found.cosines == [None, None] and found.bias_along == 0
    assert head_contributions(torch.tensor([[[1.0]], [[0.0]]]), 0).cosines == [1.0, None]


def test_shared_keys_and_values_are_the_means_of_their_groups():
    p = Projections.random(1, 12, heads=6)
    p = Projections(p.q, p.k, p.v, p.o, k_bias=normal(12, seed=2))
    found = shared(p, 6, 2)
    close(found.k[0:2], (p.k[0:2] + p.k[2:4] + p.k[4:6]) / 3)
    close(found.v[2:4], (p.v[6:8] + p.v[8:10] + p.v[10:12]) / 3)
    close(found.k_bias[2:4], (p.k_bias[6:8] + p.k_bias[8:10] + p.k_bias[10:12]) / 3)
    assert found.v_bias is None and found.q is p.q and found.kv_heads(6) == 2 and shared(found, 6, 2) is found
    close(shared(found, 6, 1).k, shared(p, 6, 1).k)


# --- refusals


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (torch.ones(2, 3), r"\(heads, query, key\), none below 0, are expected, found \(2, 3\)"),
        (-torch.ones(2, 3, 4), "found some below 0"),
        (torch.full((2, 3, 4), torch.nan), "cosine with a zero vector is undefined"),
    ],
)
@pytest.mark.parametrize("analysis", [head_distances, head_profile])
def test_what_are_no_weights_is_refused(analysis, given, words):
    with pytest.raises(ac.AttentionError, match=words):
        analysis(given)


REFUSED = {
    "a mask of another shape": (lambda: head_profile(torch.ones(1, 2, 3), torch.ones(3, 2)), r"\(2, 3\), \(query, key"),
    "vectors of another size": (
        lambda: head_subspaces(Projections.identity(4), 2, np.ones((3, 5))),
        r"\(token, 4\) are expected, found \(3, 5\)",
    ),
    "heads that do not divide": (lambda: head_ranks(Projections.identity(4), 3), "With 3 heads"),
    "no heads": (lambda: Projections.identity(4).kv_heads(0), "With 0 heads"),
    "another part": (lambda: Projections.identity(4).blocks("output", 2), "query, key, value"),
    "a token that is not there": (lambda: head_contributions(torch.ones(2, 3, 4), 3), r"found \(2, 3, 4\), token 3"),
    "a bias of another size": (
        lambda: head_contributions(torch.ones(2, 3, 4), 0, torch.ones(3)),
        r"a bias \(3,\)",
    ),
    "groups that do not divide": (lambda: shared(Projections.identity(6), 6, 4), "6 key and value heads cannot"),
    "no groups": (lambda: shared(Projections.identity(6), 6, 0), "merged into 0"),
}


@pytest.mark.parametrize(("call", "words"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused_with_what_was_given(call, words):
    with pytest.raises(ac.AttentionError, match=words):
        call()
