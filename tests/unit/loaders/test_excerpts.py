"""The lines that a refusal speaks of."""

import gzip
import io

import pytest

from attention_core.errors import EmbeddingsError
from attention_core.loaders import load


def excerpt(content, **options):
    with pytest.raises(EmbeddingsError) as caught:
        load(io.BytesIO(content), name="line 7.txt", **options)
    return caught.value.excerpt


def test_the_line_and_its_neighbours():
    rows = [f"w{i} 1 2" for i in range(300_000)]
    rows[250_000] = "broken 1"
    found = excerpt("\n".join(rows).encode())
    assert found == ("250000  w249999 1 2", "250001  broken 1", "250002  w250001 1 2")


def test_long_lines_are_shortened_and_signs_without_a_shape_shown():
    found = excerpt(b"a 1 2\nb\x00" + b"x" * 500 + b" 1\nc 1 2\n")
    assert found[0] == "1  a 1 2"
    assert found[1].startswith("2  b␣xxx") and found[1].endswith("x…") and len(found[1]) < 110


@pytest.mark.parametrize("change", [gzip.compress, lambda text: text.decode().encode("utf-16")])
def test_as_it_was_unpacked_and_decoded(change):
    assert excerpt(change(b"a 1 2\nc 2 3\nb 1\n"))[1] == "3  b 1"


def test_of_the_list_of_words():
    found = excerpt(b"0.5 1\n0.25 2\n", words=io.BytesIO(b"id\tword\n1\triver\n2\n"))
    assert found == ("2  1␣river", "3  2")


def test_none_where_no_line_is_named():
    assert excerpt(b"\x89HDF\r\n\x1a\n") == ()
