"""glove-en against reference.json: figures computed in float64 by another program, without this code."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import attention_core as ac
from tests.tolerance import tolerance

EVERYTHING = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
REFERENCE = EVERYTHING["en_glove50"]
GEOMETRIC = ["dot", "cosine", "euclidean"]
PAIRS = [("dot", "cosine"), ("cosine", "euclidean"), ("dot", "euclidean")]
DRAWS, QUERIES = 200_000, 300
pytestmark = pytest.mark.usefixtures("one_thread")


def theirs(measure):
    return "neg_euclidean" if measure == "euclidean" else measure


@pytest.fixture(scope="module")
def draws(glove):
    """Pairs (2, 200,000), then queries (300,), as the reference drew them: one generator, seed 0."""
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, len(glove), (2, DRAWS))
    return pairs, rng.choice(len(glove), QUERIES, replace=False)


@pytest.mark.parametrize(("word", "measure"), [(w, m) for w in REFERENCE["neighbours"] for m in GEOMETRIC])
def test_the_ten_neighbours_are_those_of_the_reference(glove, word, measure):
    ranking = ac.compare(glove, word, measures=[measure])[measure]
    assert list(ranking.words) == [neighbour for neighbour, _ in REFERENCE["neighbours"][word][theirs(measure)]]


@pytest.mark.parametrize(("word", "measure"), [(w, m) for w in REFERENCE["neighbours"] for m in GEOMETRIC])
def test_the_scores_are_those_of_the_reference(glove, word, measure):
    ranking = ac.compare(glove, word, measures=[measure])[measure]
    expected = np.array([score for _, score in REFERENCE["neighbours"][word][theirs(measure)]])
    atol = tolerance(np.float64, terms=50, scale=30, decimals=6, why="50 products, scores below 30, printed rounded")
    np.testing.assert_allclose(ranking.scores, abs(expected), rtol=0, atol=atol)


@pytest.fixture(scope="module")
def neighbours(glove, one_thread):
    """The ten nearest rows of every word, by measure."""
    found = ac.rank(glove, list(glove.words), k=10, measures=GEOMETRIC)
    return {measure: indices for measure, (indices, _) in found.items()}


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_mean_overlap_of_the_ten_nearest_of_all_words(neighbours, first, second):
    pairs = zip(neighbours[first].tolist(), neighbours[second].tolist(), strict=True)
    shared = [len(set(one) & set(other)) / 10 for one, other in pairs]
    expected = REFERENCE["overlap_at_10_all_words"][f"{theirs(first)}|{theirs(second)}"]
    one_word = 0.1 / len(shared)
    assert np.mean(shared) == pytest.approx(expected, rel=0, abs=one_word / 2), "not one neighbour differs"


@pytest.mark.parametrize("measure", GEOMETRIC)
def test_how_often_words_are_neighbours_of_others(glove, neighbours, measure):
    counts = np.bincount(neighbours[measure].ravel(), minlength=len(glove))
    expected = REFERENCE["hubness"][theirs(measure)]
    assert dict(expected["top_hubs"]) == {w: int(counts[glove.index(w)]) for w, _ in expected["top_hubs"]}
    assert counts.max() == expected["max_Nk"] and np.mean(counts == 0) == expected["anti_hubs_frac_Nk0"]
    atol = tolerance(np.float64, terms=len(glove), scale=expected["skewness_k10"], why="moments of all counts")
    assert stats.skew(counts) == pytest.approx(expected["skewness_k10"], rel=0, abs=atol)


@pytest.fixture(scope="module")
def taus(glove, draws, one_thread):
    """Mean tau-b over the full rankings of the 300 queries, by pair."""
    found = []
    for row in draws[1]:
        c = ac.compare(glove, glove.words[row], measures=GEOMETRIC)
        ranks = {m: np.delete(c[m].all_ranks, row) for m in GEOMETRIC}
        found.append([stats.kendalltau(ranks[a], ranks[b], method="asymptotic").statistic for a, b in PAIRS])
        if row in draws[1][:2]:
            assert [c.agreement[pair].kendall_tau for pair in PAIRS] == found[-1]
    return dict(zip(PAIRS, np.mean(found, axis=0), strict=True))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_mean_tau_of_full_rankings(taus, first, second):
    expected = REFERENCE["kendall_tau_b_mean_full_ranking"][f"{theirs(first)}|{theirs(second)}"]
    one_pair = 2 / (8169 * 8168 / 2)
    assert taus[first, second] == pytest.approx(expected, rel=0, abs=one_pair), "as if one pair in each were swapped"


@pytest.mark.parametrize("figure", ["min", "mean", "median", "max"])
def test_the_norms_are_those_of_the_reference(glove, figure):
    found = getattr(np, figure)(glove.norms)
    atol = tolerance(np.float64, terms=50, scale=11, why="50 squares, norms below 11")
    assert found == pytest.approx(REFERENCE["space"]["norm"][figure], rel=0, abs=atol)


@pytest.mark.parametrize(("figure", "find"), [("argmin", np.argmin), ("argmax", np.argmax)])
def test_the_shortest_and_the_longest_word(glove, figure, find):
    assert glove.words[int(find(glove.norms))] == REFERENCE["space"]["norm"][figure]


@pytest.mark.parametrize(
    ("figure", "centred"), [("", False), ("_after_centering", True)], ids=["as shipped", "centred"]
)
def test_the_mean_cosine_of_random_pairs(glove, draws, figure, centred):
    unit = (glove.centred() if centred else glove).normalised().matrix.astype(np.float64)
    first, second = draws[0]
    keep = first != second
    cosines = np.einsum("nd,nd->n", unit[first[keep]], unit[second[keep]])
    expected = REFERENCE["space"][f"mean_cosine_random_pairs{figure}"]
    atol = tolerance(np.float32, terms=3, why="centred and unit vectors are kept in float32")
    assert cosines.mean() == pytest.approx(expected, rel=0, abs=atol)
