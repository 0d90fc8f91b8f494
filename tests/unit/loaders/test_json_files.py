"""JSON and JSON Lines in every usual shape; malformed, deep, cut and mutated ones."""

import contextlib
import io
import json
import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.embeddings import Embeddings
from attention_core.errors import EmbeddingsError
from attention_core.loaders import LOADERS, Limits, load
from attention_core.loaders.base.opening import opened

WORDS = ["river", "NA", "山"]
VALUES = [[0.5, -0.25], [1.0, 2.0], [3, 4e-3]]
PAIRS = list(zip(WORDS, VALUES, strict=True))
OBJECTS = [{"word": word, "vector": vector} for word, vector in PAIRS]
SHAPES = {
    "mapping": dict(PAIRS),
    "lists": {"words": WORDS, "vectors": VALUES},
    "lists the other way": {"model": "m", "embeddings": VALUES, "sizes": [2, 3], "meta": {"a": []}, "labels": WORDS},
    "records": OBJECTS,
    "records of other names": [{"id": i, "embedding": v, "text": w} for i, (w, v) in enumerate(PAIRS)],
    "records of unusual names": [{"mot": word, "vecteur": vector} for word, vector in PAIRS],
    "pairs": [list(pair) for pair in PAIRS],
    "rows": [[word, *vector] for word, vector in PAIRS],
    "records in an object": {"count": 3, "data": OBJECTS, "x": None},
}
LINES = {name: SHAPES[name] for name in SHAPES if isinstance(SHAPES[name], list)}


