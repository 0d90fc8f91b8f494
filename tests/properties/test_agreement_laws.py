"""What holds for the agreement of any two rankings, against scipy and against formulas written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import attention_core as ac
from tests.tolerance import tolerance

QUICK = settings(max_examples=60, deadline=None, derandomize=True)
PERSISTENCE = st.sampled_from([0.1, 0.5, 0.9, 0.98])
LISTS = st.lists(st.integers(0, 30), min_size=1, max_size=23, unique=True)
FEW = tolerance(np.float64, terms=31, why="sums of at most 31 terms, each at most 1")


@st.composite
def permutations(draw):
    items = list(range(draw(st.integers(3, 29))))
    return draw(st.permutations(items)), draw(st.permutations(items))


def rbo_ext(one, other, p):
    """RBO_EXT of Webber, Moffat and Zobel (2010), equation 32, term by term: S the shorter list, L the longer."""
    short, long = sorted((one, other), key=len)
    s, l = len(short), len(long)  # noqa: E741 - the paper's names

    def x(d):
        return len(set(short[:d]) & set(long[:d]))

    total = sum(x(d) / d * p**d for d in range(1, l + 1))
    total += sum(x(s) * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * total + ((x(l) - x(s)) / l + x(s) / s) * p**l


@QUICK
@given(LISTS, LISTS, PERSISTENCE)
def test_rbo_is_equation_32_of_webber_et_al(a, b, p):
    assert ac.agreement(a, b, p=p).rbo == pytest.approx(rbo_ext(a, b, p), rel=0, abs=FEW)


@QUICK
@given(LISTS, LISTS, PERSISTENCE)
def test_rbo_lies_between_none_and_all(a, b, p):
    assert -FEW <= ac.agreement(a, b, p=p).rbo <= 1 + FEW


@QUICK
@given(LISTS, PERSISTENCE)
def test_a_ranking_agrees_wholly_with_itself(items, p):
    found = ac.agreement(items, items, p=p)
    assert (found.overlap, found.average_overlap) == (1.0, 1.0)
    assert found.rbo == pytest.approx(1, rel=0, abs=FEW)


@QUICK
@given(LISTS, LISTS, st.integers(1, 25))
def test_agreement_is_the_same_both_ways(a, b, k):
    one, other = ac.agreement(a, b, k=k), ac.agreement(b, a, k=k)
    assert (one.overlap, one.average_overlap, one.rbo) == (other.overlap, other.average_overlap, other.rbo)


@QUICK
@given(permutations())
def test_tau_and_spearman_are_those_of_scipy(pair):
    a, b = pair
    found = ac.agreement(a, b)
    x, y = (np.argsort(items) for items in (a, b))
    atol = tolerance(np.float64, terms=29, why="sums over at most 29 items")
    assert found.kendall_tau == pytest.approx(stats.kendalltau(x, y).statistic, rel=0, abs=atol)
    assert found.spearman == pytest.approx(stats.spearmanr(x, y).statistic, rel=0, abs=atol)


@QUICK
@given(LISTS, LISTS, st.integers(1, 40))
def test_overlap_is_what_the_first_k_share(a, b, k):
    found = ac.agreement(a, b, k=k)
    depth = min(k, len(a), len(b))
    shares = [len(set(a[:d]) & set(b[:d])) / d for d in range(1, depth + 1)]
    assert found.k == depth and found.overlap == shares[-1]
    assert found.average_overlap == pytest.approx(sum(shares) / depth, rel=0, abs=FEW)


@QUICK
@given(permutations(), st.integers(0, 10))
def test_names_of_items_do_not_matter(pair, shift):
    a, b = pair
    renamed = ac.agreement([f"word {i + shift}" for i in a], [f"word {i + shift}" for i in b])
    assert renamed == ac.agreement(a, b)
