"""Text as tokens of a vocabulary: what is a word, what becomes of unknown ones, and what is refused."""

import numpy as np
import pytest

import attention_core as ac
from attention_core.attention.sentence import MOST_CHARACTERS, MOST_TOKENS, NAMED

WORDS = ["the", "cat", "Paris", "new york", "san_francisco", "do", "n't", "king", "'s", "mother-in-law", ".", "U.S."]
CHINESE = ["北京", "北", "京", "大学", "北京大学", "中国人", "中国", "人", "cat"]


def vocabulary(words):
    matrix = np.random.default_rng(0).standard_normal((len(words), 5))
    return ac.Embeddings(words, matrix, "a few words")


ENGLISH, HAN = vocabulary(WORDS), vocabulary(CHINESE)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("the cat", ["the", "cat"]),
        ("  The\tCAT\n", ["the", "cat"]),
        ("Paris paris", ["Paris"]),
        ("New York, the cat", ["new york", "the", "cat"]),
        ("the San Francisco cat", ["the", "san_francisco", "cat"]),
        ("don't", ["do", "n't"]),
        ("Don’t", ["do", "n't"]),
        ("the king's cat.", ["the", "king", "'s", "cat", "."]),
        ("(“cat”)", ["cat"]),
        ("mother-in-law", ["mother-in-law"]),
        ("cat-king", ["cat", "king"]),
        ("U.S. cat", ["U.S.", "cat"]),
        ("(New York!) the", ["new york", "the"]),
        ("the-don't", ["the", "do", "n't"]),
    ],
)
def test_english_is_cut_at_spaces_and_punctuation(text, tokens):
    assert list(ac.attention.sentence(text, ENGLISH).tokens) == tokens


@pytest.mark.parametrize(
    ("text", "tokens", "unknown"),
    [
        ("北京大学", ["北京大学"], []),
        ("北京人", ["北京", "人"], []),
        ("中国人北京", ["中国人", "北京"], []),
        ("中国的大学", ["中国", "大学"], ["的"]),
        ("是一种大学", ["大学"], ["是一种"]),
        ("大学。北京，cat", ["大学", "北京", "cat"], []),
        ("大学 北京", ["大学", "北京"], []),
        ("北京cat大学", ["北京", "cat", "大学"], []),
    ],
)
def test_text_without_spaces_is_cut_into_the_longest_words(text, tokens, unknown):
    found = ac.attention.sentence(text, HAN)
    assert list(found.tokens) == tokens
    assert [one.word for one in found.unknown] == unknown


def test_the_vectors_are_those_of_the_tokens(glove):
    found = ac.attention.sentence("The cat eats the fish", glove)
    assert found.tokens == ("the", "cat", "eats", "the", "fish")
    np.testing.assert_array_equal(found.matrix, [glove.vector(word) for word in found.tokens])
    assert [glove.words[row] for row in found.rows] == list(found.tokens)
    assert not found.matrix.flags.writeable and not found.rows.flags.writeable


@pytest.mark.parametrize("sample", ac.SAMPLES)
def test_the_bundled_sentences_are_read_word_by_word(sample):
    e = ac.sample(sample)
    known = ac.attention.sentences(e)
    assert len(known) >= 8
    for one in known:
        found = ac.attention.sentence(one.text, e)
        words = one.text.split()
        assert list(found.tokens) == [word for word in words if word in e]
        assert [unknown.word for unknown in found.unknown] == [word for word in words if word not in e]


def test_languages_are_told_apart_by_what_is_known(glove):
    assert {one.language for one in ac.attention.sentences(glove)} == {"en"}
    assert {one.language for one in ac.attention.sentences()} == {"en", "zh"}
    assert ac.attention.sentences(vocabulary(["x1", "x2"])) == ()


# --- unknown words


def test_unknown_words_are_named_once_with_the_nearest_spellings(glove):
    found = ac.attention.sentence("the qwertyzz catt eats catt", glove)
    assert found.tokens == ("the", "eats")
    assert [one.word for one in found.unknown] == ["qwertyzz", "catt"]
    assert found.unknown[1].nearest == glove.nearest_spellings("catt") and "cat" in found.unknown[1].nearest


