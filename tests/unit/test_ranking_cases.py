"""Rankings of the cases that show why the conventions are needed, and against brute force."""

import json
from pathlib import Path

import numpy as np
import pytest

import attention_core as ac
from tests.tolerance import tolerance

CASES = Path(__file__).parents[1] / "cases" / "embeddings"
SCORING = ["24_zero_vector", "25_cosine_above_one", "26_euclidean_cancellation", "27_float16_overflow"]
SCORING += ["28_float16_spurious_ties", "30_query_word_and_its_twin", "32_three_measures_disagree"]
pytestmark = pytest.mark.usefixtures("one_thread")
GEOMETRIC = ["dot", "cosine", "euclidean"]


def expected(case):
    return json.loads((CASES / case / "expected.json").read_text(encoding="utf-8"))


def weights_of(case):
    found = json.loads((CASES / case / "additive_weights.json").read_text(encoding="utf-8"))
    return ac.AdditiveWeights(found["W_q"], found["W_k"], found["v"])


def compared(case, **kwargs):
    folder = CASES / case
    text = folder / "vectors.txt"
    e = ac.load(text) if text.exists() else ac.load(folder / "vectors.npy", words=folder / "labels.txt")
    asked = list(expected(case)["scores"])
    weights = weights_of(case) if "additive" in asked else None
    return ac.compare(e, expected(case)["query"], **{"k": 100, "measures": asked, "weights": weights, **kwargs})


def numbers(**vectors):
    return ac.Embeddings(list(vectors), np.array(list(vectors.values()), dtype=np.float64), "some numbers")


def ranked(e, query, measure, k=100):
    return ac.compare(e, query, k=k, measures=[measure])[measure]


# --- the cases


@pytest.mark.parametrize(
    ("case", "measure"), [(case, measure) for case in SCORING for measure in expected(case)["scores"]]
)
def test_the_scores_of_a_case(case, measure):
    wanted, ranking = expected(case), compared(case)[measure]
    allowed = wanted.get("tolerance", {"abs": float(tolerance(np.float64, terms=2, scale=50, why="exact in float32"))})
    for word, score in wanted["scores"][measure].items():
        found = ranking.all_scores[ranking.vocabulary.index(word)]
        close = {"rel": allowed.get("rel", 0), "abs": allowed.get("abs", 0), "nan_ok": True}
        assert found == pytest.approx(np.nan if score is None else score, **close), word


ORDERS = [(c, m, o) for c in SCORING for m, o in expected(c).get("order", {}).items() if m in expected(c)["scores"]]


@pytest.mark.parametrize(("case", "measure", "order"), ORDERS)
def test_the_order_of_a_case(case, measure, order):
    assert list(compared(case)[measure].words) == order


@pytest.mark.parametrize("case", SCORING)
def test_no_case_has_its_query_among_the_words(case):
    assert all(expected(case)["query"] not in ranking.words for ranking in compared(case).rankings.values())


def test_case_24_the_zero_vector_is_last_by_cosine_and_undefined():
    ranking = compared("24_zero_vector")["cosine"]
    assert list(ranking.words) == [*expected("24_zero_vector")["required"]["cosine_top3_in_order"], "nothing"]
    assert np.isnan(ranking.scores).tolist() == [False, False, False, True]
    assert "zero vectors" in ranking.why and "1" in ranking.why


@pytest.mark.parametrize("measure", ["dot", "euclidean"])
def test_case_24_the_other_measures_are_defined(measure):
    ranking = compared("24_zero_vector")[measure]
    assert np.isfinite(ranking.scores).all() and ranking.why == ""


def test_case_24_a_zero_query_has_no_cosine_and_says_why():
    found = ranked(ac.load(CASES / "24_zero_vector" / "vectors.txt"), "nothing", "cosine", k=3)
    assert found.words == () and "zero vector" in found.why


def test_case_24_a_zero_query_ties_with_everything_by_dot_product():
    found = ranked(ac.load(CASES / "24_zero_vector" / "vectors.txt"), "nothing", "dot")
    assert set(found.scores) == {0.0} and found.ranks.tolist() == [1, 1, 1, 1]


def test_case_24_a_zero_query_has_the_norms_for_distances():
    e = ac.load(CASES / "24_zero_vector" / "vectors.txt")
    found = ranked(e, "nothing", "euclidean")
    atol = tolerance(np.float64, terms=2, scale=10, why="two squares")
    np.testing.assert_allclose(found.scores, e.norms[found.indices], rtol=0, atol=atol)


def test_case_25_every_cosine_has_an_angle():
    scores = compared("25_cosine_above_one")["cosine"].all_scores
    assert np.abs(scores).max() <= 1 and np.degrees(np.arccos(scores[1])) < 0.2


def test_case_26_the_twin_is_at_exactly_zero_and_equal_distances_tie():
    ranking = compared("26_euclidean_cancellation")["euclidean"]
    assert ranking.scores[0] == 0.0 and ranking.scores[1] > 0
    assert ranking.ties == (("one", "half4"),)


@pytest.mark.parametrize("measure", GEOMETRIC)
def test_case_28_all_five_scores_are_distinct(measure):
    assert compared("28_float16_spurious_ties")[measure].ranks.tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("measure", "score"), [("cosine", 1.0), ("euclidean", 0.0)])
def test_case_30_the_twin_of_the_query_stays(measure, score):
    ranking = compared("30_query_word_and_its_twin")[measure]
    atol = tolerance(np.float64, terms=3, why="three products")
    assert ranking.scores[ranking.words.index("otter_copy")] == pytest.approx(score, rel=0, abs=atol)


def test_case_30_the_first_two_by_cosine_tie():
    ranking = compared("30_query_word_and_its_twin")["cosine"]
    assert set(ranking.words[:2]) == set(expected("30_query_word_and_its_twin")["order"]["cosine_first_two_as_set"])
    assert ranking.ties == (("otter_copy", "double_otter"),)


@pytest.mark.parametrize("measure", ["dot", "cosine", "euclidean", "additive"])
def test_case_32_exactly_the_pairs_named_tie(measure):
    pair = expected("32_three_measures_disagree")["tie_pairs"].get(measure)
    assert compared("32_three_measures_disagree")[measure].ties == ((tuple(pair),) if pair else ())


# --- against float64 by brute force


@pytest.mark.parametrize("word", ["king", "cat", "the"])
@pytest.mark.parametrize("measure", GEOMETRIC)
def test_a_ranking_of_real_words_is_that_of_float64(glove, word, measure):
    x = glove.matrix.astype(np.float64)
    q = x[glove.words.index(word)]
    scores = {
        "dot": x @ q,
        "cosine": x @ q / np.linalg.norm(x, axis=1) / np.linalg.norm(q),
        "euclidean": np.linalg.norm(x - q, axis=1),
    }[measure]
    found = ranked(glove, word, measure, k=len(glove))
    atol = tolerance(np.float64, terms=50, scale=np.linalg.norm(q) * glove.norms.max(), why="50 products")
    np.testing.assert_allclose(found.all_scores, scores, rtol=0, atol=atol)
    in_order = scores[found.order] * (1 if measure == "euclidean" else -1)
    assert (np.diff(in_order) >= -atol).all() and len(set(found.order.tolist())) == len(glove) - 1
