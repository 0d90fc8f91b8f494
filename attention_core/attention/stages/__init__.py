"""Attention with every matrix between the words and the output."""

from attention_core.attention.stages.settings import MASKS, POSITIONS, PROJECTIONS, SCALES, Settings
from attention_core.attention.stages.stages import Head, Stages, stages

__all__ = ["MASKS", "POSITIONS", "PROJECTIONS", "SCALES", "Head", "Settings", "Stages", "stages"]
