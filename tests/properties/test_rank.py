"""Whatever the vectors, many queries in one pass rank as each alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_core as ac
from attention_core.similarity import candidates, search

SHAPES = st.tuples(st.sampled_from([97, 211, 503, 1009]), st.sampled_from([1, 2, 3, 7, 17]))


def _matrix(shape, kind, seed):
    rng = np.random.default_rng(seed)
    n, d = shape
    return {
        "normal": lambda: rng.standard_normal(shape),
        "integers": lambda: rng.integers(-3, 4, size=shape),
        "clusters": lambda: 50 * rng.standard_normal((5, d))[rng.integers(0, 5, n)] + 1e-5 * rng.standard_normal(shape),
        "twins": lambda: rng.standard_normal((n // 7 + 1, d))[rng.integers(0, n // 7 + 1, n)],
        "norms": lambda: rng.standard_normal(shape) * 10.0 ** rng.integers(-18, 18, size=(n, 1)),
        "shifted": lambda: rng.standard_normal(shape) + 1000,
        "sparse": lambda: rng.standard_normal(shape) * (rng.random(shape) < 0.2),
    }[kind]().astype(np.float32)


def on_a_device(asked, k, _threads):
    return candidates._on_device(asked, k)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    shape=SHAPES,
    kind=st.sampled_from(["normal", "integers", "clusters", "twins", "norms", "shifted", "sparse"]),
    k=st.sampled_from([1, 2, 5, 13, 100]),
    seed=st.integers(0, 1000),
    words=st.booleans(),
    search_by=st.sampled_from([candidates.candidates, on_a_device]),
)
def test_rank_is_compare_for_every_measure(shape, kind, k, seed, words, search_by):
    matrix = _matrix(shape, kind, seed)
    embeddings = ac.Embeddings([f"w{i}" for i in range(len(matrix))], matrix, kind)
    rows = [0, seed % len(matrix), len(matrix) - 1]
    queries = [f"w{i}" for i in rows] if words else matrix[rows].astype(np.float64) * -(1 + 1e-9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "candidates", search_by)
        found = ac.rank(embeddings, queries, k=k)
    for place, query in enumerate(queries):
        alone = ac.compare(embeddings, query, k=k)
        for name in ac.MEASURES:
            expected = alone[name].indices if len(alone[name].indices) else np.full(found[name].indices.shape[1], -1)
            np.testing.assert_array_equal(found[name].indices[place], expected, err_msg=f"{name} {kind}")
