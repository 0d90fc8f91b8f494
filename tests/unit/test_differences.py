"""The figures that say why two measures name different neighbours, against brute force."""

import itertools

import numpy as np
import pytest

import attention_core as ac
from attention_core.similarity.differences import difference
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
PAIRS = list(itertools.permutations(["dot", "cosine", "euclidean"], 2))


def brute_force(e, query, word, rank):
    """Every figure of one word in plain float64, the vector rescaled to the median norm and ranked anew."""
    x = e.matrix.astype(np.float64)
    row, norms = e.words.index(word), np.sqrt((x**2).sum(axis=1))
    rescaled = x.copy()
    rescaled[row] *= np.median(norms) / norms[row]
    products = rescaled @ x[e.words.index(query)]
    ahead = np.sum(np.delete(products, [row, e.words.index(query)]) > products[row])
    return word, rank, norms[row], np.mean(norms < norms[row]), ahead + 1


@pytest.mark.parametrize("query", ["king", "apple", "paris"])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_figures_of_every_entrant_are_those_of_brute_force(glove, query, first, second):
    c = ac.compare(glove, query, measures=["dot", "cosine", "euclidean"])
    found = difference(glove, c, first, second)
    atol = tolerance(np.float64, terms=50, scale=11, why="50 squares; norms below 11")
    for measure, entrants in ((first, found.only_first), (second, found.only_second)):
        ranks = dict(zip(c[measure].words, c[measure].ranks, strict=True))
        for one in entrants:
            word, rank, norm, longer_than, at_median = brute_force(glove, query, one.word, ranks[one.word])
            assert (one.word, one.rank, one.longer_than, one.rank_at_median) == (word, rank, longer_than, at_median)
            assert one.norm == pytest.approx(norm, rel=0, abs=atol)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_shared_words_and_entrants_make_up_both_lists(glove, first, second):
    c = ac.compare(glove, "king", k=13, measures=["dot", "cosine", "euclidean"])
    found = difference(glove, c, first, second)
    assert (found.first, found.second, found.k) == (first, second, 13)
    assert found.shared == len(set(c[first].words) & set(c[second].words))
    assert [e.word for e in found.only_first] == [w for w in c[first].words if w not in c[second].words]
    assert [e.word for e in found.only_second] == [w for w in c[second].words if w not in c[first].words]


def small():
    vectors = {"q": [1, 0], "long": [4, 3], "short": [0.5, 0], "same": [3, -0.5], "zero": [0, 0]}
    return ac.Embeddings(list(vectors), np.array(list(vectors.values())), "five words")


def test_the_figures_by_hand():
    """Median norm 1: long becomes (0.8, 0.6), behind same (3) and before short (0.5) and zero."""
    e = small()
    found = difference(e, ac.compare(e, "q", k=1), "dot", "cosine")
    assert (found.shared, [one.word for one in found.only_first]) == (0, ["long"])
    entrant = found.only_first[0]
    assert (entrant.rank, entrant.norm, entrant.longer_than, entrant.rank_at_median) == (1, 5.0, 0.8, 2)


def test_a_short_word_gains_places_at_the_median_norm():
    """short becomes (1, 0), behind long (4) and same (3)."""
    e = small()
    entrant = difference(e, ac.compare(e, "q", k=1), "dot", "cosine").only_second[0]
    assert (entrant.word, entrant.longer_than, entrant.rank_at_median) == ("short", 0.2, 3)


def test_a_zero_vector_stays_where_it_is():
    """Every other product is above its 0."""
    e = ac.Embeddings(["q", "zero", "far", "a"], np.array([[1.0, 0], [0, 0], [9, 0], [5, 5]]), "four words")
    entrant = difference(e, ac.compare(e, "q", k=1), "dot", "euclidean").only_second[0]
    assert (entrant.word, entrant.norm, entrant.longer_than, entrant.rank_at_median) == ("zero", 0.0, 0.0, 3)


def test_measures_that_agree_leave_no_entrants():
    e = small()
    found = difference(e, ac.compare(e, "q", k=4), "dot", "euclidean")
    assert (found.shared, found.only_first, found.only_second) == (4, (), ())


def test_a_query_vector_competes_with_every_word():
    """At the median norm, 1, long has 0.8; q itself has 1 and same has 3."""
    e = small()
    entrant = difference(e, ac.compare(e, [1, 0], k=1), "dot", "euclidean").only_first[0]
    assert (entrant.word, entrant.rank_at_median) == ("long", 3)


@pytest.mark.parametrize(("k", "same"), [(1, False), (4, False)])
def test_measures_that_put_words_in_another_order_are_told_apart(k, same):
    e = small()
    assert difference(e, ac.compare(e, "q", k=k), "dot", "cosine").same_order is same


def test_measures_that_agree_in_order_are_known():
    e = ac.Embeddings(["q", "a", "b"], [[1, 0], [0.9, 0.1], [0.1, 0.9]], "x")
    assert difference(e, ac.compare(e, "q", k=2), "dot", "cosine").same_order is True
