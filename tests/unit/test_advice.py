"""The advice follows its rules, on vectors made to meet each."""

import types

import numpy as np
import pytest

import attention_core as ac
from attention_core.similarity.hubness import Interval

pytestmark = pytest.mark.usefixtures("one_thread")
DOT = ac.Training("m", "dot", True, "x")
SIDED = ac.Training("m", "dot", False, "x")


def embeddings(matrix):
    return ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, "vectors")


def advised(matrix, training=None, lists=True):
    e = embeddings(matrix)
    found = ac.neighbourhoods(e) if lists else None
    centred = ac.neighbourhoods(e.centred(), measures=["cosine"]).hubness["cosine"] if lists else None
    return ac.advice(ac.geometry(e), found, centred, training)


def cloud(shift=0.0, seed=0):
    return np.random.default_rng(seed).standard_normal((400, 20)) + shift


def unit(matrix):
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.mark.parametrize("lists", [True, False])
@pytest.mark.parametrize(("training", "measure"), [(None, "cosine"), (DOT, "dot")])
def test_among_unit_vectors_the_choice_does_not_matter(lists, training, measure):
    found = advised(unit(cloud()), training, lists)
    assert (found.rule, found.measure, found.against_training) == ("any", measure, None)


def test_without_lists_the_answer_is_not_final():
    assert advised(cloud(), lists=False).rule == "not yet"
    assert advised(cloud(), DOT, lists=False).rule == "trained with"
    assert advised(cloud(), SIDED, lists=False).rule == "not yet"


@pytest.mark.parametrize(("training", "rule"), [(None, "evenest"), (SIDED, "evenest"), (DOT, "evenest")])
def test_where_dot_products_make_hubs_cosine_is_advised(training, rule):
    lengths = np.random.default_rng(1).lognormal(0, 1, (400, 1))
    found = advised(unit(cloud()) * lengths, training)
    assert (found.measure, found.rule) == ("cosine", rule)
    assert found.against_training == (training.measure if training else None)


def test_training_decides_where_nothing_speaks_against_it():
    matrix = unit(cloud()) * np.random.default_rng(1).uniform(0.95, 1.05, (400, 1))
    e = embeddings(matrix)
    found = ac.neighbourhoods(e)
    skews = {name: hub.skewness for name, hub in found.hubness.items()}
    training = ac.Training("m", "euclidean", True, "x")
    assert skews["euclidean"] <= 1 and found.overlap["dot", "cosine"].mean < 0.95
    assert ac.advice(ac.geometry(e), found, training=training).measure == "euclidean"


@pytest.mark.parametrize(("shift", "common"), [(0.0, False), (1.0, True)])
def test_a_common_direction_is_named(shift, common):
    assert advised(cloud(shift)).common_direction is common


def test_centring_is_advised_only_where_its_effect_is_known(glove):
    found, geometry = ac.neighbourhoods(glove), ac.geometry(glove)
    centred = ac.neighbourhoods(glove.centred(), measures=["cosine"]).hubness["cosine"]
    assert ac.advice(geometry, found).centre is None
    assert ac.advice(geometry, found, centred).centre is True
    assert ac.advice(geometry, found, found.hubness["cosine"]).centre is False


@pytest.mark.parametrize(
    ("interval", "after", "as_even", "centre"),
    [
        (Interval(2.1, 2.9), Interval(0.1, 1.9), ("euclidean",), False),
        (Interval(2.3, 2.7), Interval(0.3, 1.7), (), True),
        (None, None, (), True),
    ],
)
def test_what_a_sample_does_not_tell_apart_is_named(glove, interval, after, as_even, centre):
    hubs = {"dot": (9.0, Interval(8.0, 10.0)), "cosine": (2.0, Interval(1.8, 2.2)), "euclidean": (2.5, interval)}
    hubs = {name: types.SimpleNamespace(skewness=value, interval=given) for name, (value, given) in hubs.items()}
    found = types.SimpleNamespace(hubness=hubs, overlap={("dot", "cosine"): types.SimpleNamespace(mean=0.5)})
    centred = types.SimpleNamespace(skewness=1.0, interval=after)
    given = ac.advice(ac.geometry(glove), found, centred)
    assert (given.measure, given.as_even, given.centre) == ("cosine", as_even, centre)


@pytest.mark.parametrize("matrix", [[[1.0, 2.0]], np.zeros((30, 3)), [[1.0, 2.0], [0.0, 0.0]]])
def test_vectors_without_two_directions_get_no_advice(matrix):
    found = advised(np.array(matrix))
    assert (found.measure, found.rule) == (None, "no neighbours")


@pytest.mark.parametrize("matrix", [np.ones((30, 3)), [[1.0], [-2.0], [3.0]], [[1.0, 2.0], [2.0, 1.0]]])
def test_vectors_with_undefined_hubness_get_an_answer(matrix):
    assert advised(np.array(matrix)).measure == "cosine"


@pytest.mark.parametrize(
    ("name", "measure", "alike"), [("glove-en", "dot", False), ("wiki-zh", "dot", False), ("minilm-en", "cosine", True)]
)
def test_the_samples_say_what_they_were_trained_with(name, measure, alike):
    training = ac.SAMPLES[name].training
    assert (training.measure, training.alike) == (measure, alike)
