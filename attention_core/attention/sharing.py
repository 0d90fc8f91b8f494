"""Fewer key and value heads made from those of a model that has more."""

from __future__ import annotations

from dataclasses import replace

from torch import Tensor

from attention_core.attention.projections import Projections
from attention_core.errors import AttentionError


def shared(projections: Projections, heads: int, kv_heads: int) -> Projections:
    """Key and value heads merged into fewer: each is the mean of those of its group.

    This is how Ainslie et al. (2023, section 2.1) convert a model, before they train it further: to GQA, or to MQA with
    one key and value head. Neighbouring heads form a group, whose query heads then share it.

    Args:
        projections: with as many key and value heads as wanted, or more.
        heads: number of query heads.
        kv_heads: divides the number of key and value heads there are.

    Raises:
        AttentionError: heads that do not fit.

    Example:
        >>> shared(Projections.identity(4), heads=2, kv_heads=1).k.tolist()
        [[0.5, 0.0, 0.5, 0.0], [0.0, 0.5, 0.0, 0.5]]
    """
    there = projections.kv_heads(heads)
    if kv_heads < 1 or there % kv_heads:
        raise AttentionError(
            f"{there} key and value heads cannot be merged into {kv_heads} in equal groups. Choose a number that "
            f"divides {there}, such as 1 for MQA."
        )
    if kv_heads == there:
        return projections
    return replace(
        projections,
        k=_means(projections.k, there, kv_heads),
        v=_means(projections.v, there, kv_heads),
        k_bias=None if projections.k_bias is None else _means(projections.k_bias, there, kv_heads),
        v_bias=None if projections.v_bias is None else _means(projections.v_bias, there, kv_heads),
    )


def _means(rows: Tensor, heads: int, groups: int) -> Tensor:
    """The mean of the blocks of rows in each group of neighbouring heads."""
    return rows.reshape(groups, heads // groups, -1, *rows.shape[1:]).mean(dim=1).flatten(0, 1)
