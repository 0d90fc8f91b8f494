"""Rows “word number number …”, with and without a header."""

import numpy as np
import pytest

from attention_core.loaders import Limits


def test_a_header_is_not_a_word(read):
    e = read("2 3\nriver 0.5 -0.25 1\nstone 1 2 3\n")
    assert (e.words, e.source) == (("river", "stone"), "vectors.txt (word2vec text)")
    assert e.matrix.tolist() == [[0.5, -0.25, 1.0], [1.0, 2.0, 3.0]]


def test_blank_lines_before_the_header(read, refusal):
    assert read("\n \n2 2\nriver 1 2\nstone 3 4\n").words == ("river", "stone")
    assert "line 5 (“stone”)" in refusal("\n \n2 2\nriver 1 2\nstone 3\n")
    assert read("\nword,d0\n\nriver,1\nstone,2\n").words == ("river", "stone")


def test_without_a_header_the_first_line_is_a_row(read):
    e = read("2024 0.5 -0.25\n7 1 2\n")
    assert (e.words, e.source) == (("2024", "7"), "vectors.txt (GloVe text)")


@pytest.mark.parametrize("content", ["river 0.5 1 2", "river 0.5 1 2\n", "1 3\nriver 0.5 1 2\n"])
def test_one_row(read, content):
    assert read(content).matrix.tolist() == [[0.5, 1.0, 2.0]]


def test_one_dimension_with_a_header(read):
    e = read("3 1\nriver 0.5\nstone 1\n7 2\n")
    assert (e.words, e.matrix.ravel().tolist()) == (("river", "stone", "7"), [0.5, 1.0, 2.0])


def test_two_counts_before_rows_of_one_number_are_a_row_and_a_warning(read):
    e = read("5 3\nriver 0.5\nstone 1\n")
    assert e.words == ("5", "river", "stone")
    assert "could be a header" in e.warnings[0]


def test_two_counts_before_one_cut_row_are_a_header(refusal):
    assert "line 2 (“river”): 3 numbers expected after the word, 1 found" in refusal("5 3\nriver 0.5")


def test_a_header_that_fits_no_row(refusal):
    message = refusal("2 3\nriver 0.5 1.5 2.5 3.5\nstone 0.5 1.5 2.5 3.5\n")
    assert "3 dimensions" in message and "4 numbers" in message


@pytest.mark.parametrize("content", ["5 3\n", "5 3"])
def test_a_header_alone(refusal, content):
    assert "no row" in refusal(content)


def test_a_header_of_no_dimensions(refusal):
    assert "0 dimensions" in refusal("2 0\nriver 1\nstone 2 3\n")


def test_sentences_that_end_in_numbers_under_a_header(read):
    e = read("2 2\nitem 1 0.5 0.25\nitem 2 1 2\n")
    assert e.words == ("item 1", "item 2")
    assert "2 rows held one number more" in e.warnings[0] and "line 2" in e.warnings[0]


@pytest.mark.parametrize(
    "word",
    [
        "\u00a0",
        "a\u2028b",
        "\u2029",
        "a\x85",
        "\x0b",
        "\x0c",
        "\x1c",
        "\u3000",
        "\ufeff",
        "\x00",
        '"',
        "'",
        "#",
        ",",
        "%",
        "nan",
        "null",
        "1e5",
    ],
)
def test_a_word_of_any_characters_but_spaces_and_line_ends(read, word):
    e = read(f"river 0.5 1\n{word} 2 3\nstone 4 5\n")
    assert e.words == ("river", word, "stone")
    assert e.vector(word).tolist() == [2.0, 3.0]


@pytest.mark.parametrize("word", [" ", "", "  ", "new york", "a b c", "\u00a0 \u00a0", "x 1", "1 2 3", "a\tb"])
def test_a_word_of_or_with_spaces(read, word):
    assert read(f"river 0.5 1\n{word} 2 3\nstone 4 5\n").words == ("river", word, "stone")


