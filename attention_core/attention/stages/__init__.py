"""Attention with every matrix between the words and the output."""

from attention_core.attention.stages.matrices import PAIRS, Stage, matrix, stage_names
from attention_core.attention.stages.pooling import POOLINGS, Pooled, Pooling, pooled
from attention_core.attention.stages.reading import Link, Spread, Sum, spread, strongest, weighted
from attention_core.attention.stages.settings import MASKS, POSITIONS, PROJECTIONS, SCALES, SIZED, Settings
from attention_core.attention.stages.stages import Head, Stages, stages
from attention_core.attention.stages.survey import Survey, survey
from attention_core.attention.stages.swaps import Swap, swap
from attention_core.attention.stages.terms import Made, made
from attention_core.attention.stages.written import read, written

__all__ = [
    "MASKS",
    "PAIRS",
    "POOLINGS",
    "POSITIONS",
    "PROJECTIONS",
    "SCALES",
    "SIZED",
    "Head",
    "Link",
    "Made",
    "Pooled",
    "Pooling",
    "Settings",
    "Spread",
    "Stage",
    "Stages",
    "Sum",
    "Survey",
    "Swap",
    "made",
    "matrix",
    "pooled",
    "read",
    "spread",
    "stage_names",
    "stages",
    "strongest",
    "survey",
    "swap",
    "weighted",
    "written",
]
