"""Any corpus in fixed point at the first query, whatever its size and the processor."""

import pytest
import torch

import attention_core as ac
from attention_core.similarity import fixed_point, search


def exact(digits, columns, out=None):
    found = (digits.double() @ columns.double()).to(torch.int32)
    return found if out is None else out.copy_(found)


def put_at_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(fixed_point, "WORTH", 1)
    patch.setattr(fixed_point, "DIMENSION", 1)
    patch.setattr(search, "FEW", 1)
    if not ac.Compute().multiplies_int8:
        patch.setattr(torch, "_int_mm", exact)
        patch.setattr(ac.Compute, "multiplies_int8", True)
