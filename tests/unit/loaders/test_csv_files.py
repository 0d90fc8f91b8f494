"""Tables: a column for each dimension, or a vector in each cell."""

import numpy as np
import pytest

from attention_core.loaders import Limits


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("names", [["word", "d0", "d1"], ["", "0", "1"], ["token", "1", "2"], ["text", "x", "y"]])
def test_separators_and_headers(read, separator, names):
    rows = [names, ["river", "0.5", "-0.25"], ["stone", "1", "2"]]
    e = read("\n".join(separator.join(row) for row in rows), name="t.dat")
    assert (e.words, e.matrix.tolist()) == (("river", "stone"), [[0.5, -0.25], [1.0, 2.0]])
    assert e.source == "t.dat (CSV/TSV table)"


def test_without_a_header(read):
    assert read("river\t[0.5, 1]\nstone\t[1, 2]\n").words == ("river", "stone")
    assert read("river,0.5,-0.25\nstone,1,2\n").words == ("river", "stone")


def test_quoted_words_with_separators_quotes_and_line_ends(read):
    e = read('word,d0,d1\r\n"a, b",1,2\r\n"say ""x""",3,4\r\n"two\r\nlines",5,6\r\n,7,8\r\n')
    assert e.words == ("a, b", 'say "x"', "two\nlines", "")
    assert e.matrix[:, 0].tolist() == [1.0, 3.0, 5.0, 7.0]


def test_spaces_around_numbers(read):
    assert read("word, d0, d1\nriver, 0.5, 1\nstone,2 , 3\n").matrix.tolist() == [[0.5, 1.0], [2.0, 3.0]]


def test_null_like_words_and_numbers_as_words(read):
    assert read("word,d0,d1\nnull,1,2\n1e5,3,4\ntrue,5,6\nNaN,7,8\n").words == ("null", "1e5", "true", "NaN")
    assert read("id,d0,d1\n7,1,2\n9,3,4\n").words == ("7", "9")


def test_a_pandas_index_and_other_columns_are_left_out_and_told(read):
    e = read(",word,rank,d0,d1,pos\n0,river,1,0.5,1,noun\n1,stone,2,2,3,noun\n")
    assert (e.words, e.matrix.tolist()) == (("river", "stone"), [[0.5, 1.0], [2.0, 3.0]])
    assert all(name in e.warnings[0] for name in ("“”", "“rank”", "“pos”"))


def test_one_dimension(read):
    assert read("word,d0\nriver,0.5\nstone,1\n").matrix.tolist() == [[0.5], [1.0]]


@pytest.mark.parametrize("cell", ["abc", "", "1_000", "0x1", "1 2", "TRUE"])
def test_a_cell_that_is_no_number(refusal, cell):
    message = refusal(f"word,d0,d1\nriver,0.5,1\nstone,{cell},2\nlamp,1,2\nfern,3,4\n")
    assert "line 3 (“stone”)" in message and f"“{cell}”" in message


def test_a_row_of_another_width(refusal):
    message = refusal("word,d0,d1\nriver,0.5,1\nstone,2\nlamp,1,2\n")
    assert "line 3 (“stone”): 3 columns expected, 2 found" in message
    assert "cut" in refusal("word,d0,d1\nriver,0.5,1\nlamp,1,2\nstone,2")


def test_lines_are_physical_also_after_a_cell_of_two_lines(refusal):
    assert "line 4 (“stone”)" in refusal('word,d0,d1\n"a\nb",1,2\nstone,x,2\nlamp,1,2\n')


def test_an_open_quote(refusal):
    assert "line 3" in refusal('word,d0,d1\nriver,0.5,1\n"stone,2,3\nlamp,1,2\n')


def test_values_that_are_not_finite(refusal):
    assert "line 3 (“stone”)" in refusal("word,d0,d1\nriver,0.5,1\nstone,nan,1e39\n")


def test_tables_that_hold_no_vectors(refusal):
    assert "column" in refusal("word,kind\nriver,noun\nstone,noun\n")
    assert "vectors only" in refusal("0.5,0.25\n1.5,2\n")


