"""Done once, when the first session starts: heavy imports, the default sample, a frozen heap, and how memory is freed.

With torch, pandas and plotly imported, a full garbage collection walks their objects for longer than a rerun takes, and
holds the interpreter lock meanwhile; frozen objects are not walked. User data comes later and is collected as ever.

As arrays are freed, glibc raises the size from which it gives memory back, up to 32 MB. Smaller ones then stay in the
heaps of many threads: a server grew by up to 100 MB in ten uploads. A size set once is not raised.
"""

import ctypes
import gc
import sys

import pandas  # noqa: F401 - imported for the frozen heap
import plotly.graph_objects
import plotly.io
import torch

import attention_core as ac

M_MMAP_THRESHOLD, RETURNED = -3, 2 << 20
"""What glibc's malloc.h calls the option, and the bytes from which an array's memory goes back when it is freed."""
if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):
    libc.mallopt(M_MMAP_THRESHOLD, RETURNED)
torch.set_num_threads(1)  # sessions run side by side; threads of their own only get in each other's way
DEFAULT = "glove-en"
ac.compare(ac.sample(DEFAULT), ac.SAMPLES[DEFAULT].example).agreement  # noqa: B018 - imports what a first comparison needs
plotly.graph_objects.Figure()
gc.collect()
gc.freeze()
