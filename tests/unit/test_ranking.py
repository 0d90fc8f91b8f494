"""The conventions of a ranking: what is left out, what ties, what is undefined."""

import numpy as np
import pytest

import attention_core as ac

pytestmark = pytest.mark.usefixtures("one_thread")
GEOMETRIC = ["dot", "cosine", "euclidean"]


def numbers(**vectors):
    return ac.Embeddings(list(vectors), np.array(list(vectors.values()), dtype=np.float64), "some numbers")


def ranked(e, query, measure, k=100):
    return ac.compare(e, query, k=k, measures=[measure])[measure]


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


@pytest.mark.parametrize(("size", "measure"), [(s, m) for s in (1e-200, 1e30, 1e90) for m in GEOMETRIC])
def test_a_query_vector_of_any_size_ranks(size, measure):
    ranking = ranked(numbers(a=[1, 0], b=[0, 1], c=[3, 1]), [size, 0.5 * size], measure)
    assert len(ranking.words) == 3 and np.isfinite(ranking.scores).all() and ranking.why == ""


def test_a_query_vector_whose_distances_would_overflow_is_refused():
    with pytest.raises(ac.ScoringError, match=r"Number 2 of the query vector is -1e\+200"):
        ranked(numbers(a=[1, 0], b=[0, 1]), [1, -1e200], "euclidean")


# --- k


def test_more_words_than_there_are_gives_them_all():
    c = ac.compare(numbers(a=[1, 0], b=[0, 1], c=[3, 1]), "a", k=10)
    assert c.k == 2 and all(len(ranking.words) == ranking.k == 2 for ranking in c.rankings.values())


@pytest.mark.parametrize("k", [0, -1, 2.5])
def test_k_that_counts_nothing_is_refused(k):
    with pytest.raises(ac.ScoringError, match=f"{k} was given. Choose a whole number from 1"):
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
