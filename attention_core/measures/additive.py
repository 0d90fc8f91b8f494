"""Additive (Bahdanau) score and its weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from attention_core.errors import ScoringError
from attention_core.measures.base import HiddenSum, Measure

BLOCK = 1 << 21
"""Elements of one query x key x hidden block: it stays in a processor's cache, whatever the sizes."""


@dataclass(frozen=True, eq=False)
class AdditiveWeights:
    """The trained parameters of the additive score; queries and keys may differ in size.

    Attributes:
        w_query: (hidden, d_q).
        w_key: (hidden, d_k).
        v: (hidden,).

    Raises:
        ScoringError: shapes that do not fit together.

    Example:
        >>> w = AdditiveWeights.random(d_q=3, d_k=5, hidden=7, seed=0)
        >>> w.w_query.shape, w.w_key.shape, w.v.shape
        (torch.Size([7, 3]), torch.Size([7, 5]), torch.Size([7]))
    """

    w_query: Tensor
    w_key: Tensor
    v: Tensor

    def __post_init__(self) -> None:
        for name in ("w_query", "w_key", "v"):
            object.__setattr__(self, name, _floating(getattr(self, name)))
        shapes = [tuple(weight.shape) for weight in (self.w_query, self.w_key, self.v)]
        if [len(shape) for shape in shapes] != [2, 2, 1] or len({shape[0] for shape in shapes}) != 1:
            raise ScoringError(
                "Additive weights w_query (hidden, d_q), w_key (hidden, d_k) and v (hidden,) are expected, found "
                f"shapes {shapes[0]}, {shapes[1]} and {shapes[2]}. Give all three the same hidden size."
            )

    @classmethod
    def random(cls, d_q: int, d_k: int, hidden: int = 64, seed: int = 0) -> AdditiveWeights:
        """Seeded Xavier-uniform weights (Glorot and Bengio 2010): a start for training, which ranks arbitrarily.

        Float32; the same seed gives the same weights, and no global random state is touched.
        """
        generator = torch.Generator().manual_seed(seed)
        w_query, w_key, v = (torch.empty(shape) for shape in ((hidden, d_q), (hidden, d_k), (1, hidden)))
        for weight in (w_query, w_key, v):
            torch.nn.init.xavier_uniform_(weight, generator=generator)
        return cls(w_query, w_key, v[0])

    def save(self, path: str | Path) -> None:
        """Writes a safetensors file with the tensors `w_query`, `w_key` and `v`."""
        from safetensors.torch import save_file

        save_file({name: getattr(self, name).detach().clone() for name in ("w_query", "w_key", "v")}, path)

    @classmethod
    def load(cls, path: str | Path) -> AdditiveWeights:
        """Reads what `save` writes.

        Raises:
            ScoringError: a file that is not safetensors, or lacks one of the three tensors.
        """
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            tensors = load_file(path)
            return cls(tensors["w_query"], tensors["w_key"], tensors["v"])
        except (SafetensorError, KeyError) as error:
            raise ScoringError(
                f"{Path(path).name}: a safetensors file with w_query, w_key and v is expected, found {error}. "
                "Write it with AdditiveWeights.save."
            ) from error


def _floating(weight: Tensor | ArrayLike) -> Tensor:
    tensor = weight if isinstance(weight, Tensor) else torch.tensor(np.array(weight))
    return tensor if tensor.is_floating_point() else tensor.double()


def score(queries: Tensor, keys: Tensor, weights: AdditiveWeights) -> Tensor:
    """v·tanh(W₁q + W₂k) (Bahdanau, Cho and Bengio 2015).

    Blocked over keys, so that memory does not grow with queries x keys x hidden.

    Args:
        queries: (..., q, d_q).
        keys: (..., n, d_k).
        weights: with matching d_q and d_k, in any floating dtype.

    Returns:
        (..., q, n), in the unit of v and at most Σ|v| in size; higher is closer, as far as training makes it so.

    Raises:
        ScoringError: sizes that the weights do not fit, or weights of another kind.

    Example:
        >>> w = AdditiveWeights([[1.0, 0.0]], [[0.0, 1.0]], [2.0])
        >>> score(torch.tensor([[0.5, 9.0]]), torch.tensor([[9.0, -0.5]]), w)
        tensor([[0.]])
    """
    _check(queries.shape[-1], keys.shape[-1], weights)
    projected_queries = queries @ weights.w_query.to(queries).mT  # (..., q, hidden)
    projected_keys = keys @ weights.w_key.to(keys).mT  # (..., n, hidden)
    v = weights.v.to(queries)
    batch = np.broadcast_shapes(projected_queries.shape[:-2], projected_keys.shape[:-2])
    step = max(1, BLOCK // max(1, math.prod(batch) * projected_queries.shape[-2] * len(v)))
    blocks = (
        torch.tanh(projected_queries.unsqueeze(-2) + block.unsqueeze(-3)) @ v
        for block in torch.split(projected_keys, step, dim=-2)
    )
    if torch.is_grad_enabled() and any(given.requires_grad for given in (projected_queries, projected_keys, v)):
        return torch.cat(list(blocks), dim=-1)
    # kept in a list, small results would lie between large temporaries, whose memory could then not be used again
    scores = projected_queries.new_empty(*batch, projected_queries.shape[-2], projected_keys.shape[-2])
    for into, block in zip(torch.split(scores, step, dim=-1), blocks, strict=True):
        into.copy_(block)
    return scores


def _check(d_q: int, d_k: int, weights: object) -> None:
    if not isinstance(weights, AdditiveWeights):
        raise ScoringError(f"AdditiveWeights are expected, found {type(weights).__name__}. See AdditiveWeights.random.")
    expected = (weights.w_query.shape[1], weights.w_key.shape[1])
    if (d_q, d_k) != expected:
        raise ScoringError(
            f"The additive weights take queries of {expected[0]} and keys of {expected[1]} components, and were given "
            f"{d_q} and {d_k}. Use AdditiveWeights made for these sizes."
        )


def _random_weights(d_q: int, d_k: int, seed: int) -> AdditiveWeights:
    return AdditiveWeights.random(d_q, d_k, seed=seed)


MEASURE = Measure(
    name="additive",
    label="additive",
    place=4,
    formula=r"v^\top \tanh(W_1 q + W_2 k)",
    meaning="A small network with weights of its own: untrained weights rank arbitrarily.",
    best="highest",
    properties=frozenset(),
    score=score,
    logits=score,
    random_weights=_random_weights,
    check_weights=_check,
    hidden_sum=HiddenSum(torch.tanh),
)
