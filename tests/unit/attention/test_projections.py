"""Projections: what each kind promises, files and state dicts, and what is refused."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import attention_core as ac
from attention_core.attention import multi_head
from attention_core.attention.projections import Projections
from tests.attending import normal
from tests.tolerance import tolerance

ATOL = float(tolerance(np.float64, terms=50, scale=10, why="products of 50 components, and an orthogonal basis"))
MATRICES = ["q", "k", "v", "o"]


def same(a, b):
    return all(torch.equal(getattr(a, name), getattr(b, name)) for name in MATRICES)


def test_the_same_seed_gives_the_same_weights_and_leaves_the_global_numbers_alone():
    before = torch.get_rng_state()
    for made in (Projections.random, Projections.orthogonal_subspaces):
        assert same(made(1, 12, 3), made(1, 12, 3)) and not same(made(1, 12, 3), made(2, 12, 3))
    assert torch.equal(torch.get_rng_state(), before)


def test_random_weights_keep_the_variance_of_what_they_project():
    p = Projections.random(1, 500, heads=5, kv_heads=1, head_size=60)
    shapes = [tuple(getattr(p, name).shape) for name in MATRICES]
    assert shapes == [(300, 500), (60, 500), (60, 500), (500, 300)]
    for name in MATRICES:
        weight = getattr(p, name)
        error = np.sqrt(2 / weight.numel())
        assert weight.var().item() * weight.shape[1] == pytest.approx(1, abs=5 * error)


def subspaces():
    vectors = normal(97, 12) * torch.arange(1, 13)
    return {"orthogonal": Projections.orthogonal_subspaces(1, 12, 3), "pca": Projections.pca_subspaces(vectors, 3)}


@pytest.mark.parametrize("kind", ["orthogonal", "pca"])
def test_subspaces_are_at_right_angles_and_turned_back(kind):
    p = subspaces()[kind]
    np.testing.assert_allclose(p.q @ p.q.mT, np.eye(12), rtol=0, atol=ATOL)
    assert torch.equal(p.q, p.k) and torch.equal(p.q, p.v) and torch.equal(p.o, p.q.mT)
    x = normal(1, 12)
    np.testing.assert_allclose(multi_head(x, p, heads=3).output, x, rtol=0, atol=ATOL)  # one token keeps itself


def test_principal_axes_are_those_of_the_singular_values_in_order(glove):
    vectors = glove.matrix[:2000].astype(np.float64)
    found = Projections.pca_subspaces(vectors, 5).q.numpy()
    _, sizes, axes = np.linalg.svd(vectors - vectors.mean(0), full_matrices=False)
    assert np.diff(sizes).max() < 0
    np.testing.assert_allclose(np.abs((found * axes).sum(1)), 1, rtol=0, atol=1e-8)
    assert (np.take_along_axis(found, np.abs(found).argmax(1)[:, None], 1) > 0).all()


def test_principal_axes_of_fewer_vectors_than_components_are_still_a_basis():
    p = Projections.pca_subspaces(normal(2, 12), 3)
    np.testing.assert_allclose(p.q @ p.q.mT, np.eye(12), rtol=0, atol=ATOL)


def with_biases():
    p = Projections.random(1, 12, heads=3, kv_heads=1)
    return Projections(p.q, p.k, p.v, p.o, normal(12), normal(4), normal(4), normal(12))


def test_a_file_gives_back_what_was_saved(tmp_path):
    for saved in (with_biases(), *subspaces().values()):
        saved.save(tmp_path / "w.safetensors")
        loaded = Projections.load(tmp_path / "w.safetensors")
        assert same(saved, loaded) and repr(saved) == repr(loaded)
    Projections(saved.q, saved.k, saved.v).save(tmp_path / "w.safetensors")
    assert Projections.load(tmp_path / "w.safetensors").o is None


def test_a_file_may_hold_the_state_of_torch_s_module(tmp_path):
    module = torch.nn.MultiheadAttention(12, 3)
    save_file(module.state_dict(), tmp_path / "w.safetensors")
    assert same(Projections.load(tmp_path / "w.safetensors"), Projections.from_tensors(module.state_dict()))


def test_weights_from_lists():
    assert Projections([[1.0]], [[1.0]], [[2.0]]).v.dtype == torch.float64


EYE = torch.eye(3)
REFUSED = {
    "three axes": ((EYE[None], EYE, EYE), r"q \(1, 3, 3\)"),
    "other inputs": ((EYE, torch.ones(3, 4), EYE), r"k \(3, 4\)"),
    "integers": ((EYE.int(), EYE, EYE), "in q, found torch.int32"),
    "NaN": ((EYE, EYE * torch.nan, EYE), "in k, found some that are not finite"),
    "a bias of another length": ((EYE, EYE, EYE, EYE, torch.ones(2)), r"q_bias \(3,\).*found \(2,\)"),
    "a bias without its matrix": ((EYE, EYE, EYE, None, None, None, None, torch.ones(3)), "without o"),
}


@pytest.mark.parametrize(("weights", "words"), REFUSED.values(), ids=REFUSED)
def test_weights_that_do_not_fit_are_refused_with_their_shapes(weights, words):
    with pytest.raises(ac.AttentionError, match=words):
        Projections(*weights)


@pytest.mark.parametrize("heads", [0, -1, 5, 13])
@pytest.mark.parametrize(
    "make",
    [
        lambda heads: Projections.random(0, 12, heads),
        lambda heads: Projections.orthogonal_subspaces(0, 12, heads),
        lambda heads: Projections.pca_subspaces(normal(20, 12), heads),
    ],
)
def test_heads_that_do_not_divide_the_size_are_refused(make, heads):
    with pytest.raises(ac.AttentionError, match=f"{heads} heads do not divide 12.*such as 1, 2, 3, 4, 6, 12"):
        make(heads)


@pytest.mark.parametrize("vectors", [np.ones(3), np.ones((0, 3)), np.full((2, 4), np.inf)])
def test_no_matrix_has_no_principal_axes(vectors):
    with pytest.raises(ac.AttentionError):
        Projections.pca_subspaces(vectors, 1)


@pytest.mark.parametrize("content", [b"", b"no safetensors", b"\x80\x04.", b"PK\x03\x04"], ids=repr)
def test_a_file_of_another_kind_is_refused_by_name_and_never_unpickled(tmp_path, content):
    (tmp_path / "weights.pt").write_bytes(content)
    with pytest.raises(ac.AttentionError, match=r"weights\.pt: a safetensors file.*can run code"):
        Projections.load(tmp_path / "weights.pt")


def test_a_pickle_is_not_run(tmp_path):
    torch.save({"w_q": EYE}, tmp_path / "weights.pt")
    with pytest.raises(ac.AttentionError, match="convert yours"):
        Projections.load(tmp_path / "weights.pt")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ac.AttentionError, match=r"nowhere\.safetensors"):
        Projections.load(tmp_path / "nowhere.safetensors")


@pytest.mark.parametrize(
    ("tensors", "words"),
    [
        ({}, "found none"),
        ({"w_q": EYE, "w_k": EYE}, "found w_k, w_q"),
        ({"w_q": EYE, "w_k": EYE, "w_v": EYE, "w_x": EYE}, "w_x"),
        ({"in_proj_weight": torch.ones(8, 3)}, r"\(3·size, size\) is expected, found \(8, 3\)"),
        ({"in_proj_weight": torch.ones(9, 3), "bias_k": EYE}, "bias_k"),
    ],
)
def test_other_names_are_refused_naming_both(tensors, words):
    with pytest.raises(ac.AttentionError, match=words):
        Projections.from_tensors(tensors)
