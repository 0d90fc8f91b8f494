"""The conventions of a ranking: what is left out, what ties, what is undefined, and the cases that show why."""

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


# --- what a ranking holds


def test_only_the_row_of_the_query_is_left_out():
    ranking = ranked(numbers(twin=[1, 2], q=[1, 2], other=[3, 1]), "q", "euclidean")
    assert ranking.words == ("twin", "other") and ranking.all_ranks.tolist() == [1, 0, 2]


def test_a_query_vector_leaves_no_word_out():
    ranking = ranked(numbers(a=[1, 2], b=[3, 1]), [1, 2], "euclidean")
    assert ranking.words == ("a", "b") and ranking.scores[0] == 0


def test_a_query_vector_and_the_word_it_belongs_to_have_the_same_scores(glove):
    by_word, by_vector = ranked(glove, "king", "dot"), ranked(glove, glove.vector("king"), "dot")
    np.testing.assert_array_equal(by_word.all_scores, by_vector.all_scores)


def test_tied_words_keep_file_order_and_share_the_best_rank_of_their_group():
    e = numbers(q=[1, 0], c=[2, 1], a=[2, 5], b=[2, 3], far=[1, 0], near=[3, 0])
    ranking = ranked(e, "q", "dot")
    assert ranking.words == ("near", "c", "a", "b", "far")
    assert ranking.ranks.tolist() == [1, 2, 2, 2, 5] and ranking.ties == (("c", "a", "b"),)


@pytest.mark.parametrize(("k", "cut"), [(1, False), (2, True), (3, True), (4, False), (5, False), (99, False)])
def test_a_cut_inside_a_tie_is_known(k, cut):
    e = numbers(q=[1, 0], c=[2, 1], a=[2, 5], b=[2, 3], far=[1, 0], near=[3, 0])
    assert ranked(e, "q", "dot", k=k).cut_in_tie is cut


def test_equal_distances_tie_though_float64_tells_them_apart():
    rng = np.random.default_rng(41)
    one = rng.standard_normal(53).astype(np.float32)
    e = ac.Embeddings([str(i) for i in range(97)], [rng.permutation(one) for _ in range(97)], "the same squares")
    ranking = ranked(e, np.zeros(53), "euclidean")
    assert len(set(ranking.all_scores.tolist())) > 1, "summed in another order"
    assert ranking.ranks.tolist() == [1] * 97 and ranking.words == e.words


def test_vectors_on_one_ray_tie_by_cosine():
    one, query = np.random.default_rng(42).integers(-9, 10, (2, 53))
    e = ac.Embeddings([str(i) for i in range(1, 98)], np.outer(np.arange(1, 98), one), "exact in float32")
    assert ranked(e, query, "cosine").ranks.tolist() == [1] * 97


def test_a_dot_product_that_is_only_rounding_counts_as_zero():
    q, across = np.float32([1, 3e7, 0.1]), np.float32([3e7, -1, 0])
    e = ac.Embeddings(["q", "across", "zero"], np.array([q, across, [0, 0, 0]]), "almost orthogonal")
    assert ranked(e, "q", "dot").ties == (("across", "zero"),)


def test_words_without_a_score_come_last_in_file_order():
    e = numbers(z=[0, 0], q=[1, 0], minus=[-1, 0], y=[0, 0])
    ranking = ranked(e, "q", "cosine")
    assert ranking.words == ("minus", "z", "y") and np.isnan(ranking.scores).tolist() == [False, True, True]
    assert "zero vectors" in ranking.why and "2" in ranking.why


def test_words_that_are_all_zero_vectors_are_shown_as_undefined():
    ranking = ranked(numbers(q=[1, 0], z=[0, 0]), "q", "cosine")
    assert "query is a zero vector" not in ranking.why


@pytest.mark.parametrize("measure", GEOMETRIC)
def test_the_only_word_has_an_empty_ranking_without_being_a_zero_vector(measure):
    ranking = ranked(numbers(q=[1, 0]), "q", measure)
    assert ranking.words == () and "zero vector" not in ranking.why


