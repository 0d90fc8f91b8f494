"""Many queries in one pass, against a brute force in float64 and against one query at a time."""

import threading
import tracemalloc

import numpy as np
import pytest
import torch
from sklearn.neighbors import NearestNeighbors

import attention_core as ac
from attention_core.measures.additive import AdditiveWeights
from attention_core.similarity import candidates, closeness, search

PRODUCT = ("dot", "cosine", "euclidean")


def corpus(matrix):
    matrix = np.asarray(matrix, dtype=np.float32)
    return ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, "test")


def brute_force(matrix, query, measure, k, own=None):
    """Rows of the k closest by the definition in float64, ties at 12 digits by decimal text."""
    keys, query = np.asarray(matrix, np.float32).astype(np.float64), np.asarray(query, np.float64)
    lengths = np.linalg.norm(keys, axis=1) * np.linalg.norm(query)
    with np.errstate(invalid="ignore"):
        scores = {
            "dot": lambda: np.where(np.abs(keys @ query) < 1e-12 * lengths, 0, -(keys @ query)),
            "cosine": lambda: np.where(np.abs(keys @ query) < 1e-12 * lengths, 0, -(keys @ query / lengths)),
            "euclidean": lambda: np.sqrt(((keys - query) ** 2).sum(1)),
        }[measure]()
    scores = np.where((lengths == 0) & (measure == "cosine"), np.nan, scores)
    places = [(np.isnan(s), 0.0 if np.isnan(s) else float(f"{s:.11e}"), i) for i, s in enumerate(scores) if i != own]
    return [i for *_, i in sorted(places)][:k]


def assert_as_compared(embeddings, queries, k=10, measures=None, weights=None):
    found = ac.rank(embeddings, queries, k=k, measures=measures, weights=weights)
    for place, query in enumerate(queries):
        alone = ac.compare(embeddings, query, k=k, measures=measures, weights=weights)
        for name, (indices, scores) in found.items():
            assert indices[place].tolist() == alone[name].indices.tolist(), (name, query)
            rounding = 64 * embeddings.dimension * np.finfo(np.float64).eps
            np.testing.assert_allclose(scores[place], alone[name].scores, rtol=rounding, atol=rounding)
    return found


@pytest.fixture
def never_alone(monkeypatch):
    """Fails when a query has to be scored against every word by itself."""

    def alone(self, states, query):
        raise AssertionError(f"query {query} was not proved for {[s.scorer.measure.name for s in states]}")

    monkeypatch.setattr(search.Search, "_alone", alone)


@pytest.fixture
def alone(monkeypatch):
    """The queries that were scored by themselves."""
    counted = []
    exact = search.Search._alone
    monkeypatch.setattr(search.Search, "_alone", lambda self, s, q: (counted.append(q), exact(self, s, q))[1])
    return counted


@pytest.mark.parametrize("count", [1, 2, 3, 5, 16, 33, 64, 65])
@pytest.mark.parametrize("measure", PRODUCT)
def test_words_find_what_brute_force_finds(measure, count, never_alone):
    matrix = np.random.default_rng(0).standard_normal((4001, 37))
    rows = np.linspace(4000, 0, count).astype(int)
    indices, _ = ac.rank(corpus(matrix), [f"w{i}" for i in rows], k=11, measures=[measure])[measure]
    assert indices.tolist() == [brute_force(matrix, np.float32(matrix[i]), measure, 11, own=i) for i in rows]


