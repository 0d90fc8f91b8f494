"""How often words are among the closest of others: counts by hand, skewness by scipy, estimates by repetition."""

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cdist

import attention_core as ac
from attention_core.similarity.hubness import hubness_of
from attention_core.similarity.neighbourhoods import Neighbourhoods
from attention_core.similarity.search import Ranked
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
N, D = 307, 5


def embeddings(matrix, source="vectors"):
    return ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, source)


@pytest.fixture(scope="module")
def some():
    return embeddings(np.random.default_rng(0).standard_normal((N, D)) + 0.4)


def closest(matrix, measure, k):
    """(n, k) by sorting every row of all scores."""
    wide = matrix.astype(np.float64)
    closeness = {
        "dot": lambda: wide @ wide.T,
        "cosine": lambda: 1 - cdist(wide, wide, "cosine"),
        "euclidean": lambda: -cdist(wide, wide),
    }[measure]()
    np.fill_diagonal(closeness, -np.inf)
    return np.argsort(-closeness, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("measure", ["dot", "cosine", "euclidean"])
@pytest.mark.parametrize("k", [1, 10])
def test_the_counts_are_those_of_every_list(some, measure, k):
    hub = ac.neighbourhoods(some, k).hubness[measure]
    expected = np.bincount(closest(some.matrix, measure, k).ravel(), minlength=N)
    np.testing.assert_array_equal(hub.counts, expected)
    atol = tolerance(np.float64, terms=N, scale=10, why="three moments of 307 counts")
    assert hub.skewness == pytest.approx(stats.skew(expected), rel=0, abs=atol)
    assert hub.interval is None and not hub.sampled and (hub.lists, hub.left_out) == (N, 0)
    assert hub.norm_correlation == pytest.approx(stats.spearmanr(expected, some.norms).statistic, rel=0, abs=atol)
    assert hub.antihubs == tuple(f"w{i}" for i in np.flatnonzero(expected == 0))
    assert hub.antihub_share == np.mean(expected == 0)
    assert [entry.lists for entry in hub.hubs] == sorted(expected, reverse=True)[:20]
    assert all(expected[some.index(word)] == count for word, count in hub.hubs)


@pytest.mark.parametrize("pair", [("dot", "cosine"), ("cosine", "euclidean"), ("euclidean", "dot")])
def test_the_overlap_is_that_of_every_two_lists(some, pair):
    lists = [closest(some.matrix, measure, 10).tolist() for measure in pair]
    expected = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(*lists, strict=True)])
    found = ac.neighbourhoods(some).overlap[pair]
    assert found.mean == pytest.approx(expected, rel=0, abs=1e-12) and found.interval is None and found.lists == N


def test_the_overlap_of_a_pair_does_not_depend_on_its_order(some):
    overlap = ac.neighbourhoods(some, 3).overlap
    assert all(overlap[b, a] is overlap[a, b] for a, b in overlap)


def test_the_additive_score_has_no_trained_weights_and_is_left_out(some):
    assert list(ac.neighbourhoods(some).hubness) == [m for m in ac.MEASURES if not ac.MEASURES[m].needs_weights]


def test_progress_is_reported_and_what_it_raises_ends_the_work(some, monkeypatch):
    monkeypatch.setattr("attention_core.similarity.neighbourhoods.CHUNK", 1)
    told = []
    ac.neighbourhoods(some, progress=lambda done, total: told.append((done, total)))
    assert told == [(64, N), (128, N), (192, N), (256, N), (N, N)]

    class Enough(Exception):
        pass

    def stop(done, total):
        raise Enough

    with pytest.raises(Enough):
        ac.neighbourhoods(some, progress=stop)


# --- samples


def sampled(found, seed, queries):
    """As if only some had been asked, without searching again."""
    n = len(found.embeddings)
    rows = ac.Budget(pairs=1, queries=queries, seed=seed).rows(n)
    lists = {name: Ranked(r.indices[rows], r.scores[rows]) for name, r in found.lists.items()}
    return Neighbourhoods(found.embeddings, found.k, rows, lists)


@pytest.fixture(scope="module")
def all_lists(glove, one_thread):
    return ac.neighbourhoods(glove)


def test_a_sample_asks_few_words_among_all(some):
    found = ac.neighbourhoods(some, budget=ac.Budget(pairs=1, queries=41, seed=5))
    hub = found.hubness["cosine"]
    assert found.sampled and hub.sampled and len(found.asked) == hub.asked == hub.lists == 41
    assert hub.counts.sum() == 410
    expected = closest(some.matrix, "cosine", 10)[found.asked]
    np.testing.assert_array_equal(hub.counts, np.bincount(expected.ravel(), minlength=N))


