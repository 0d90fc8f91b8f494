"""Tables of judgements as people write them: separators, encodings, headers, and rows that cannot be used."""

import codecs
import gzip
from io import BytesIO

import numpy as np
import pytest

import attention_core as ac
from attention_core.similarity.cells import SMALL
from attention_core.similarity.tables import read_pairs, read_questions, read_relevance, rows_of

PAIRS = (("king", "queen"), ("river", "stone"))


def pairs(content, name="mine.csv"):
    return read_pairs(BytesIO(content if isinstance(content, bytes) else content.encode()), name)


def noted(table):
    return " ".join(table.notes)


@pytest.mark.parametrize(
    "content",
    [
        "king,queen,8.5\nriver,stone,2\n",
        "king\tqueen\t8.5\nriver\tstone\t2\n",
        "king;queen;8,5\nriver;stone;2\n",
        "king queen 8.5\nriver  stone 2\n",
        "word1,word2,score\nking,queen,8.5\nriver,stone,2",
        "# a comment\n# and, another\nking,queen,8.5\n\n\nriver,stone,2\n",
        ' king , "queen",8.5\r\n"river",stone, 2\r\n',
        "Word 1\tWord 2\tPOS\tHuman\tother\nking\tqueen\tN\t8.5\tx\nriver\tstone\tN\t2\ty\n",
        codecs.BOM_UTF8 + b"king,queen,8.5\nriver,stone,2\n",
        "king,queen,8.5\nriver,stone,2\n".encode("utf-16"),
        gzip.compress(b"king,queen,8.5\nriver,stone,2\n"),
    ],
    ids=["comma", "tab", "semicolon", "spaces", "header", "comment", "quotes", "columns", "mark", "utf-16", "gzip"],
)
def test_the_same_pairs_are_read_however_they_are_written(content):
    found = pairs(content)
    assert found.pairs == PAIRS and found.scores == (8.5, 2.0)


def test_chinese_in_gb18030_is_read():
    text = "国王,女王,8.5\n河流,石头,2\n医生,护士,7\n"
    found = pairs(text.encode("gb18030"))
    assert found.pairs[0] == ("国王", "女王") and "GB18030" in noted(found)


def test_a_first_row_with_a_whole_number_is_no_header():
    assert pairs("tiger,tiger,10\ntiger,cat,7\n").scores == (10.0, 7.0)


@pytest.mark.parametrize("score", ["nan", "-inf"])
def test_a_first_row_without_a_finite_score_is_no_header(score):
    found = pairs(f"king,queen,{score}\nriver,stone,2\n")
    assert "line 1" in noted(found) and "header" not in noted(found) and len(found) == 1


def test_what_was_taken_for_a_header_and_for_the_scores_is_told():
    found = pairs("a\tb\tpos\tsim\nking\tqueen\tN\t8.5\nriver\tstone\tN\t2\n")
    assert "Line 1 was taken for a header: “a”, “b”, “pos”, “sim”." in noted(found)
    assert "The scores were taken from “sim”; other columns were not read." in noted(found)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("a,b,nan", "“nan” is no number"),
        ("a,b,inf", "“inf” is no number"),
        ("a,b,", "the score is missing"),
        ("a,b,high", "“high” is no number"),
        ("a,,3", "a word is missing"),
        ("a,b", "2 cells, where two words and a score are expected"),
        ("a,b,1_0", "“1_0” is no number"),
    ],
)
def test_a_row_that_cannot_be_used_is_left_out_and_told_with_its_line(row, why):
    found = pairs(f"king,queen,8.5\n{row}\nriver,stone,2\n")
    assert found.pairs == PAIRS
    assert f"1 row was left out: line 2 ({why})." in noted(found)


def test_many_bad_rows_are_counted_and_the_first_ones_named():
    found = pairs("king,queen,8.5\n" + "a,b,x\n" * 5 + "river,stone,2\n" + "c,d,4\n" * 5)
    assert "5 rows were left out: line 2 (“x” is no number), line 3" in noted(found) and "and 2 more" in noted(found)


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (b"", "the file is empty"),
        (b"king\nqueen\n", "no line could be read as a row of this table: line 1 is “king”"),
        (b"a,b,nan\n", "no row holds a pair of words and a score: line 1: “nan” is no number"),
        (b'king,queen,1\n"river,stone,2\n', "the record that begins on line 2 cannot be taken apart"),
        (b"\x80\x04binary\x00" * 50, "no line could be read"),
        (b"a,b,1\n" * (SMALL.rows + 1), "100,001 rows were found or declared"),
        (b"a,b,1\n" * 2_000_000, "more than the 10.0 MB that may be loaded"),
    ],
    ids=["empty", "one column", "no score", "open quote", "binary", "rows", "bytes"],
)
def test_what_is_no_such_table_is_refused(content, answer):
    with pytest.raises(ac.EmbeddingsError) as refused:
        pairs(content)
    assert answer in str(refused.value) and str(refused.value).startswith("mine.csv: ")