@pytest.mark.parametrize(("size", "measure"), [(s, m) for s in (1e-200, 1e30, 1e120) for m in GEOMETRIC])
def test_a_query_vector_of_any_size_ranks(size, measure):
    ranking = ranked(numbers(a=[1, 0], b=[0, 1], c=[3, 1]), [size, 0.5 * size], measure)
    assert len(ranking.words) == 3 and np.isfinite(ranking.scores).all() and ranking.why == ""


def test_a_query_vector_whose_distances_overflow_is_not_called_a_zero_vector():
    ranking = ranked(numbers(a=[1, 0], b=[0, 1]), [1e200, 1e200], "euclidean")
    assert "zero vector" not in ranking.why


# --- k


def test_more_words_than_there_are_gives_them_all():
    c = ac.compare(numbers(a=[1, 0], b=[0, 1], c=[3, 1]), "a", k=10)
    assert c.k == 2 and all(len(ranking.words) == ranking.k == 2 for ranking in c.rankings.values())


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_refused(k):
    with pytest.raises(ac.ScoringError, match=f"{k} was given. Choose 1 or more"):
        ac.compare(numbers(a=[1, 0], b=[0, 1]), "a", k=k)


@pytest.mark.parametrize("k", [1, 3, 5, 7, 99])
def test_top_is_a_comparison_with_that_k(k):
    e = numbers(q=[1, 0], c=[2, 1], a=[2, 5], b=[2, 3], far=[1, 0], near=[3, 0])
    top, direct = ac.compare(e, "q", k=5).top(k, GEOMETRIC), ac.compare(e, "q", k=k, measures=GEOMETRIC)
    assert (top.k, list(top.rankings)) == (direct.k, list(direct.rankings))
    assert all(top[m].words == direct[m].words and top[m].cut_in_tie == direct[m].cut_in_tie for m in GEOMETRIC)
    assert top.agreement == direct.agreement


# --- what is given


def test_a_comparison_carries_what_it_was_asked(glove):
    c = ac.compare(glove, "king", k=3, measures=["euclidean", "dot"])
    assert (c.query, c.index, c.source, c.k) == ("king", glove.index("king"), "glove-en", 3)
    assert list(c.rankings) == ["euclidean", "dot"]


def test_a_comparison_with_a_vector_has_no_word_and_no_row():
    c = ac.compare(numbers(a=[1, 0], b=[0, 1]), [1, 2])
    assert (c.query, c.index) == ("", None)


def test_all_measures_are_compared_unless_some_are_named():
    assert list(ac.compare(numbers(a=[1, 0], b=[0, 1]), "a").rankings) == list(ac.MEASURES)


def test_weights_left_out_are_the_random_ones_of_seed_zero():
    e = numbers(a=[1, 0, 2], b=[0, 1, 1], c=[2, 2, 1])
    weights = ac.AdditiveWeights.random(3, 3, seed=0)
    asked, left_out = (ac.compare(e, "a", measures=["additive"], weights=w)["additive"] for w in (weights, None))
    np.testing.assert_array_equal(asked.all_scores, left_out.all_scores)


def test_an_unknown_word_is_refused():
    with pytest.raises(ac.UnknownWordError, match="“z”"):
        ac.compare(numbers(a=[1, 0]), "z")


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ([1, 2, 3], r"2 numbers.*\(3,\)"),
        ([[1, 2]], r"\(1, 2\)"),
        (5, r"\(\)"),
        ([1, np.nan], "Number 2"),
        ([-np.inf, 1], "Number 1"),
        (["a", "b"], "A word or a vector"),
        ([1j, 2], "A word or a vector"),
        ([[1], [2, 3]], "A word or a vector"),
        (None, "query"),
    ],
)
def test_a_query_that_is_not_such_a_vector_is_refused(query, named):
    with pytest.raises(ac.ScoringError, match=named):
        ac.compare(numbers(a=[1, 0], b=[0, 1]), query)


def test_an_unknown_measure_is_refused():
    with pytest.raises(ac.ScoringError, match="“l1”"):
        ac.compare(numbers(a=[1, 0]), "a", measures=["dot", "l1"])