def test_the_seed_decides_the_sample(some):
    rows = [ac.Budget(1, 41, seed).rows(N).tolist() for seed in (0, 0, 1)]
    assert rows[0] == rows[1] != rows[2] and rows[0] == sorted(set(rows[0]))


@pytest.mark.parametrize(("n", "asked"), [(23_170, 23_170), (23_171, 2_000), (400_000, 2_000), (2, 2)])
def test_all_words_are_asked_while_the_pairs_are_few(n, asked):
    assert len(ac.Budget().rows(n)) == asked


@pytest.mark.parametrize("measure", ["dot", "cosine", "euclidean"])
def test_estimates_from_samples_scatter_around_the_truth_and_their_intervals_hold_it(all_lists, measure):
    truth = all_lists.hubness[measure].skewness
    found = [sampled(all_lists, seed, 2_000).hubness[measure] for seed in range(30)]
    values = np.array([hub.skewness for hub in found])
    assert abs(values.mean() - truth) < 0.05 * truth + 3 * values.std() / np.sqrt(30)
    inside = sum(hub.interval.low <= truth <= hub.interval.high for hub in found)
    assert inside >= 25


def test_an_overlap_from_samples_has_an_interval_that_holds_the_truth(all_lists):
    truth = all_lists.overlap["dot", "cosine"].mean
    found = [sampled(all_lists, seed, 500).overlap["dot", "cosine"] for seed in range(30)]
    assert sum(one.interval.low <= truth <= one.interval.high for one in found) >= 25
    assert all(one.lists == 500 for one in found)


def test_the_share_of_a_hub_in_a_sample_has_wilsons_interval(all_lists):
    hub = sampled(all_lists, 0, 500).hubness["dot"]
    low, high = hub.share_interval(hub.hubs[0].lists)
    p, z, n = hub.hubs[0].lists / 500, stats.norm.ppf(0.975), 500
    centre, half = (p + z**2 / 2 / n), z * np.sqrt(p * (1 - p) / n + z**2 / 4 / n**2)
    expected = (centre + np.array([-half, half])) / (1 + z**2 / n)
    np.testing.assert_allclose([low, high], expected, rtol=1e-9)
    assert low < all_lists.hubness["dot"].counts.max() / len(all_lists.asked) < high
    assert all_lists.hubness["dot"].share_interval(603) is None


# --- what is undefined


@pytest.mark.parametrize(
    ("matrix", "measure", "why"),
    [
        ([[1.0, 2.0]], "dot", "there is no other word"),
        ([[1.0, 2.0], [2.0, 1.0]], "dot", "every list holds all other words"),
        (np.random.default_rng(0).standard_normal((7, 3)), "cosine", "every list holds all other words"),
        (np.zeros((30, 3)), "cosine", "in every list all scores tie or are undefined"),
        (np.zeros((30, 3)), "dot", "in every list all scores tie or are undefined"),
        (np.ones((30, 3)), "euclidean", "in every list all scores tie or are undefined"),
        (np.eye(12), "dot", "in every list all scores tie or are undefined"),
    ],
)
def test_an_undefined_skewness_says_why(matrix, measure, why):
    hub = ac.neighbourhoods(embeddings(matrix)).hubness[measure]
    assert hub.skewness is None and hub.why == why and hub.interval is None


def test_lists_of_zero_vectors_are_left_out_of_cosine():
    matrix = np.random.default_rng(1).standard_normal((40, 3))
    matrix[[4, 9]] = 0
    hub = ac.neighbourhoods(embeddings(matrix)).hubness["cosine"]
    assert (hub.lists, hub.left_out) == (38, 2) and hub.counts[[4, 9]].tolist() == [0, 0]


def test_nothing_shared_is_undefined_where_no_list_counts():
    for matrix in (np.zeros((30, 3)), [[1.0, 2.0]]):
        assert ac.neighbourhoods(embeddings(matrix)).overlap["dot", "cosine"].mean is None


def test_counts_that_are_all_equal_have_no_skewness():
    hub = hubness_of("dot", "abc", np.array([[1], [2], [0]]), np.ones(3, bool), np.arange(3.0))
    assert hub.skewness is None and hub.why == "all words are in equally many lists" and hub.norm_correlation is None


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_refused(some, k):
    with pytest.raises(ac.ScoringError, match=f"{k} was given. Choose 1 or more"):
        ac.neighbourhoods(some, k)


def test_an_unknown_measure_is_refused(some):
    with pytest.raises(ac.ScoringError, match="no measure “manhattan”"):
        ac.neighbourhoods(some, measures=["manhattan"])
