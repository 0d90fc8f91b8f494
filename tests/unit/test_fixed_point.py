"""A product in fixed point proposes candidates; what is found is what float64 ranks."""

import numpy as np
import pytest
import torch

import attention_core as ac
from attention_core.similarity import closeness, enclosures, fixed_point, search
from tests.fixed_point import exact, put_at_once

PRODUCT = ("dot", "cosine", "euclidean")


def embeddings_of(values, name="test"):
    return ac.Embeddings([f"w{i}" for i in range(len(values))], np.asarray(values, np.float32), name)


def made(kind, n=1201, d=24):
    rng = np.random.default_rng(7)
    values = {
        "normal": lambda: rng.standard_normal((n, d)),
        "norms": lambda: rng.standard_normal((n, d)) * 10.0 ** rng.integers(-12, 13, size=(n, 1)),
        "opposite": lambda: rng.standard_normal((n, 1)) * np.linspace(1, 2, d),
        "twins": lambda: rng.standard_normal((n // 5 + 1, d))[rng.integers(0, n // 5 + 1, n)],
        "shifted": lambda: rng.standard_normal((n, d)) + 30,
        "zeros": lambda: rng.standard_normal((n, d)) * (rng.random((n, 1)) < 0.5),
        "sparse": lambda: rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.1),
        "one": lambda: rng.standard_normal((n, 1)),
    }[kind]()
    return embeddings_of(values, kind)


KINDS = ["normal", "norms", "opposite", "twins", "shifted", "zeros", "sparse", "one"]


@pytest.fixture
def at_once(monkeypatch):
    put_at_once(monkeypatch)


def queries_of(embeddings, count=4):
    rows = np.flatnonzero(embeddings.norms)[:count]
    return closeness.Queries(embeddings.matrix[rows].astype(np.float64), embeddings.norms[rows], rows)


@pytest.mark.parametrize("d", [2, 7, 300, 1024])
def test_integer_products_are_exact_at_their_extremes(d):
    if not ac.Compute().multiplies_int8:
        pytest.skip("this processor has no AMX")
    signs = torch.randint(0, 2, (193, d), generator=torch.Generator().manual_seed(0)) * 2 - 1
    digits = torch.cat([signs * 127, torch.full((7, d), 127)]).to(torch.int8)
    assert torch.equal(torch._int_mm(digits, digits.mT.contiguous()), exact(digits, digits.mT))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 4])
