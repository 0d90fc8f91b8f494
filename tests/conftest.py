"""What several tests share; all of it read-only."""

import os

import pytest
import torch
from hypothesis import settings

import attention_core as ac

settings.register_profile("ci", derandomize=True)  # what lands is decided by the change alone, not by luck
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(scope="session")
def glove():
    """The 8,170 English words of glove-en, 50 dimensions."""
    return ac.sample("glove-en")


@pytest.fixture(scope="module")
def one_thread():
    """Torch computes on one thread: many small products take longer to hand out than to compute."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
