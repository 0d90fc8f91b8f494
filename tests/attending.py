"""Attention as plain float64 numpy, one row at a time, and what the tests of attention feed to it."""

import numpy as np
import torch

from tests.tolerance import tolerance

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def normal(*shape, seed=0, device="cpu", dtype=torch.float64):
    return torch.tensor(np.random.default_rng(seed).standard_normal(shape), dtype=dtype, device=device)


def qkv(*batch, queries=3, keys=5, size=7, values=11, seed=0, device="cpu", dtype=torch.float64):
    """Three normal tensors whose axes all have lengths of their own."""
    shapes = ((queries, size), (keys, size), (keys, values))
    return tuple(normal(*batch, *s, seed=seed + i, device=device, dtype=dtype) for i, s in enumerate(shapes))


def array(tensor):
    return tensor.detach().cpu().double().numpy()


def softmax(logits, allowed):
    """Rows of e^(z − max)/Σ over the allowed keys alone; zeros in a row without one."""
    weights = np.zeros(logits.shape)
    for index in np.ndindex(logits.shape[:-1]):
        kept = allowed[index]
        if kept.any():
            powers = np.exp(logits[index][kept] - logits[index][kept].max())
            weights[index][kept] = powers / powers.sum()
    return weights


def by_hand(q, k, v, allowed=True, scale=None):
    """(output, weights) of numpy arrays or tensors (..., row, size), in float64."""
    q, k, v = (array(given) if isinstance(given, torch.Tensor) else np.asarray(given, float) for given in (q, k, v))
    allowed = array(allowed).astype(bool) if isinstance(allowed, torch.Tensor) else np.asarray(allowed)
    logits = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    weights = softmax(logits, np.broadcast_to(allowed, logits.shape))
    return weights @ v, weights


def rounding(dtype, q, k, v=None):
    """How far two attentions in a dtype may lie apart: the logits move the weights, which weigh the values."""
    sizes = [float(given.abs().max()) for given in (q, k)]
    logits = q.shape[-1] ** 0.5 * sizes[0] * sizes[1]
    terms = q.shape[-1] + k.shape[-2]
    scale = (1 + logits) * (1 if v is None else 1 + float(v.abs().max()))
    return tolerance(
        dtype, terms=terms, scale=scale, why="products of d terms inside an exponent, then a sum over keys"
    )
