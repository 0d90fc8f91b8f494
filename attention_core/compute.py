"""Where and how wide to compute: chosen once, carried as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from attention_core.errors import ComputeError

if TYPE_CHECKING:
    import torch

Dtype = Literal["float32", "float64"]


@dataclass(frozen=True)
class Compute:
    """A torch device and the dtype of large products; what ranks is always rescored in float64.

    Attributes:
        device: "cpu", "cuda" or "cuda:<index>".
        dtype: "float32" or "float64".

    Raises:
        ComputeError: a device this machine lacks (an explicit "cuda" never falls back to the CPU), Apple's "mps"
            (it has no float64, in which rankings are decided), or a dtype narrower than float32.

    Example:
        >>> Compute().tensor(np.arange(3.0)).dtype
        torch.float32
    """

    device: str = "cpu"
    dtype: Dtype = "float32"

    def __post_init__(self) -> None:
        if self.dtype not in ("float32", "float64"):
            raise ComputeError(
                f"The dtype “{self.dtype}” was asked for; scores are computed in float32 or wider. "
                "Choose float32 or float64."
            )
        if self.device == "cpu":
            return
        kind = self.device.partition(":")[0]
        if kind == "mps":
            raise ComputeError("Apple's mps device has no float64, in which rankings are decided. Choose cpu.")
        if self.device not in self.devices():
            raise ComputeError(
                f"The device “{self.device}” was asked for, and torch finds only {', '.join(self.devices())} here. "
                "Choose one of these."
            )

    @staticmethod
    def devices() -> tuple[str, ...]:
        """The devices that this machine can compute on, "cpu" first."""
        import torch

        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        return ("cpu", *(("cuda",) if count else ()), *(f"cuda:{i}" for i in range(count)))

    def tensor(self, array: NDArray[Any], dtype: Dtype | None = None) -> torch.Tensor:
        """The array on the device, in `dtype` (default: the value's own dtype); shares memory where it can."""
        import torch

        width: torch.dtype = getattr(torch, dtype or self.dtype)
        plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))  # what DLPack can hand over
        # DLPack shares a read-only array without torch's warning; nothing here writes into a given tensor
        return torch.utils.dlpack.from_dlpack(plain).to(device=self.device, dtype=width)

    @staticmethod
    def array(tensor: torch.Tensor) -> NDArray[Any]:
        """The tensor's values as a numpy array on the CPU."""
        values: NDArray[Any] = tensor.detach().cpu().numpy()
        return values
