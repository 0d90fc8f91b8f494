"""Files in memory, and what loading them gives."""

import io

import pytest

from attention_core.errors import EmbeddingsError
from attention_core.loaders import Limits, load


@pytest.fixture
def read():
    """read(content, name=..., words=..., limits=...): the Embeddings of an upload."""

    def read(content, name="vectors.txt", words=None, limits=None):
        content = content.encode() if isinstance(content, str) else content
        words = io.BytesIO(words) if isinstance(words, bytes) else words
        return load(io.BytesIO(content), words=words, name=name, limits=limits or Limits())

    return read


@pytest.fixture
def refusal(read):
    """refusal(...): the message of the EmbeddingsError that `read` raises."""

    def refusal(*args, **kwargs):
        with pytest.raises(EmbeddingsError) as caught:
            read(*args, **kwargs)
        message = str(caught.value)
        assert message.endswith(".") and message.count(". ") >= 1, f"two sentences expected: {message}"
        return message

    return refusal
