"""How much memory the KV cache of a model takes: by formula, and counted in real tensors.

Example:
    >>> import attention_core as ac
    >>> model = ac.kv_cache.PRESETS["DeepSeek-V3"]
    >>> model.latent
    Latent(kv_lora_rank=512, qk_rope_head_dim=64, q_lora_rank=1536)
"""

from attention_core.kv_cache.presets import PRESETS, Latent, ModelPreset

__all__ = ["PRESETS", "Latent", "ModelPreset"]
