"""Files as other programs export them, and the ways in which they could be read wrong."""

import json
import time

import numpy as np
import pytest

from attention_core.errors import EmbeddingsError

KING = [[0.5, -0.25], [1.0, 0.5]]


@pytest.mark.parametrize(
    "content",
    [
        "king;0,5;-0,25\nqueen;1,0;0,5\n",
        "king\t0,5\t-0,25\nqueen\t1,0\t0,5\n",
        "word;freq;d0;d1\nking;1.234;0,5;-0,25\nqueen;12.345;1,0;0,5\n",
        "1,king,0.5,-0.25\n2,queen,1,0.5\n",
        "0,king,0.5,-0.25\n1,queen,1,0.5\n",
        ",word,x,y\n0,king,0.5,-0.25\n1,queen,1,0.5\n",
        "king,0.5,-0.25,\nqueen,1,0.5,\n",
        "king,noun,0.5,-0.25\nqueen,noun,1,0.5\n",
        "word 0 1\nking 0.5 -0.25\nqueen 1 0.5\n",
        '"" 0 1\nking 0.5 -0.25\nqueen 1 0.5\n',
        " 0 1\nking 0.5 -0.25\nqueen 1 0.5\n",
        "word,1990,2000\nking,0.5,-0.25\nqueen,1,0.5\n",
        "ID;Wort;d0;d1\n1;king;0,5;-0,25\n2;queen;1,0;0,5\n",
        "mot,label,d0,d1\nking,noun,0.5,-0.25\nqueen,noun,1,0.5\n",
        'id,mot,vector\n1,king,"[0.5,-0.25]"\n2,queen,"[1,0.5]"\n',
        'word,title_vec,embedding\nking,"[1,2]","[0.5,-0.25]"\nqueen,"[3,4]","[1,0.5]"\n',
    ],
)
@pytest.mark.parametrize("name", ["v.csv", "v.txt"])
def test_exports(read, content, name):
    e = read(content, name)
    assert (list(e.words), e.matrix.tolist()) == (["king", "queen"], KING)


def test_one_dimension_with_the_names_of_pandas(read):
    assert read(",0\nking,1\nqueen,2\n", "v.csv").words == ("king", "queen")


def test_commas_in_words_make_no_table(read):
    e = read("1,000 0.5 0.25\n2,000 1 2\n3,5 1 2\n")
    assert (e.words, e.matrix.shape) == (("1,000", "2,000", "3,5"), (3, 2))


def test_decimal_commas_between_spaces_are_refused(refusal):
    refusal("king 0,5 -0,25\nqueen 1,0 0,5\nman 0,1 0,3\n")


def test_a_missing_value_in_line_1_loses_no_word(refusal):
    assert "line 1 (“king”)" in refusal("king,NULL,0.25\nqueen,1.5,0.75\nrun,0.1,0.2\n", "v.csv")


@pytest.mark.parametrize("word", ['"', '"the'])
def test_a_quotation_mark_that_is_a_word_swallows_no_rows(refusal, word):
    other = word if word == '"' else 'end"'
    message = refusal(f"word\td0\td1\n{word}\t1\t2\nfoo\t3\t4\n{other}\t5\t6\nbar\t7\t8\n", "v.tsv")
    assert "line 2" in message


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("0,5;0,25\n1,5;0,75\n", [[0.5, 0.25], [1.5, 0.75]]),
        ("0,5\t0,25\n1,5\t0,75\n", [[0.5, 0.25], [1.5, 0.75]]),
        ("0,5 0,25\n1,5 0,75\n", [[0.5, 0.25], [1.5, 0.75]]),
        ("d0;d1\n0,5;0,25\n1,5;0,75\n", [[0.5, 0.25], [1.5, 0.75]]),
        ("0.5, 0.25\n1.5, 0.75\n", [[0.5, 0.25], [1.5, 0.75]]),
        ("0,1\n0.5,0.25\n1.5,0.75\n", [[0.5, 0.25], [1.5, 0.75]]),
    ],
)
def test_numbers_without_words(read, rows, expected):
    assert read(rows, "v.txt", words=b"king\nqueen\n").matrix.tolist() == expected


def test_empty_cells_are_no_narrower_rows(refusal):
    refusal("0.5,,0.25\n0.3,,0.75\n", "v.csv", words=b"king\nqueen\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (b"king,5\nqueen,3\n", "a comma"),
        (b"king 500\nqueen 300\n", "a number after a space"),
        (b'"king"\n"queen"\n', "quotation marks"),
        (b'{"word": "king"}\n{"word": "queen"}\n', "a JSON object"),
        (b"0\tking\n1\tqueen\n", "second column"),
    ],
)
def test_lists_of_words_that_look_like_more_are_told(read, words, told):
    assert told in " ".join(read("0.5 1\n0.25 2\n", words=words).warnings)


@pytest.mark.parametrize("words", [b'{\n"king": 0,\n"queen": 1\n}\n', b'["king", null, "queen", "man"]'])
def test_json_of_another_length_is_no_list_of_lines(refusal, words):
    assert "JSON" in refusal("0.5 1\n0.25 2\n1.5 2\n2.5 1\n", words=words)


@pytest.mark.parametrize(
    "content",
    [
        "king 0.5 0.25\nqueen " + "1" * 200_000 + "x 2\n",
        "word," + "1" * 100_000 + "x,d0,d1\nking,1,2,3\nqueen,3,4,5\n",
        "word," + "1" * 100_000 + ",d0\nking,1,2\n",
        "word," + ",".join(map(str, range(15_000))) + "\nking" + ",1" * 15_000 + "\n",
        json.dumps({"king": [int("1" * 4000)]}),
    ],
)
def test_no_text_takes_long(read, content):
    started = time.process_time()
    try:
        read(content, "v.csv")
    except EmbeddingsError:
        pass
    finally:
        assert time.process_time() - started < 20  # a quadratic search took minutes


def test_the_first_words_of_a_row_stay_exact(read):
    e = read("word 0 2\nking 0.5 1\n")
    assert e.words == ("word", "king")
    assert np.array_equal(e.matrix, [[0, 2], [0.5, 1]])


def test_a_header_that_declares_too_few_dimensions_is_refused(refusal):
    assert "declares 1 dimension" in refusal("3 1\nking 0.5 0.25\nqueen 1 2\nman 3 4\n")


def test_a_guessed_encoding_is_told(read):
    e = read("河 0.5 1\n湖 1 2\n山 2 3\n".encode("gb18030"))
    assert e.warnings == ("The text is not UTF-8 and was read as GB18030; save it as UTF-8 if the words look wrong.",)
