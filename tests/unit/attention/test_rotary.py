"""Rotary and sinusoidal positions: against complex numbers, in both layouts, and decoding with a cache (case 14)."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_core.attention import rotary, scaled, sinusoidal
from tests.attending import DEVICES, array, normal
from tests.tolerance import tolerance

CASE = Path(__file__).parents[2] / "cases" / "attention" / "14_decode_position"
ATOL = float(tolerance(np.float64, terms=8, scale=8, why="a turn by an angle of some radians, then a product"))
layouts = pytest.mark.parametrize("layout", ["interleaved", "half-split"])


def turned(x, positions, theta, layout):
    """Pairs as complex numbers, times e^(i·p·theta^(−2i/d)), one token at a time."""
    half = x.shape[-1] // 2
    first, second = (x[..., 0::2], x[..., 1::2]) if layout == "interleaved" else (x[..., :half], x[..., half:])
    z = (first + 1j * second) * np.exp(1j * np.multiply.outer(positions, theta ** -(np.arange(half) / half)))
    if layout == "half-split":
        return np.concatenate([z.real, z.imag], axis=-1)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@layouts
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("theta", [10_000.0, 500_000.0, 2.0])
def test_it_is_a_turn_of_complex_numbers(layout, device, theta):
    x, positions = normal(2, 3, 5, 14, device=device), torch.tensor([0, 1, 7, 3, 1000])
    found = array(rotary.rotate(x, positions, theta, layout))
    atol = tolerance(np.float64, terms=2, scale=8000, why="an angle of 1000 radians, rounded")
    np.testing.assert_allclose(found, turned(array(x), positions.numpy(), theta, layout), rtol=0, atol=atol)


@layouts
def test_each_item_of_a_batch_may_stand_elsewhere(layout):
    x, positions = normal(2, 5, 6), torch.tensor([[0, 1, 2, 3, 4], [9, 8, 7, 6, 5]])
    found = rotary.rotate(x, positions, layout=layout)
    assert all(torch.equal(found[i], rotary.rotate(x[i], positions[i], layout=layout)) for i in (0, 1))


@layouts
def test_lengths_stay_and_scores_depend_on_the_distance_alone(layout):
    q, k = normal(1, 6), normal(1, 6, seed=1)
    scores = [
        (
            rotary.rotate(q, torch.tensor([at + 3]), layout=layout)
            @ rotary.rotate(k, torch.tensor([at]), layout=layout).mT
        )
        for at in (0, 1, 50)
    ]
    np.testing.assert_allclose([float(s) for s in scores], float(scores[0]), rtol=0, atol=10 * ATOL)
    assert rotary.rotate(q, torch.tensor([17]), layout=layout).norm() == pytest.approx(float(q.norm()), abs=ATOL)


def test_position_zero_changes_nothing():
    x = normal(1, 6)
    assert torch.equal(rotary.rotate(x, torch.tensor([0])), x)


def test_the_layouts_are_one_rotation_of_reordered_components():
    x, at = normal(2, 5, 6), torch.arange(5)
    found = rotary.rotate(rotary.to_half_split(x), at, layout="half-split")
    assert torch.equal(found, rotary.to_half_split(rotary.rotate(x, at)))
    assert torch.equal(rotary.to_interleaved(found), rotary.rotate(x, at))


def test_rows_of_a_weight_matrix_are_reordered_within_each_head():
    x, weight, heads = normal(5, 7), normal(3 * 4, 7, seed=1), 3
    moved = rotary.to_half_split(weight.unflatten(0, (heads, -1)), axis=1).flatten(0, 1)
    for head in range(heads):
        rows = slice(4 * head, 4 * head + 4)
        np.testing.assert_allclose(x @ moved[rows].mT, rotary.to_half_split(x @ weight[rows].mT), rtol=0, atol=ATOL)


def test_conversions_undo_each_other_on_any_axis():
    x = normal(2, 6, 4)
    for axis in (1, 2, -1):
        assert torch.equal(rotary.to_interleaved(rotary.to_half_split(x, axis), axis), x)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_narrow_dtypes_turn_by_exact_angles_far_out(dtype):
    x = normal(1, 6, dtype=dtype)
    found = rotary.rotate(x, torch.tensor([1_000_003]))
    wanted = turned(array(x), np.array([1_000_003]), 10_000.0, "interleaved")
    assert found.dtype == dtype
    np.testing.assert_allclose(array(found), wanted, rtol=0, atol=4 * torch.finfo(dtype).eps * np.abs(array(x)).max())


def case():
    with np.load(CASE / "inputs.npz") as stored:
        return [torch.tensor(stored[name]) for name in "qkv"]


def rotated(x, first):
    return rotary.rotate(x, torch.arange(first, first + len(x)))


def test_14_a_decoded_token_stands_after_those_in_the_cache():
    expected = json.loads((CASE / "expected.json").read_text())
    q, k, v = case()
    keys = torch.cat([rotated(k[:4], 0), rotated(k[4:], 4)])
    np.testing.assert_allclose(
        scaled(rotated(q, 0), rotated(k, 0), v, causal=True).output, expected["prefill_outputs"], rtol=0, atol=1e-12
    )
    decoded = scaled(rotated(q[4:], 4), keys, v, causal=True).output[0]
    np.testing.assert_allclose(decoded, expected["decode_last_right"], rtol=0, atol=1e-12)
    wrong = scaled(rotated(q[4:], 0), torch.cat([rotated(k[:4], 0), rotated(k[4:], 0)]), v).output[0]
    np.testing.assert_allclose(wrong, expected["decode_positions_reset_to_0"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("size", [1, 6, 7])
def test_sinusoids_are_those_of_the_paper(size):
    found = sinusoidal(torch.tensor([[0, 3], [100, 7]]), size)
    for place, row in zip([0, 3, 100, 7], found.reshape(4, size).tolist(), strict=True):
        angles = [place / 10_000 ** (2 * (i // 2) / size) for i in range(size)]
        wanted = [np.sin(a) if i % 2 == 0 else np.cos(a) for i, a in enumerate(angles)]
        np.testing.assert_allclose(row, wanted, rtol=0, atol=tolerance(np.float64, terms=2, scale=100, why="an angle"))
