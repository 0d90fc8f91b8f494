"""How much memory the KV cache of a model takes: by formula, and counted in real tensors.

Example:
    >>> import attention_core as ac
    >>> s = ac.kv_cache.sizes(ac.kv_cache.PRESETS["Qwen2.5-72B"], tokens=32_768, batch=20)
    >>> ac.kv_cache.format_bytes(s.total), ac.kv_cache.format_bytes(s.bytes["mla"])
    ('200 GiB', '56.25 GiB')
"""

from attention_core.kv_cache.config import Configuration, read_config
from attention_core.kv_cache.formats import FORMATS, Format
from attention_core.kv_cache.gpus import GPUS, Gpu
from attention_core.kv_cache.layouts import LAYOUTS, Layout, Part
from attention_core.kv_cache.measured import Allocation, Measured, measure
from attention_core.kv_cache.presets import PRESETS, Latent, ModelPreset
from attention_core.kv_cache.shortcut import Shortcut, shortcut
from attention_core.kv_cache.sizes import CacheSizes, Workload, sizes
from attention_core.kv_cache.units import UNITS, best_unit, format_bytes

__all__ = [
    "FORMATS",
    "GPUS",
    "LAYOUTS",
    "PRESETS",
    "UNITS",
    "Allocation",
    "CacheSizes",
    "Configuration",
    "Format",
    "Gpu",
    "Latent",
    "Layout",
    "Measured",
    "ModelPreset",
    "Part",
    "Shortcut",
    "Workload",
    "best_unit",
    "format_bytes",
    "measure",
    "read_config",
    "shortcut",
    "sizes",
]