@pytest.mark.parametrize("measure", ["cosine", "euclidean"])
def test_vectors_find_what_scikit_learn_finds(measure, never_alone):
    rng = np.random.default_rng(1)
    matrix, queries = rng.standard_normal((3001, 23)).astype(np.float32), rng.standard_normal((29, 23))
    peer = NearestNeighbors(n_neighbors=7, metric=measure, algorithm="brute").fit(matrix.astype(np.float64))
    distances, expected = peer.kneighbors(queries)
    indices, scores = ac.rank(corpus(matrix), queries, k=7, measures=[measure])[measure]
    np.testing.assert_array_equal(indices, expected)
    closeness = 1 - distances if measure == "cosine" else distances
    np.testing.assert_allclose(scores, closeness, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", list(ac.MEASURES))
def test_every_measure_ranks_as_one_query_at_a_time(name):
    matrix = np.random.default_rng(2).standard_normal((2003, 19))
    assert_as_compared(corpus(matrix), ["w0", "w5", "w2002", "w5"], k=10, measures=[name])


def test_additive_is_proved_from_powers_alone(never_alone, monkeypatch):
    monkeypatch.setattr(search, "elementwise_pass", None)
    matrix = np.random.default_rng(3).standard_normal((5003, 41))
    weights = AdditiveWeights.random(41, 41, hidden=13, seed=3)
    embeddings = corpus(matrix)
    indices, _ = ac.rank(embeddings, ["w1", "w9"], k=5, measures=["additive"], weights=weights)["additive"]
    keys = matrix.astype(np.float32).astype(np.float64)
    w_query, w_key, v = (w.double().numpy() for w in (weights.w_query, weights.w_key, weights.v))
    for place, row in enumerate((1, 9)):
        scores = np.tanh(w_query @ keys[row] + keys @ w_key.T) @ v
        scores[row] = -np.inf
        assert indices[place].tolist() == np.argsort(-scores)[:5].tolist()


def test_additive_with_saturated_units_and_other_weights_in_turn():
    embeddings = corpus(np.random.default_rng(5).standard_normal((1511, 11)) * 40)
    first, second = (AdditiveWeights.random(11, 11, hidden=7, seed=seed) for seed in (0, 1))
    for weights in (first, second, first):
        assert_as_compared(embeddings, ["w3", "w1500"], k=4, measures=["additive"], weights=weights)


@pytest.mark.parametrize("norm", [1, 10, 100])
def test_close_clusters_far_from_the_origin_keep_their_neighbours(norm):
    rng = np.random.default_rng(6)
    centres = rng.standard_normal((11, 29))
    centres *= norm / np.linalg.norm(centres, axis=1, keepdims=True)
    matrix = (centres[rng.integers(0, 11, 4007)] + 1e-5 * rng.standard_normal((4007, 29))).astype(np.float32)
    rows = list(range(0, 4007, 307))
    indices, _ = ac.rank(corpus(matrix), [f"w{i}" for i in rows], k=10, measures=["euclidean"])["euclidean"]
    assert indices.tolist() == [brute_force(matrix, matrix[i], "euclidean", 10, own=i) for i in rows]


def test_twins_and_ties_at_the_cut_keep_file_order():
    base = np.random.default_rng(7).standard_normal((401, 13))
    matrix = np.concatenate([base, base, 2 * base, base])
    assert_as_compared(corpus(matrix), ["w5", "w406", "w1208"], k=2)
    indices, scores = ac.rank(corpus(matrix), ["w5"], k=2, measures=["euclidean"])["euclidean"]
    assert indices.tolist() == [[406, 1208]]
    assert scores.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("measure", PRODUCT)
def test_integer_vectors_tie_exactly(measure):
    matrix = np.random.default_rng(8).integers(-2, 3, size=(3001, 5))
    rows = [3, 99, 1500]
    indices, _ = ac.rank(corpus(matrix), [f"w{i}" for i in rows], k=13, measures=[measure])[measure]
    assert indices.tolist() == [brute_force(matrix, matrix[i], measure, 13, own=i) for i in rows]


def test_near_ties_follow_the_rounding_of_one_query_at_a_time():
    steps = np.random.default_rng(9).permutation(2003) - 1000
    vectors = np.zeros((2003, 3))
    vectors[:, 0] = 1
    embeddings = corpus(vectors)
    queries = np.array([[1 + 1e-13 * s, 0.3, 0.1] for s in steps[:5]])
    assert_as_compared(embeddings, queries, k=10)
    spread = np.stack([np.ones(2003), steps, np.zeros(2003)], axis=1)  # q·k = 1 + 1e-13·step
    indices, _ = assert_as_compared(corpus(spread), np.array([[1.0, 1e-13, 0.0]]), k=10, measures=["dot"])["dot"]
    assert len(set(indices[0].tolist())) == 10


def test_zero_vectors_come_last_under_cosine_and_leave_a_zero_query_undefined():
    matrix = np.random.default_rng(10).standard_normal((701, 7))
    matrix[[2, 300, 650]] = 0
    embeddings = corpus(matrix)
    found = ac.rank(embeddings, ["w2", "w1"], k=5)
    assert found["cosine"].indices[0].tolist() == [-1] * 5
    assert np.isnan(found["cosine"].scores[0]).all()
    assert found["dot"].indices[0].tolist() == [0, 1, 3, 4, 5]
    assert_as_compared(embeddings, ["w1", "w700"], k=5)
    few = corpus([[0, 0], [1, 0], [0, 0], [0, 1]])
    indices, scores = ac.rank(few, ["w1"], k=9, measures=["cosine"])["cosine"]
    assert indices.tolist() == [[3, 0, 2]]
    assert np.isnan(scores[0, 1:]).all() and scores[0, 0] == 0
    mostly = np.zeros((997, 3))
    mostly[[5, 600]] = [[1, 2, 3], [3, 2, 1]]
    assert_as_compared(corpus(mostly), ["w5"], k=4, measures=["cosine"])


@pytest.mark.parametrize("size", [1e-42, 1e-30, 1e-19, 1e18, 1e30, 3e37])
def test_any_magnitude(size):
    matrix = np.random.default_rng(11).standard_normal((1201, 5)) * size
    assert_as_compared(corpus(matrix), ["w0", "w1200"], k=6, measures=PRODUCT)
    assert_as_compared(corpus(matrix), np.random.default_rng(12).standard_normal((3, 5)), k=6, measures=PRODUCT)


def test_one_huge_or_tiny_word_among_ordinary_ones():
    matrix = np.random.default_rng(13).standard_normal((1201, 5))
    matrix[7], matrix[8] = matrix[7] * 1e36, matrix[8] * 1e-36
    assert_as_compared(corpus(matrix), ["w0", "w7", "w8"], k=6)
    extreme = np.array([[1e-200] * 5, [1e150] * 5, [1e-320] * 5, [1.0] * 5])
    assert_as_compared(corpus(matrix), extreme[[0, 2, 3]], k=6, measures=PRODUCT)


def test_small_shapes():
    one = ac.rank(corpus([[3.0]]), ["w0"], k=4)
    assert one["dot"].indices.shape == (1, 0)
    assert ac.rank(corpus([[3.0]]), [[2.0]], k=4)["euclidean"].scores.tolist() == [[1.0]]
    line = np.random.default_rng(14).standard_normal((1009, 1))
    assert_as_compared(corpus(line), ["w0", "w1008"], k=10)
    assert_as_compared(corpus(line[:7]), ["w0", "w6"], k=10)
    assert ac.rank(corpus(line), np.empty((0, 1)), k=3)["dot"].indices.shape == (0, 3)


def test_what_one_query_asks_twice_it_gets_twice():
    embeddings = corpus(np.random.default_rng(15).standard_normal((1511, 17)))
    for indices, scores in ac.rank(embeddings, ["w9", "w3", "w9"], k=5).values():
        np.testing.assert_array_equal(indices[0], indices[2])
        np.testing.assert_array_equal(scores[0], scores[2])


def test_queries_beyond_one_pass(monkeypatch, never_alone):
    embeddings = corpus(np.random.default_rng(16).standard_normal((1511, 17)))
    words = [f"w{i}" for i in range(0, 1511, 31)]
    whole = ac.rank(embeddings, words, k=5)
    monkeypatch.setattr(search, "QUERIES", 7)
    monkeypatch.setattr(candidates, "BLOCK", 1 << 9)
    for name, (indices, scores) in ac.rank(embeddings, words, k=5).items():
        np.testing.assert_array_equal(indices, whole[name].indices)
        np.testing.assert_allclose(scores, whole[name].scores, rtol=1e-13)


def test_a_narrower_product_setting_is_not_trusted(monkeypatch, never_alone):
    asked = []
    made = search.product_pass
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: "high")
    monkeypatch.setattr(search, "product_pass", lambda *args: (asked.append(args[3].dtype), made(*args))[1])
    embeddings = corpus(np.random.default_rng(17).standard_normal((1511, 17)))
    ac.rank(embeddings, ["w9"], k=5, measures=PRODUCT)
    assert asked == ["float64"]


