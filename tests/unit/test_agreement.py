"""Agreement of rankings: values made by hand, published conventions, what is undefined and why."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import attention_core as ac
from tests.tolerance import tolerance

CASE = Path(__file__).parents[1] / "cases" / "embeddings" / "32_three_measures_disagree"
pytestmark = pytest.mark.usefixtures("one_thread")
FEW = tolerance(np.float64, terms=20, why="sums of at most 20 terms, each at most 1")


def numbers(**vectors):
    return ac.Embeddings(list(vectors), np.array(list(vectors.values()), dtype=np.float64), "some numbers")


def test_identical_rankings_agree_wholly():
    found = ac.agreement("abcdefg", "abcdefg")
    assert (found.overlap, found.average_overlap, found.why) == (1.0, 1.0, "")
    assert [found.kendall_tau, found.spearman, found.rbo] == pytest.approx([1, 1, 1], rel=0, abs=FEW)


def test_reversed_rankings_disagree_wholly():
    found = ac.agreement("abcdefg", "gfedcba", k=3)
    assert [found.kendall_tau, found.spearman] == pytest.approx([-1, -1], rel=0, abs=FEW)
    assert (found.overlap, found.average_overlap) == (0.0, 0.0)


def test_kendall_tau_by_hand():
    """abc and acb: two pairs in order, one reversed: (2 − 1)/3."""
    assert ac.agreement("abc", "acb").kendall_tau == pytest.approx(1 / 3, rel=0, abs=FEW)


@pytest.mark.parametrize(("second", "tau"), [("ab", 1.0), ("ba", -1.0)])
def test_two_items_are_in_order_or_reversed(second, tau):
    found = ac.agreement("ab", second)
    assert [found.kendall_tau, found.spearman] == pytest.approx([tau, tau], rel=0, abs=FEW)


def test_spearman_by_hand():
    """abcd and badc: 1 − 6·Σd²/(n(n² − 1)) = 1 − 6·4/60."""
    assert ac.agreement("abcd", "badc").spearman == pytest.approx(0.6, rel=0, abs=FEW)


@pytest.mark.parametrize(("k", "overlap", "average"), [(1, 0, 0), (2, 1 / 2, 1 / 4), (3, 1, 1 / 2), (None, 1, 1 / 2)])
def test_overlap_and_its_average_by_hand(k, overlap, average):
    """abc and bca share 0 of 1, 1 of 2 and 3 of 3."""
    found = ac.agreement("abc", "bca", k=k)
    assert [found.overlap, found.average_overlap] == pytest.approx([overlap, average], rel=0, abs=FEW)


def test_rbo_by_hand():
    """abc and bca, p = 1/2: (1 − p)/p·(0/1·p + 1/2·p² + 3/3·p³) + 3/3·p³ = 1/8 + 1/8 + 1/8."""
    assert ac.agreement("abc", "bca", p=0.5).rbo == pytest.approx(0.375, rel=0, abs=FEW)


def test_rbo_of_uneven_lists_by_hand():
    """a and ab, p = 1/2: X₁ = X₂ = 1; 1·(p/1 + p²/2) + 1·(2 − 1)/(1·2)·p² + (0/2 + 1/1)·p² = 1."""
    assert ac.agreement("a", "ab", p=0.5).rbo == pytest.approx(1.0, rel=0, abs=FEW)


def test_rbo_of_uneven_lists_that_share_an_item_late_by_hand():
    """b and ab, p = 1/2: X₁ = 0, X₂ = 1; (0 + 1/2·p²) + 0 + ((1 − 0)/2 + 0/1)·p² = 1/4."""
    assert ac.agreement("b", "ab", p=0.5).rbo == pytest.approx(0.25, rel=0, abs=FEW)


def test_lists_without_a_shared_item_do_not_overlap():
    found = ac.agreement("abc", "xyz")
    assert (found.rbo, found.overlap, found.average_overlap) == (0.0, 0.0, 0.0)


def test_at_p_of_nine_tenths_the_first_ten_ranks_carry_86_percent_of_the_weight():
    """Webber et al. 2010, eq. 21: 1 − p^(d−1) + (1−p)/p·d·(ln 1/(1−p) − Σ_{i<d} pⁱ/i)."""
    p, d = 0.9, 10
    tail = np.log(1 / (1 - p)) - sum(p**i / i for i in range(1, d))
    weight = 1 - p ** (d - 1) + (1 - p) / p * d * tail
    assert round(100 * weight) == 86 and "86 %" in ac.Agreement.__doc__


@pytest.mark.parametrize(
    ("first", "second"), list(itertools.permutations(["dot", "cosine", "euclidean", "additive"], 2))
)
def test_the_agreement_of_three_measures_that_disagree(first, second):
    wanted = json.loads((CASE / "expected.json").read_text(encoding="utf-8"))
    made = json.loads((CASE / "additive_weights.json").read_text(encoding="utf-8"))
    weights = ac.AdditiveWeights(made["W_q"], made["W_k"], made["v"])
    c = ac.compare(ac.load(CASE / "vectors.txt"), wanted["query"], k=3, weights=weights)
    pairs = wanted["agreement"]
    figures = pairs.get(f"{first} vs {second}") or pairs[f"{second} vs {first}"]
    at_three, in_full = c.agreement[first, second], c.top(6, list(c.rankings)).agreement[first, second]
    found = [at_three.kendall_tau, at_three.spearman, at_three.overlap, at_three.rbo, in_full.average_overlap]
    keys = ["kendall_tau_b", "spearman", "overlap@3", "rbo_ext_p0.9", "average_overlap"]
    assert found == pytest.approx([figures[key] for key in keys], rel=0, abs=wanted["tolerance"]["abs"])


@pytest.mark.parametrize("word", ["king", "apple"])
@pytest.mark.parametrize(("first", "second"), [("dot", "cosine"), ("cosine", "euclidean"), ("dot", "additive")])
def test_tau_and_spearman_of_real_rankings_are_those_of_scipy_on_the_scores(glove, word, first, second):
    c = ac.compare(glove, word)
    others = np.arange(len(glove)) != c.index
    x, y = (c[m].all_scores[others] * (-1 if m == "euclidean" else 1) for m in (first, second))
    atol = tolerance(np.float64, terms=8169, why="a sum over all words")
    found = c.agreement[first, second]
    assert found.kendall_tau == pytest.approx(stats.kendalltau(x, y).statistic, rel=0, abs=atol)
    assert found.spearman == pytest.approx(stats.spearmanr(x, y).statistic, rel=0, abs=atol)


def test_a_comparison_has_every_pair_in_both_orders(glove):
    found = ac.compare(glove, "king").agreement
    assert set(found) == set(itertools.permutations(ac.MEASURES, 2))
    assert found["dot", "cosine"] is found["cosine", "dot"]


# --- undefined, and why


def test_rankings_of_different_items_have_no_tau_and_say_why():
    found = ac.agreement("abc", "abx")
    assert (found.kendall_tau, found.spearman) == (None, None)
    assert "different items" in found.why and found.rbo > 0


def test_rankings_of_one_item_have_no_tau_and_say_why():
    found = ac.agreement("a", "a")
    assert (found.kendall_tau, found.spearman, found.overlap) == (None, None, 1.0)
    assert "at least two" in found.why


@pytest.mark.parametrize(("a", "b"), [("", "abc"), ("abc", ""), ("", "")])
def test_an_empty_ranking_agrees_with_nothing_and_says_why(a, b):
    found = ac.agreement(a, b, k=2)
    assert [found.kendall_tau, found.spearman, found.rbo, found.overlap, found.average_overlap] == [None] * 5
    assert found.why == "a ranking is empty"


def test_words_without_a_score_are_left_out_of_tau_and_counted():
    e = numbers(q=[1, 0], a=[2, 1], b=[1, 3], c=[-1, 1], zero=[0, 0])
    found = ac.compare(e, "q", k=2).agreement["dot", "cosine"]
    without = ac.compare(numbers(q=[1, 0], a=[2, 1], b=[1, 3], c=[-1, 1]), "q", k=2).agreement["dot", "cosine"]
    assert (found.kendall_tau, found.spearman) == (without.kendall_tau, without.spearman)
    assert found.why.startswith("1 words")


def test_a_zero_query_has_no_agreement_with_cosine_and_says_why():
    found = ac.compare(numbers(q=[0, 0], a=[2, 1], b=[1, 3], c=[0, 1]), "q").agreement["dot", "cosine"]
    assert found.kendall_tau is None and found.rbo is None and "zero vector" in found.why


def test_a_ranking_that_ties_throughout_has_no_tau_and_says_why():
    found = ac.compare(numbers(q=[0, 0], a=[2, 1], b=[1, 3], c=[0, 1]), "q").agreement["dot", "euclidean"]
    assert (found.kendall_tau, found.spearman) == (None, None) and "all items tie" in found.why
    assert found.rbo is not None


# --- refused


@pytest.mark.parametrize(("a", "b"), [("aba", "abc"), ("abc", "cca")])
def test_an_item_given_twice_is_refused_by_name(a, b):
    with pytest.raises(ac.ScoringError, match="“[ac]” twice"):
        ac.agreement(a, b)


@pytest.mark.parametrize("k", [0, -3])
def test_a_depth_below_one_is_refused(k):
    with pytest.raises(ac.ScoringError, match=f"{k} was given"):
        ac.agreement("ab", "ba", k=k)


@pytest.mark.parametrize("p", [0.0, 1.0, -0.5, 1.5, float("nan")])
def test_a_persistence_outside_zero_and_one_is_refused(p):
    with pytest.raises(ac.ScoringError, match="between 0 and 1"):
        ac.agreement("ab", "ba", p=p)
