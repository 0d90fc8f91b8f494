"""The additive score and its weights: the formula, its memory, files, and what untrained weights are worth."""

import csv
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from scipy import stats
from torch.utils._python_dispatch import TorchDispatchMode

import attention_core as ac
from attention_core.measures import MEASURES, additive
from tests.tolerance import tolerance

WORDSIM = Path(__file__).parents[2] / "data" / "judgements" / "wordsim353.csv"
SEEDS = 200
PUBLISHED_MEAN, PUBLISHED_DEVIATION = 0.005, 0.078
pytestmark = pytest.mark.usefixtures("one_thread")


def parameters(hidden=13, d_q=5, d_k=7, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((hidden, d_q)), rng.standard_normal((hidden, d_k)), rng.standard_normal(hidden)


def plain(q, k, w_query, w_key, v):
    """v·tanh(W₁q + W₂k), one pair at a time."""
    return np.array([[float(v @ np.tanh(w_query @ one + w_key @ other)) for other in k] for one in q])


def vectors(rows, size, seed):
    return np.random.default_rng(seed).standard_normal((rows, size))


def rounding(w_query, w_key, v, q, k):
    projected = np.abs(w_query) @ np.abs(q).max(0) + np.abs(w_key) @ np.abs(k).max(0)
    size = float(np.abs(v) @ (1 + projected))
    terms = len(v) + w_query.shape[1] + w_key.shape[1]
    return tolerance(np.float64, terms=terms, scale=size, why="two projections, |tanh'| <= 1, then a sum over hidden")


def test_the_score_is_the_formula_for_queries_and_keys_of_two_sizes():
    weights, q, k = parameters(), vectors(3, 5, 1), vectors(11, 7, 2)
    found = ac.score(q, k, "additive", ac.AdditiveWeights(*weights))
    np.testing.assert_allclose(found, plain(q, k, *weights), rtol=0, atol=rounding(*weights, q, k))


def test_the_score_of_hand_made_weights():
    weights = ac.AdditiveWeights([[1.0, 0.0]], [[0.0, 2.0]], [3.0])
    found = ac.score(np.array([[0.25, 9.0]]), np.array([[9.0, 0.125]]), "additive", weights)
    atol = tolerance(np.float64, terms=1, scale=3, why="one tanh")
    assert found[0, 0] == pytest.approx(3 * np.tanh(0.5), rel=0, abs=atol)


def test_the_score_is_at_most_the_sum_of_the_sizes_of_v():
    w_query, w_key, v = parameters()
    found = ac.score(1e6 * vectors(3, 5, 1), vectors(11, 7, 2), "additive", ac.AdditiveWeights(w_query, w_key, v))
    assert np.abs(found).max() <= np.abs(v).sum() + tolerance(np.float64, terms=13, scale=13, why="a sum over hidden")


@pytest.mark.parametrize("block", [1, 200, 3_000])
def test_blocks_of_keys_change_nothing(monkeypatch, block):
    weights, q, k = parameters(), vectors(3, 5, 1), vectors(97, 7, 2)
    whole = ac.score(q, k, "additive", ac.AdditiveWeights(*weights))
    monkeypatch.setattr(additive, "BLOCK", block)
    found = ac.score(q, k, "additive", ac.AdditiveWeights(*weights))
    np.testing.assert_allclose(found, whole, rtol=0, atol=rounding(*weights, q, k))


class Largest(TorchDispatchMode):
    """The number of elements of the largest tensor that is made inside it."""

    elements = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        for tensor in made if isinstance(made, (tuple, list)) else [made]:
            if isinstance(tensor, torch.Tensor):
                self.elements = max(self.elements, tensor.numel())
        return made


@pytest.mark.parametrize(
    ("query_shape", "key_shape"),
    [((11, 5), (1009, 7)), ((11, 5), (2003, 7)), ((3, 11, 5), (3, 1009, 7)), ((11, 5), (17, 211, 7))],
    ids=["keys", "more keys", "both batched", "keys batched"],
)
def test_no_tensor_grows_with_queries_x_keys_x_hidden(monkeypatch, query_shape, key_shape):
    monkeypatch.setattr(additive, "BLOCK", 4096)
    weights = ac.AdditiveWeights(*parameters())
    q, k = torch.zeros(query_shape, dtype=torch.float64), torch.zeros(key_shape, dtype=torch.float64)
    with Largest() as largest:
        scores = MEASURES["additive"](q, k, weights)
    projected = 13 * max(q[..., 0].numel(), k[..., 0].numel())
    allowed = max(4096, scores.numel(), projected)
    assert largest.elements <= allowed < scores.numel() * 13


def test_random_weights_have_the_shapes_asked_for():
    w = ac.AdditiveWeights.random(3, 5, hidden=7, seed=0)
    assert (tuple(w.w_query.shape), tuple(w.w_key.shape), tuple(w.v.shape)) == ((7, 3), (7, 5), (7,))
    assert w.v.dtype == w.w_key.dtype == w.w_query.dtype == torch.float32


@pytest.mark.parametrize("name", ["w_query", "w_key", "v"])
def test_the_same_seed_gives_the_same_weights_and_another_seed_others(name):
    one, same, other = (getattr(ac.AdditiveWeights.random(3, 5, seed=seed), name) for seed in (1, 1, 2))
    assert torch.equal(one, same) and not torch.equal(one, other)


def test_random_weights_leave_the_global_random_state_alone():
    before = torch.get_rng_state()
    ac.AdditiveWeights.random(3, 5, seed=1)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(("name", "fans"), [("w_query", 101 + 53), ("w_key", 101 + 59), ("v", 101 + 1)])
def test_random_weights_fill_the_xavier_interval_evenly(name, fans):
    weights = getattr(ac.AdditiveWeights.random(53, 59, hidden=101, seed=4), name).double().numpy().ravel()
    bound = np.sqrt(6 / fans)
    assert np.abs(weights).max() <= bound * (1 + tolerance(np.float32, terms=1, why="a bound rounded to float32"))
    assert stats.kstest(weights, stats.uniform(-bound, 2 * bound).cdf).pvalue > 1e-3


def test_integer_weights_are_taken_as_float64():
    w = ac.AdditiveWeights([[1, 0]], [[0, 1]], [2])
    assert w.w_query.dtype == w.w_key.dtype == w.v.dtype == torch.float64


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_weights_of_any_floating_dtype_score_in_the_dtype_of_the_vectors(dtype):
    w = ac.AdditiveWeights(*(torch.ones(shape, dtype=dtype) for shape in ((2, 3), (2, 3), (2,))))
    assert ac.score(torch.ones(1, 3, dtype=torch.float64), torch.ones(1, 3), "additive", w).dtype == torch.float64


@pytest.mark.parametrize("shapes", [((7, 3), (5, 3), (7,)), ((7, 3), (7, 3), (7, 1)), ((7,), (7, 3), (7,))])
def test_weights_that_do_not_fit_together_are_refused_with_their_shapes(shapes):
    with pytest.raises(ac.ScoringError) as caught:
        ac.AdditiveWeights(*(np.ones(shape) for shape in shapes))
    assert all(str(shape) in str(caught.value) for shape in shapes)


@pytest.mark.parametrize(("d_q", "d_k"), [(5, 3), (3, 5), (5, 5)])
def test_vectors_that_the_weights_do_not_fit_are_refused_with_all_sizes(d_q, d_k):
    with pytest.raises(ac.ScoringError, match=f"queries of 3 and keys of 3 components.*given {d_q} and {d_k}"):
        ac.score(np.ones((1, d_q)), np.ones((1, d_k)), "additive", ac.AdditiveWeights.random(3, 3))


def test_weights_of_another_kind_are_refused():
    with pytest.raises(ac.ScoringError, match="found dict"):
        ac.score(np.ones((1, 3)), np.ones((1, 3)), "additive", {"v": 1})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_file_gives_back_what_was_saved(tmp_path, dtype):
    saved = ac.AdditiveWeights(*(part.astype(dtype) for part in parameters()))
    saved.save(tmp_path / "w.safetensors")
    loaded = ac.AdditiveWeights.load(tmp_path / "w.safetensors")
    assert all(torch.equal(getattr(saved, name), getattr(loaded, name)) for name in ("w_query", "w_key", "v"))


def test_weights_that_share_one_matrix_can_be_saved(tmp_path):
    shared = torch.ones(2, 3)
    ac.AdditiveWeights(shared, shared, torch.ones(2)).save(tmp_path / "w.safetensors")
    assert torch.equal(ac.AdditiveWeights.load(tmp_path / "w.safetensors").w_key, shared)


@pytest.mark.parametrize("content", [b"", b"not safetensors at all", b"\x80\x04."], ids=["empty", "text", "pickle"])
def test_a_file_that_is_not_safetensors_is_refused_by_name(tmp_path, content):
    (tmp_path / "w.bin").write_bytes(content)
    with pytest.raises(ac.ScoringError, match=r"w\.bin: a safetensors file"):
        ac.AdditiveWeights.load(tmp_path / "w.bin")


def test_a_file_without_one_of_the_tensors_is_refused_naming_it(tmp_path):
    save_file({"w_query": np.ones((2, 3)), "w_key": np.ones((2, 3))}, tmp_path / "w.safetensors")
    with pytest.raises(ac.ScoringError, match="found 'v'"):
        ac.AdditiveWeights.load(tmp_path / "w.safetensors")


def spearman(scores, human):
    """(seeds,) correlation of each row of scores with the judgements: Pearson of average ranks."""
    ranks, wanted = stats.rankdata(scores, axis=1), stats.rankdata(human)
    ranks, wanted = ranks - ranks.mean(1, keepdims=True), wanted - wanted.mean()
    return ranks @ wanted / np.linalg.norm(ranks, axis=1) / np.linalg.norm(wanted)


@pytest.fixture
def untrained(glove):
    """(200,) Spearman's rho of untrained additive scores with WordSim-353, one for each seed."""
    rows = list(csv.DictReader(WORDSIM.read_text(encoding="utf-8").splitlines()))
    first, second = (
        torch.tensor(np.array([glove.vector(word if word in glove else word.lower()) for word in words]))
        for words in ([row["word1"] for row in rows], [row["word2"] for row in rows])
    )
    scores = [
        MEASURES["additive"](first[:, None], second[:, None], ac.AdditiveWeights.random(50, 50, seed=seed))[:, 0, 0]
        for seed in range(SEEDS)
    ]
    return spearman(torch.stack(scores).double().numpy(), [float(row["score"]) for row in rows])


def test_untrained_weights_agree_with_people_by_chance_alone(untrained):
    """The published mean and deviation over 200 seeds, as far as 200 other draws can tell: 3 standard errors."""
    deviation = untrained.std(ddof=1)
    assert abs(untrained.mean()) < 3 * deviation / np.sqrt(SEEDS)
    of_mean, of_deviation = PUBLISHED_DEVIATION / np.sqrt(SEEDS), PUBLISHED_DEVIATION / np.sqrt(2 * (SEEDS - 1))
    assert abs(untrained.mean() - PUBLISHED_MEAN) < 3 * np.sqrt(2) * of_mean
    assert abs(deviation - PUBLISHED_DEVIATION) < 3 * np.sqrt(2) * of_deviation