def test_the_byte_order_mark_belongs_to_the_first_word_only_as_a_character(read):
    assert read(b"\xef\xbb\xbfriver 1 2\nstone 3 4\n").words == ("river", "stone")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_utf_16_and_32_with_a_mark(read, encoding):
    mark = "" if encoding == "utf-16" else "\ufeff"
    e = read(f"{mark}2 2\nfleuve\u00e9 0.5 1\n\U0001f600 2 3\n".encode(encoding))
    assert e.words == ("fleuve\u00e9", "\U0001f600")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "gb18030"])
def test_encodings_without_a_mark(read, encoding):
    words = ("river", "石头", "云", "水")
    e = read("\n".join(f"{word} 0.5 -1" for word in words).encode(encoding) + "\n".encode(encoding))
    assert e.words == words
    assert e.source == f"vectors.txt (GloVe text, {'GB18030' if encoding == 'gb18030' else 'UTF-16'})"


def test_western_text_is_not_taken_for_chinese(read):
    e = read("été 0.5 1\nétude 1 2\nnaïve 2 3\n".encode("latin-1"))
    assert e.words[1:] == ("\ufffdtude", "na\ufffdve")
    assert "not UTF-8" in e.warnings[0]


@pytest.mark.parametrize(
    ("content", "word"),
    [("河石云水山 0.5 1\n湖林风火土 1 2\n".encode("gb18030") + b"\xff 2 3\n", "\ufffd"),
     ("a 0.5 1\nb 1 2\n".encode("utf-16") + b"\x00\xd8" + " 2 3\n".encode("utf-16-le"), "\ufffd")],
)  # fmt: skip
def test_what_stands_for_no_character_is_told(read, content, word):
    e = read(content)
    assert e.words[2] == word
    assert "line 3" in e.warnings[0]


def test_windows_line_ends_and_trailing_spaces(read):
    e = read(b"2 2 \r\nriver 0.5 1 \r\nstone 2 3 \r\n")
    assert (e.words, e.matrix.tolist()) == (("river", "stone"), [[0.5, 1.0], [2.0, 3.0]])


@pytest.mark.parametrize("row", ["river\t0.5\t1", "river\t0.5 1", "river 0.5  1", "river 0.5\t1\t", "river 0.5 1  "])
def test_tabs_and_runs_of_spaces_separate_numbers(read, row):
    assert read(f"{row}\nstone 2 3\n").matrix.tolist() == [[0.5, 1.0], [2.0, 3.0]]


def test_a_padded_word_is_kept_and_told(read):
    e = read("river   0.5 1\nstone 2 3\n")
    assert e.words == ("river  ", "stone")
    assert "line 1" in e.warnings[0]


def test_blank_lines_are_skipped_and_lines_still_counted(read, refusal):
    e = read("river 0.5 1\n\n \nstone 2 3\n\n\n")
    assert e.words == ("river", "stone")
    assert "line 2" in e.warnings[0]
    assert "line 4" in refusal("river 0.5 1\n\n\nstone 2\nlamp 1 2\n")


@pytest.mark.parametrize("number", ["1_000", "0x10", "1,5", "１", "--1", "1e", ".", "1.2.3", "None", "1e5e5", "0.5;"])
def test_what_is_not_a_number_is_named_with_its_line(refusal, number):
    message = refusal(f"river 0.5 1 2\nstone 1 {number} 3\nlamp 1 2 3\n")
    assert "line 2 (“stone”)" in message and f"“{number}”" in message


def test_a_row_without_its_word(refusal):
    message = refusal("river 0.5 1 2\n0.5 0.25 1\nlamp 1 2 3\n")
    assert "line 2 (“0.5”): 3 numbers expected after the word, 2 found" in message


def test_rows_of_numbers_without_words(refusal):
    assert "vectors only" in refusal("0.5 0.25 1\n0.75 1 2\n")
    assert "vectors only" in refusal("0.5\t-0.25\t1.0\n0.75\t0.125\t-0.5\n", name="vectors.tsv")


@pytest.mark.parametrize("value", ["nan", "-inf", "Infinity", "1e39", "-1e999"])
def test_values_that_are_not_finite_name_every_line(refusal, value):
    message = refusal(f"river 0.5 {value}\nstone 1 2\nlamp {value} 3\n")
    assert "line 1 (“river”) and line 3 (“lamp”)" in message