def test_ordinary_queries_need_one_pass(alone, monkeypatch):
    monkeypatch.setattr(search, "elementwise_pass", None)
    embeddings = corpus(np.random.default_rng(18).standard_normal((4001, 37)) + 1)
    ac.rank(embeddings, [f"w{i}" for i in range(0, 4001, 211)], k=10)
    assert alone == []


def test_a_measure_without_a_form_is_scored_alone(alone, monkeypatch):
    from dataclasses import replace

    plain = replace(ac.MEASURES["dot"], product_form=None)
    monkeypatch.setattr(search, "named", lambda name: plain)
    embeddings = corpus(np.random.default_rng(19).standard_normal((1201, 7)))
    indices, _ = ac.rank(embeddings, ["w4"], k=3, measures=["dot"])["dot"]
    assert alone == [0]
    assert indices[0].tolist() == brute_force(embeddings.matrix, embeddings.matrix[4], "dot", 3, own=4)


def test_memory_stays_bounded():
    embeddings = corpus(np.random.default_rng(20).standard_normal((20011, 4)))
    words = [f"w{i}" for i in range(3000)]
    ac.rank(embeddings, words[:8], k=3, measures=PRODUCT)
    tracemalloc.start()
    try:
        ac.rank(embeddings, words, k=3, measures=PRODUCT)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20011 * 3000  # bytes numpy asked for: an eighth of one float64 score for every pair


