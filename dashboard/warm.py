"""Done once, when the first session starts: heavy imports, the default sample, and a frozen heap.

With torch, pandas and plotly imported, a full garbage collection walks their objects for longer than a rerun takes, and
holds the interpreter lock meanwhile; frozen objects are not walked. User data comes later and is collected as ever.
"""

import gc

import pandas  # noqa: F401 - imported for the frozen heap
import plotly.graph_objects
import plotly.io
import torch

import attention_core as ac

torch.set_num_threads(1)  # sessions run side by side; threads of their own only get in each other's way
DEFAULT = "glove-en"
ac.compare(ac.sample(DEFAULT), ac.SAMPLES[DEFAULT].example).agreement  # noqa: B018 - imports what a first comparison needs
plotly.graph_objects.Figure()
gc.collect()
gc.freeze()
