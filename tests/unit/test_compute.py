"""Where and how wide to compute; no GPU is needed here: what torch finds is played."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_core.compute import Compute
from attention_core.errors import ComputeError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def gpus(monkeypatch):
    """gpus(n): torch finds n GPUs."""

    def found(count):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)

    return found


@pytest.mark.parametrize(
    ("count", "devices"), [(0, ("cpu",)), (1, ("cpu", "cuda", "cuda:0")), (2, ("cpu", "cuda", "cuda:0", "cuda:1"))]
)
def test_the_devices_are_those_that_torch_finds(gpus, count, devices):
    gpus(count)
    assert Compute.devices() == devices


@pytest.mark.parametrize("device", ["cuda", "cuda:0"])
def test_an_explicit_cuda_without_a_gpu_never_falls_back(gpus, device):
    gpus(0)
    with pytest.raises(ComputeError, match=f"“{device}”.*only cpu"):
        Compute(device)


@pytest.mark.parametrize("device", ["cuda:1", "gpu", "", "cpu:0", "CUDA"])
def test_a_device_that_is_not_there_is_refused_with_those_that_are(gpus, device):
    gpus(1)
    with pytest.raises(ComputeError, match="only cpu, cuda, cuda:0"):
        Compute(device)


@pytest.mark.parametrize("device", ["cpu", "cuda", "cuda:1"])
def test_a_device_that_is_there_is_taken(gpus, device):
    gpus(2)
    assert Compute(device).device == device


@pytest.mark.parametrize("device", ["mps", "mps:0"])
def test_mps_is_refused_because_it_has_no_float64(device):
    with pytest.raises(ComputeError, match="no float64"):
        Compute(device)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8", "", "double"])
def test_a_dtype_narrower_than_float32_or_unknown_is_refused(dtype):
    with pytest.raises(ComputeError, match="Choose float32 or float64"):
        Compute(dtype=dtype)


@pytest.mark.parametrize(("asked", "given"), [(None, torch.float64), ("float32", torch.float32)])
def test_a_tensor_has_the_dtype_asked_for_or_that_of_the_value(asked, given):
    assert Compute(dtype="float64").tensor(np.ones(3, np.float32), asked).dtype == given


def test_a_read_only_array_shares_its_memory_without_a_warning():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    array.flags.writeable = False
    tensor = Compute().tensor(array)
    assert tensor.data_ptr() == array.ctypes.data and tensor.tolist() == array.tolist()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.int64, np.uint8, np.bool_])
def test_arrays_of_any_real_dtype_become_tensors(dtype):
    assert Compute().tensor(np.array([0, 1], dtype=dtype)).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "layout",
    [lambda a: a[:, ::2], lambda a: a.T, lambda a: a.astype(">f4")],
    ids=["strided", "transposed", "big-endian"],
)
def test_an_array_of_any_layout_becomes_a_tensor(layout):
    array = layout(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert Compute().tensor(array).tolist() == array.tolist()


def test_a_reversed_array_becomes_a_tensor():
    """In a process of its own: a negative stride has been seen to end the whole process inside torch."""
    code = (
        "import numpy as np; from attention_core.compute import Compute;"
        "assert Compute().tensor(np.array([1.0, 2.0])[::-1]).tolist() == [2.0, 1.0]"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()[-300:]


def test_a_tensor_that_needs_its_gradient_becomes_an_array():
    array = Compute.array(torch.ones(2, requires_grad=True))
    assert isinstance(array, np.ndarray) and array.tolist() == [1.0, 1.0]


def test_a_compute_is_a_value():
    assert Compute() == Compute("cpu", "float32") and hash(Compute()) == hash(Compute("cpu"))