@pytest.mark.parametrize("cell", ["[0.5, -0.25]", "[0.5,-0.25]", "[ 0.5  -0.25]", "[5e-1 -0.25 ]", " [0.5 , -0.25] "])
def test_a_vector_in_a_cell(read, cell):
    e = read(f'text,n,embedding\nriver,3,"{cell}"\nstone,4,"[1, 2]"\n')
    assert (e.words, e.matrix.tolist()) == (("river", "stone"), [[0.5, -0.25], [1.0, 2.0]])


def test_a_vector_over_two_lines_as_numpy_prints_it(read):
    values = np.arange(40, dtype=np.float32) / 8
    e = read(f'word,embedding\nriver,"{values}"\nstone,"{values + 1}"\n')
    assert np.array_equal(e.matrix, np.stack([values, values + 1]))


@pytest.mark.parametrize("cell", ["[0.5]", "[]", "[0.5, x]", "[0.5,, 1]", "[0.5, null]", "0.5", "", "[0.5, 1"])
def test_a_cell_that_is_no_vector_of_that_size(refusal, cell):
    message = refusal(f'word,embedding\nriver,"[0.5, 1]"\nlamp,"[1, 2]"\nstone,"{cell}"\nfern,"[3, 4]"\n')
    assert "line 4 (“stone”)" in message


def test_an_empty_first_vector(refusal):
    assert "empty" in refusal('word,embedding\nriver,"[]"\nstone,"[]"\n')


def test_the_ellipsis_of_numpy(refusal):
    message = refusal('word,embedding\nriver,"[0.5 1. ]"\nstone,"[0. 1. ... 8. 9.]"\n')
    assert "line 3 (“stone”)" in message and "..." in message


def test_cells_longer_than_the_csv_module_reads_by_default(read):
    cell = ", ".join(["0.12345678901234567"] * 9_973)
    assert read(f'word,embedding\nriver,"[{cell}]"\n').dimension == 9_973


def test_repeated_words_and_limits(read, refusal):
    assert "line 4" in read("word,d0,d1\na,1,2\nb,3,4\na,5,6\n").warnings[0]
    assert "2 dimensions" in refusal("word,d0,d1\na,1,2\nb,3,4\n", limits=Limits(dimensions=1))
    assert "rows" in refusal("word,d0,d1\na,1,2\nb,3,4\n", limits=Limits(rows=1))


def test_bytes_that_are_not_utf8(read):
    e = read(b"word,d0,d1\ncaf\xe9,1,2\nriver,3,4\n")
    assert (e.words, "line 2" in e.warnings[0]) == (("caf\ufffd", "river"), True)


@pytest.mark.parametrize("header", ["word,d0,d1\n", ""])
def test_words_in_brackets_are_no_vectors(read, header):
    assert read(f"{header}[PAD],0.5,1\n[unused1],1,2\n[,2,3\n").words == ("[PAD]", "[unused1]", "[")


def test_words_that_look_like_vectors_beside_vectors(read):
    assert read('vector,word\n"[1, 2]","[0]"\n"[3, 4]","[1]"\n').words == ("[0]", "[1]")


def test_a_class_label_is_not_the_word(read):
    assert read('label,text,embedding\n1,river,"[1, 2]"\n0,stone,"[3, 4]"\n').words == ("river", "stone")


def test_columns_without_one_name_are_said_to_be_the_vector(read):
    e = read("word,freq,x,y\nking,9,1,2\nqueen,8,3,4\n")
    assert any("“freq”" in warning and "“x”" in warning for warning in e.warnings)


def test_a_header_of_numbers_is_announced(read):
    e = read("word,0,1\nking,1,2\nqueen,3,4\n")
    assert any(warning.startswith("Line 1 was taken for a header") for warning in e.warnings)


def test_numbered_columns_need_no_word(read):
    assert read("word,d0,d1\nking,1,2\nqueen,3,4\n").warnings == ()


def test_columns_of_one_name_are_all_read_and_told(read):
    e = read("word,x,x\nriver,0.5,1\nstone,2,3\n", "v.csv")
    assert e.matrix.tolist() == [[0.5, 1.0], [2.0, 3.0]]
    assert "Several columns are called “x”; all were read." in e.warnings
