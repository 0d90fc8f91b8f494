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
from attention_core.attention.latent import ExpandedCache, LatentAttention, LatentCache, LatentConfig
from attention_core.attention.multi_head import MultiHead, merge_heads, multi_head, split_heads
from attention_core.attention.online_softmax import Step, TiledAttention, Tiling, merge, online_softmax
from attention_core.attention.scaled import scaled
from attention_core.attention.sentence import Sentence, first_words, sentence, sentences
from attention_core.attention.sinusoidal import sinusoidal
from attention_core.attention.stages import Settings, Stages, stages

__all__ = [
    "Attention",
    "AttentionOptions",
    "ExpandedCache",
    "LatentAttention",
    "LatentCache",
    "LatentConfig",
    "MultiHead",
    "Sentence",
    "Settings",
    "Stages",
    "Step",
    "TiledAttention",
    "Tiling",
    "attend",
    "first_words",
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
    "sinusoidal",
    "split_heads",
    "stages",
]
