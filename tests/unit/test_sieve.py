"""The words that an approximate product cannot rule out: none that belongs is lost, and few more are kept."""

import numpy as np
import pytest
import torch

import attention_core as ac
from attention_core.measures.additive import AdditiveWeights
from attention_core.similarity import candidates, closeness, hidden_sums, search, sieve

PRODUCT = ("dot", "cosine", "euclidean")
WAYS = {"compiled": candidates.candidates, "on a device": candidates._on_device}


def embeddings_of(values, name="test"):
    return ac.Embeddings([f"w{i}" for i in range(len(values))], np.asarray(values, np.float32), name)


KINDS = {
    "normal": lambda rng, n, d: rng.standard_normal((n, d)),
    "norms": lambda rng, n, d: rng.standard_normal((n, d)) * 10.0 ** rng.integers(-12, 13, size=(n, 1)),
    "opposite": lambda rng, n, d: rng.standard_normal((n, 1)) * np.linspace(1, 2, d),
    "twins": lambda rng, n, d: rng.standard_normal((n // 5 + 1, d))[rng.integers(0, n // 5 + 1, n)],
    "shifted": lambda rng, n, d: rng.standard_normal((n, d)) + 30,
    "zeros": lambda rng, n, d: rng.standard_normal((n, d)) * (rng.random((n, 1)) < 0.5),
    "every 64th is long": lambda rng, n, d: rng.standard_normal((n, d)) * np.where(np.arange(n) % 64, 1, 9)[:, None],
    "every 64th is not zero": lambda rng, n, d: rng.standard_normal((n, d)) * (np.arange(n) % 64 == 0)[:, None],
    "ascending": lambda rng, n, d: np.linspace(1, 2, n)[:, None] * np.ones(d),
    "one": lambda rng, n, d: rng.standard_normal((n, 1)),
}


def made(kind, n=1201, d=24):
    return embeddings_of(KINDS[kind](np.random.default_rng(7), n, d), kind)


def product_pass(embeddings, count=9, dtype="float32"):
    rows = np.flatnonzero(embeddings.norms)[:count]
    queries = closeness.Queries(embeddings.matrix[rows].astype(np.float64), embeddings.norms[rows], rows)
    measures = [ac.MEASURES[name] for name in PRODUCT]
    return closeness.product_pass(embeddings, queries, measures, ac.Compute(dtype=dtype))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_word_that_belongs_is_a_candidate(kind, way):
    embeddings = made(kind)
    asked = product_pass(embeddings)
    for name, found in WAYS[way](asked, 6).items():
        assert (np.diff(found.queries * 10_000 + found.words) > 0).all()
        for place in np.flatnonzero(found.proved):
            word = embeddings.words[asked.own[place]]
            best = ac.compare(embeddings, word, k=6, measures=[name])[name].indices
            assert set(best) <= set(found.words[found.queries == place]), (name, word)
            assert asked.own[place] not in found.words[found.queries == place]


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_few_words_beyond_the_closest_are_candidates(dtype, threads):
    embeddings = embeddings_of(np.random.default_rng(1).standard_normal((5003, 64)))
    for found in candidates.candidates(product_pass(embeddings, 16, dtype), 10, threads).values():
        assert found.proved.all() and 160 <= len(found.words) < 170


def test_the_loops_stay_within_their_arrays(monkeypatch):
    embeddings = made("normal", n=331)
    compiled = candidates.candidates(product_pass(embeddings, 3), 4)
    for name in ("_passes", "_replace", "_begin", "_shaken", "_reach", "_sift_strip"):
        monkeypatch.setattr(sieve, name, getattr(sieve, name).py_func)
    for name in ("sift", "remaining"):
        monkeypatch.setattr(candidates, name, getattr(sieve, name).py_func)
    monkeypatch.setattr(candidates, "ROOM", 3)  # filled again and again
    with np.errstate(invalid="ignore"):
        for name, found in candidates.candidates(product_pass(embeddings, 3), 4).items():
            np.testing.assert_array_equal(found.words, compiled[name].words)


def test_a_query_with_too_many_candidates_is_left_to_a_finer_pass(monkeypatch):
    monkeypatch.setattr(candidates, "ROOM", 8)
    close = np.random.default_rng(3).standard_normal((4001, 24)) * 1e-5 + 1  # cosines within 1e-9 of each other
    embeddings = embeddings_of(np.concatenate([close, -close[:9]]))
    asked = product_pass(embeddings)
    for way in WAYS.values():
        found = way(asked, 3)["cosine"]
        assert not found.proved.any() and len(found.words) == 0
    words = list(embeddings.words[::400])
    for name, ranked in ac.rank(embeddings, words, k=3, measures=PRODUCT).items():
        for place, word in enumerate(words):
            alone = ac.compare(embeddings, word, k=3, measures=[name])[name]
            np.testing.assert_array_equal(ranked.indices[place], alone.indices)


@pytest.mark.parametrize("way", WAYS)
def test_what_might_overflow_is_not_claimed(way):
    embeddings = embeddings_of(np.random.default_rng(2).standard_normal((1201, 24)) * 1e37)
    assert not WAYS[way](product_pass(embeddings), 3)["dot"].proved.any()


@pytest.mark.parametrize("hidden", [1, 16, 17])
@pytest.mark.parametrize("make", [hidden_sums.exponential_pass, hidden_sums.elementwise_pass])
def test_sums_of_tanh_hold_their_bound(make, hidden):
    rng = np.random.default_rng(4)
    embeddings = embeddings_of(rng.standard_normal((1009, 31)) * 2)
    weights = AdditiveWeights.random(31, 31, hidden=hidden, seed=4)
    queries = closeness.Queries(rng.standard_normal((7, 31)) * 3, np.ones(7) * 20, np.full(7, -1))
    made = make(embeddings, queries, ac.MEASURES["additive"], weights, ac.Compute())
    product = torch.empty(7, len(embeddings))
    made.multiply(0, product, np.full((1, 7), -np.inf))
    product *= made.terms(0, len(embeddings)).scale[0]
    w_query, w_key, v = (w.double().numpy() for w in (weights.w_query, weights.w_key, weights.v))
    keys = embeddings.matrix.astype(np.float64) @ w_key.T
    exact = np.tanh((queries.vectors @ w_query.T)[:, None] + keys) @ v
    wrong = np.abs(product.double().numpy() + made.centre[0][:, None] - exact)
    assert made.fits.all() and (wrong <= made.margin[0][:, None]).all()
    assert wrong.max() > 1e-9 and made.margin.max() < 1e-3 * np.abs(v).sum()


def test_saturated_units_keep_their_bound_or_are_not_claimed():
    rng = np.random.default_rng(5)
    embeddings = embeddings_of(rng.standard_normal((700, 5)))
    for size, v, fits in ((8, 1, True), (8, 1e25, True), (8, 1e-25, True), (100, 1, False), (8, 1e35, False)):
        weights = AdditiveWeights(rng.standard_normal((3, 5)), size * np.ones((3, 5)) / 5, v * rng.standard_normal(3))
        vectors = rng.standard_normal((4, 5))
        queries = closeness.Queries(vectors, np.linalg.norm(vectors, axis=1), np.full(4, -1))
        made = hidden_sums.exponential_pass(embeddings, queries, ac.MEASURES["additive"], weights, ac.Compute())
        assert made.fits.all() == fits
        found = ac.rank(embeddings, vectors, k=5, measures=["additive"], weights=weights)["additive"].indices
        for place, vector in enumerate(vectors):  # many scores tie
            alone = ac.compare(embeddings, vector, k=5, measures=["additive"], weights=weights)["additive"]
            np.testing.assert_array_equal(found[place], alone.indices)


@pytest.mark.parametrize("early", [0, 8])
def test_powers_are_added_up_until_a_word_can_reach_no_limit(early, monkeypatch):
    rng = np.random.default_rng(6)
    powers, asked = (rng.lognormal(size=size).astype(np.float32) for size in ((3, 8, 512), (2, 8)))
    powers[1] *= 30  # the terms of a whole block are small
    factors = np.array([2.0, -1.5, 1.2, 1, -0.5, 0.4, 0.3, 0], np.float32)
    expected = (factors[:, None] / (1 + asked[:, None, :, None] * powers.astype(float))).sum(2).reshape(2, -1)[:, :1100]
    rest, large = np.array([4.9, 0.7], np.float32), np.array([[True, False], [False, False]])
    least = np.sort(expected)[:, -9].astype(np.float32) - np.float32(1e-6)
    for name in ("_add_four", "_reached"):
        monkeypatch.setattr(hidden_sums, name, getattr(hidden_sums, name).py_func)
    for add_up in (hidden_sums.add_up, hidden_sums.add_up.py_func):
        out = np.empty((2, 1100), np.float32)
        add_up((powers, asked, factors, large, rest), least, early, out)
        reaching = out >= least[:, None]
        assert (reaching.sum(1) == 9).all() and (reaching == (expected >= least[:, None])).all()
        exact = np.isclose(out, expected, rtol=1e-5, atol=1e-6)
        assert exact[reaching].all() and exact.all() == (early == 8)


def test_a_device_ranks_as_the_loops_do(monkeypatch):
    embeddings = made("twins")
    words = list(embeddings.words[::100])
    expected = ac.rank(embeddings, words, k=7)
    monkeypatch.setattr(search, "candidates", lambda asked, k, _threads: candidates._on_device(asked, k))
    monkeypatch.setattr(search, "exponential_pass", hidden_sums.elementwise_pass)
    for name, (indices, scores) in ac.rank(embeddings, words, k=7).items():
        np.testing.assert_array_equal(indices, expected[name].indices)
        np.testing.assert_array_equal(scores, expected[name].scores)