def test_a_missing_file_is_refused():
    with pytest.raises(ac.EmbeddingsError, match="cannot be opened"):
        read_pairs("/nowhere/at/all.csv")


def test_identical_and_repeated_pairs_are_counted():
    found = ac.JUDGEMENTS["wordsim353"].read()
    assert (len(found), found.identical, found.repeated) == (353, 1, 2)


def test_the_fingerprint_follows_the_content():
    one, same, other = (pairs(f"a,b,{score}\n") for score in (1, 1.0, 2))
    assert one.fingerprint == same.fingerprint != other.fingerprint


# --- questions


@pytest.mark.parametrize(
    "content",
    [
        "section,a,b,c,d\nfamily,boy,girl,king,queen\n",
        "family;boy;girl;king;queen\n",
        ": family\nboy girl king queen\n",
    ],
)
def test_the_same_question_is_read_however_it_is_written(content):
    found = read_questions(BytesIO(content.encode()), "q.csv")
    assert found.words == (("boy", "girl", "king", "queen"),) and found.sections == ("family",)


def test_questions_without_sections_and_with_broken_rows():
    found = read_questions(BytesIO(b"boy,girl,king,queen\na,b,c\na,b,,d\n"), "q.csv")
    assert len(found) == 1 and found.sections == ("",)
    assert "2 rows were left out: line 2 (3 cells, where four words are expected)" in noted(found)


def test_the_bundled_questions():
    assert len(ac.JUDGEMENTS["google"].read()) == 3412
    assert {name: len(ac.JUDGEMENTS[f"relations-{name}"].read()) for name in ("en", "zh")} == {
        "en": 25 * 24 + 15 * 14,
        "zh": 20 * 19 + 12 * 11,
    }


# --- relevance


def relevance(content):
    return read_relevance(BytesIO(content.encode()), "r.csv")


def test_gains_are_read_and_sentences_may_hold_commas():
    found = relevance('query,item,gain\n"where, and when?","a place, a time",2\n"where, and when?",a place,0,5\n')
    assert found.gains == {"where, and when?": {"a place, a time": 2.0, "a place": 0.0}}


def test_without_gains_every_item_counts_one():
    assert relevance("cat\tdog\ncat\thorse\n").gains == {"cat": {"dog": 1.0, "horse": 1.0}}


def test_a_query_itself_and_repeated_items_are_told():
    found = relevance("cat,cat,1\ncat,dog,1\ncat,dog,3\n")
    assert found.gains == {"cat": {"dog": 3.0}}
    assert "1 row names the query itself" in noted(found) and "1 row repeats an item" in noted(found)


@pytest.mark.parametrize("gain", ["-1", "nan", "much"])
def test_a_gain_that_is_none_is_left_out(gain):
    found = relevance(f"cat,horse,1\ncat,dog,{gain}\n")
    assert found.gains == {"cat": {"horse": 1.0}} and "line 2" in noted(found)


# --- words and bundled tables


def test_a_word_is_looked_up_as_written_then_in_lower_case():
    e = ac.Embeddings(["Rome", "rome", "paris"], np.eye(3), "x")
    assert rows_of(e, ["Rome", "rome", "ROME", "Paris", "tokyo"]).tolist() == [0, 1, 1, 2, -1]


def test_a_bundled_table_of_another_kind_is_refused(glove):
    with pytest.raises(ac.AttentionCoreError, match="another kind.*wordsim353, rg65"):
        ac.judge(glove, "google")


@pytest.mark.parametrize(
    ("sample", "covering"),
    [
        ("glove-en", {"wordsim353", "rg65", "google", "relations-en", "groups-en"}),
        ("wiki-zh", {"relations-zh", "groups-zh"}),
        ("minilm-en", {"wordsim353", "rg65", "google", "relations-en", "groups-en"}),
    ],
)
def test_which_bundled_tables_cover_a_sample(sample, covering):
    e = ac.sample(sample)
    assert {name for name, entry in ac.JUDGEMENTS.items() if entry.read().covers(e)} == covering
