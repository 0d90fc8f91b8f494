"""Products in narrow formats propose candidates; what is found is what float64 ranks."""

import numpy as np
import pytest
import torch

import attention_core as ac
from attention_core.similarity import closeness, enclosures, ordered, search
from attention_core.similarity.fixed_point import FixedPoint
from tests.narrow import FORMATS, exact, put_at_once

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


@pytest.fixture(params=FORMATS, ids=lambda kind: kind.__name__)
def kept(request, monkeypatch):
    """A format that every corpus is put into at once."""
    put_at_once(monkeypatch, request.param)
    return request.param


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
def test_what_is_found_is_what_compare_finds(kept, kind, k):
    embeddings = made(kind)
    words = [embeddings.words[i] for i in (0, 5, 611, 1200)]
    found = ac.rank(embeddings, words, k=k, measures=PRODUCT)
    assert ordered._MADE[embeddings][kept] is not None
    for place, word in enumerate(words):
        for name, ranking in ac.compare(embeddings, word, k=k, measures=PRODUCT).rankings.items():
            expected = ranking.indices if len(ranking.indices) else np.full(k, -1)
            np.testing.assert_array_equal(found[name].indices[place], expected, err_msg=name)


def products_of(kept, embeddings, queries, group):
    corpus = ordered.made(kept, embeddings, len(queries), ac.Compute())
    return corpus.words, corpus.products(queries.vectors, queries.norms, group)


@pytest.mark.parametrize("kind", KINDS)
def test_no_product_is_farther_off_than_the_bound(kept, kind):
    embeddings = made(kind)
    queries = queries_of(embeddings, 5)
    words, found = products_of(kept, embeddings, queries, 8)
    given = words.order >= 0
    assert sorted(words.order[given]) == list(range(len(embeddings)))
    keys = embeddings.matrix[words.order[given]].astype(np.float64)
    read = found.values.double().numpy()[given] * found.unit * found.step[given, None]
    wrong = np.abs(read - keys @ queries.vectors.T)
    longest = words.longest[given, None]
    assert (wrong <= found.error * longest).all() and (longest >= np.linalg.norm(keys, axis=1)[:, None] * 0.999).all()
    assert (found.error < (1e-3 if kept is FixedPoint else 1e-2) * queries.norms).all()


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_that_belongs_is_a_candidate(kept, kind):
    embeddings = made(kind)
    queries = queries_of(embeddings, 9)
    words, found = products_of(kept, embeddings, queries, 16)
    measures = [ac.MEASURES[name] for name in PRODUCT]
    for name, candidates in enclosures.enclosed(words, found, queries, measures, 6).items():
        for place in np.flatnonzero(candidates.proved):
            word = embeddings.words[queries.own[place]]
            best = ac.compare(embeddings, word, k=6, measures=[name])[name].indices
            assert set(best) <= set(candidates.words[candidates.queries == place]), (name, word)


def test_what_fills_up_the_last_group_is_never_the_closest(kept):
    embeddings = made("shifted")
    queries = -embeddings.matrix[[0, 7]].astype(np.float64)  # every product is far below 0
    found = ac.rank(embeddings, queries, k=1, measures=PRODUCT)
    for place, query in enumerate(queries):
        for name, ranking in ac.compare(embeddings, query, k=1, measures=PRODUCT).rankings.items():
            np.testing.assert_array_equal(found[name].indices[place], ranking.indices, err_msg=name)


def test_few_words_beyond_the_closest_are_candidates(kept):
    embeddings = embeddings_of(np.random.default_rng(1).standard_normal((20_000, 64)))
    queries = queries_of(embeddings, 16)
    words, found = products_of(kept, embeddings, queries, 32)
    measures = [ac.MEASURES[name] for name in PRODUCT]
    for candidates in enclosures.enclosed(words, found, queries, measures, 10).values():
        assert candidates.proved.all() and 160 <= len(candidates.words) < (200 if kept is FixedPoint else 400)


def test_it_is_made_once_enough_queries_were_asked(kept, monkeypatch):
    monkeypatch.setattr(ordered, "WORTH", 7)
    embeddings, compute = made("normal"), ac.Compute()
    assert ordered.made(kept, embeddings, 4, compute) is None
    assert ordered.made(kept, embeddings, 4, compute) is not None
    monkeypatch.setattr(ordered, "LARGEST", 1000)
    assert ordered.made(kept, embeddings, 4, compute) is None


@pytest.mark.parametrize("scale", [1e-38, 1e37, 0.0])
def test_extreme_lengths_are_left_to_float64(kept, scale):
    embeddings = embeddings_of(np.random.default_rng(2).standard_normal((1201, 24)) * scale)
    assert ordered.made(kept, embeddings, 4, ac.Compute()) is None
    found = ac.rank(embeddings, ["w3"], k=3, measures=PRODUCT)
    for name, ranking in ac.compare(embeddings, "w3", k=3, measures=PRODUCT).rankings.items():
        expected = ranking.indices if len(ranking.indices) else [-1] * 3
        assert found[name].indices[0].tolist() == list(expected)


@pytest.mark.parametrize("size", [1e-90, 1e-40, 1e40, 1e90])
def test_queries_of_any_length_are_answered(kept, size):
    embeddings = made("normal")
    vector = np.random.default_rng(4).standard_normal(24) * size
    found = ac.rank(embeddings, [vector], k=3, measures=PRODUCT)
    for name, ranking in ac.compare(embeddings, vector, k=3, measures=PRODUCT).rankings.items():
        assert found[name].indices[0].tolist() == ranking.indices.tolist(), name


def test_integers_that_might_overflow_are_not_trusted(monkeypatch):
    put_at_once(monkeypatch, FixedPoint)
    values = np.ones((1201, 700)) + np.random.default_rng(3).standard_normal((1201, 700)) * 1e-3
    embeddings = embeddings_of(values)
    _, found = products_of(FixedPoint, embeddings, queries_of(embeddings), 8)
    assert np.isinf(found.error).all()
    ranked = ac.rank(embeddings, ["w3"], k=3, measures=PRODUCT)
    for name, ranking in ac.compare(embeddings, "w3", k=3, measures=PRODUCT).rankings.items():
        assert ranked[name].indices[0].tolist() == ranking.indices.tolist()


def test_a_corpus_that_it_is_too_coarse_for_is_remembered(kept, monkeypatch):
    rng = np.random.default_rng(3)
    embeddings = embeddings_of(rng.standard_normal((4001, 24)) * 1e-5 + 1)  # all cosines within 1e-9 of each other
    monkeypatch.setattr("attention_core.similarity.candidates.OPENED", 4)
    words = list(embeddings.words[::400])
    first = ac.rank(embeddings, words, k=3, measures=PRODUCT)
    assert "cosine" in ordered._MADE[embeddings][kept].coarse
    monkeypatch.setattr(search, "enclosed", None)  # it would fail
    again = ac.rank(embeddings, words, k=3, measures=PRODUCT)
    for name in PRODUCT:
        np.testing.assert_array_equal(first[name].indices, again[name].indices)
