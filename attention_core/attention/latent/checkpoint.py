"""Weights with the names of Hugging Face's DeepSeek checkpoints, also in their 8-bit form."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from attention_core.attention.latent.config import LatentConfig
from attention_core.attention.latent.module import LatentAttention
from attention_core.errors import AttentionError

BLOCK = 128
"""Rows and columns of an 8-bit matrix that share one scale (DeepSeek-V3 paper, section 3.3)."""
SCALES = ".weight_scale_inv"


def load(path: str | Path, config: LatentConfig, prefix: str = "") -> LatentAttention:
    """One layer's attention from a safetensors file; nothing is ever unpickled.

    Args:
        path: of a file with the tensors of `from_tensors`; those of other layers are not read.
        config: the sizes.
        prefix: what the names begin with, such as "model.layers.0.self_attn.".

    Raises:
        AttentionError: a file that is not safetensors, or tensors that do not fit.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            names = [name for name in file.keys() if name.startswith(prefix)]  # noqa: SIM118 - it cannot be iterated
            tensors = {name: file.get_tensor(name) for name in names}
    except (SafetensorError, OSError) as error:
        raise AttentionError(
            f"{Path(path).name}: a safetensors file is expected, found {error}. Convert other files with "
            "safetensors.torch.save_file where you trust them."
        ) from error
    return from_tensors(tensors, config, prefix)


def from_tensors(tensors: Mapping[str, Tensor], config: LatentConfig, prefix: str = "") -> LatentAttention:
    """One layer's attention from named tensors, such as a state dict of Hugging Face's DeepseekV3Attention.

    Args:
        tensors: q_a_proj.weight, q_a_layernorm.weight and q_b_proj.weight, or q_proj.weight where queries are not
            compressed; kv_a_proj_with_mqa.weight, kv_a_layernorm.weight, kv_b_proj.weight and o_proj.weight. Matrices
            of 8-bit floats come with a weight_scale_inv for each 128 x 128 block, and become bfloat16.
        config: the sizes.
        prefix: what the names begin with; all other tensors are left alone.

    Returns:
        The layer in the dtype of kv_b_proj.

    Raises:
        AttentionError: names or shapes that the configuration does not lead to expect.
    """
    given = {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
    state = {name: _wide(name, given) for name in given if not name.endswith((SCALES, "rotary_emb.inv_freq"))}
    with torch.device("meta"):
        attention = LatentAttention(config)
    expected = attention.state_dict()
    if set(state) != set(expected):
        missing, unknown = sorted(set(expected) - set(state)), sorted(set(state) - set(expected))
        named = {"lacks": missing, "has besides": unknown}
        found = " and ".join(f"{what} {', '.join(names)[:300]}" for what, names in named.items() if names)
        raise AttentionError(
            f"With q_lora_rank = {config.q_lora_rank} the checkpoint{f' at {prefix}' if prefix else ''} {found}. Check "
            "the prefix, and that q_lora_rank is 0 where it has a q_proj and above 0 where it has a q_a_proj."
        )
    for name, tensor in state.items():
        if tensor.shape != expected[name].shape:
            raise AttentionError(
                f"{name} {tuple(expected[name].shape)} is expected by the configuration, found {tuple(tensor.shape)}. "
                "Read the configuration from the config.json beside the checkpoint."
            )
    dtype = state["kv_b_proj.weight"].dtype
    attention.load_state_dict({name: tensor.to(dtype) for name, tensor in state.items()}, assign=True)
    return attention


def _wide(name: str, given: Mapping[str, Tensor]) -> Tensor:
    """The tensor as floats of 16 bits or more."""
    tensor, scales = given[name], given.get(name.removesuffix(".weight") + SCALES)
    if tensor.element_size() > 1:
        return tensor
    if scales is None:
        raise AttentionError(
            f"{name} is in {tensor.dtype}, and {name.removesuffix('.weight')}{SCALES} is missing. Give it too."
        )
    rows, columns = tensor.shape
    each = scales.float().repeat_interleave(BLOCK, 0)[:rows].repeat_interleave(BLOCK, 1)[:, :columns]
    return (tensor.float() * each).bfloat16()
