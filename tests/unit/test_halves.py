"""A product of bfloat16 keys proposes candidates; what is found is what float64 ranks."""

import numpy as np
import pytest

import attention_core as ac
from attention_core.similarity import closeness, halves, search

PRODUCT = ("dot", "cosine", "euclidean")
ROWS = [0, 5, 611, 1200]


def made(kind, n=1201, d=24):
    rng = np.random.default_rng(7)
    values = {
        "normal": lambda: rng.standard_normal((n, d)),
        "norms": lambda: rng.standard_normal((n, d)) * 10.0 ** rng.integers(-30, 18, size=(n, 1)),
        "tiny": lambda: rng.standard_normal((n, d)) * 1e-38,
        "huge": lambda: rng.standard_normal((n, d)) * 1e37,
        "twins": lambda: rng.standard_normal((n // 5 + 1, d))[rng.integers(0, n // 5 + 1, n)],
        "shifted": lambda: rng.standard_normal((n, d)) + 30,
        "zeros": lambda: rng.standard_normal((n, d)) * (rng.random((n, 1)) < 0.5),
    }[kind]()
    return ac.Embeddings([f"w{i}" for i in range(n)], values.astype(np.float32), kind)


@pytest.fixture
def at_once(monkeypatch):
    """Any corpus is rounded at the first query, whatever the processor."""
    monkeypatch.setattr(halves, "WORTH", 1)
    monkeypatch.setattr(halves, "DIMENSION", 1)
    monkeypatch.setattr(ac.Compute, "multiplies_bfloat16", True)


def queries_of(embeddings):
    rows = np.flatnonzero(embeddings.norms)[:4]
    return closeness.Queries(embeddings.matrix[rows].astype(np.float64), embeddings.norms[rows], rows)


@pytest.mark.parametrize("kind", ["normal", "norms", "tiny", "huge", "twins", "shifted", "zeros"])
def test_what_is_found_is_what_compare_finds(at_once, kind):
    embeddings = made(kind)
    words = [embeddings.words[i] for i in ROWS]
    found = ac.rank(embeddings, words, k=4, measures=PRODUCT)
    assert embeddings in halves._KEPT
    for place, word in enumerate(words):
        for name, ranking in ac.compare(embeddings, word, k=4, measures=PRODUCT).rankings.items():
            expected = ranking.indices if len(ranking.indices) else np.full(4, -1)
            np.testing.assert_array_equal(found[name].indices[place], expected, err_msg=name)


@pytest.mark.parametrize("kind", ["normal", "norms", "tiny", "shifted", "zeros"])
def test_no_closeness_is_farther_off_than_the_bound(at_once, kind):
    embeddings, compute = made(kind), ac.Compute()
    queries = queries_of(embeddings)
    kept = halves.halves_of(embeddings, 4, compute)
    made_pass = closeness.product_pass(embeddings, queries, [ac.MEASURES[m] for m in PRODUCT], 8, compute, kept)
    product = kept.keys.new_empty((1201, 4))
    made_pass.multiply(0, product)
    wide = embeddings.matrix.astype(np.float64)
    exact = wide @ queries.vectors.T
    norms = np.linalg.norm(wide, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        true = {"dot": exact, "cosine": exact / norms[:, None], "euclidean": exact - norms[:, None] ** 2 / 2}
    for name, lane in made_pass.lanes.items():
        read = lane.read(product.float(), slice(0, 1201), product.float().clone()).double().numpy()
        wrong = np.abs(read - true[name])
        defined, fits = np.isfinite(read).all(axis=1), lane.fits.numpy()
        assert defined.sum() > 500
        assert (wrong[defined][:, fits] <= lane.margin.double().numpy()[fits]).all(), name


def test_they_are_made_once_enough_queries_were_asked(at_once, monkeypatch):
    monkeypatch.setattr(halves, "WORTH", 7)
    embeddings, compute = made("normal"), ac.Compute()
    assert halves.halves_of(embeddings, 4, compute) is None
    assert halves.halves_of(embeddings, 4, compute) is not None
    monkeypatch.setattr(halves, "LARGEST", 1000)
    assert halves.halves_of(embeddings, 4, compute) is None


def test_a_corpus_that_they_are_too_coarse_for_is_remembered(at_once, monkeypatch):
    rng = np.random.default_rng(3)
    matrix = (rng.standard_normal((4001, 24)) * 1e-3 + 1).astype(np.float32)  # cosines within 1e-5 of each other
    embeddings = ac.Embeddings([f"w{i}" for i in range(4001)], matrix, "one direction")
    monkeypatch.setattr("attention_core.similarity.candidates.OPENED", 4)
    words = list(embeddings.words[::400])
    first = ac.rank(embeddings, words, k=3, measures=PRODUCT)
    assert "cosine" in halves._KEPT[embeddings].coarse
    passes = []
    real = search.product_pass
    monkeypatch.setattr(search, "product_pass", lambda *args: (passes.append(args[5]), real(*args))[1])
    again = ac.rank(embeddings, words, k=3, measures=PRODUCT)
    assert passes and passes[0] is None
    for name in PRODUCT:
        np.testing.assert_array_equal(first[name].indices, again[name].indices)
