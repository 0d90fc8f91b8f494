"""The bundled samples."""

import numpy as np
import pytest

import attention_core as ac
from tests.tolerance import tolerance


@pytest.mark.parametrize(
    ("name", "shape"), [("glove-en", (8_170, 50)), ("wiki-zh", (7_034, 100)), ("minilm-en", (1_505, 384))]
)
def test_a_sample_has_its_shape(name, shape):
    assert ac.sample(name).matrix.shape == shape


def test_there_are_three_samples_named_as_their_keys():
    assert list(ac.SAMPLES) == ["glove-en", "wiki-zh", "minilm-en"]
    assert all(sample.name == name for name, sample in ac.SAMPLES.items())


@pytest.mark.parametrize("name", ["glove-en", "wiki-zh", "minilm-en"])
def test_the_example_of_a_sample_is_one_of_its_words(name):
    assert ac.SAMPLES[name].example in ac.sample(name)


@pytest.mark.parametrize("name", ["glove-en", "wiki-zh", "minilm-en"])
def test_the_source_of_a_sample_is_its_name_and_it_warns_of_nothing(name):
    e = ac.sample(name)
    assert e.source == name and e.warnings == ()


def test_minilm_vectors_are_renormalised():
    atol = tolerance(np.float32, terms=1, why="each value rounded to float32 once")
    np.testing.assert_allclose(ac.sample("minilm-en").norms, 1, rtol=0, atol=atol)


def test_glove_vectors_are_kept_as_shipped(glove):
    assert (glove.matrix == glove.matrix.astype(np.float16)).all()
    assert glove.norms.max() > 2 * glove.norms.mean()


def test_an_unknown_sample_is_refused_with_those_there_are():
    with pytest.raises(ac.AttentionCoreError, match="“glove”.*glove-en, wiki-zh, minilm-en"):
        ac.sample("glove")


@pytest.mark.parametrize(
    ("name", "first"), [("glove-en", [1, 2, 3]), ("wiki-zh", [2, 16, 18]), ("minilm-en", [1, 4, 5])]
)
def test_a_sample_tells_the_frequency_ranks_of_its_words(name, first):
    e = ac.sample(name)
    assert e.frequency_rank[:3].tolist() == first and len(e.frequency_rank) == len(e)
