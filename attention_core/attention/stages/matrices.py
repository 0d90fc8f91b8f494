"""The stages by name, each as one matrix."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from attention_core.attention.stages.settings import Settings
from attention_core.attention.stages.stages import Head, Stages

Stage = Literal["X", "X + P", "Q", "K", "V", "scores", "scaled", "masked", "softmax", "A·V", "joined", "output"]
PAIRS: tuple[Stage, ...] = ("scores", "scaled", "masked", "softmax")
"""Those with a row for each query and a column for each key; the others have a column for each component."""


def stage_names(settings: Settings) -> tuple[Stage, ...]:
    """The stages that there are, in order: X + P where positions are added, “joined” where there are several heads.

    Example:
        >>> stage_names(Settings())
        ('X', 'Q', 'K', 'V', 'scores', 'scaled', 'masked', 'softmax', 'A·V', 'output')
    """
    added: tuple[Stage, ...] = ("X + P",) if settings.positions == "sinusoidal" else ()
    joined: tuple[Stage, ...] = ("joined",) if settings.heads > 1 else ()
    return ("X", *added, "Q", "K", "V", *PAIRS, "A·V", *joined, "output")


def matrix(found: Stages, head: Head, name: Stage) -> Tensor:
    """A stage as a matrix with a row for each token, of queries, keys and values for that head.

    Returns:
        (rows, columns); of “masked” and “softmax” −inf where masked, NaN where undefined.
    """
    match name:
        case "X":
            return found.x
        case "X + P":
            return found.positioned
        case "Q":
            return head.q
        case "K":
            return head.k
        case "V":
            return head.v
        case "scores":
            return head.scores
        case "scaled":
            return head.scaled
        case "masked":
            return head.masked
        case "softmax":
            return head.weights if head.mask is None else head.weights.masked_fill(~head.mask, -torch.inf)
        case "A·V":
            return found.head_outputs[head.number]
        case "joined":
            return found.concatenated
        case "output":
            return found.output
