"""Diagnostics, run by Streamlit without a browser."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attention_core as ac
from dashboard import upload
from tests.apps.opening import ROOT, opened, texts

PAGE = "pages/diagnostics.py"
TABS = ["Hubs", "Overlap", "Norms", "Anisotropy", "Dimensions", "Duplicates"]


def with_file(embeddings, **link):
    """The page on an uploaded file of these vectors."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state[upload.UPLOAD] = embeddings
    app.session_state["source"] = "file"
    for name, value in link.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception, app.exception
    assert "nan" not in texts(app).lower().split()
    return app


def embeddings(matrix):
    return ac.Embeddings([f"w{i}" for i in range(len(matrix))], np.array(matrix, float), "my.txt (GloVe text)")


def test_the_answer_comes_first_with_its_figures():
    said = texts(opened(PAGE))
    assert "**Use cosine:**" in said and "dot product 9.19, cosine 1.66, Euclidean distance 3.10" in said
    assert "`you` into 603 lists of ten and 27 % of all words into none" in said
    assert "dot product and cosine 50 %" in said and "cosine and Euclidean distance 74 %" in said
    assert "Spearman of −0.294: 5.34 in the most frequent tenth of the words, 4.61 in the rarest" in said
    assert "mean cosine of 0.223" in said and "from 1.66 to 1.23. Centre" in said
    assert "GloVe was trained on the dot product" in said


def test_unit_vectors_are_said_to_leave_no_choice():
    said = texts(opened(PAGE, source="minilm-en"))
    assert "**The choice hardly matters: use cosine.** All norms are 0.99999998 to 1.0000000" in said
    assert "all-MiniLM-L6-v2 was trained with the cosine of two texts" in said


def test_normalised_vectors_leave_no_choice_either():
    assert "**The choice hardly matters: use dot product.**" in texts(opened(PAGE, normalise="true"))


@pytest.mark.parametrize("tab", TABS)
def test_each_tab_shows_its_figures(tab):
    said = texts(opened(PAGE, tab=tab))
    expected = {
        "Hubs": "In no list: 2,242 words (27 %).",
        "Overlap": "Mean over the lists of 8,170 words.",
        "Norms": "Spearman of norm and frequency rank: −0.294, over all 8,170 words.",
        "Anisotropy": "mean cosine of all pairs of different words is 0.223, and 0.0005 after centring (both exact).",
        "Dimensions": "(participation ratio) is 31.8 of 50; 35 principal components hold 90 % of the variance.",
        "Duplicates": "Found: 0 zero vectors; 0 groups of words that share one vector; 0 pairs with a cosine of 0.999",
    }
    assert expected[tab] in said


def test_the_hubs_are_named_in_a_table():
    app = opened(PAGE)
    table = next(frame.value for frame in app.dataframe if "lists" in frame.value)
    assert table["word"].tolist()[:3] == ["you", "we", "i"] and table["lists"].tolist()[:3] == [603, 553, 449]


@pytest.mark.parametrize("measure", ["dot", "cosine", "euclidean"])
@pytest.mark.parametrize("store", ac.STORES)
def test_the_setting_is_that_of_the_chosen_store_and_measure(store, measure):
    app = opened(PAGE, store=store, diagnostics_measure=measure)
    assert app.code[0].value == ac.STORES[store][measure].code
    assert ac.STORES[store][measure].normalisation in texts(app)


def test_the_advised_measure_is_carried_over_until_another_is_chosen():
    app = opened(PAGE)
    assert "<=>" in app.code[0].value
    app.button_group(key="diagnostics_measure").set_value("dot").run()
    assert "<#>" in app.code[0].value and "pgvector returns minus the dot product" in texts(app)
    app.button_group(key="store").set_value("FAISS").run()
    assert "IndexFlatIP" in app.code[0].value and "normalize_L2" not in app.code[0].value


def test_prepared_vectors_ask_for_prepared_queries():
    assert "prepared vectors (centre)" in texts(opened(PAGE, centre="true"))


@pytest.mark.parametrize(
    ("name", "value"), [("store", "Pinecone"), ("diagnostics_measure", "additive"), ("tab", "Nope")]
)
def test_what_a_link_asks_in_vain_is_named(name, value):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception
    assert f"The link asks for {name} = `{value}`, which is not possible here." in texts(app)


def test_how_it_is_computed_and_what_to_take_along():
    app = opened(PAGE)
    app.session_state["computed"] = app.session_state["along"] = True
    app.run()
    assert not app.exception
    assert "95 % of the closest words" in texts(app) and any("0.2232" in latex.value for latex in app.latex)
    assert any("d = ac.diagnostics(e)" in code.value for code in app.code)
    assert any(button.label == "Download diagnostics.csv" for button in app.get("download_button"))


def test_the_card_answers_in_one_sentence():
    app = opened()
    assert "**Use cosine:**" in texts(app)
    spec = json.loads(app.get_by_key("card-hubs").proto.spec)
    assert [row[0] for row in spec["data"][0]["customdata"]][:3] == ["you", "we", "i"]


# --- files


def test_a_file_does_not_tell_its_training_or_frequencies():
    app = with_file(embeddings(np.random.default_rng(0).standard_normal((60, 5)) + 1), tab="Norms")
    said = texts(app)
    assert "A file does not tell that" in said and "the source does not tell the words' frequencies" in said
    assert "Against the order of the file, which may or may not be by frequency: Spearman" in said


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize(
    ("matrix", "answer"),
    [
        ([[1.0, 2.0]], "There is nothing to choose"),
        ([[1.0, 2.0], [2.0, 1.0]], "use cosine"),
        ([[1.0], [2.0], [-3.0], [0.5]], "cosine"),
        (np.ones((30, 3)), "The choice hardly matters"),
        (np.zeros((30, 3)), "No measure can be advised"),
    ],
    ids=["one word", "two words", "one dimension", "all equal", "all zero"],
)
def test_vectors_that_leave_figures_undefined_are_answered(matrix, answer, tab):
    assert answer in texts(with_file(embeddings(matrix), tab=tab))


def test_zeros_and_twins_are_listed():
    matrix = np.random.default_rng(0).standard_normal((40, 3))
    matrix[3], matrix[9] = 0, matrix[8]
    app = with_file(embeddings(matrix), tab="Duplicates")
    assert "1 zero vector; 1 group of words that share one vector" in texts(app)
    assert "Zero vectors, which have no cosine: `w3`" in texts(app)
    assert app.dataframe[0].value.iloc[0, 0] == "w8 = w9"


def test_what_is_sampled_says_so(monkeypatch):
    rows = np.sort(np.random.default_rng(0).choice(500, 50, replace=False))
    monkeypatch.setattr(ac.Budget, "rows", lambda self, n: rows)
    matrix = np.random.default_rng(0).standard_normal((500, 5)) + 0.5
    said = texts(with_file(embeddings(matrix)))
    assert "of 50 of 500 words" in said and "95 % interval" in said
    assert "Counts are over the sample; the skewness is estimated for the lists of all words." in said
    assert "words in nobody's list are at most so many" in said
