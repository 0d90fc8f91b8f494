"""The settings of vector stores: complete, and right in sign, order and normalisation where the library is here."""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

import attention_core as ac
from attention_core.export.stores import RETURNED

pytestmark = pytest.mark.usefixtures("one_thread")
STORES = ["pgvector", "FAISS", "Qdrant", "Milvus", "scikit-learn", "sentence-transformers"]
MEASURES = ["dot", "cosine", "euclidean"]


def test_every_store_has_every_measure():
    assert list(ac.STORES) == STORES
    assert all(list(settings) == MEASURES for settings in ac.STORES.values())


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("measure", MEASURES)
def test_the_order_follows_from_what_is_returned(store, measure):
    setting = ac.STORES[store][measure]
    best = ac.MEASURES[measure].best
    turned = setting.returned in ("minus the score", "1 − the score")
    assert (setting.closest == best) is not turned
    assert setting.source.startswith("https://") and setting.normalisation.endswith(".")


def vectors():
    rng = np.random.default_rng(0)
    return rng.standard_normal((211, 13)).astype(np.float32) * rng.uniform(0.5, 3, (211, 1)).astype(np.float32)


def check(numbers, rows, setting, measure):
    """The ten closest are those of the core, and the numbers turn into its scores."""
    x = vectors()
    e = ac.Embeddings([f"w{i}" for i in range(len(x))], x, "vectors")
    expected = ac.compare(e, x[3].astype(float), 10, [measure])[measure]
    np.testing.assert_array_equal(rows, expected.indices)
    scores = RETURNED[setting.returned](np.asarray(numbers, dtype=np.float64))
    # float32 in the library: of 13 products of at most 60; the root of a squared distance of 0 is off by its root
    np.testing.assert_allclose(scores[1:], expected.scores[1:], rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(scores[0], expected.scores[0], rtol=1e-5, atol=5e-3)


@pytest.mark.parametrize("measure", MEASURES)
def test_scikit_learn_finds_the_same_words(measure):
    setting = ac.STORES["scikit-learn"][measure]
    found = {"x": vectors(), "q": vectors()[[3]]}
    exec(setting.code, found)
    check(found["numbers"][0], found["rows"][0], setting, measure)


@pytest.mark.skipif(find_spec("faiss") is None, reason="faiss is tried on Linux only, where it bears torch beside it")
@pytest.mark.parametrize("measure", MEASURES)
def test_faiss_finds_the_same_words(measure):
    setting = ac.STORES["FAISS"][measure]
    code = (  # in a process of its own: two OpenMP runtimes do not share one
        "import numpy as np\nfrom tests.unit.test_stores import vectors\nx, q = vectors(), vectors()[[3]]\n"
        f"{setting.code}\nprint(numbers[0].tolist(), rows[0].tolist(), sep='\\n')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    numbers, rows = map(eval, run.stdout.splitlines())
    check(numbers, rows, setting, measure)


@pytest.mark.parametrize(
    ("measure", "operator", "opclass"),
    [("dot", "<#>", "vector_ip_ops"), ("cosine", "<=>", "vector_cosine_ops"), ("euclidean", "<->", "vector_l2_ops")],
)
def test_pgvector_orders_by_the_operator_of_its_index(measure, operator, opclass):
    code = ac.STORES["pgvector"][measure].code
    assert code.count(operator) == 2 and opclass in code