def lines(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def assert_is_sample(e, label="JSON"):
    assert list(e.words) == WORDS and np.array_equal(e.matrix, np.float32(VALUES))
    assert f"({label}" in e.source


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("indent", [None, 0, 1, "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_documents(read, shape, indent, encoding):
    e = read(json.dumps(SHAPES[shape], indent=indent).encode(encoding), "v.bin")
    assert_is_sample(e)
    assert e.warnings == ()


@pytest.mark.parametrize("shape", LINES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_lines(read, shape, end, encoding):
    e = read(lines(LINES[shape]).replace("\n", end).encode(encoding), "v.bin")
    assert_is_sample(e, "JSON Lines")
    assert e.warnings == ()


@pytest.mark.parametrize("shape", LINES)
def test_a_single_line(read, shape):
    if "unusual" not in shape:
        assert read(lines(LINES[shape][:1]).strip()).matrix.tolist() == VALUES[:1]


def test_what_numpy_and_torch_write(read):
    values = torch.tensor(VALUES)
    assert_is_sample(read(json.dumps(dict(zip(WORDS, values.tolist(), strict=True)))))
    assert_is_sample(read(json.dumps({"words": WORDS, "vectors": np.float32(VALUES).tolist()})))


def test_answers_of_openai_hold_no_words(read, refusal):
    data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(VALUES)]
    answer = json.dumps({"object": "list", "data": data, "model": "m", "usage": {"total_tokens": 3}})
    assert_is_sample(read(answer, words="\n".join(WORDS).encode()))
    assert "words are needed" in refusal(answer)


def test_several_candidates_are_told(read):
    records = [{"pos": "n", "text": w, "other": v[::-1], "embedding": v} for w, v in PAIRS]
    for content in json.dumps(records), lines(records):
        told = read(content).warnings
        assert "“text”, not from “pos”" in told[0] and "“embedding”, not from “other”" in told[1]
    both = {"words": WORDS, "labels": WORDS[::-1], "weights": VALUES[::-1], "vectors": VALUES}
    told = read(json.dumps(both)).warnings
    assert "“words”, not from “labels”" in told[0] and "“vectors”, not from “weights”" in told[1]


def test_repeated_words(read):
    e = read('{"a": [1, 2], "b": [3, 4], "a": [5, 6]}')
    assert (e.words, e.matrix.tolist(), "row 3" in e.warnings[0]) == (("a", "b"), [[1, 2], [3, 4]], True)
    assert "line 3" in read(lines([["a", 1, 2], ["b", 3, 4], ["a", 5, 6]])).warnings[0]


BAD = [
    ([1.5, None], "place 2 of 2, found null"),
    ([1.5, "2"], "place 2 of 2, found “2”"),
    ([True, 2], "place 1 of 2, found true"),
    ([[1.5, 2]], "place 1 of 1, found a list"),
    ([1, {}], "found an object"),
    ([1, 2, 3], "2 numbers expected, 3 found"),
    ([], "empty"),
    ("1 2", "found “1 2”"),
    (None, "found null"),
    ([1, 10**400], "too large"),
    ([1, float("nan")], "NaN, infinite"),
    ([float("-inf"), 1], "NaN, infinite"),
    ([1, 1e39], "too large for float32"),
]


@pytest.mark.parametrize(("vector", "named"), BAD)
def test_vectors_that_are_none(refusal, vector, named):
    pairs = [("river", [1, 2]), ("stone", vector), ("lamp", [3, 4])]
    objects = [{"word": word, "vector": vector} for word, vector in pairs]
    for content in dict(pairs), objects, {"words": [w for w, _ in pairs], "vectors": [v for _, v in pairs]}:
        message = refusal(json.dumps(content))
        assert "row 2 (“stone”)" in message and named in message
    message = refusal(lines(objects))
    assert "line 2 (“stone”)" in message and named in message


@pytest.mark.parametrize("word", [None, True, 0.5, ["a"], {}])
def test_words_that_are_none(refusal, word):
    records = [{"word": "river", "vector": [1, 2]}, {"word": word, "vector": [3, 4]}]
    assert "row 2: a word is expected" in refusal(json.dumps(records))
    assert "line 2: a word is expected" in refusal(lines(records))
    assert "“words”, row 2: a word" in refusal(json.dumps({"words": ["a", word], "vectors": [[1], [2]]}))


def test_records_that_lack_a_field(refusal):
    assert "row 2: the field “vector”" in refusal(json.dumps([OBJECTS[0], {"word": "a"}]))
    assert "line 2: the field “word”" in refusal(lines([OBJECTS[0], {"vector": [1, 2]}]))
    assert "line 2" in refusal(lines([OBJECTS[0], ["a", 1, 2]])) and "line 2" in refusal(
        lines([["a", 1, 2], OBJECTS[0]])
    )


UNKNOWN = [
    "{}",
    "[]",
    "[[0.5, 1], [2, 3]]",
    '{"a": 1}',
    '["a", "b"]',
    "[1, 2]",
    '{"words": ["a"]}',
    '{"a": {"b": [1]}}',
]


@pytest.mark.parametrize("content", [*UNKNOWN, '{"a": 1}\n{"b": 2}\n', "{}\n{}\n"])
def test_other_shapes_are_told_what_is_expected(refusal, content):
    message = refusal(content)
    assert "vector" in message and "expected" in message and "river" in message


def test_counts_that_differ(refusal):
    assert "3 words and 2 vectors" in refusal(json.dumps({"words": WORDS, "vectors": VALUES[:2]}))


MALFORMED = [
    '{"river": [0.5, 1], "stone": [2, 3',
    '{"river": [0.5, 1]} {"stone": [2, 3]}',
    '{"river": [0.5, 1],\n "stone": [2, 3],}',
    '{"river": [0.5, 1]\n "stone": [2, 3]}',
    '{"river": [0.5, 1], "stone" [2, 3]}',
    '{"river": [0.5 1]}',
    '{"river": [0.5, 1], stone: [2, 3]}',
    '[{"word": "a\nb", "vector": [1]}]',
    '{"river": [' + "9" * 5_000 + "]}",
]


@pytest.mark.parametrize("content", MALFORMED)
def test_malformed_documents(refusal, content):
    assert "malformed or cut on line" in refusal(content)


def test_the_line_of_a_fault(refusal):
    content = json.dumps({f"word {i}": [i, i] for i in range(100_000)}, indent=0).replace("77777,", "77777;", 1)
    assert f"line {1 + content[: content.index(';')].count(chr(10))} " in refusal(content)


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"a": [', '[{"a":', '{"words": ["a"], "vectors": ['])
def test_deep_nesting(refusal, opening):
    refusal(opening * 100_000)
    refusal('{"a": [1, 2]}\n' + opening * 100_000)
    refusal('{"word": "b", "vector": [1, 2]}\n' + opening * 10_000)


def test_lines_that_are_no_json(refusal):
    good = lines(OBJECTS)
    assert "line 4 is not JSON" in refusal(good + "{oops}\n")
    assert "line 4" in refusal(good + '{"word": "a", "ve') and "cut" in refusal(good + '{"word": "a", "ve')
    assert "line 4 is not UTF-8" in refusal(good.encode() + b'{"word": "caf\xe9", "vector": [1, 2]}\n')
    assert "UTF-8" in refusal(b'{"river": [1, 2], "caf\xe9": [1, 2]}')


def test_half_a_surrogate_pair(refusal):
    assert "surrogate" in refusal(r'{"a\ud800": [1, 2]}')


def test_limits(refusal):
    content = json.dumps(dict(PAIRS))
    assert "rows" in refusal(content, limits=Limits(rows=2))
    assert "dimensions" in refusal(content, limits=Limits(dimensions=1))
    assert "goes on for more than" in refusal('{"a": "' + "x" * 3_000_000, limits=Limits(dimensions=10))


def test_a_large_document_never_stands_in_memory_as_a_whole():
    values = np.random.default_rng(2).normal(size=(7_001, 211))
    content = json.dumps({f"word {i}": row for i, row in enumerate(values.tolist())}).encode()
    assert len(content) > 25_000_000
    file, seen = io.BytesIO(content), []
    tracemalloc.start()
    e = load(file, progress=lambda done, total: seen.append(done))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(e.matrix, values.astype(np.float32))
    assert seen[-1] == len(content) and peak < 2 * e.matrix.nbytes + 10_000_000


NEARLY = {
    **{f"document of {name}": json.dumps(shape) for name, shape in SHAPES.items()},
    **{f"lines of {name}": lines(shape) for name, shape in LINES.items()},
}


def claimed(content):
    with opened(io.BytesIO(content), "v.txt", Limits()) as source:
        return [name for name, loader in LOADERS.items() if loader.recognises(source)]


@settings(max_examples=60, deadline=None)
@pytest.mark.parametrize("shape", NEARLY)
@given(data=st.data())
def test_mutated_bytes(shape, data):
    content = bytearray(NEARLY[shape].encode())
    for _ in range(data.draw(st.integers(0, 4))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position : position + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    for mutated in bytes(content), bytes(content[: data.draw(st.integers(1, len(content)))]):
        with contextlib.suppress(EmbeddingsError):
            assert isinstance(load(io.BytesIO(mutated or b"["), limits=Limits(bytes=10**6)), Embeddings)
        assert len(claimed(mutated or b"[")) <= 1


@settings(deadline=None)
@given(
    rows=st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-99, 99), min_size=1),
    indent=st.sampled_from([None, 0, 2]),
)
def test_exactly_one_loader_claims_json(rows, indent):
    mapping = {word: [value] for word, value in rows.items()}
    content = json.dumps(mapping, indent=indent).encode()
    assert claimed(content) == ["json-words"]
    assert list(load(io.BytesIO(content)).words) == list(rows)
    records = [{"word": word, "vector": vector} for word, vector in mapping.items()]
    assert claimed(lines(records).encode()) == ["json-lines"]
    assert claimed(json.dumps(records, indent=indent).encode()) == ["json-words"]


def test_rows_of_text_that_begin_with_a_bracket_are_no_json():
    for word in b"[", b"[[", b"[{", b"{", b"{}", b"[]", b'["a"', b'{"', b"[1]":
        assert claimed(word + b" 0.5 1\n] 2 3\n") == ["glove-text"]
    assert claimed(b"word,d0,d1\n[,2,3\n") == ["csv-columns"]
