"""Attention, one idea per file: torch tensors in and out, any leading batch axes, CPU or GPU.

Example:
    >>> import torch
    >>> import attention_core as ac
    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> ac.attention.scaled(x, x, x, causal=True).weights
    tensor([[1.0000, 0.0000],
            [0.3302, 0.6698]])
"""

from attention_core.attention import latent, masks, projections, rotary
from attention_core.attention.attend import AttentionOptions, attend
from attention_core.attention.base import Attention
from attention_core.attention.head_contributions import HeadContributions, head_contributions
from attention_core.attention.head_distances import HeadDistances, head_distances
from attention_core.attention.head_profile import HeadProfile, PerQuery, head_profile
from attention_core.attention.head_ranks import HeadRanks, head_ranks
from attention_core.attention.head_subspaces import HeadSubspaces, head_subspaces
from attention_core.attention.latent import ExpandedCache, LatentAttention, LatentCache, LatentConfig
from attention_core.attention.multi_head import MultiHead, merge_heads, multi_head, split_heads
from attention_core.attention.online_softmax import Step, TiledAttention, Tiling, merge, online_softmax
from attention_core.attention.scaled import scaled
from attention_core.attention.sentence import Sentence, first_words, sentence, sentences
from attention_core.attention.sharing import shared
from attention_core.attention.sinusoidal import sinusoidal
from attention_core.attention.stages import Settings, Stages, Survey, stages, survey

__all__ = [
    "Attention",
    "AttentionOptions",
    "ExpandedCache",
    "HeadContributions",
    "HeadDistances",
    "HeadProfile",
    "HeadRanks",
    "HeadSubspaces",
    "LatentAttention",
    "LatentCache",
    "LatentConfig",
    "MultiHead",
    "PerQuery",
    "Sentence",
    "Settings",
    "Stages",
    "Step",
    "Survey",
    "TiledAttention",
    "Tiling",
    "attend",
    "first_words",
    "head_contributions",
    "head_distances",
    "head_profile",
    "head_ranks",
    "head_subspaces",
    "latent",
    "masks",
    "merge",
    "merge_heads",
    "multi_head",
    "online_softmax",
    "projections",
    "rotary",
    "scaled",
    "sentence",
    "sentences",
    "shared",
    "sinusoidal",
    "split_heads",
    "stages",
    "survey",
]