def test_spellings_are_looked_for_a_few_times_only(glove):
    text = "the " + " ".join(f"wordd{i}" for i in range(NAMED + 5))
    nearest = [one.nearest for one in ac.attention.sentence(text, glove).unknown]
    assert all(nearest[:NAMED]) and not any(nearest[NAMED:])


def test_punctuation_without_a_vector_is_left_out_and_told():
    found = ac.attention.sentence("the cat! the, king?", ENGLISH)
    assert found.left_out == ("!", ",", "?") and found.unknown == ()
    assert found.tokens == ("the", "cat", "the", "king")


def test_a_random_vector_depends_on_word_and_seed_alone_and_is_as_long_as_the_median(glove):
    def vector(text, word, seed=0):
        found = ac.attention.sentence(text, glove, "random", seed)
        return found.matrix[found.tokens.index(word)].astype(float)

    first = vector("the catt eats", "catt")
    np.testing.assert_array_equal(first, vector("a zzyzx or a catt", "catt"))
    assert np.linalg.norm(first) == pytest.approx(float(np.median(glove.norms)), rel=1e-6)
    assert not np.allclose(first, vector("the catt eats", "catt", seed=1))
    assert not np.allclose(first, vector("the catz eats", "catz"))


def test_a_word_that_occurs_twice_has_one_random_vector(glove):
    found = ac.attention.sentence("catt the catt", glove, "random")
    np.testing.assert_array_equal(found.matrix[0], found.matrix[2])
    assert found.rows.tolist() == [-1, glove.index("the"), -1]


def test_vowel_signs_and_accents_are_part_of_words():
    found = ac.attention.sentence("की the cafe\u0301, ที่นี่ \u092e\u0947\u0902.", ENGLISH)
    assert [one.word for one in found.unknown] == ["की", "cafe\u0301", "ที่นี่", "\u092e\u0947\u0902"]


# --- refusals


@pytest.mark.parametrize(
    ("text", "unknown", "message"),
    [
        ("", "skip", "one word or more is expected, found nothing"),
        (" \n\t ", "skip", "one word or more is expected"),
        ("!!! ???", "skip", "one word or more is expected"),
        ("qqqq wwww", "skip", r"none of these words: “qqqq”.*random"),
        ("the qqqq", "refuse", r"lacks: “qqqq”"),
        ("the", "keep", "cannot be treated by “keep”"),
        ("the " * (MOST_TOKENS + 1), "skip", "4,097 tokens, and at most 4,096"),
        ("a" * (MOST_CHARACTERS + 1), "skip", "100,001 characters, and at most 100,000"),
    ],
)
def test_what_cannot_be_read_is_refused(text, unknown, message):
    with pytest.raises(ac.AttentionError, match=message):
        ac.attention.sentence(text, ENGLISH, unknown)


def test_one_token_and_the_most_tokens_are_read():
    assert len(ac.attention.sentence("cat", ENGLISH)) == 1
    assert len(ac.attention.sentence("cat " * MOST_TOKENS, ENGLISH)) == MOST_TOKENS


@pytest.mark.parametrize("count", [0, -1, MOST_TOKENS + 1])
def test_a_number_of_first_words_out_of_range_is_refused(count):
    with pytest.raises(ac.AttentionError, match="Choose 1 to 4,096"):
        ac.attention.first_words(ENGLISH, count)


def test_the_first_words_are_those_of_the_file():
    found = ac.attention.first_words(ENGLISH, 3)
    assert found.tokens == tuple(WORDS[:3])
    np.testing.assert_array_equal(found.matrix, ENGLISH.matrix[:3])
    assert len(ac.attention.first_words(ENGLISH, MOST_TOKENS)) == len(WORDS)


@pytest.mark.parametrize("text", ["\ud800 the", "the\x00cat", "<b>the</b>", "the‮cat", "🙂 the", "=the()"])
def test_strange_text_is_no_error(text):
    found = ac.attention.sentence(text, ENGLISH, "random")
    assert len(found) == len(found.matrix) > 0
