"""Every measure of the registry has the properties it declares, and no other."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core.errors import ScoringError
from attention_core.measures import MEASURES
from attention_core.measures.base import Property
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
QUICK = settings(max_examples=40, deadline=None, derandomize=True)
QUERIES, KEYS, SIZE = 3, 5, 7
HUNDREDTHS = st.integers(-800, 800)
names = pytest.mark.parametrize("name", list(MEASURES))


@dataclass
class Scene:
    """Queries a (q, d), keys b (n, d), and what a law does to them; `score` in float64."""

    name: str
    a: np.ndarray
    b: np.ndarray
    shift: np.ndarray
    rotation: np.ndarray
    factor: float

    def score(self, a, b):
        measure = MEASURES[self.name]
        weights = measure.random_weights(a.shape[1], b.shape[1], 0) if measure.needs_weights else None
        return measure(torch.tensor(a), torch.tensor(b), weights).numpy()

    def closeness(self, a, b):
        return self.score(a, b) * (1 if MEASURES[self.name].best == "highest" else -1)

    @property
    def rounding(self):
        lengths = np.linalg.norm(self.a, axis=1)[:, None] + np.linalg.norm(self.b, axis=1)
        size = (1 + lengths + np.linalg.norm(self.shift)) ** 2
        terms = self.a.shape[1] ** 2
        return tolerance(np.float64, terms=terms, scale=size, why="a rotation, then at most quadratic in the norms")


def self_is_closest(scene):
    own = np.diag(scene.closeness(scene.a, scene.a))[:, None]
    return np.fmax(scene.closeness(scene.a, scene.b) - own, 0), 0


def undefined_at_zero(scene):
    with_key = scene.score(scene.a, np.zeros_like(scene.b))
    with_query = scene.score(np.zeros_like(scene.a), scene.b)
    return np.isnan(with_key) & np.isnan(with_query), True


LAWS = {
    "symmetric": lambda s: (s.score(s.a, s.b), s.score(s.b, s.a).T),
    "scale invariant": lambda s: (s.score(s.factor * s.a, s.b), s.score(s.a, s.b)),
    "rotation invariant": lambda s: (s.score(s.a @ s.rotation.T, s.b @ s.rotation.T), s.score(s.a, s.b)),
    "shift invariant": lambda s: (s.score(s.a + s.shift, s.b + s.shift), s.score(s.a, s.b)),
    "bounded": lambda s: (s.score(s.a, s.b), np.clip(s.score(s.a, s.b), -1, 1)),
    "self is closest": self_is_closest,
    "undefined at zero": undefined_at_zero,
}
"""By property: what must equal what."""


def rotation(size, seed):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((size, size)))[0]


@st.composite
def scenes(draw, name):
    def vectors(rows):
        return draw(arrays(np.int64, (rows, SIZE), elements=HUNDREDTHS)) / 100

    factor = draw(st.sampled_from([1e-6, 0.1, 3.0, 1e6]))
    return Scene(name, vectors(QUERIES), vectors(KEYS), vectors(1)[0], rotation(SIZE, draw(st.integers(0, 99))), factor)


def concrete(name):
    """Vectors in general position, long enough to saturate a tanh, and keys enough to meet every counterexample."""
    rng = np.random.default_rng(20)
    a, b, shift = (3 * rng.standard_normal(shape) for shape in ((5, SIZE), (97, SIZE), (SIZE,)))
    return Scene(name, a, b, shift, rotation(SIZE, 21), 3.0)


def test_there_is_a_law_for_every_property():
    assert set(LAWS) == set(Property.__args__)


@pytest.mark.parametrize(("name", "law"), [(n, p) for n, m in MEASURES.items() for p in sorted(m.properties)])
def test_a_declared_property_holds(name, law):
    @QUICK
    @given(scenes(name))
    def check(scene):
        found, expected = LAWS[law](scene)
        np.testing.assert_array_less(np.nan_to_num(np.abs(np.subtract(found, expected, dtype=float))), scene.rounding)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(np.broadcast_to(expected, found.shape)))

    check()


@pytest.mark.parametrize(("name", "law"), [(n, p) for n, m in MEASURES.items() for p in LAWS if p not in m.properties])
def test_a_property_that_is_not_declared_fails(name, law):
    scene = concrete(name)
    found, expected = LAWS[law](scene)
    assert np.max(np.abs(np.subtract(found, expected, dtype=float)) - 1000 * scene.rounding) > 0


@names
def test_nonzero_vectors_have_a_defined_score(name):
    scene = concrete(name)
    assert np.isfinite(scene.score(scene.a, scene.b)).all()


def test_the_registry_is_ordered_by_place():
    assert list(MEASURES) == ["dot", "cosine", "euclidean", "additive"]
    assert [measure.place for measure in MEASURES.values()] == [1, 2, 3, 4]


@names
def test_a_measure_says_what_it_is(name):
    measure = MEASURES[name]
    assert measure.name == name and measure.label and measure.formula
    assert measure.meaning.endswith(".") and measure.best in ("highest", "lowest")


def test_the_registry_cannot_be_changed():
    with pytest.raises(TypeError):
        MEASURES["dot"] = MEASURES["cosine"]


@names
@pytest.mark.parametrize("kind", ["score", "logits"])
def test_its_gradient_is_that_of_finite_differences(name, kind):
    measure = MEASURES[name]
    rng = np.random.default_rng(31)
    q, k = (torch.tensor(rng.standard_normal((rows, 3)), requires_grad=True) for rows in (2, 5))
    weights = [measure.random_weights(3, 3, 0)] if measure.needs_weights else []
    assert torch.autograd.gradcheck(lambda q, k: getattr(measure, kind)(q, k, *weights), (q, k))


def test_the_euclidean_logits_have_gradient_zero_at_distance_zero():
    q = torch.tensor([[3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    MEASURES["euclidean"].logits(q, q.detach()).sum().backward()
    assert q.grad.tolist() == [[0.0, 0.0]]


@names
def test_logits_are_higher_exactly_where_the_score_is_closer(name):
    @QUICK
    @given(scenes(name))
    def check(scene):
        measure = MEASURES[name]
        weights = [measure.random_weights(SIZE, SIZE, 0)] if measure.needs_weights else []
        logits = measure.logits(torch.tensor(scene.a), torch.tensor(scene.b), *weights).numpy()
        closeness = scene.closeness(scene.a, scene.b)
        by_score, by_logits = (values[:, :, None] - values[:, None, :] for values in (closeness, logits))
        decided = np.abs(by_score) > scene.rounding[:, :, None]
        assert (np.sign(by_score) == np.sign(by_logits))[decided].all()

    check()


def test_a_softmax_of_euclidean_logits_is_that_of_dot_products_minus_half_the_squared_norms():
    rng = np.random.default_rng(33)
    q, k = (torch.tensor(rng.standard_normal((rows, 13))) for rows in (3, 11))
    found = torch.softmax(MEASURES["euclidean"].logits(q, k), dim=-1)
    expected = torch.softmax(q @ k.T - (k**2).sum(1) / 2, dim=-1)
    size = float((q**2).sum(1).max() + (k**2).sum(1).max())
    atol = tolerance(np.float64, terms=13, scale=size, why="logits off by ε·d·(‖q‖² + ‖k‖²), weights at most 1")
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


@pytest.mark.parametrize("name", [name for name, measure in MEASURES.items() if measure.product_form])
def test_the_form_from_one_product_equals_the_score(name):
    scene = concrete(name)
    a, b = scene.a, scene.b
    found = MEASURES[name].product_form(a @ b.T, np.linalg.norm(a, axis=1)[:, None], np.linalg.norm(b, axis=1))
    expected = scene.score(scene.a, scene.b)
    assert MEASURES[name].best == "highest" or expected.min() > 1, "far apart, so that nothing cancels"
    np.testing.assert_array_less(np.abs(found - expected), scene.rounding)


@names
def test_missing_or_unwanted_weights_are_refused_with_what_to_do(name):
    measure = MEASURES[name]
    given_weights, advice = (None, r"needs weights.*random_weights\(") if measure.needs_weights else (object(), "Leave")
    with pytest.raises(ScoringError, match=advice):
        measure(torch.ones(1, 3), torch.ones(1, 3), given_weights)


@pytest.mark.parametrize("name", [name for name, measure in MEASURES.items() if not measure.needs_weights])
def test_vectors_of_two_sizes_are_refused_with_both_sizes(name):
    with pytest.raises(ScoringError, match="3 and 5 components"):
        MEASURES[name](torch.ones(1, 3), torch.ones(1, 5))
