"""Retrieval against scikit-learn's nDCG, and recall and reciprocal rank by hand."""

from io import BytesIO

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

import attention_core as ac
from attention_core.similarity import bootstrap
from attention_core.similarity.tables import Relevance

pytestmark = pytest.mark.usefixtures("one_thread")


def line():
    """Words on a ray from the query on: by distance they come in alphabetical order."""
    words = ["query", *"abcdefg"]
    return ac.Embeddings(words, [[float(i)] for i in range(1, 9)], "a line")


@pytest.mark.parametrize(
    ("items", "k", "recall", "mrr"),
    [
        (["a"], 3, 1.0, 1.0),
        (["c"], 3, 1.0, 1 / 3),
        (["d"], 3, 0.0, 1 / 4),
        (["b", "g"], 2, 0.5, 1 / 2),
        (["b", "d", "g"], 10, 1.0, 1 / 2),
    ],
)
def test_recall_and_reciprocal_rank_by_hand(items, k, recall, mrr):
    table = Relevance("mine", {"query": dict.fromkeys(items, 1.0)})
    found = ac.retrieval(line(), table, k, ["euclidean"])["euclidean"]
    assert (found.recall.value, found.mrr.value) == (recall, mrr)


def test_ndcg_by_hand():
    table = Relevance("mine", {"query": {"a": 1.0, "c": 3.0}})
    found = ac.retrieval(line(), table, 3, ["euclidean"])["euclidean"]
    assert found.ndcg.value == pytest.approx((1 + 3 / 2) / (3 + 1 / np.log2(3)), abs=1e-15)


@pytest.mark.parametrize("k", [1, 5, 10, 40])
@pytest.mark.parametrize("measure", ["dot", "cosine", "euclidean"])
def test_ndcg_is_that_of_scikit_learn(glove, measure, k):
    rng = np.random.default_rng(2)
    queries = ["king", "cat", "river", "apple"]
    pool = {q: list(ac.compare(glove, q, 200, [measure])[measure].words) for q in queries}
    gains = {q: {str(w): float(g) for w, g in zip(rng.choice(pool[q], 17, False), rng.integers(0, 4, 17), strict=True)}
             for q in queries}  # fmt: skip
    found = ac.retrieval(glove, Relevance("mine", gains), k, [measure])[measure].ndcg
    for query, value in zip(queries, found.each, strict=True):
        own = glove.index(query)
        ranks = np.delete(ac.compare(glove, query, 1, [measure])[measure].all_ranks, own)
        truth = np.delete([gains[query].get(word, 0.0) for word in glove.words], own)
        assert value == pytest.approx(ndcg_score([truth], [-ranks.astype(float)], k=k, ignore_ties=True), abs=1e-12)
    assert found.value == pytest.approx(found.each.mean(), abs=1e-15)


def test_intervals_are_those_of_the_resampled_means(glove):
    found = ac.retrieval(glove, "groups-en", measures=["dot", "cosine"])
    rng = np.random.default_rng(0)
    n = len(found.queries)
    rows = rng.integers(0, n, (bootstrap.RESAMPLES, n))
    each = {name: figures.ndcg.each for name, figures in found.items()}
    for name, figures in found.items():
        expected = np.quantile(each[name][rows].mean(axis=1), [0.025, 0.975])
        np.testing.assert_allclose(figures.ndcg.interval, expected, rtol=0, atol=1e-12)
    [margin] = found.margins["ndcg"]
    difference = each[margin.first] - each[margin.second]
    assert margin.value == pytest.approx(difference.mean(), abs=1e-12) and margin.value >= 0
    expected = np.quantile(difference[rows].mean(axis=1), [0.025, 0.975])
    np.testing.assert_allclose(margin.interval, expected, rtol=0, atol=1e-12)


def test_unit_vectors_find_the_same_by_every_geometric_measure():
    found = ac.retrieval(ac.sample("minilm-en"), "groups-en", measures=["dot", "cosine", "euclidean"])
    assert {m.value for m in found.margins["ndcg"]} == {0.0} and not any(m.told for m in found.margins["ndcg"])


def test_sentences_are_labels_too():
    words = ["how do I reset it?", "Hold the button, then wait.", "It is blue."]
    e = ac.Embeddings(words, [[1, 0.1], [1, 0.2], [0, 1]], "three sentences")
    content = 'query,item\n"how do I reset it?","Hold the button, then wait."\n'
    found = ac.retrieval(e, BytesIO(content.encode()), 1, ["cosine"])
    assert found["cosine"].recall.value == 1.0


def test_what_is_not_among_the_vectors_counts_for_nothing_and_is_listed():
    gains = {"query": {"a": 1.0, "away": 1.0}, "gone": {"a": 1.0}, "b": {"nowhere": 1.0}, "c": {"a": 0.0}}
    found = ac.retrieval(line(), Relevance("mine", gains), 1, ["euclidean"])
    assert len(found.queries) == 1 and found["euclidean"].recall.value == 1.0
    assert found.missing == ("away", "gone", "nowhere")


def test_one_query_has_no_interval_and_tells_no_measures_apart():
    found = ac.retrieval(line(), Relevance("mine", {"query": {"a": 1.0}}))
    assert found["euclidean"].recall.value == 1 and found["euclidean"].recall.interval is None
    assert not any(found.margins.values())


def test_no_covered_query_is_undefined_and_says_why():
    found = ac.retrieval(line(), Relevance("mine", {"x": {"y": 1.0}}))
    assert {figures.ndcg for figures in found.values()} == {None}
    assert found.why == "no query has itself and a relevant item among the vectors" and found.margins["ndcg"] == ()


def test_a_zero_query_is_not_asked_and_a_zero_item_is_not_found_by_cosine():
    e = ac.Embeddings(["zero", "a", "b", "c"], [[0, 0], [1, 0], [1, 1], [0, 1]], "four words")
    gains = {"zero": {"a": 1.0}, "a": {"zero": 1.0}}
    found = ac.retrieval(e, Relevance("mine", gains), 2)
    assert found.queries.tolist() == [1] and found["cosine"].recall.value == 0


def test_k_beyond_the_vocabulary_finds_everything():
    found = ac.retrieval(line(), Relevance("mine", {"query": {"a": 1.0, "g": 1.0}}), 500)
    assert {figures.recall.value for figures in found.values()} == {1.0}


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_refused(k):
    with pytest.raises(ac.ScoringError, match="Choose 1 or more"):
        ac.retrieval(line(), "groups-en", k)


def test_progress_is_told(glove):
    told = []
    ac.retrieval(glove, "groups-en", 3, ["dot"], progress=lambda done, total: told.append((done, total)))
    assert told == [(min(done, 176), 176) for done in range(32, 193, 32)]
