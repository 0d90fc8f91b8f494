"""Judgements against scipy on the same pairs, figures of another program, and resamples drawn one by one."""

import json
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import attention_core as ac
from attention_core.similarity import bootstrap
from attention_core.similarity.tables import JudgedPairs
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
EVERYTHING = json.loads((Path(__file__).parents[1] / "oracles/reference.json").read_text(encoding="utf-8"))
REFERENCE = EVERYTHING["en_glove50"]["judgements"]
TABLES = ["wordsim353", "rg65"]
GEOMETRIC = {"dot": "dot", "cosine": "cosine", "euclidean": "neg_euclidean"}
ROUNDING = tolerance(np.float64, terms=353, why="ranks of 353 pairs are summed")


@pytest.fixture(scope="module")
def found(glove):
    return {table: ac.judge(glove, table) for table in TABLES}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("measure", GEOMETRIC)
def test_rho_and_its_interval_are_those_of_the_reference(found, table, measure):
    judged, expected = found[table][measure], REFERENCE[table]
    assert judged.rho == pytest.approx(expected[GEOMETRIC[measure]], rel=0, abs=ROUNDING)
    assert (judged.pairs, judged.covered, judged.missing) == (expected["pairs"], expected["covered"], ())
    # the reference draws the same pairs: numpy's default_rng(0).integers(0, n, (2000, n))
    np.testing.assert_allclose(judged.interval, expected["boot95"][GEOMETRIC[measure]], rtol=0, atol=ROUNDING)


def margin(judgements, first, second):
    return next(m for m in judgements.margins if (m.first, m.second) == (first, second))


@pytest.mark.parametrize(
    ("table", "first", "second", "figure", "sign"),
    [
        ("wordsim353", "cosine", "dot", "boot95_cos_minus_dot", 1),
        ("wordsim353", "cosine", "euclidean", "boot95_cos_minus_euc", 1),
        ("rg65", "cosine", "dot", "boot95_cos_minus_dot", 1),
        ("rg65", "euclidean", "cosine", "boot95_cos_minus_euc", -1),
    ],
)
def test_paired_differences_are_those_of_the_reference(found, table, first, second, figure, sign):
    difference = margin(found[table], first, second)
    expected = REFERENCE[table][figure]
    np.testing.assert_allclose(sorted(sign * np.array(difference.interval)), expected, rtol=0, atol=ROUNDING)
    assert difference.told == (expected[0] > 0 or expected[1] < 0)


def test_cosine_beats_dot_by_what_the_page_says(found):
    difference = margin(found["wordsim353"], "cosine", "dot")
    assert (round(difference.value, 3), *(round(end, 3) for end in difference.interval)) == (0.037, 0.002, 0.074)


def test_another_seed_gives_the_same_interval_up_to_monte_carlo_error(glove, found):
    judged, other = found["wordsim353"]["cosine"], ac.judge(glove, "wordsim353", ["cosine"], seed=1)["cosine"]
    sd = np.ptp(judged.interval) / (2 * stats.norm.ppf(0.975))
    density = stats.norm.pdf(stats.norm.ppf(0.975)) / sd
    error = np.sqrt(0.025 * 0.975 / bootstrap.RESAMPLES) / density  # of a quantile of so many draws
    np.testing.assert_allclose(judged.interval, other.interval, rtol=0, atol=4 * np.sqrt(2) * error)
    assert judged.interval != other.interval


@pytest.mark.parametrize("measure", ac.MEASURES)
def test_correlations_are_those_of_scipy(glove, found, measure):
    judgements = found["wordsim353"]
    weights = ac.AdditiveWeights.random(50, 50, seed=0) if measure == "additive" else None
    rows = [[glove.index(word.lower()) for word in pair] for pair in judgements.table.pairs]
    scores = [ac.score(glove.matrix[[a]], glove.matrix[[b]], measure, weights)[0, 0] for a, b in rows]
    rounded = np.array([float(f"{score:.12g}") for score in scores])  # where the same pair occurs again, it ties
    closeness = rounded * (-1 if measure == "euclidean" else 1)
    judged, human = judgements[measure], np.array(judgements.table.scores)
    assert judged.rho == pytest.approx(stats.spearmanr(human, closeness).statistic, rel=0, abs=ROUNDING)
    assert judged.pearson == pytest.approx(stats.pearsonr(human, closeness).statistic, rel=0, abs=1e3 * ROUNDING)
    np.testing.assert_allclose(judged.scores, scores, rtol=1e-12)
    expected = stats.rankdata(-human) - stats.rankdata(-closeness)
    np.testing.assert_array_equal(judged.residuals, expected)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), min_size=3, max_size=12))
