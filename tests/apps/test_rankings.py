"""Rankings, the sidebar and the query box, run by Streamlit without a browser."""

import pytest
from streamlit.testing.v1 import AppTest

import attention_core as ac
from tests.apps.opening import ROOT, bars, opened, texts


@pytest.mark.parametrize("page", ["", "pages/rankings.py"])
@pytest.mark.parametrize("source", ac.SAMPLES)
def test_the_lists_are_those_of_the_core(page, source):
    app = opened(page)
    app.radio(key="source").set_value(source).run()
    expected = ac.compare(ac.sample(source), ac.SAMPLES[source].example, 5)
    assert bars(app, "cosine")[:5] == list(expected["cosine"].words)


def test_moving_k_changes_the_lists():
    app = opened("pages/rankings.py")
    app.slider(key="k").set_value(4).run()
    assert len(bars(app, "dot")) == 4


def test_a_measure_can_be_left_out():
    app = opened("pages/rankings.py")
    app.button_group(key="measures").set_value(["cosine"]).run()
    assert "The closest word to `king` by cosine is `prince`, with a score of 0.824." in texts(app)


def test_without_a_measure_the_page_says_what_to_do():
    app = opened("pages/rankings.py")
    app.button_group(key="measures").set_value([]).run()
    assert not app.exception
    assert "Choose one or more." in texts(app)


def test_an_unknown_word_is_answered_with_the_nearest_spellings():
    app = opened(q="princ")
    assert "“princ” is not among the words of glove-en." in texts(app)
    assert app.button[0].label == "`prince`"


def test_other_vectors_keep_the_word_where_they_know_it():
    app = opened("pages/rankings.py")
    app.selectbox(key="q").set_value("cat").run()
    app.radio(key="source").set_value("minilm-en").run()
    assert app.selectbox(key="q").value == "cat"
    app.radio(key="source").set_value("wiki-zh").run()
    assert app.selectbox(key="q").value == "国王"


def test_unit_vectors_are_said_to_agree_as_far_as_they_do():
    app = opened("pages/rankings.py")
    app.radio(key="source").set_value("minilm-en").run()
    assert "should agree on `king`" in texts(app)


def test_centring_shows_in_the_title():
    app = opened("pages/rankings.py")
    app.toggle(key="centre").set_value(True).run()
    app.toggle(key="normalise").set_value(True).run()
    assert "glove-en, centred, normalised · 8,170 × 50" in texts(app)


def test_another_seed_gives_another_additive_ranking():
    app = opened("pages/rankings.py")
    before = bars(app, "additive")
    app.number_input(key="seed").set_value(7).run()
    e = ac.sample("glove-en")
    weights = ac.AdditiveWeights.random(50, 50, seed=7)
    assert bars(app, "additive") == list(ac.compare(e, "king", 10, ["additive"], weights)["additive"].words) != before


def test_a_pasted_vector_finds_its_own_word():
    app = opened("pages/rankings.py")
    app.button_group(key="by").set_value("vector").run()
    vector = ac.sample("glove-en").vector("paris").tolist()
    app.text_area(key="vector").set_value(str(vector)).run()
    assert bars(app, "euclidean")[0] == "paris"


@pytest.mark.parametrize(
    ("pasted", "answer"),
    [
        ("", "shape (0,)"),
        ("1 2 3", "shape (3,)"),
        ("1, two, 3", "Number 2 of the query vector is “two”"),
        ("nan " * 50, "Number 1 of the query vector is nan"),
        ("1e999 " * 50, "Number 1 of the query vector is inf"),
    ],
)
def test_a_vector_that_does_not_fit_is_answered(pasted, answer):
    app = opened("pages/rankings.py")
    app.button_group(key="by").set_value("vector").run()
    app.text_area(key="vector").set_value(pasted).run()
    assert not app.exception
    assert answer in texts(app)


def test_a_zero_vector_has_no_cosine_and_the_page_says_so():
    app = opened("pages/rankings.py")
    app.button_group(key="by").set_value("vector").run()
    app.text_area(key="vector").set_value("0 " * 50).run()
    assert not app.exception
    assert "cosine is undefined" in texts(app)
    assert "nan" not in texts(app).lower()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("k", "500"),
        ("k", "-3"),
        ("k", "many"),
        ("source", "word2vec"),
        ("device", "cuda:9"),
        ("seed", "x"),
        ("centre", "maybe"),
        ("measures", "manhattan"),
        ("by", "image"),
        ("tab", "Nope"),
    ],
)
def test_what_a_link_asks_in_vain_is_named(name, value):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    app.query_params[name] = value
    app.switch_page("pages/rankings.py").run()
    assert not app.exception
    assert f"The link asks for {name} = `{value}`, which is not possible here." in texts(app)


@pytest.mark.parametrize(("name", "value"), [("k", "+5"), ("centre", "yes"), ("seed", "1.0"), ("measures", "")])
def test_what_a_link_may_ask_is_not_called_impossible(name, value):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    app.query_params[name] = value
    app.switch_page("pages/rankings.py").run()
    assert "The link asks" not in texts(app)


def test_a_choice_that_a_link_makes_twice_is_named():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params["q"] = ["king", "queen"]
    app.run()
    assert "The link gives q more than once (`king`, `queen`)" in texts(app)


def test_a_list_that_is_one_tie_is_not_read_as_an_order():
    app = opened("pages/rankings.py")
    app.button_group(key="by").set_value("vector").run()
    app.text_area(key="vector").set_value("0 " * 50).run()
    assert "By dot product at least 8,170 words tie for rank 1, so its list says nothing." in texts(app)


def test_a_link_to_an_upload_asks_for_the_file():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params["source"] = "file"
    app.query_params["file"] = "0123456789ab-5x3"
    app.run()
    assert not app.exception
    assert "This link shows an uploaded file (`0123456789ab-5x3`" in texts(app)
