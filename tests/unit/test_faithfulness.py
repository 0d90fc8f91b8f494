"""What a picture keeps, against scikit-learn and brute force."""

import numpy as np
import pytest
from sklearn.manifold import trustworthiness
from sklearn.neighbors import NearestNeighbors

import attention_core as ac
from attention_core.similarity import faithfulness as module
from attention_core.similarity.faithfulness import nearest_in_picture

pytestmark = pytest.mark.usefixtures("one_thread")
PRECISE = 1e-12
"""Both sum the same whole numbers."""


@pytest.fixture(scope="module")
def e():
    rng = np.random.default_rng(1)
    return ac.Embeddings([f"w{i}" for i in range(211)], rng.standard_normal((211, 13)), "numbers")


@pytest.fixture(scope="module")
def picture(e):
    return ac.project(e)


DISTANCES = {
    "euclidean": lambda x: np.linalg.norm(x[:, None] - x, axis=2),
    "cosine": lambda x: 1 - (x @ x.T) / np.outer(*[np.linalg.norm(x, axis=1)] * 2),
    "dot": lambda x: -x @ x.T,
}
measures = pytest.mark.parametrize("measure", DISTANCES)


@measures
@pytest.mark.parametrize("k", [1, 10, 100])
def test_trustworthiness_is_that_of_scikit_learn(e, picture, measure, k):
    distances = DISTANCES[measure](e.matrix.astype(np.float64))
    distances -= distances.min()  # scikit-learn wants no negative ones
    expected = trustworthiness(distances, picture.points, n_neighbors=k, metric="precomputed")
    found = ac.faithfulness(e, picture, [measure], k)[measure].trustworthiness
    assert found.value == pytest.approx(expected, abs=PRECISE) and found.low == found.high == found.value


@measures
def test_the_overlap_is_that_of_nearest_neighbours_found_one_by_one(e, picture, measure):
    distances = DISTANCES[measure](e.matrix.astype(np.float64))
    np.fill_diagonal(distances, np.inf)
    true = np.argsort(distances, axis=1)[:, :10]
    near = NearestNeighbors(n_neighbors=11).fit(picture.points).kneighbors(return_distance=False)[:, :10]
    expected = np.mean([len(set(a) & set(b)) for a, b in zip(true, near, strict=True)])
    assert ac.faithfulness(e, picture)[measure].overlap.value == pytest.approx(expected, abs=PRECISE)


def test_blocks_change_nothing(e, picture, monkeypatch):
    whole = ac.faithfulness(e, picture)
    monkeypatch.setattr(module, "SCORES", 211 * 7)
    monkeypatch.setattr(module, "WIDENED", 13 * 11)
    seen = []
    assert ac.faithfulness(e, picture, progress=lambda *at: seen.append(at)) == whole
    total = 211 * 211
    assert seen[:3] == [(0, total), (7 * 11, total), (7 * 22, total)] and len(seen) == 31 * 20
    assert sorted(seen) == seen and seen[20] == (7 * 211, total)


def test_a_picture_that_is_the_space_keeps_everything():
    rng = np.random.default_rng(0)
    flat = ac.Embeddings([f"w{i}" for i in range(40)], rng.standard_normal((40, 2)), "a plane")
    kept = ac.faithfulness(flat, ac.project(flat))["euclidean"]
    assert (kept.overlap.value, kept.trustworthiness.value) == (10.0, 1.0)


def test_points_at_random_keep_what_chance_keeps(e, picture):
    found = []
    for seed in range(40):
        points = np.random.default_rng(seed).standard_normal((211, 2))
        scattered = ac.Projection("pca", picture.rows, points, 211)
        found.append(ac.faithfulness(e, scattered, ["cosine"])["cosine"])
    overlaps = [kept.overlap.value for kept in found]
    assert ac.faithfulness(e, picture).by_chance == 100 / 210
    assert np.mean(overlaps) == pytest.approx(100 / 210, abs=4 * np.std(overlaps) / np.sqrt(40))
    assert np.mean([kept.trustworthiness.value for kept in found]) == pytest.approx(0.5, abs=0.02)


def test_the_interval_holds_the_truth_as_often_as_it_says(e, picture):
    whole = ac.faithfulness(e, picture)["cosine"]
    hits = []
    for seed in range(120):
        asked = np.random.default_rng(seed).choice(211, 60, replace=False)
        some = ac.faithfulness(e, picture, ["cosine"], asked=asked)["cosine"]
        assert some.asked == 60
        pairs = [(some.overlap, whole.overlap), (some.trustworthiness, whole.trustworthiness)]
        hits += [sample.low <= full.value <= sample.high for sample, full in pairs]
    assert 0.88 < np.mean(hits) <= 1


