"""Vectors and their words in two files."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

FORMATS = Path(__file__).parents[2] / "cases/formats"
THREE = "0.5\t1\n2\t3\n4\t5\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("river\nstone\nlamp\n", ["river", "stone", "lamp"]),
        ("river\nstone\nlamp\n\n\n", ["river", "stone", "lamp"]),
        ("\nstone\nlamp", ["", "stone", "lamp"]),
        ("word\nriver\nstone\nlamp\n", ["river", "stone", "lamp"]),
        ("river\tnoun\nstone\tnoun\nlamp\tnoun\n", ["river", "stone", "lamp"]),
        ("rank\tword\n1\triver\n2\tstone\n3\tlamp\n", ["river", "stone", "lamp"]),
        ("a\tb\nriver\t1\nstone\t2\nlamp\t3\n", ["river", "stone", "lamp"]),
        ('id,word\n1,"a, b"\n2,"c ""d"""\n3,lamp\n', ["a, b", 'c "d"', "lamp"]),
        ("a, b\nc, d\nlamp\n", ["a, b", "c, d", "lamp"]),
        (json.dumps(["river", "石头", "[PAD]"]), ["river", "石头", "[PAD]"]),
        (json.dumps({"stone": 1, "river": 0, "lamp": 2}), ["river", "stone", "lamp"]),
        ("[PAD]\n[UNK]\nlamp\n", ["[PAD]", "[UNK]", "lamp"]),
        ("{\n}\nlamp\n", ["{", "}", "lamp"]),
    ],
)
@pytest.mark.parametrize("kind", ["numbers", "array"])
def test_lists_of_words(read, words, expected, kind):
    array = io.BytesIO()
    np.save(array, np.array([[0.5, 1], [2, 3], [4, 5]]))
    e = read(THREE if kind == "numbers" else array.getvalue(), "v.tsv", words=words.encode())
    assert list(e.words) == expected
    assert e.matrix.tolist() == [[0.5, 1], [2, 3], [4, 5]]


def test_the_column_taken_is_told(read):
    assert "column “word”" in read(THREE, "v.tsv", words=b"rank\tword\n1\ta\n2\tb\n3\tc\n").warnings[0]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (b"river\nstone\n", "3 words are expected, one for each vector, and 2 found"),
        (b"lead\nriver\nstone\nlamp\n", "Remove the first line (“lead”)"),
        (b"rank\tword\n1\triver\n2\n3\tlamp\n", "line 3: 2 columns expected, 1 found"),
        (b'{"river": 0, "stone": 5, "lamp": 2}', "numbers them from 0"),
        (b"[1, 2, 3]", "list of words"),
        (b'["river", "stone", "lamp", null]', "the JSON holds 0"),
        (b"\xef\xbb\xbf", "0 found"),
        (b"\xff\xfe", "0 found"),
        (b'["river"]', "the JSON holds 1"),
        (b"[" * 100_000, "3 words"),
        (b"river\ncaf\xe9 \nlamp\n", "line 2"),
    ],
)
def test_lists_that_do_not_fit(refusal, words, named):
    assert named in refusal(THREE, "v.tsv", words=words)


@pytest.mark.parametrize("rows", [THREE, THREE.replace("\t", " "), THREE.replace("\t", ","), "d0,d1\n0.5,1\n2,3\n4,5\n",
                                  THREE.replace("\n", "\r\n") + "\r\n", "1 2\n3 4\n5 6"])  # fmt: skip
def test_rows_of_numbers(read, rows):
    e = read(rows, "upload", words=b"river\nstone\nlamp\n")
    expected = [
        [float(x) for x in row.replace(",", " ").split()] for row in rows.splitlines() if row and "d" not in row
    ]
    assert e.matrix.tolist() == expected


def test_numbers_may_be_words_where_no_list_is_given(read):
    assert read("1 0.5 2\n3 4.5 5\n", "v.txt").words == ("1", "3")


def test_a_broken_row_is_named(refusal):
    many = "0.5\t1\n" * 150
    assert "line 151: 2 numbers expected, 1 found" in refusal(many + "7\n", "v.tsv", words=b"a\n" * 151)
    assert "line 151: 2 numbers expected, found “x”" in refusal(many + "7\tx\n", "v.tsv", words=b"a\n" * 151)


@pytest.mark.parametrize("content", [";", ",", "\t", ";\n;", " ;;\n", "a\n;"])
def test_rows_without_numbers_are_no_vectors(content, refusal):
    assert refusal(content, "v.tsv", words=b"a").startswith("v.tsv: ")


def test_the_pair_of_the_embedding_projector(read):
    vectors, metadata = ((FORMATS / f"projector_{name}.tsv").read_bytes() for name in ("vectors", "metadata"))
    found, alone = read(vectors, "vectors.tsv", words=metadata), read((FORMATS / "glove_text.txt").read_bytes())
    assert (found.words, found.matrix.tolist()) == (alone.words, alone.matrix.tolist())