def test_threads_do_not_share_a_buffer():
    embeddings = corpus(np.random.default_rng(21).standard_normal((4001, 17)))
    words = [[f"w{i}" for i in range(start, 4001, 401)] for start in range(4)]
    expected = [ac.rank(embeddings, asked, k=5, measures=PRODUCT)["dot"].indices for asked in words]
    found = {}

    def run(place):
        found[place] = ac.rank(embeddings, words[place], k=5, measures=PRODUCT)["dot"].indices

    threads = [threading.Thread(target=run, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for place, indices in enumerate(expected):
        np.testing.assert_array_equal(found[place], indices)


def test_terms_made_block_by_block_find_the_same(monkeypatch):
    rng = np.random.default_rng(8)
    matrix = (rng.standard_normal((1511, 9)) * (rng.random((1511, 1)) < 0.9)).astype(np.float32)
    words = [f"w{i}" for i in range(1511)]
    asked = matrix[:20].astype(np.float64) + 0.1
    kept = ac.rank(ac.Embeddings(words, matrix, "test"), asked, k=9, measures=["dot", "cosine", "euclidean"])
    monkeypatch.setattr(closeness, "WORDS", 400)
    monkeypatch.setattr(candidates, "BLOCK", 6000)
    made = ac.rank(ac.Embeddings(words, matrix, "test"), asked, k=9, measures=["dot", "cosine", "euclidean"])
    for name, (indices, scores) in kept.items():
        np.testing.assert_array_equal(made[name].indices, indices)
        np.testing.assert_array_equal(made[name].scores, scores)
