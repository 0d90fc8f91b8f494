"""Two lessons on latents: what a low rank loses, and why a turn cannot be folded away; against numpy."""

import numpy as np
import pytest
import torch

from attention_core.attention import LatentConfig, latent
from attention_core.attention.projections import Projections
from attention_core.errors import AttentionError
from tests.attending import array, by_hand, normal

pytestmark = pytest.mark.usefixtures("one_thread")
D, HEADS, SIZE = 13, 2, 5
WEIGHTS = Projections.random(1, D, HEADS, head_size=SIZE)
SENTENCES = [normal(7, D), normal(3, D, seed=1)]
VECTORS = normal(101, D, seed=2) * torch.linspace(3, 0.2, D, dtype=torch.float64) + 1


def attended(x, w_q, w_k, w_v):
    split = [np.moveaxis((x @ w.T).reshape(len(x), HEADS, SIZE), 1, 0) for w in (w_q, w_k, w_v)]
    return by_hand(*split)


def error(w_k, w_v):
    """Over all tokens, by numpy alone."""
    q, k, v = (array(w) for w in (WEIGHTS.q, WEIGHTS.k, WEIGHTS.v))
    pairs = [(attended(array(x), q, k, v), attended(array(x), q, w_k, w_v)) for x in SENTENCES]
    off = sum(((a - b) ** 2).sum() for (a, _), (b, _) in pairs)
    size = sum((a**2).sum() for (a, _), _ in pairs)
    moved = np.concatenate([np.abs(a - b).sum(-1).ravel() / 2 for (_, a), (_, b) in pairs])
    return np.sqrt(off / size), moved.mean()


def factored(way, rank):
    """[W_K; W_V] of that rank: its own truncated SVD, or seen along the axes of the vectors' keys and values."""
    joint = array(torch.cat([WEIGHTS.k, WEIGHTS.v]))
    if way == "weights":
        left, sizes, right = np.linalg.svd(joint, full_matrices=False)
        return left[:, :rank] @ np.diag(sizes[:rank]) @ right[:rank]
    axes = np.linalg.svd(array(VECTORS) @ joint.T)[2][:rank]
    return axes.T @ axes @ joint


@pytest.fixture(scope="module")
def found():
    return latent.low_rank(SENTENCES, VECTORS, WEIGHTS, HEADS, ranks=[1, 4, 9, 13])


@pytest.mark.parametrize("way", ["weights", "vectors"])
def test_errors_are_those_of_the_factored_matrices(found, way):
    joint = array(torch.cat([WEIGHTS.k, WEIGHTS.v]))
    for i, rank in enumerate(found.ranks):
        low = factored(way, rank)
        off, moved = error(low[: HEADS * SIZE], low[HEADS * SIZE :])
        projected = np.linalg.norm(array(VECTORS) @ (low - joint).T) / np.linalg.norm(array(VECTORS) @ joint.T)
        assert found.attended[way][i] == pytest.approx(off, abs=1e-10)
        assert found.moved[way][i] == pytest.approx(moved, abs=1e-10)
        assert found.projected[way][i] == pytest.approx(projected, abs=1e-7)  # a root of what rounding leaves of 0


def test_singular_values_are_those_of_numpy(found):
    joint = array(torch.cat([WEIGHTS.k, WEIGHTS.v]))
    images = array(VECTORS) @ joint.T / np.sqrt(len(VECTORS))
    np.testing.assert_allclose(found.singular["weights"], np.linalg.svd(joint)[1], rtol=1e-12)
    wanted = np.linalg.svd(images)[1]
    np.testing.assert_allclose(found.singular["vectors"][:D], wanted[:D], rtol=1e-9)


def test_no_latent_of_its_size_does_better_on_the_vectors_than_the_one_fitted_to_them(found):
    pairs = zip(found.projected["vectors"], found.projected["weights"], strict=True)
    assert all(fitted <= plain + 1e-7 for fitted, plain in pairs)  # the root of what rounding leaves of 0


def test_a_latent_as_large_as_the_hidden_state_loses_nothing(found):
    assert found.ranks[-1] == D and found.kept == 20
    assert max(found.attended[way][-1] for way in found.attended) < 1e-10
    assert (found.sentences, found.tokens, found.vectors) == (2, 10, 101)


def test_the_smallest_latent_within_an_error_is_read_off(found):
    assert found.smallest("vectors", 1e-9) == 13 and found.smallest("vectors", 1.5) == 1
    assert found.smallest("weights", -1.0) is None


def test_ranks_are_spread_where_none_are_given():
    few = latent.low_rank(SENTENCES, VECTORS, WEIGHTS, HEADS)
    assert few.ranks == tuple(range(1, 14))
    wide = Projections.random(0, 60, 1)
    many = latent.low_rank([normal(4, 60)], normal(9, 60), wide, 1).ranks
    assert len(many) == 24 and (many[0], many[-1]) == (1, 60)


def test_zero_vectors_have_no_error():
    zero = torch.zeros(3, D, dtype=torch.float64)
    found = latent.low_rank([zero], zero, WEIGHTS, HEADS, ranks=[1])
    assert found.attended == {"weights": (0.0,), "vectors": (0.0,)}
    assert found.projected == {"weights": (0.0,), "vectors": (0.0,)}


@pytest.mark.parametrize("ranks", [[0], [21], []])
def test_ranks_out_of_range_are_refused(ranks):
    with pytest.raises(AttentionError, match="were given for keys and values of 20 numbers. Give 1 to 20."):
        latent.low_rank(SENTENCES, VECTORS, WEIGHTS, HEADS, ranks)


def test_nothing_to_attend_to_is_refused():
    for given in (([], VECTORS), (SENTENCES, VECTORS[:0])):
        with pytest.raises(AttentionError, match="No sentence, or no vectors, was given."):
            latent.low_rank(*given, WEIGHTS, HEADS)


# --- folding


CONFIG = LatentConfig(64, 2, 0, 16, 8, 4, 8)


def test_only_a_turn_in_between_keeps_a_matrix_from_being_folded():
    found = latent.commuting(CONFIG, [0, 1, 7, 500])
    assert max(found.errors["no position"]) < 1e-14 and max(found.errors["separate key"]) < 1e-14
    assert max(found.exact) < 1e-14
    assert found.errors["turned between"][0] < 1e-14 and min(found.errors["turned between"][1:]) > 0.1
    assert found.commutator[0] < 1e-14 and min(found.commutator[1:]) > 0.1


def rotation(d, position, theta):
    """R (d, d) of pairs (2i, 2i + 1)."""
    out = np.eye(d)
    for i in range(d // 2):
        a = position * theta ** (-2 * i / d)
        out[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]
    return out


@pytest.mark.parametrize("distance", [1, 7, 500])
def test_the_commutator_is_that_of_the_matrices(distance):
    generator = torch.Generator().manual_seed(3)
    up = array(torch.randn(8, 16, generator=generator, dtype=torch.float64)) * 16**-0.5
    wanted = rotation(8, distance, 10_000.0) @ up - up @ rotation(16, distance, 10_000.0)
    found = latent.commuting(CONFIG, [distance], seed=3).commutator[0]
    assert found == pytest.approx(np.linalg.norm(wanted) / np.linalg.norm(up), abs=1e-12)


@pytest.mark.parametrize("sizes", [(1, 1), (5, 3), (3, 1)])
def test_odd_sizes_leave_a_component_that_does_not_turn(sizes):
    rank, nope = sizes
    found = latent.commuting(LatentConfig(64, 1, 0, rank, nope, 2, 1), [0, 3])
    assert all(np.isfinite(errors).all() for errors in found.errors.values())
