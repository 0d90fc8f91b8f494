"""Files as they are usually written, and what becomes of them."""

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import safetensors.numpy

from attention_core.embeddings import Embeddings
from attention_core.errors import EmbeddingsError
from attention_core.loaders import Limits, load

SMALL = Limits(bytes=10**6, rows=1_000, dimensions=500)


def outcome(content, name, words=None):
    """Embeddings or the message of the EmbeddingsError; anything else fails the test that asks."""
    try:
        loaded = load(io.BytesIO(content), words=words, name=name, limits=SMALL)
    except EmbeddingsError as error:
        message = str(error)
        assert ". " in message and message.endswith(".")
        return message
    assert isinstance(loaded, Embeddings)
    assert np.isfinite(loaded.matrix).all() and len(set(loaded.words)) == len(loaded.matrix)
    return loaded


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npz(save, **members):
    file = io.BytesIO()
    save(file, **members)
    return file.getvalue()


def tensors(words, matrix):
    return safetensors.numpy.save({"vectors": matrix}, metadata={"words": json.dumps(words)})


def parquet(columns):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()
