"""Experiments with the scale and the softmax of attention, one idea per file; each figure can be computed again.

Example:
    >>> import attention_core as ac
    >>> found = ac.experiments.dot_products(128, size=50_000)
    >>> abs(found.variance.value - 128) < 4 * found.variance.error
    True
"""

from attention_core.experiments.cost import Cost, cost
from attention_core.experiments.gradients import Gradients, gradients
from attention_core.experiments.overflow import Failure, overflow
from attention_core.experiments.population import Population, population
from attention_core.experiments.saturation import Changes, Saturation, changes, jacobian_norm, saturation
from attention_core.experiments.tile_by_tile import TileByTile, tile_by_tile
from attention_core.experiments.variance import DotProducts, dot_products, sweep

__all__ = [
    "Changes",
    "Cost",
    "DotProducts",
    "Failure",
    "Gradients",
    "Population",
    "Saturation",
    "TileByTile",
    "changes",
    "cost",
    "dot_products",
    "gradients",
    "jacobian_norm",
    "overflow",
    "population",
    "saturation",
    "sweep",
    "tile_by_tile",
]
