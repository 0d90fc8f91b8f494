"""Parquet files that are cut, damaged, encrypted, or that unpack to far more than they are."""

import base64
import io
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as encryption
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.embeddings import Embeddings
from attention_core.errors import EmbeddingsError
from attention_core.loaders import Limits, load

SMALL = Limits(bytes=10**6, rows=1_000, dimensions=500)


def written(columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def outcome(content, limits=SMALL):
    """Embeddings, or the message of the EmbeddingsError; whatever else is raised fails the test."""
    try:
        return load(io.BytesIO(content), name="v.parquet", limits=limits)
    except EmbeddingsError as error:
        message = str(error)
    assert message.endswith(".") and ". " in message
    return message


def within(megabytes, content, limits=None):
    """The outcome, in that much memory."""
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    pa.default_memory_pool().release_unused()
    found = outcome(content, limits or Limits())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < megabytes * 10**6
    assert pa.total_allocated_bytes() - before < megabytes * 10**6
    return found


def constant(value, count):
    """A column of one value, which its writer stores as a single run."""
    block = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10**5, np.int32)), pa.array([value]))
    return pa.chunked_array([block] * (count // 10**5))


PLAIN = {"word": ["river", "new york", "2024"], "vector": [[0.5, -0.25], [2.0, 3.0], [1.0, 7.0]]}
WIDE = {"word": ["river", "stone", "river"], "d0": [0.5, 1.0, 2.0], "d1": [1.0, 2.0, 3.0]}
FILES = {
    "lists": written(PLAIN, compression="none"),
    "packed": written(PLAIN, compression="zstd", data_page_version="2.0"),
    "fixed": written({**PLAIN, "vector": pa.array(PLAIN["vector"], pa.list_(pa.float16(), 2))}, use_dictionary=False),
    "columns": written(WIDE, row_group_size=2, compression="gzip"),
}


def test_the_files_themselves_load():
    assert all(isinstance(outcome(content), Embeddings) for content in FILES.values())


@pytest.mark.parametrize("file", FILES)
def test_every_truncation(file):
    for end in range(4, len(FILES[file])):
        assert "damaged or cut" in outcome(FILES[file][:end])


@settings(max_examples=150, deadline=None)
@pytest.mark.parametrize("file", FILES)
@given(data=st.data())
def test_mutated_bytes(file, data):
    content = bytearray(FILES[file])
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(4, len(content) - 1))] = data.draw(st.integers(0, 255))
    within(100, bytes(content), SMALL)


def test_a_run_of_a_hundred_million_rows():
    content = written(
        {"word": constant("a", 10**8), "d0": constant(0.5, 10**8)}, row_group_size=10**9, max_rows_per_page=10**9
    )
    assert len(content) < 100_000
    assert "100,000,000 rows" in within(1, content)


def one_list(numbers):
    offsets = pa.array([0, numbers], pa.int32())
    table = {"word": ["a"], "vector": pa.ListArray.from_arrays(offsets, pa.array(np.zeros(numbers)))}
    return written(table, compression="zstd", store_schema=False)


def test_a_list_of_millions_of_numbers():
    content = one_list(5 * 10**6)
    assert len(content) < 2_000
    assert "5,000,000 dimensions" in within(1, content)


def number(value):
    """A number as Thrift's compact protocol writes it."""
    value, written = 2 * value, b""
    while value >= 128:
        value, written = value >> 7, written + bytes([value & 127 | 128])
    return written + bytes([value])


def test_a_footer_that_keeps_silent_about_them():
    honest = one_list(5 * 10**6)
    footer = len(honest) - 8 - int.from_bytes(honest[-8:-4], "little")
    lie = honest[footer:].replace(number(5 * 10**6), number(2**20))
    assert pq.read_metadata(io.BytesIO(honest[:footer] + lie)).row_group(0).column(1).num_values == 2**20
    assert "5,000,000 dimensions" in within(1, honest[:footer] + lie)


def test_a_page_that_unpacks_to_more_than_the_limit():
    words = ["a" * 3_000_000, "b" * 3_000_000]
    content = written({"word": words, "vector": [[1.0], [2.0]]}, compression="zstd")
    assert len(content) < 10_000
    assert "6.0 MB" in within(1, content, SMALL)


def test_a_long_word_on_many_rows():
    long = constant("a" * 100_000, 100_000)
    content = written({"word": long, "d0": constant(0.5, 100_000)}, compression="zstd")
    assert "10.0 GB" in within(20, content)


@pytest.mark.parametrize("plaintext_footer", [True, False])
def test_encrypted_files(plaintext_footer):
    class Keys(encryption.KmsClient):
        def __init__(self, config):
            super().__init__()

        def wrap_key(self, key, master):
            return base64.b64encode(key)

        def unwrap_key(self, key, master):
            return base64.b64decode(key)

    factory = encryption.CryptoFactory(Keys)
    config = encryption.EncryptionConfiguration(
        footer_key="f", column_keys={"c": ["word", "vector.list.element"]}, plaintext_footer=plaintext_footer
    )
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), config)
    assert "encrypted" in outcome(written(PLAIN, encryption_properties=properties))
