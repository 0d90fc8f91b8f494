"""Parquet as pyarrow and pandas write it; damaged, hostile and encrypted files."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

WORDS = ["river", "stone", "NA"]
VALUES = [[0.5, -0.25], [1.0, 2.0], [3.0, -4.0]]
LISTS = [pa.list_, pa.large_list, lambda of: pa.list_(of, 2), pa.list_view, pa.large_list_view]
TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]


def written(columns, **options):
    file = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), file, **options)
    return file.getvalue()


def from_pandas(frame, **options):
    file = io.BytesIO()
    frame.to_parquet(file, **options)
    return file.getvalue()


def lists(values=VALUES):
    return pa.array(values, pa.list_(pa.float32()))


def assert_is_sample(e):
    assert (list(e.words), e.matrix.tolist(), e.source) == (WORDS, VALUES, "v.parquet (Parquet)")


@pytest.fixture
def parquet(read):
    return lambda content, **given: read(content, "v.parquet", **given)


@pytest.fixture
def refused(refusal):
    return lambda content, **given: refusal(content, "v.parquet", **given)


@pytest.mark.parametrize("of", LISTS)
@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_kinds_of_lists(parquet, of, kind):
    e = parquet(written({"word": WORDS, "vector": pa.array(VALUES, of(kind))}))
    assert_is_sample(e)
    assert e.warnings == ()


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.uint16(), pa.decimal128(5, 2)])
def test_lists_and_columns_of_other_numbers(parquet, kind):
    assert parquet(written({"word": ["a"], "v": pa.array([[1, 2]], pa.list_(kind))})).matrix.tolist() == [[1, 2]]
    wide = {"word": ["a"], "d0": pa.array([1], kind), "d1": pa.array([2], kind)}
    assert parquet(written(wide)).matrix.tolist() == [[1, 2]]


def test_tensors(parquet):
    kind = pa.fixed_shape_tensor(pa.float32(), [2])
    tensors = pa.ExtensionArray.from_storage(kind, pa.array(VALUES, kind.storage_type))
    assert_is_sample(parquet(written({"word": WORDS, "vector": tensors})))


@pytest.mark.parametrize("kind", TEXTS, ids=str)
@pytest.mark.parametrize("by_dictionary", [True, False])
def test_kinds_of_words(parquet, kind, by_dictionary):
    table = {"word": pa.array(WORDS, pa.string()).cast(kind), "vector": lists()}
    assert_is_sample(parquet(written(table, use_dictionary=by_dictionary)))


def test_words_as_categories(parquet):
    frame = pd.DataFrame({"word": pd.Categorical(WORDS), "vector": VALUES})
    assert_is_sample(parquet(from_pandas(frame)))
    assert parquet(written({"id": [7, 9], "vector": lists(VALUES[:2])})).words == ("7", "9")


@pytest.mark.parametrize("word", ["NA", "nan", "null", "None", "", " ", "a\nb", "\u00a0", "山"])
def test_words_that_other_tools_lose(parquet, word):
    assert parquet(written({"word": [word], "vector": [[1.0, 2.0]]})).words == (word,)


@pytest.mark.parametrize("index_name", [None, "mot"])
@pytest.mark.parametrize("wide", [True, False])
def test_words_in_the_pandas_index(parquet, index_name, wide):
    columns = {"d0": [0.5, 1.0, 3.0], "d1": [-0.25, 2.0, -4.0]} if wide else {"vector": VALUES}
    frame = pd.DataFrame(columns, index=pd.Index(WORDS, name=index_name))
    assert_is_sample(parquet(from_pandas(frame)))


def test_row_numbers_in_the_pandas_index_are_no_words_and_no_dimension(parquet):
    frame = pd.DataFrame({"word": ["x", *WORDS], "a": [0, 0.5, 1, 3], "b": [0, -0.25, 2, -4]})
    assert_is_sample(parquet(from_pandas(frame[frame.word != "x"])))


@pytest.mark.parametrize("names", [("d0", "d1"), ("0", "1"), ("x", "y"), ("d.0", "d.1")])
def test_a_column_for_each_dimension(parquet, names):
    first, second = zip(*VALUES, strict=True)
    e = parquet(written({names[0]: first, "word": WORDS, names[1]: second}))
    assert_is_sample(e)
    assert any("dimensions" in told for told in e.warnings) == (names == ("x", "y"))


def test_many_groups_and_batches(parquet):
    values = np.random.default_rng(5).normal(size=(70_001, 31)).astype(np.float32)
    words = [f"word {i}" for i in range(len(values))]
    flat = pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), 31)
    content = written({"word": words, "vector": flat}, row_group_size=9_973, data_page_size=5_000)
    seen = []
    from attention_core.loaders import load

    e = load(io.BytesIO(content), progress=lambda done, total: seen.append((done, total)))
    assert np.array_equal(e.matrix, values) and list(e.words) == words
    assert seen == sorted(seen) and seen[-1] == (len(content), len(content))


def test_several_candidates_are_told(parquet):
    table = {"pos": ["n", "n", "v"], "text": WORDS, "title": list("abc"), "other": lists(), "embedding": lists()}
    e = parquet(written(table))
    assert_is_sample(e)
    assert "“text”, not from “pos” or “title”" in e.warnings[0] and "“embedding”, not from “other”" in e.warnings[1]


def test_columns_left_out_are_told(parquet):
    e = parquet(
        written({"word": WORDS, "rank": [1, 2, 3], "d0": [0.5, 1, 3], "d1": [-0.25, 2, -4], "pos": list("nnv")})
    )
    assert_is_sample(e)
    assert "“rank” and “pos”" in e.warnings[0]


def test_vectors_with_a_list_of_words(parquet, refused):
    content = written({"vector": lists()})
    assert parquet(content, words=b"a\nb\nc\n").words == ("a", "b", "c")
    assert "words are needed" in refused(content)


def test_repeated_words(parquet):
    e = parquet(written({"word": ["a", "b", "a"], "vector": lists()}))
    assert (e.words, "row 3" in e.warnings[0]) == (("a", "b"), True)


def test_nulls_name_their_row(refused):
    assert "row 2: a word is expected" in refused(written({"word": ["a", None, "c"], "vector": lists()}))
    assert "row 2 (“b”)" in refused(written({"word": ["a", "b", "c"], "vector": lists([[1, 2], None, [3, 4]])}))
    inner = refused(written({"word": ["a", "b", "c"], "vector": lists([[1, 2], [3, 4], [5, None]])}))
    assert "row 3 (“c”)" in inner and "place 2 of 2" in inner
    assert "row 2 (“b”)" in refused(from_pandas(pd.DataFrame({"word": ["a", "b"], "d0": [1, 2], "d1": [1.0, np.nan]})))
    fixed = pa.array([[1.0, 2.0], None], pa.list_(pa.float32(), 2))
    assert "row 2 (“b”)" in refused(written({"word": ["a", "b"], "vector": fixed}))


def test_ragged_lists_name_row_and_counts(refused):
    message = refused(written({"word": WORDS, "vector": lists([[1, 2], [3, 4], [5, 6, 7]])}))
    assert "row 3 (“NA”): 2 numbers expected, 3 found" in message
    assert "empty" in refused(written({"word": WORDS, "vector": lists([[], [], []])}))
    assert "2 numbers expected, 0 found" in refused(written({"word": WORDS, "vector": lists([[1, 2], [], [3, 4]])}))


def test_values_that_are_not_finite(refused):
    wide = written({"word": WORDS, "vector": pa.array([[1, 2], [1, 1e39], [np.nan, 1]], pa.list_(pa.float64()))})
    assert "row 2 (“stone”) and row 3 (“NA”)" in refused(wide)


def test_words_that_are_no_text(refused):
    assert "row 2: the word holds bytes" in refused(written({"word": [b"a", b"\xff"], "vector": lists(VALUES[:2])}))


def test_tables_without_vectors(refused):
    assert "“kind” (string)" in refused(written({"word": WORDS, "kind": list("abc")}))
    assert "“v” (list<element: string>)" in refused(written({"word": WORDS, "v": [["a"]] * 3}))
    assert "no rows" in refused(written({"word": pa.array([], pa.string()), "vector": lists([])}))
    assert "no column" in refused(written(pa.table({})))
    assert "two columns" in refused(written(pa.table([WORDS, WORDS, lists()], ["word", "word", "vector"])))


def test_a_column_of_text_among_the_dimensions(refused):
    assert "“d1”" in refused(written({"word": WORDS, "d0": [1, 2, 3], "d1": list("abc"), "d2": [1, 2, 3]}))
