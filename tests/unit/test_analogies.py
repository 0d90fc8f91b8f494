"""Analogies against plain numpy, another program's counts, and figures of the reference."""

import json
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import attention_core as ac
from attention_core.similarity import arithmetic
from attention_core.similarity.tables import Questions

pytestmark = pytest.mark.usefixtures("one_thread")
REFERENCE = json.loads((Path(__file__).parents[1] / "oracles/reference.json").read_text(encoding="utf-8"))["en_glove50"]
METHODS = ["3CosAdd", "3CosMul", "dot", "euclidean"]


@pytest.fixture(scope="module")
def google(glove):
    return ac.analogies(glove, "google")


def test_accuracy_is_that_of_the_reference(google):
    found, everything = google["3CosAdd"], REFERENCE["analogies_3cosadd_all"]
    assert found.accuracy == everything["accuracy"] and found.covered == everything["n"]
    assert found.total.accuracy_allowed == everything["accuracy_if_query_words_allowed"]
    family, expected = found.sections["family"], REFERENCE["analogies_3cosadd_family"]
    assert (family.accuracy, family.covered) == (expected["accuracy"], expected["n"])
    assert family.accuracy_allowed == expected["accuracy_if_query_words_allowed"]


def test_every_section_has_the_count_that_gensim_finds(google):
    # gensim 4.4.0, KeyedVectors.evaluate_word_analogies on the same vectors and questions
    expected = {
        "capital-common-countries": 410, "capital-world": 149, "currency": 32, "city-in-state": 28, "family": 373,
        "gram1-adjective-to-adverb": 28, "gram2-opposite": 30, "gram3-comparative": 99, "gram4-superlative": 74,
        "gram5-present-participle": 96, "gram6-nationality-adjective": 179, "gram7-past-tense": 90, "gram8-plural": 126,
        "gram9-plural-verbs": 84,
    }  # fmt: skip
    assert {name: share.right for name, share in google["3CosAdd"].sections.items()} == expected


@pytest.mark.parametrize(
    ("sample", "table", "add", "mul"),
    [
        ("glove-en", "relations-en", {"capital": 493, "gender": 174}, {"capital": 455, "gender": 174}),
        ("wiki-zh", "relations-zh", {"capital": 327, "gender": 79}, {"capital": 312, "gender": 79}),
    ],
)
def test_pairs_have_the_counts_that_gensim_finds(monkeypatch, sample, table, add, mul):
    monkeypatch.setattr(arithmetic, "EPSILON", 1e-6)  # of gensim's most_similar_cosmul; ours is the published 0.001
    found = ac.analogies(ac.sample(sample), table)
    for method, expected in {"3CosAdd": add, "3CosMul": mul}.items():
        assert {name: share.right for name, share in found[method].sections.items()} == expected


def numpy_scores(e, rows):
    """The four methods for one question, as their definitions have them."""
    x = e.matrix.astype(np.float64)
    a, b, c = x[rows]
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    cos_a, cos_b, cos_c = (unit @ unit[row] for row in rows)
    return {
        "3CosAdd": cos_b - cos_a + cos_c,
        "3CosMul": (1 + cos_b) / 2 * (1 + cos_c) / 2 / ((1 + cos_a) / 2 + 0.001),
        "dot": x @ (b - a + c),
        "euclidean": -np.linalg.norm(x - (b - a + c), axis=1),
    }


@pytest.fixture(scope="module")
def random():
    """More words than one block holds, far from the origin, and questions that fill more than one block."""
    rng = np.random.default_rng(5)
    e = ac.Embeddings([f"w{i}" for i in range(4507)], rng.standard_normal((4507, 11)) + 3, "random")
    rows = np.array([rng.choice(4507, 4, replace=False) for _ in range(263)])
    words = tuple(tuple(e.words[i] for i in row) for row in rows)
    return e, rows, ac.analogies(e, Questions("random", words, ("",) * len(words)))


@pytest.mark.parametrize("method", METHODS)
def test_answers_are_those_of_plain_numpy(random, method):
    e, rows, found = random
    for question in range(0, len(rows), 7):
        scores = numpy_scores(e, rows[question, :3])[method]
        assert found[method].answers_allowed[question] == np.argmax(scores)
        scores[rows[question, :3]] = -np.inf
        assert found[method].answers[question] == np.argmax(scores)


