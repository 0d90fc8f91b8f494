"""How much memory common GPUs have, as their drivers report it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

MIB = 1 << 20


@dataclass(frozen=True)
class Gpu:
    """A GPU.

    Attributes:
        name: its key in `GPUS`.
        memory: bytes in all, of which the driver and the program take some hundreds of MiB.
        sold_as: in GB, as its maker says.
        source: where the figure was reported.
    """

    name: str
    memory: int
    sold_as: int
    source: str


_LIST = "nvidia-smi, modal-labs/modal-client#2797"
GPUS: Mapping[str, Gpu] = MappingProxyType(
    {
        gpu.name: gpu
        for gpu in (
            Gpu("T4", 15_360 * MIB, 16, _LIST),
            Gpu("L4", 23_034 * MIB, 24, _LIST),
            Gpu("RTX 4090", 24_564 * MIB, 24, "nvidia-smi, vllm-project/vllm#7553"),
            Gpu("RTX 5090", 32_607 * MIB, 32, "nvidia-smi, noonghunna/club-3090#1229"),
            Gpu("A100 40 GB", 40_960 * MIB, 40, _LIST),
            Gpu("L40S", 46_068 * MIB, 48, _LIST),
            Gpu("H100", 81_559 * MIB, 80, _LIST),
            Gpu("A100 80 GB", 81_920 * MIB, 80, _LIST),
            Gpu("H200", 143_771 * MIB, 141, "nvidia-smi, in public logs of such machines"),
            Gpu("B200", 183_359 * MIB, 180, "nvidia-smi, NVIDIA/TensorRT-LLM#10278"),
            Gpu("MI300X", 206_141_652_992, 192, "rocm-smi, ROCm/legacy-rocm-build#4750"),
        )
    }
)
"""By name, smallest first. What is sold as 80 GB is neither 80·10⁹ bytes nor 80 GiB: an H100 reports 85.5·10⁹."""
