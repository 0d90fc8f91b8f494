"""All pairs counted: against float64 and scipy, whatever the vectors are, and never more sure than they are."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.spatial.distance import pdist
from scipy.stats import binomtest

import attention_core as ac
from attention_core.similarity.distribution import histogram
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
PRODUCT = ("dot", "cosine", "euclidean")


def embeddings(matrix):
    return ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, "some words")


def pair_scores(e, measure):
    """Every pair of words once, by numpy and scipy in float64, sorted; undefined ones left out."""
    wide = e.matrix.astype(np.float64)
    if measure == "euclidean":
        return np.sort(pdist(wide))
    if measure == "cosine":
        with np.errstate(invalid="ignore"):
            wide = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    scores = (wide @ wide.T)[np.triu_indices(len(wide), 1)]
    return np.sort(scores[np.isfinite(scores)])


def vectors(name):
    rng = np.random.default_rng(0)
    made = rng.standard_normal((613, 7))
    if name == "far from the origin":
        made += 1000
    elif name == "one long vector":
        made[3] *= 1e4
    elif name == "twins and zero vectors":
        made[10:300] = 0
        made[400:500] = made[400]
    elif name == "all alike":
        made[:] = 1
    elif name == "no direction":
        made[:] = 0
    elif name == "one dimension":
        made = made[:, :1]
    elif name == "huge":
        made *= 1e37
    elif name == "tiny":
        made *= 1e-43
    elif name == "three words":
        made = made[:3]
    elif name == "two words":
        made = made[:2]
    elif name == "two clusters":
        made[::2] = made[0] + 1e-4 * made[::2]
    return embeddings(made)


KINDS = ["ordinary", "far from the origin", "one long vector", "twins and zero vectors", "all alike", "no direction",
         "one dimension", "huge", "tiny", "three words", "two words", "two clusters"]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_pair_is_counted_within_rounding_of_its_bin(kind):
    e = vectors(kind)
    found = ac.distributions(e, PRODUCT)
    for measure in PRODUCT:
        expected, counted = pair_scores(e, measure), found[measure]
        assert counted.pairs == counted.population == len(expected)
        if not len(expected):
            assert "fewer than two vectors differ from zero" in counted.why
            continue
        below, inner = np.cumsum(counted.counts)[:-1], counted.edges[1:-1]
        assert (np.searchsorted(expected, inner - counted.rounding, side="left") <= below).all(), measure
        assert (below <= np.searchsorted(expected, inner + counted.rounding, side="right")).all(), measure


@pytest.mark.parametrize("kind", KINDS)
def test_the_extremes_are_those_of_float64_and_name_their_pair(kind):
    e = vectors(kind)
    for measure, found in ac.distributions(e, PRODUCT).items():
        expected = pair_scores(e, measure)
        if len(expected):
            size = tolerance(
                np.float64, terms=e.dimension, why="a sum in float64", scale=max(1e-300, np.abs(expected).max())
            )
            assert abs(found.highest.score - expected[-1]) <= found.rounding + size
            assert abs(found.lowest.score - expected[0]) <= found.rounding + size
            first, second = (e.matrix[[row]].astype(np.float64) for row in found.highest[1:])
            assert abs(ac.score(first, second, measure)[0, 0] - found.highest.score) <= size


@pytest.mark.parametrize("kind", KINDS)
def test_the_estimates_lie_in_their_intervals(kind):
    e = vectors(kind)
    for measure, found in ac.distributions(e, PRODUCT).items():
        expected = pair_scores(e, measure)
        if not len(expected):
            continue
        size = tolerance(np.float64, terms=len(expected), why="a mean in float64", scale=np.abs(expected).max())
        assert found.mean.low - size <= expected.mean() <= found.mean.high + size
        for share in (0.001, 0.25, 0.5, 0.99):
            quantile = np.quantile(expected, share, method="inverted_cdf")
            low, high = found.quantile(share)[1:]
            assert low - found.rounding - size <= quantile <= high + found.rounding + size


def test_threads_change_nothing():
    e = vectors("twins and zero vectors")
    alone = ac.distributions(e, PRODUCT)
    torch.set_num_threads(2)
    try:
        together = ac.distributions(e, PRODUCT)
    finally:
        torch.set_num_threads(1)
    for measure in PRODUCT:
        np.testing.assert_array_equal(together[measure].counts, alone[measure].counts)
        assert (together[measure].lowest, together[measure].highest) == (alone[measure].lowest, alone[measure].highest)


def test_the_figures_of_glove(glove):
    """The mean and deviation of the cosine over random pairs, measured elsewhere in float64."""
    found = ac.distributions(glove, PRODUCT)
    cosines = found["cosine"]
    assert cosines.pairs == 8170 * 8169 // 2 and not cosines.sampled
    assert abs(cosines.mean.value - 0.22323843) < 3 * 0.18731520 / 1_000  # of a million random pairs
    assert abs(cosines.deviation - 0.18731520) < 3 * 0.1873 / 1_000
    unit = glove.matrix.astype(np.float64) / glove.norms[:, None]
    everything = (unit.sum(0) @ unit.sum(0) - 8170) / (8170 * 8169)  # the mean over all pairs, in closed form
    assert abs(cosines.mean.value - everything) < 1e-6
    assert (
        abs(np.sqrt((np.sum((unit.T @ unit) ** 2) - 8170) / (8170 * 8169) - everything**2) - cosines.deviation) < 1e-6
    )
    assert {found["cosine"].highest[1:], found["euclidean"].lowest[1:]} == {
        (glove.index("tuesday"), glove.index("monday"))
    }


def test_a_percentile_is_the_share_that_is_farther():
    e = vectors("ordinary")
    for measure, found in ac.distributions(e, PRODUCT).items():
        expected = pair_scores(e, measure)
        for score in np.quantile(expected, [0.01, 0.5, 0.9999]):
            farther = np.mean(expected > score) if measure == "euclidean" else np.mean(expected < score)
            value, low, high = found.percentile(float(score))
            assert low - 2 / len(expected) <= farther <= high + 2 / len(expected) and low <= value <= high


def test_a_score_beyond_all_pairs_has_the_share_0_or_1():
    found = ac.distribution(vectors("ordinary"), "euclidean")
    assert found.percentile(-1.0) == (1, 1, 1) and found.percentile(1e9) == (0, 0, 0)
    alike = ac.distribution(vectors("all alike"), "dot")
    assert alike.constant and alike.percentile(8.0).value == 1 and alike.percentile(6.0).value == 0


@pytest.mark.parametrize("measure", [m for m in ac.MEASURES.values() if m.product_form], ids=lambda m: m.name)
def test_a_score_is_the_closeness_or_its_root(measure):
    form, e = measure.product_form, vectors("ordinary")
    wide, norms = e.matrix.astype(np.float64), e.norms
    closeness = replace(form, score=lambda found: found)(wide @ wide.T, norms[:, None], norms)
    read = np.sqrt(np.maximum(-2 * closeness, 0)) if form.squared_distance else closeness
    np.testing.assert_allclose(read, form.score(closeness), rtol=1e-12, atol=1e-12)


# --- samples


@pytest.mark.parametrize("measure", [*PRODUCT, "additive"])
def test_a_sample_says_so_and_its_intervals_hold(measure):
    e = vectors("twins and zero vectors")
    whole = ac.distribution(e, measure)
    held = 0
    for seed in range(20):
        some = ac.distribution(e, measure, sampling=ac.Sampling(size=3_001, budget=0, seed=seed))
        assert some.sampled and some.seed == seed and some.pairs <= 3_001
        assert some.population == whole.population
        low, high = some.percentile(whole.quantile(0.9).value)[1:]
        held += low <= whole.percentile(whole.quantile(0.9).value).value <= high
    assert held >= 15  # of 20 intervals of 95 %: fewer has a probability of 0.0003


def test_the_interval_of_a_share_is_that_of_clopper_and_pearson():
    some = ac.distribution(vectors("ordinary"), "dot", sampling=ac.Sampling(size=1_009, budget=0))
    edge = int(len(some.counts) * 0.7)
    below = int(some.counts[:edge].sum())
    bound = binomtest(below, 1_009).proportion_ci(0.95, method="exact")
    within = int(some.counts[edge])
    upper = binomtest(below + within, 1_009).proportion_ci(0.95, method="exact")
    found = some.below(float(some.edges[edge]))
    assert abs(found.low - bound.low) < 1e-9 and abs(found.high - upper.high) < 1e-9


def test_additive_scores_of_few_words_are_counted_in_both_orders():
    e, weights = embeddings(np.random.default_rng(0).standard_normal((53, 7))), ac.AdditiveWeights.random(7, 7, seed=3)
    found = ac.distribution(e, "additive", weights=weights)
    scores = ac.score(e.matrix.astype(np.float64), e.matrix.astype(np.float64), "additive", weights)
    expected = np.sort(scores[~np.eye(53, dtype=bool)])
    assert found.pairs == found.population == 53 * 52 and not found.sampled
    below, inner = np.cumsum(found.counts)[:-1], found.edges[1:-1]
    assert (np.searchsorted(expected, inner - found.rounding) <= below).all()
    assert (below <= np.searchsorted(expected, inner + found.rounding)).all()


def test_the_errors_of_a_histogram_are_binomial():
    some = ac.distribution(vectors("ordinary"), "dot", sampling=ac.Sampling(size=1_009, budget=0))
    shown = histogram(some, 20)
    shares = shown.counts / 1_009
    assert shown.counts.sum() == 1_009 and len(shown.counts) <= 24
    np.testing.assert_allclose(shown.errors, np.sqrt(1_009 * shares * (1 - shares)))
    assert not histogram(ac.distribution(vectors("ordinary"), "dot"), 20).errors.any()


def test_a_wide_outer_bin_of_a_histogram_stays_alone():
    found = ac.distribution(vectors("one long vector"), "euclidean")
    widths = np.diff(histogram(found, 40).edges)
    assert widths[-1] > 10 * np.median(widths) and histogram(found, 40).counts.sum() == found.pairs


# --- what is asked in vain, and work that is stopped


def test_zero_vectors_are_counted_as_undefined():
    found = ac.distributions(vectors("twins and zero vectors"), ["dot", "cosine"])
    assert found["dot"].undefined == 0
    assert found["cosine"].undefined == 613 * 612 // 2 - 323 * 322 // 2


def test_a_sample_without_any_score_says_so():
    matrix = np.zeros((2_003, 3))
    matrix[:2] = np.eye(2, 3)
    found = ac.distribution(embeddings(matrix), "cosine", sampling=ac.Sampling(size=11, budget=0))
    assert found.pairs == 0 and found.population == 1 and "all pairs drawn hold a zero vector" in found.why


def test_without_a_distribution_an_estimate_is_refused_and_says_why():
    nothing = ac.distribution(vectors("no direction"), "cosine")
    for ask in (lambda: nothing.mean, lambda: nothing.quantile(0.5), lambda: nothing.percentile(0.5)):
        with pytest.raises(ac.ScoringError, match=r"fewer than two vectors differ from zero.*Choose"):
            ask()


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (lambda: ac.distribution(embeddings(np.ones((1, 3))), "dot"), "there is one word. Load two"),
        (lambda: ac.distribution(vectors("ordinary"), "manhattan"), "There is no measure “manhattan”. Choose"),
        (lambda: ac.distribution(vectors("ordinary"), "dot", bins=3), "From 16 to 32,000 bins.*Choose"),
        (lambda: ac.Sampling(size=0), "at least one pair.*Choose"),
        (lambda: ac.distribution(vectors("ordinary"), "dot").percentile(float("nan")), "nan was given. Give"),
    ],
)
def test_what_cannot_be_is_refused(ask, answer):
    with pytest.raises(ac.ScoringError, match=answer):
        ask()


@pytest.mark.parametrize("sampling", [None, ac.Sampling(size=200_000, budget=0)], ids=["all pairs", "a sample"])
def test_progress_ends_at_the_total_and_stops_when_told(sampling):
    e, told = vectors("ordinary"), []
    ac.distribution(e, "dot", sampling=sampling, progress=lambda *pair: told.append(pair))
    assert told == sorted(told) and told[-1][0] == told[-1][1] and len(told) > 1

    def stop(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        ac.distribution(e, "dot", sampling=sampling, progress=stop)