@pytest.mark.parametrize("method", METHODS)
def test_one_analogy_has_the_words_and_scores_of_plain_numpy(random, method):
    e, rows, _ = random
    scores = numpy_scores(e, rows[0, :3])[method]
    scores[rows[0, :3]] = -np.inf
    order = np.argsort(-scores)[:5]
    answers = ac.analogy(e, *(e.words[i] for i in rows[0, :3]))[method]
    assert [word for word, _ in answers] == [e.words[i] for i in order]
    np.testing.assert_allclose([score for _, score in answers], abs(scores[order]), rtol=1e-12)


@pytest.mark.parametrize(
    ("sample", "words", "first"),
    [
        ("glove-en", ("man", "king", "woman"), ("queen", "queen", "emperor", "queen")),
        ("wiki-zh", ("男人", "国王", "女人"), ("君主", "世", "王位", "统治者")),
    ],
)
def test_king_minus_man_plus_woman(sample, words, first):
    found = ac.analogy(ac.sample(sample), *words)
    assert tuple(found[method][0][0] for method in METHODS) == first


def test_chinese_does_not_give_the_queen():
    found = ac.analogy(ac.sample("wiki-zh"), "男人", "国王", "女人")
    assert not any("女王" in dict(answers) for answers in found.values())


def test_intervals_are_wilsons(google):
    share = google["dot"].total
    z, n = stats.norm.ppf(0.975), share.covered
    centre = (share.accuracy + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share.accuracy * (1 - share.accuracy) / n + z**2 / (4 * n**2))
    assert share.interval == pytest.approx((centre - half, centre + half), abs=1e-12)


def test_the_sections_sum_to_the_whole(google):
    for answered in google.values():
        for figure in ("right", "right_allowed", "own", "covered", "asked"):
            whole = sum(getattr(share, figure) for share in answered.sections.values())
            assert getattr(answered.total, figure) == whole


def test_own_words_are_answers_only_where_they_are_allowed(glove, google):
    rows = np.array([[glove.index(word) for word in words] for words in ac.JUDGEMENTS["google"].read().words])
    for answered in google.values():
        assert not (answered.answers[:, None] == rows[:, :3]).any()
        assert (answered.answers_allowed[:, None] == rows[:, :3]).any(axis=1).sum() == answered.total.own


def small():
    words = ["a", "b", "c", "d", "zero"]
    return ac.Embeddings(words, [[1, 0], [1, 1], [2, 0], [2, 1], [0, 0]], "five words")


def test_questions_that_are_not_covered_are_counted_and_their_words_listed():
    found = ac.analogies(small(), BytesIO(b"s,a,b,c,d\ns,A,b,c,x\nt,a,b,c,zero\n"))["dot"]
    assert (found.total.asked, found.covered, found.missing) == (3, 1, ("x",))
    assert found.sections["t"].accuracy is None and found.sections["t"].interval is None


def test_no_covered_question_is_undefined_and_says_why():
    found = ac.analogies(small(), BytesIO(b"x,y,z,w\n"))["3CosAdd"]
    assert (found.accuracy, found.covered) == (None, 0) and "no question has all four" in found.why


@pytest.mark.parametrize("method", METHODS)
def test_a_zero_vector_never_answers_and_few_words_are_enough(method):
    assert [word for word, _ in ac.analogy(small(), "a", "b", "c")[method]] == ["d"]
    assert ac.analogy(small(), "zero", "b", "c")[method] == []
    assert ac.analogy(ac.Embeddings(["a"], [[1.0]], "x"), "a", "a", "a")[method] == []


def test_an_unknown_word_is_named(glove):
    with pytest.raises(ac.UnknownWordError, match="“kingg”.*king"):
        ac.analogy(glove, "man", "kingg", "woman")


def test_words_are_looked_up_in_lower_case_too(glove):
    assert ac.analogy(glove, "Man", "KING", "Woman") == ac.analogy(glove, "man", "king", "woman")


def test_progress_is_told_and_may_stop_the_work(glove):
    told = []
    ac.analogies(glove, "relations-en", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (8, 8)  # two blocks of words, four of questions

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ac.analogies(glove, "relations-en", progress=stop)