def test_what_is_found_is_what_compare_finds(at_once, kind, k):
    embeddings = made(kind)
    words = [embeddings.words[i] for i in (0, 5, 611, 1200)]
    found = ac.rank(embeddings, words, k=k, measures=PRODUCT)
    assert fixed_point._KEPT[embeddings] is not None
    for place, word in enumerate(words):
        for name, ranking in ac.compare(embeddings, word, k=k, measures=PRODUCT).rankings.items():
            expected = ranking.indices if len(ranking.indices) else np.full(k, -1)
            np.testing.assert_array_equal(found[name].indices[place], expected, err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
def test_no_product_is_farther_off_than_the_bound(at_once, kind):
    embeddings = made(kind)
    queries = queries_of(embeddings, 5)
    corpus = fixed_point.fixed_point(embeddings, 5, ac.Compute())
    found = fixed_point.products(corpus, queries.vectors, queries.norms, 8)
    given = corpus.order >= 0
    assert sorted(corpus.order[given]) == list(range(len(embeddings)))
    keys = embeddings.matrix[corpus.order[given]].astype(np.float64)
    read = found.values.double().numpy()[given] * found.unit * corpus.step[given, None]
    wrong = np.abs(read - keys @ queries.vectors.T)
    longest = corpus.longest[given, None]
    assert (wrong <= found.error * longest).all() and (longest >= np.linalg.norm(keys, axis=1)[:, None] * 0.999).all()
    assert np.isfinite(found.error).all() and (found.error < 1e-3 * queries.norms).all()


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_that_belongs_is_a_candidate(at_once, kind):
    embeddings = made(kind)
    queries = queries_of(embeddings, 9)
    corpus = fixed_point.fixed_point(embeddings, 9, ac.Compute())
    measures = [ac.MEASURES[name] for name in PRODUCT]
    for name, found in enclosures.enclosed(corpus, queries, measures, 6, 16).items():
        for place in np.flatnonzero(found.proved):
            word = embeddings.words[queries.own[place]]
            best = ac.compare(embeddings, word, k=6, measures=[name])[name].indices
            assert set(best) <= set(found.words[found.queries == place]), (name, word)


def test_what_fills_up_the_last_group_is_never_the_closest(at_once):
    embeddings = made("shifted")
    queries = -embeddings.matrix[[0, 7]].astype(np.float64)  # every product is far below 0
    found = ac.rank(embeddings, queries, k=1, measures=PRODUCT)
    for place, query in enumerate(queries):
        for name, ranking in ac.compare(embeddings, query, k=1, measures=PRODUCT).rankings.items():
            np.testing.assert_array_equal(found[name].indices[place], ranking.indices, err_msg=name)


def test_few_words_beyond_the_closest_are_candidates(at_once):
    embeddings = embeddings_of(np.random.default_rng(1).standard_normal((20_000, 64)))
    queries = queries_of(embeddings, 16)
    corpus = fixed_point.fixed_point(embeddings, 16, ac.Compute())
    for found in enclosures.enclosed(corpus, queries, [ac.MEASURES[name] for name in PRODUCT], 10, 32).values():
        assert found.proved.all() and 160 <= len(found.words) < 200


def test_it_is_made_once_enough_queries_were_asked(at_once, monkeypatch):
    monkeypatch.setattr(fixed_point, "WORTH", 7)
    embeddings, compute = made("normal"), ac.Compute()
    assert fixed_point.fixed_point(embeddings, 4, compute) is None
    assert fixed_point.fixed_point(embeddings, 4, compute) is not None
    monkeypatch.setattr(fixed_point, "LARGEST", 1000)
    assert fixed_point.fixed_point(embeddings, 4, compute) is None


@pytest.mark.parametrize("scale", [1e-38, 1e37, 0.0])
def test_extreme_lengths_are_left_to_float64(at_once, scale):
    values = np.random.default_rng(2).standard_normal((1201, 24)) * scale
    embeddings = embeddings_of(values)
    assert fixed_point.fixed_point(embeddings, 4, ac.Compute()) is None
    found = ac.rank(embeddings, ["w3"], k=3, measures=PRODUCT)
    for name, ranking in ac.compare(embeddings, "w3", k=3, measures=PRODUCT).rankings.items():
        expected = ranking.indices if len(ranking.indices) else [-1] * 3
        assert found[name].indices[0].tolist() == list(expected)


def test_products_that_might_overflow_are_not_trusted(at_once):
    values = np.ones((1201, 700)) + np.random.default_rng(3).standard_normal((1201, 700)) * 1e-3
    embeddings = embeddings_of(values)
    queries = queries_of(embeddings)
    corpus = fixed_point.fixed_point(embeddings, 4, ac.Compute())
    assert np.isinf(fixed_point.products(corpus, queries.vectors, queries.norms, 8).error).all()
    found = ac.rank(embeddings, ["w3"], k=3, measures=PRODUCT)
    for name, ranking in ac.compare(embeddings, "w3", k=3, measures=PRODUCT).rankings.items():
        assert found[name].indices[0].tolist() == ranking.indices.tolist()


def test_a_corpus_that_it_is_too_coarse_for_is_remembered(at_once, monkeypatch):
    rng = np.random.default_rng(3)
    embeddings = embeddings_of(rng.standard_normal((4001, 24)) * 1e-5 + 1)  # all cosines within 1e-9 of each other
    monkeypatch.setattr("attention_core.similarity.candidates.OPENED", 4)
    words = list(embeddings.words[::400])
    first = ac.rank(embeddings, words, k=3, measures=PRODUCT)
    assert "cosine" in fixed_point._KEPT[embeddings].coarse
    monkeypatch.setattr(search, "enclosed", None)  # it would fail
    again = ac.rank(embeddings, words, k=3, measures=PRODUCT)
    for name in PRODUCT:
        np.testing.assert_array_equal(first[name].indices, again[name].indices)
