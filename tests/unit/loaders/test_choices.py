"""Files that allow more than one reading: what is taken without a choice, and what with one."""

import io

import pytest

from attention_core.errors import EmbeddingsError
from attention_core.loaders import Choices, load

TABLE = b"id,word,size,d0,d1\n7,river,10,0.5,1\n8,stone,20,2,3\n"


def read(content, **choices):
    e = load(io.BytesIO(content), name="v.csv", choices=Choices(**choices))
    return list(e.words), e.matrix.tolist()


@pytest.mark.parametrize(
    ("content", "choices", "words", "matrix"),
    [
        (TABLE, {}, ["river", "stone"], [[0.5, 1], [2, 3]]),
        (TABLE, {"word": "id"}, ["7", "8"], [[0.5, 1], [2, 3]]),
        (TABLE, {"vectors": ("size", "d1")}, ["river", "stone"], [[10, 1], [20, 3]]),
        (TABLE, {"vectors": ("d1",)}, ["river", "stone"], [[1], [3]]),
        (b"river,0.5,1\nstone,2,3\n", {}, ["river", "stone"], [[0.5, 1], [2, 3]]),
        (b"river,0.5,1\nstone,2,3\n", {"header": True}, ["stone"], [[2, 3]]),
        (b"w,1,2\nriver,0.5,1\n", {}, ["river"], [[0.5, 1]]),
        (b"w,1,2\nriver,0.5,1\n", {"header": False}, ["w", "river"], [[1, 2], [0.5, 1]]),
        (b"word,a,b\nriver,0.5,1\n", {"header": True}, ["river"], [[0.5, 1]]),
        (b"2 1\nriver 0.5\nstone 2\n", {}, ["river", "stone"], [[0.5], [2]]),
        (b"2 1\nriver 0.5\nstone 2\n", {"header": False}, ["2", "river", "stone"], [[1], [0.5], [2]]),
        (b"5 3\nriver 1\nstone 2\n", {}, ["5", "river", "stone"], [[3], [1], [2]]),
        (b"word;a;b\nriver;0,5;1\nstone;2;3,25\n", {}, ["river", "stone"], [[0.5, 1], [2, 3.25]]),
        (b"word\ta\tb\nriver\t0,5\t1\nstone\t2\t-3,5e1\n", {}, ["river", "stone"], [[0.5, 1], [2, -35]]),
        (b"river;0,5;1\nstone;2;3,25\n", {}, ["river", "stone"], [[0.5, 1], [2, 3.25]]),
        (b"river\t0,5\t1\nstone\t2\t3,25\n", {}, ["river", "stone"], [[0.5, 1], [2, 3.25]]),
        (b"a,b;c;d\nx,y;0.5;1\n", {}, ["x,y"], [[0.5, 1]]),
        (b"w;x,1;2\na;b,3;4\n", {"separator": ","}, ["w;x", "a;b"], None),
        (b"w|v,u\nriver,\"[1, 2]\"\n", {"word": "w|v"}, ["river"], [[1, 2]]),
    ],
)  # fmt: skip
def test_readings(content, choices, words, matrix):
    if matrix is None:
        with pytest.raises(EmbeddingsError):
            read(content, **choices)
        return
    assert read(content, **choices) == (words, matrix)


@pytest.mark.parametrize(
    ("choices", "named"),
    [
        ({"word": "token"}, "columns “id”, “word”, “size”, “d0” and “d1” found, and the column “token”"),
        ({"vectors": ("d0", "d9")}, "“d9”"),
        (
            {"vectors": ("d0", "word"), "word": "id"},
            "line 2 (“7”): a number is expected at place 1 of 2, found “river”",
        ),
        ({"separator": ";", "word": "word"}, "no table found"),
        ({"header": False}, "line 1"),
    ],
)
def test_choices_that_do_not_fit(choices, named):
    with pytest.raises(EmbeddingsError) as caught:
        read(TABLE, **choices)
    assert named in str(caught.value)