def test_a_large_picture_is_asked_in_part(glove):
    found = ac.faithfulness(glove, ac.project(glove), ["euclidean"])["euclidean"]
    x = glove.matrix.astype(np.float64)
    assert found.asked == 500 and found.overlap.low < found.overlap.value < found.overlap.high
    rows = np.random.default_rng(7).choice(8170, 1500, replace=False)  # another sample, by another library
    points = PCA_POINTS(x)
    true = NearestNeighbors(n_neighbors=10).fit(x).kneighbors(x[rows], 11, return_distance=False)[:, 1:]
    near = NearestNeighbors(n_neighbors=10).fit(points).kneighbors(points[rows], 11, return_distance=False)[:, 1:]
    other = np.mean([len(set(a) & set(b)) for a, b in zip(true, near, strict=True)])
    assert found.overlap.value == pytest.approx(other, abs=0.06)


def PCA_POINTS(x):
    centred = x - x.mean(axis=0)
    return centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T


def test_neighbours_are_sought_among_the_words_drawn(e):
    rows = np.arange(0, 211, 5)
    some = ac.faithfulness(e, ac.project(e, rows=rows), ["euclidean"])["euclidean"]
    alone = ac.Embeddings([e.words[row] for row in rows], e.matrix[rows], "some")
    points = ac.project(e, rows=rows).points
    expected = trustworthiness(alone.matrix.astype(np.float64), points, n_neighbors=10)
    assert some.trustworthiness.value == pytest.approx(expected, abs=PRECISE)


def test_fewer_neighbours_are_compared_among_few_words():
    e = ac.Embeddings(list("abcde"), np.random.default_rng(0).standard_normal((5, 3)), "five words")
    found = ac.faithfulness(e, ac.project(e))
    assert found.k == 2 and found["dot"].overlap is not None


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ([[1.0, 0], [0, 1]], "with two words any picture keeps every neighbour"),
        ([[1.0, 1], [1, 1], [1, 1], [1, 1]], "all points lie in one place"),
        ([[0.0, 0]] * 5, "all points lie in one place"),
    ],
)
def test_what_is_undefined_says_why(matrix, why):
    e = ac.Embeddings(list("abcde")[: len(matrix)], matrix, "x")
    for kept in ac.faithfulness(e, ac.project(e)).measures.values():
        assert kept.overlap is None and kept.trustworthiness is None and kept.why == why


def test_zero_vectors_have_no_neighbours_by_cosine_and_are_counted():
    matrix = np.random.default_rng(0).standard_normal((9, 3))
    matrix[4] = 0
    e = ac.Embeddings(list("abcdefghi"), matrix, "x")
    found = ac.faithfulness(e, ac.project(e))
    assert (
        found["cosine"].asked == 8
        and found["cosine"].why == "zero vectors have no neighbours by it and are not asked: 1 here"
    )
    assert found["dot"].asked == 9 and found["dot"].why == ""
    alone = ac.faithfulness(e, ac.project(e), ["cosine"], asked=[4])["cosine"]
    assert alone.overlap is None and "zero vectors" in alone.why


def test_a_single_word_has_no_interval(e, picture):
    kept = ac.faithfulness(e, picture, ["cosine"], asked=[3])["cosine"]
    assert kept.asked == 1 and kept.overlap.low is None


def test_additive_scores_are_compared_when_they_are_asked_for(e, picture):
    weights = ac.AdditiveWeights.random(13, 13, seed=0)
    x = e.matrix.astype(np.float64)
    scores = ac.score(x, x, "additive", weights)
    np.fill_diagonal(scores, -np.inf)
    true = np.argsort(-scores, axis=1)[:, :10]
    near = [nearest_in_picture(picture, row, 10) for row in range(211)]
    expected = np.mean([len(set(a) & set(b)) for a, b in zip(true.tolist(), near, strict=True)])
    assert ac.faithfulness(e, picture, ["additive"])["additive"].overlap.value == pytest.approx(expected, abs=PRECISE)
    assert "additive" not in ac.faithfulness(e, picture).measures


def test_ties_keep_the_order_of_the_file():
    e = ac.Embeddings(["q", "a", "b", "c", "d"], [[0.0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]], "a cross")
    picture = ac.Projection("pca", np.arange(5), e.matrix.astype(np.float64), 5)
    assert nearest_in_picture(picture, 0, 3).tolist() == [1, 2, 3]
    assert ac.faithfulness(e, picture, ["euclidean"], 2, [0])["euclidean"].overlap.value == 2


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ({"k": 0}, "k is the number of neighbours"),
        ({"measures": ["manhattan"]}, "There is no measure"),
        ({"asked": []}, "Only words in the picture"),
        ({"asked": [0, 999]}, "Only words in the picture"),
    ],
)
def test_what_does_not_fit_is_refused(e, picture, options, answer):
    with pytest.raises(ac.ScoringError, match=answer):
        ac.faithfulness(e, picture, **options)