def test_many_rows_that_are_not_finite_are_counted(refusal):
    message = refusal("".join(f"word{i} nan\n" for i in range(17)))
    assert "line 5 (“word4”) and 12 more" in message


def test_the_first_of_a_repeated_word_is_kept(read):
    e = read("river 1 2\nstone 3 4\nriver 5 6\nstone 7 8\nRiver 9 9\n")
    assert (e.words, e.matrix[:2].tolist()) == (("river", "stone", "River"), [[1.0, 2.0], [3.0, 4.0]])
    assert "2 rows repeat" in e.warnings[0] and "line 3: “river”" in e.warnings[0]


def test_bytes_that_are_not_utf8_are_replaced_and_told(read):
    e = read(b"river 1 2\ncaf\xe9 3 4\nstone 5 6\n")
    assert e.words == ("river", "caf\ufffd", "stone")
    assert e.vector("stone").tolist() == [5.0, 6.0]
    assert "1 word" in e.warnings[0] and "line 2" in e.warnings[0]


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_short_last_row_looks_cut_only_without_its_newline(refusal, end):
    assert ("cut" in refusal(f"river 1 2 3\nstone 4 5 6\nlamp 7{end}")) == (not end)


def test_a_cut_file_with_a_header_is_told_so(read):
    warning = read("9 2\nriver 1 2\nstone 3 4").warnings[0]
    assert "9 words" in warning and "2 rows" in warning and "cut" in warning


def test_lines_count_across_blocks(read, refusal):
    rows = [f"word{i} {i} 0.5 0.25" for i in range(150_000)]
    rows[140_000] = "broken 1 2"
    assert "line 140001 (“broken”): 3 numbers expected" in refusal("\n".join(rows))
    rows[140_000] = "two words 1 2 3"
    e = read("\n".join(rows))
    assert (len(e), e.words[140_000], e.words[-1], e.matrix[-1, 0]) == (150_000, "two words", "word149999", 149_999)


@pytest.mark.parametrize("separator", [" ", "\t", "  "])
@pytest.mark.parametrize("end", ["\n", " \n", "\r\n"])
def test_rows_as_usual_are_read_at_once(monkeypatch, read, separator, end):
    monkeypatch.setattr("attention_core.loaders.base.rows.careful_row", None)
    values = np.random.default_rng(7).normal(size=(101, 7)).astype(np.float32) * 10.0 ** np.arange(-20, 15, 5)
    for kind in "{!r}", "{:.5f}", "{:.18e}":
        rows = [separator.join([f"a word{i}", *map(kind.format, row)]) + end for i, row in enumerate(values.tolist())]
        e = read("".join(rows))
        expected = [[np.float32(kind.format(value)) for value in row] for row in values.tolist()]
        assert np.array_equal(e.matrix, expected)
        assert e.words[99].strip() == "a word99"


def test_one_endless_line(refusal):
    message = refusal("word " + "0.5 " * 600_000, limits=Limits(dimensions=1_000))
    assert "first line" in message
    assert "line" in refusal("river 0.5 1\n" + "x" * 3_000_000, limits=Limits(dimensions=1_000))


def test_limits_are_checked_before_and_while_reading(refusal):
    assert "1,000,000,000,000 rows" in refusal("1000000000000 3\nriver 1 2 3\n")
    assert "99,999 dimensions" in refusal("1 99999\nriver 1 2 3\n")
    assert "a matrix of" in refusal("9000000 300\nriver 1 2 3\n")
    assert "3 rows" in refusal("a 1\nb 2\nc 3\n", limits=Limits(rows=2))
    assert "3 dimensions" in refusal("a 1 2 3\nb 1 2 3\n", limits=Limits(dimensions=2))
    assert "8 bytes" in refusal("a 1\nb 2\n", limits=Limits(bytes=7))


def test_twins_of_unicode_are_kept_apart_and_told(read):
    e = read("caf\u00e9 1 2\ncafe\u0301 3 4\nK 5 6\n\u212a 7 8\nna\u00efve 9 1\n")
    assert e.words == ("caf\u00e9", "cafe\u0301", "K", "\u212a", "na\u00efve")
    assert e.warnings == (
        "2 words differ from another only in Unicode's normal form (first: line 2, “cafe\u0301”); "
        "they were kept apart.",
    )
