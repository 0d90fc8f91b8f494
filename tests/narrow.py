"""Any corpus in one narrow format at the first query, whatever its size and the processor."""

import pytest
import torch

import attention_core as ac
from attention_core.similarity import ordered, search
from attention_core.similarity.fixed_point import FixedPoint
from attention_core.similarity.halves import Halves

FORMATS = (Halves, FixedPoint)


def exact(digits, columns, out=None):
    found = (digits.double() @ columns.double()).to(torch.int32)
    return found if out is None else out.copy_(found)


def put_at_once(patch: pytest.MonkeyPatch, kind: type[ordered.Format]) -> None:
    patch.setattr(ordered, "WORTH", 1)
    patch.setattr(ordered, "DIMENSION", 1)
    patch.setattr(search, "FEW", 1)
    if not ac.Compute().multiplies_int8:
        patch.setattr(torch, "_int_mm", exact)
    for other in FORMATS:
        patch.setattr(other, "pays", staticmethod(lambda _, pays=other is kind: pays))
