"""Pictures of the space against scikit-learn, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

import attention_core as ac
from attention_core.similarity import projection as module
from attention_core.similarity.projection import along, principal_axes, sample_rows
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")


def embeddings(n=101, d=7, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    return ac.Embeddings(
        [f"w{i}" for i in range(n)], rng.standard_normal((n, d)) * np.arange(1, d + 1) + offset, "numbers"
    )


CASES = {
    "tall": embeddings(),
    "wide": embeddings(n=11, d=53),
    "far from the origin": embeddings(offset=1000.0),
    "two words": embeddings(n=2, d=5),
    "three dimensions": embeddings(n=29, d=3),
    "many dimensions": embeddings(n=67, d=1_013),
}
cases = pytest.mark.parametrize("e", CASES.values(), ids=CASES)


@cases
@pytest.mark.parametrize("dimensions", [2, 3])
def test_pca_is_that_of_scikit_learn(e, dimensions):
    x = e.matrix.astype(np.float64)
    oracle = PCA(min(dimensions, *x.shape), svd_solver="full").fit(x)
    found = ac.project(e, "pca", dimensions)
    count = len(oracle.explained_variance_ratio_)
    scale = np.abs(x).max() ** 2 * len(x)
    atol = tolerance(np.float64, terms=x.size, scale=scale, why="a covariance of squares and its eigenvectors")
    np.testing.assert_allclose(found.explained[:count], oracle.explained_variance_ratio_, rtol=0, atol=1e-12)
    filled = oracle.explained_variance_ratio_ > 1e-12
    expected = np.abs(oracle.transform(x)[:, filled])
    np.testing.assert_allclose(np.abs(found.points[:, :count][:, filled]), expected, rtol=0, atol=max(atol, 1e-9))


def test_the_axes_point_to_where_their_largest_component_is_positive():
    axes = principal_axes(CASES["tall"]).directions
    largest = np.abs(axes).argmax(axis=1)
    assert (axes[np.arange(3), largest] > 0).all()
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), rtol=0, atol=1e-12)


def test_blocks_change_nothing(monkeypatch):
    whole = ac.project(CASES["tall"])
    monkeypatch.setattr(module, "BLOCK", 7 * 13)
    seen = []
    blocked = ac.project(CASES["tall"], progress=lambda done, total: seen.append((done, total)))
    np.testing.assert_allclose(blocked.points, whole.points, rtol=0, atol=1e-12)
    assert seen[:3] == [(0, 101), (13, 101), (26, 101)] and len(seen) == 8


def test_progress_that_raises_stops_the_work():
    def stop(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ac.project(CASES["tall"], progress=stop)


def test_the_axes_are_those_of_all_words_whichever_are_drawn():
    e = CASES["tall"]
    whole, some = ac.project(e), ac.project(e, rows=[50, 3, 3, 70])
    assert some.rows.tolist() == [3, 50, 70] and some.total == 101 and some.explained == whole.explained
    np.testing.assert_allclose(some.points, whole.points[[3, 50, 70]], rtol=0, atol=1e-12)


def test_places_are_positions_of_rows_that_are_drawn():
    drawn = ac.project(CASES["tall"], rows=[2, 5, 99])
    assert drawn.places([99, 4, 2, 100, 0]).tolist() == [2, 0]


@pytest.mark.parametrize("d", [1, 2])
def test_axes_that_the_vectors_do_not_fill_hold_nothing(d):
    found = ac.project(embeddings(n=19, d=d), dimensions=3)
    assert found.points.shape == (19, 3) and not found.points[:, d:].any()
    assert found.explained[d:] == (0.0,) * (3 - d) and sum(found.explained) == pytest.approx(1)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e30])
def test_vectors_that_are_all_equal_have_no_explained_variance_and_it_is_said_why(value):
    found = ac.project(ac.Embeddings(["a", "b", "c"], np.full((3, 5), value), "equal"))
    assert found.explained is None and found.why == "all 3 vectors are equal and nothing varies"
    assert np.isfinite(found.points).all()


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_huge_and_tiny_vectors_are_projected(size):
    e = CASES["tall"]
    scaled = ac.Embeddings(e.words, e.matrix * np.float32(size), "scaled")
    np.testing.assert_allclose(ac.project(scaled).explained, ac.project(e).explained, rtol=1e-5)


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ({"method": "umap"}, "Choose one of pca, t-sne"),
        ({"dimensions": 4}, "in 2 or 3 dimensions"),
        ({"rows": []}, "Give rows of the vocabulary"),
        ({"rows": [0, 101]}, "Rows from 0 to 100"),
        ({"rows": [-1]}, "Rows from 0 to 100"),
    ],
)
def test_what_does_not_fit_is_refused(options, answer):
    with pytest.raises(ac.ScoringError, match=answer):
        ac.project(CASES["tall"], **options)


@pytest.mark.parametrize("method", ["pca", "t-sne"])
def test_one_word_makes_no_map(method):
    with pytest.raises(ac.ScoringError, match="needs two words or more, and one word holds one"):
        ac.project(ac.Embeddings(["a"], [[1.0, 2.0]], "one word"), method)


@given(st.integers(1, 60), st.integers(1, 60), st.lists(st.integers(0, 10_000), max_size=9), st.integers(0, 5))
@settings(max_examples=80, deadline=None)
def test_a_sample_holds_what_it_must_and_is_the_same_for_a_seed(total, limit, wanted, seed):
    always = sorted({row % total for row in wanted})
    rows = sample_rows(total, limit, always, seed)
    assert rows.tolist() == sorted(set(rows.tolist())) and set(always) <= set(rows.tolist())
    assert len(rows) == min(total, max(limit, len(always)))
    assert rows[0] >= 0 and rows[-1] < total
    assert sample_rows(total, limit, always, seed).tolist() == rows.tolist()


def test_another_seed_samples_other_rows():
    assert sample_rows(1000, 10, seed=1).tolist() != sample_rows(1000, 10, seed=2).tolist()


def test_every_row_is_as_likely_to_be_drawn():
    """10 of 40 rows, 2,000 times: each about 500 times, standard deviation 19."""
    counts = np.zeros(40)
    for seed in range(2_000):
        counts[sample_rows(40, 10, seed=seed)] += 1
    assert np.abs(counts - 500).max() < 5 * 19.4


def test_a_picture_along_known_axes_is_the_same():
    e = CASES["wide"]
    np.testing.assert_array_equal(along(principal_axes(e), e).points, ac.project(e).points)


def test_the_map_holds_the_query_its_neighbours_and_the_groups(glove):
    comparison = ac.compare(glove, "king", 50)
    rows = set(ac.map_rows(glove, comparison, 1000, seed=3).tolist())
    assert len(rows) == 1000 and comparison.index in rows
    assert all(set(ranking.indices.tolist()) <= rows for ranking in comparison.rankings.values())
    assert all(set(group.rows.tolist()) <= rows for group in ac.word_groups(glove).values())


def test_a_group_has_its_words_rows_in_file_order():
    e = ac.Embeddings(["fish", "king", "dog", "国王", "King"], np.eye(5), "five words")
    groups = ac.word_groups(e)
    assert groups["animals"].rows.tolist() == [0, 2] and groups["royalty"].rows.tolist() == [1] and "王室" not in groups


@pytest.mark.parametrize(("sample", "name", "word"), [("glove-en", "fruit", "apple"), ("wiki-zh", "水果", "苹果")])
def test_a_sample_has_the_groups_of_its_language(sample, name, word):
    e = ac.sample(sample)
    groups = ac.word_groups(e)
    assert word in [e.words[row] for row in groups[name].rows]
    assert all(("a" <= group[0] <= "z") == (sample != "wiki-zh") for group in groups)
