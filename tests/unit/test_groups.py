"""Word groups: their scores and their separation, against plain numpy and scipy."""

import itertools

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

import attention_core as ac

pytestmark = pytest.mark.usefixtures("one_thread")


def words_and_vectors(n, d=7):
    return ac.Embeddings([f"w{i}" for i in range(n)], np.random.default_rng(0).standard_normal((n, d)), "some words")


@pytest.mark.parametrize("measure", ["dot", "cosine", "euclidean", "additive"])
def test_pairs_inside_and_outward_are_scored_and_separated(measure):
    e = words_and_vectors(53)
    groups = [["w3", "w1", "w8"], ["w5", "w6"]]
    weights = ac.AdditiveWeights.random(7, 7, seed=0) if measure == "additive" else None
    wide = e.matrix.astype(np.float64)
    scores = ac.score(wide, wide, measure, weights)
    members = sorted({e.index(word) for group in groups for word in group})
    inside = [scores[e.index(a), e.index(b)] for group in groups for a, b in itertools.combinations(group, 2)]
    others = [i for i in range(53) if i not in members]
    outward = scores[np.ix_(members, others)].ravel()
    found = ac.group_scores(e, groups, measure)
    np.testing.assert_allclose(found.within, inside, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.sort(found.outward), np.sort(outward), rtol=1e-5, atol=1e-5)
    share = mannwhitneyu(inside, outward).statistic / (len(inside) * len(outward))
    assert abs(found.separation.value - (1 - share if measure == "euclidean" else share)) < 1e-6
    assert found.separation.low == found.separation.value and found.seed is None and found.others == 48


def test_many_other_words_are_drawn_and_the_interval_holds_the_truth():
    e = words_and_vectors(20_507, d=3)
    group = [[f"w{i}" for i in range(7)]]
    wide = e.matrix.astype(np.float64)
    outward = (wide[:7] @ wide[7:].T).ravel()
    inside = [wide[i] @ wide[j] for i, j in itertools.combinations(range(7), 2)]
    truth = mannwhitneyu(inside, outward).statistic / (len(inside) * len(outward))
    found = ac.group_scores(e, group, "dot", seed=1)
    assert (found.seed, found.others, found.outside) == (1, 20_000, 20_500)
    assert found.separation.low <= truth <= found.separation.high
    assert 0 < found.separation.high - found.separation.low < 0.01


def test_a_group_of_one_word_has_no_pair_and_no_separation():
    found = ac.group_scores(words_and_vectors(11), [["w3"]], "cosine")
    assert len(found.within) == 0 and found.separation is None and len(found.outward) == 10


def test_a_zero_vector_has_no_part_in_a_separation_by_cosine():
    matrix = np.random.default_rng(0).standard_normal((13, 3))
    matrix[[1, 9]] = 0
    e = ac.Embeddings([f"w{i}" for i in range(13)], matrix, "some words")
    found = ac.group_scores(e, [["w0", "w1", "w2"]], "cosine")
    assert len(found.within) == 1 and len(found.outward) == 2 * 9 and 0 <= found.separation.value <= 1


@pytest.mark.parametrize(("source", "group"), [("glove-en", "royalty"), ("wiki-zh", "王室"), ("minilm-en", "fruit")])
def test_the_groups_are_those_of_the_language(source, group):
    e = ac.sample(source)
    found = ac.word_groups(e)
    assert group in found
    assert all(word in e for known in found.values() for word in known.words)
    assert not any(word in e for known in found.values() for word in known.missing)


def test_vectors_without_any_word_of_a_group_have_none():
    assert not ac.word_groups(words_and_vectors(5))


def test_no_group_and_an_unknown_word_are_refused():
    with pytest.raises(ac.ScoringError, match="No group of words was given. Give"):
        ac.group_scores(words_and_vectors(5), [], "dot")
    with pytest.raises(ac.UnknownWordError):
        ac.group_scores(words_and_vectors(5), [["w1", "absent"]], "dot")


def test_weights_are_left_to_the_measure_that_has_some():
    e, weights = words_and_vectors(11), ac.AdditiveWeights.random(7, 7, seed=3)
    for measure in ac.MEASURES:
        same = (
            ac.group_scores(e, [["w1", "w2"]], measure, weights).within
            == ac.group_scores(e, [["w1", "w2"]], measure).within
        )
        assert same.all() == (measure != "additive")