def test_a_resample_has_the_rho_that_scipy_finds_on_its_pairs(items):
    human, scores = np.array(items, dtype=float).T
    [counts] = list(bootstrap.drawn(len(items), seed=3))
    rhos = bootstrap.spearman(human, scores[None], seed=3)[:, 0]
    for row in range(20):
        drawn = np.repeat(np.arange(len(items)), counts[:, row].astype(int))
        if np.ptp(human[drawn]) == 0 or np.ptp(scores[drawn]) == 0:
            assert np.isnan(rhos[row])
        else:
            expected = stats.spearmanr(human[drawn], scores[drawn]).statistic
            assert rhos[row] == pytest.approx(expected, rel=0, abs=ROUNDING)


def table(*rows):
    return JudgedPairs("mine", tuple((a, b) for a, b, _ in rows), tuple(float(score) for *_, score in rows))


def small(matrix=((3, 4), (4, 3), (-1, 2), (0, 5), (0, 0))):
    return ac.Embeddings(["a", "b", "c", "d", "zero"], np.array(matrix, dtype=float), "five words")


@pytest.mark.parametrize(
    ("rows", "covered", "why"),
    [
        ([("x", "y", 1), ("x", "a", 2)], 0, "no pair has both of its words among the vectors"),
        ([("a", "b", 1)], 1, "a correlation needs three pairs or more, and 1 can be scored"),
        ([("a", "b", 5), ("a", "c", 5), ("b", "c", 5)], 3, "people gave all 3 pairs the same score"),
        ([("a", "a", 1), ("b", "b", 2), ("c", "c", 3)], 3, "all 3 pairs have the same cosine"),
    ],
)
def test_what_cannot_be_correlated_is_undefined_and_says_why(rows, covered, why):
    judged = ac.judge(small(), table(*rows), ["cosine"])["cosine"]
    assert (judged.rho, judged.interval, judged.pearson, judged.covered) == (None, None, None, covered)
    assert judged.why == why


def test_nothing_is_compared_where_one_measure_is_undefined():
    judgements = ac.judge(small(), table(("a", "a", 1), ("b", "b", 2), ("c", "c", 3)), ["cosine", "dot"])
    assert judgements["cosine"].rho is None and judgements["dot"].rho is not None and judgements.margins == ()


def test_pairs_with_a_zero_vector_are_left_out_for_every_measure():
    rows = [("a", "b", 3), ("a", "c", 1), ("b", "d", 2), ("a", "zero", 9)]
    judgements = ac.judge(small(), table(*rows))
    assert judgements.zero == 1 and {judged.covered for judged in judgements.values()} == {3}
    assert not any(np.isnan(judged.scores).any() for judged in judgements.values())


def test_words_outside_the_vocabulary_are_listed_once():
    judged = ac.judge(small(), table(("x", "a", 1), ("a", "x", 2), ("Y", "b", 2), ("A", "B", 3)), ["dot"])["dot"]
    assert judged.missing == ("x", "Y") and judged.covered == 1


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e36])
def test_scores_of_any_size_are_correlated(size):
    rows = [("a", "b", 3), ("a", "c", 1), ("b", "d", 2)]
    expected = ac.judge(small(), table(*rows), ["dot", "cosine"])
    scaled = ac.judge(
        small(np.array([(3, 4), (4, 3), (-1, 2), (0, 5), (0, 0)]) * size), table(*rows), ["dot", "cosine"]
    )
    for measure in expected:
        assert scaled[measure].rho == expected[measure].rho
        assert scaled[measure].pearson == pytest.approx(expected[measure].pearson, rel=1e-6)


def test_one_dimension_and_one_word_are_answered():
    e = ac.Embeddings(["a"], [[2.0]], "one word")
    judged = ac.judge(e, table(("a", "a", 1), ("a", "a", 2), ("a", "a", 3)), ["dot"])["dot"]
    assert judged.rho is None and judged.why == "all 3 pairs have the same dot product"


def test_a_file_and_its_table_give_the_same(glove):
    content = b"first,second,score\ntiger,cat,7.35\nbook,paper,7.46\nking,cabbage,0.23\nmoney,cash,9.15\n"
    judged = ac.judge(glove, BytesIO(content), ["cosine"])
    assert judged["cosine"].pairs == 4 and judged.human.tolist() == [7.35, 7.46, 0.23, 9.15]


def test_progress_is_told_and_may_stop_the_work(glove):
    told = []
    ac.judge(glove, "rg65", ["dot"], progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2000, 2000)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ac.judge(glove, "rg65", ["dot"], progress=stop)


def test_an_unknown_measure_is_refused(glove):
    with pytest.raises(ac.ScoringError, match="no measure “manhattan”"):
        ac.judge(glove, "rg65", ["manhattan"])
