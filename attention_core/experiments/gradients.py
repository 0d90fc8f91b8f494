"""Gradients through attention with and without 1/√d_k, as the vectors grow longer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from scipy import stats

from attention_core.attention import scaled
from attention_core.compute import Compute
from attention_core.errors import ScoringError

SIZES = tuple(4**i for i in range(7))
"""1 … 4,096 components."""
TOKENS = 32
LEVEL = 0.95
CPU = Compute(dtype="float64")


class Spread(NamedTuple):
    """A geometric mean over seeds, and its 95 % interval by Student's t of the logarithms."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Gradient:
    """What reaches the queries of one size under one scale.

    Attributes:
        d: components of queries, keys and values.
        scale: what q·k is multiplied by.
        typical: the norm of the gradient that half of the queries fall short of, over seeds.
        mean: the mean norm, over seeds, which few queries can carry.
        few: the share of the sum of all norms that the largest eighth of them holds, over seeds.
        largest: the mean of each query's largest weight, over seeds.
    """

    d: int
    scale: float
    typical: Spread
    mean: Spread
    few: Spread
    largest: Spread


@dataclass(frozen=True)
class Gradients:
    """Gradients with the scale 1/√d and with none, for several d.

    Attributes:
        scaled: by d.
        unscaled: by d.
        tokens: queries and keys of a run.
        seeds: how many runs each figure is of.
    """

    scaled: tuple[Gradient, ...]
    unscaled: tuple[Gradient, ...]
    tokens: int
    seeds: int


def gradients(
    sizes: Sequence[int] = SIZES,
    seeds: int = 10,
    tokens: int = TOKENS,
    compute: Compute = CPU,
    progress: Callable[[int, int], None] | None = None,
) -> Gradients:
    """‖∂L/∂q‖ for each query, by autograd through `scaled`, in float64.

    Queries, keys and values are normal numbers, as layers are initialised to make them. L is a sum of the outputs
    with random weights, for each query a vector of norm 1, so that without a softmax in between nothing would depend
    on d: what changes is what the softmax lets through.

    Args:
        sizes: components d, 1 to 4,096 each.
        seeds: runs with numbers of their own, 2 to 100.
        tokens: queries and keys of a run, 2 to 512.
        compute: the device.
        progress: called with (runs done, runs); may raise to stop.

    Raises:
        ScoringError: numbers that are not possible.

    Example:
        >>> found = gradients(sizes=[1, 1024], seeds=4)
        >>> found.unscaled[1].typical.value < 0.1 * found.scaled[1].typical.value
        True
    """
    if not (sizes and all(1 <= d <= 4096 for d in sizes) and 2 <= seeds <= 100 and 2 <= tokens <= 512):
        raise ScoringError(
            f"Sizes {list(sizes)}, {seeds} seeds and {tokens} tokens were asked for. "
            "Choose sizes from 1 to 4,096, 2 to 100 seeds and 2 to 512 tokens."
        )
    kinds: tuple[list[Gradient], list[Gradient]] = ([], [])
    done, total = 0, 2 * len(sizes) * seeds
    for d in sizes:
        for kind, scale in zip(kinds, (d**-0.5, 1.0), strict=True):
            runs = []
            for seed in range(seeds):
                runs.append(_run(d, scale, tokens, seed, compute))
                done += 1
                if progress is not None:
                    progress(done, total)
            kind.append(Gradient(d, scale, *(_spread(figures) for figures in zip(*runs, strict=True))))
    return Gradients(tuple(kinds[0]), tuple(kinds[1]), tokens, seeds)


def _run(d: int, scale: float, tokens: int, seed: int, compute: Compute) -> list[float]:
    """Median, mean and the largest eighth's share of the queries' gradient norms, and the mean largest weight."""
    generator = torch.Generator().manual_seed(seed)  # on the CPU, so that every device has the same numbers
    drawn = torch.randn(4, tokens, d, generator=generator, dtype=torch.float64).to(compute.device)
    q, k, v, upstream = drawn.unbind()
    q.requires_grad_()
    found = scaled(q, k, v, scale=scale)
    loss = (found.output * upstream / upstream.norm(dim=-1, keepdim=True)).sum()
    [gradient] = torch.autograd.grad(loss, q)
    norms, largest = gradient.norm(dim=-1).sort().values, found.weights.detach().max(dim=-1).values
    few = norms[-few_of(tokens) :].sum() / norms.sum()
    return [float(figure) for figure in (norms.median(), norms.mean(), few, largest.mean())]


def few_of(tokens: int) -> int:
    """An eighth of them, rounded up."""
    return -(-tokens // 8)


def _spread(values: Sequence[float]) -> Spread:
    """The geometric mean, since gradients range over powers of ten."""
    logs = np.log(np.maximum(values, np.finfo(np.float64).tiny))
    half = stats.t.ppf((1 + LEVEL) / 2, len(logs) - 1) * logs.std(ddof=1) / np.sqrt(len(logs))
    return Spread(*(float(np.exp(logs.mean() + side * half)) for side in (0, -1, 1)))
