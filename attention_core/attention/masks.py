"""Who may attend to whom: boolean patterns (query, key), True = may attend, to be combined with &, | and ~.

Where there are fewer queries than keys, the queries are the last positions ("bottom-right"), as with a KV cache; every
pattern takes `align="top-left"` for queries that are the first positions.

Example:
    >>> (causal(3, 3) & ~block(3, 3, 2)).int()
    tensor([[0, 0, 0],
            [0, 0, 0],
            [1, 1, 0]], dtype=torch.int32)
"""

from __future__ import annotations

import torch
from torch import Tensor

from attention_core.attention.base import Align, causal, positions
from attention_core.errors import AttentionError

__all__ = ["block", "causal", "dilated", "padding", "prefix", "sliding_window"]


def padding(lengths: Tensor, k_len: int) -> Tensor:
    """Only the first `lengths` keys are words; the others fill up the batch: (..., 1, key).

    The axis of 1 stands for the queries. With one for the heads too, write `padding(lengths, n).unsqueeze(-3)`.

    Args:
        lengths: (...,) of integers, from 0 to k_len.
        k_len: number of keys, padding included.

    Raises:
        AttentionError: lengths that are not integers, or outside 0 … k_len.

    Example:
        >>> padding(torch.tensor([2, 0]), 3).int()
        tensor([[[1, 1, 0]],
        <BLANKLINE>
                [[0, 0, 0]]], dtype=torch.int32)
    """
    given = torch.as_tensor(lengths)
    whole = not given.is_floating_point() and given.dtype != torch.bool
    if not whole or bool(((given < 0) | (given > k_len)).any()):
        raise AttentionError(
            f"Lengths are whole numbers from 0 to {k_len}, the number of keys; found {given.tolist()}. "
            "Give one length for each sequence of the batch."
        )
    return torch.arange(k_len, device=given.device) < given[..., None, None]


def sliding_window(q_len: int, k_len: int, window: int, align: Align = "bottom-right") -> Tensor:
    """Each query sees itself and the window − 1 keys before it (Beltagy et al. 2020; Mistral's W): (query, key).

    Raises:
        AttentionError: a window below 1; some codebases count W keys beside the current one, here it is counted.

    Example:
        >>> sliding_window(4, 4, window=2).int()
        tensor([[1, 0, 0, 0],
                [1, 1, 0, 0],
                [0, 1, 1, 0],
                [0, 0, 1, 1]], dtype=torch.int32)
    """
    before = _distance(q_len, k_len, align)
    return (before >= 0) & (before < _positive("window", window))


def prefix(q_len: int, k_len: int, length: int, align: Align = "bottom-right") -> Tensor:
    """All see the first `length` keys, and otherwise no later key (prefix LM, Raffel et al. 2020): (query, key).

    Raises:
        AttentionError: a negative length.

    Example:
        >>> prefix(3, 3, length=2).int()
        tensor([[1, 1, 0],
                [1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """
    if length < 0:
        raise AttentionError(f"A prefix of {length} keys was given. Give a length of 0 or more.")
    return causal(q_len, k_len, align) | (torch.arange(k_len) < length)


def block(q_len: int, k_len: int, size: int, align: Align = "bottom-right") -> Tensor:
    """Each query sees the keys of its own block of `size` positions, later ones too: (query, key).

    Raises:
        AttentionError: a size below 1.

    Example:
        >>> block(3, 3, size=2).int()
        tensor([[1, 1, 0],
                [1, 1, 0],
                [0, 0, 1]], dtype=torch.int32)
    """
    blocks = positions(q_len, k_len, align) // _positive("size", size)
    return blocks.unsqueeze(-1) == torch.arange(k_len) // size


def dilated(q_len: int, k_len: int, step: int, align: Align = "bottom-right") -> Tensor:
    """Each query sees every `step`-th position, counted from its own in both directions: (query, key).

    With a window of w such positions (Beltagy et al. 2020, figure 2c): `dilated(n, n, s) & sliding_window(n, n, w*s)`.

    Raises:
        AttentionError: a step below 1.

    Example:
        >>> dilated(4, 4, step=2).int()
        tensor([[1, 0, 1, 0],
                [0, 1, 0, 1],
                [1, 0, 1, 0],
                [0, 1, 0, 1]], dtype=torch.int32)
    """
    return _distance(q_len, k_len, align) % _positive("step", step) == 0


def _distance(q_len: int, k_len: int, align: Align) -> Tensor:
    """(query, key): how many positions a key lies before a query; negative for later keys."""
    return positions(q_len, k_len, align).unsqueeze(-1) - torch.arange(k_len)


def _positive(name: str, given: int) -> int:
    if given < 1:
        raise AttentionError(f"A {name} of {given} was given. Give a {name} of 1 position or more.")
    return given
