"""Multi-head latent attention (MLA): its sizes, its caches, its three forms, what they cost, and why it is built so."""

from attention_core.attention.latent.cache import ExpandedCache, LatentCache
from attention_core.attention.latent.checkpoint import from_tensors, load
from attention_core.attention.latent.commuting import Commuting, commuting
from attention_core.attention.latent.config import LatentConfig
from attention_core.attention.latent.costs import FORMS, Cost, Form, costs
from attention_core.attention.latent.low_rank import LowRank, low_rank
from attention_core.attention.latent.module import LatentAttention
from attention_core.attention.latent.side_by_side import SideBySide, side_by_side
from attention_core.attention.latent.steps import LatentSteps, steps
from attention_core.attention.latent.timing import Decoded, Timing, decode_times

__all__ = [
    "FORMS",
    "Commuting",
    "Cost",
    "Decoded",
    "ExpandedCache",
    "Form",
    "LatentAttention",
    "LatentCache",
    "LatentConfig",
    "LatentSteps",
    "LowRank",
    "SideBySide",
    "Timing",
    "commuting",
    "costs",
    "decode_times",
    "from_tensors",
    "load",
    "low_rank",
    "side_by_side",
    "steps",
]
