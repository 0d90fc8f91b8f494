"""Score distributions, run by Streamlit without a browser."""

import io
import json

import numpy as np
import pytest

import attention_core as ac
from tests.apps.opening import opened, texts

PAGE = "pages/distributions.py"


def spec(app, key):
    return json.loads(app.get_by_key(key).proto.spec)


def with_file(matrix, words=None, **link):
    """The page on an uploaded file of these vectors."""
    file = io.BytesIO()
    np.savez(file, words=words or [f"w{i}" for i in range(len(matrix))], vectors=np.asarray(matrix, dtype=np.float32))
    app = opened(PAGE, **link)
    app.session_state["_upload"] = ac.load(io.BytesIO(file.getvalue()), name="own.npz")
    app.radio(key="source").set_value("file").run()
    assert not app.exception, app.exception
    return app


def test_the_finding_says_what_is_typical_and_where_the_closest_stands():
    shown = texts(opened(PAGE))
    assert "Two words have a cosine of 0.223 on average; the middle half lies from 0.0933 to 0.350." in shown
    assert "The closest to `king` is `prince` with 0.824: closer than 99.939 % of all pairs" in shown


def test_every_pair_is_counted_and_what_is_drawn_says_so():
    shown = texts(opened(PAGE))
    assert shown.count("All 33,370,365 pairs") == 3
    assert "1,048,576 of 66,740,730 pairs, drawn with seed 0" in shown


def test_a_typed_score_is_told_how_much_it_is():
    app = opened(PAGE)
    app.number_input(key="score_cosine").set_value(0.62).run()
    assert "**0.62**: closer than 98.1 % of all pairs." in texts(app)
    app.number_input(key="score_euclidean").set_value(100.0).run()
    assert "**100**: closer than 0 % of all pairs." in texts(app)


def test_a_link_brings_its_score_and_its_axis():
    app = opened(PAGE, score_cosine="0.62", distributions_log="true")
    assert "**0.62**: closer than 98.1 %" in texts(app)
    assert spec(app, "scores-cosine")["layout"]["yaxis"]["type"] == "log"


@pytest.mark.parametrize(
    ("name", "value"),
    [("score_dot", "much"), ("score_dot", "1e999"), ("distributions_log", "maybe"), ("distributions_groups", "ghosts")],
)
def test_a_link_that_asks_in_vain_is_told(name, value):
    app = opened(PAGE, tab="Word groups", **{name: value})
    assert f"The link asks for {name} = `{value}`" in texts(app)


def test_k_and_the_measures_change_the_figures():
    app = opened(PAGE)
    app.slider(key="k").set_value(4).run()
    assert len(spec(app, "scores-dot")["data"][-1]["customdata"]) == 4
    app.button_group(key="measures").set_value(["euclidean"]).run()
    assert "Two words have a Euclidean distance of 6.18 on average" in texts(app)
    assert "scores-dot" not in str(app.main)


def test_the_tables_hold_the_standing_and_the_quantiles():
    app = opened(PAGE, tab="Quantiles")
    assert "33,370,365" in app.dataframe[0].value.to_string()
    app = opened(PAGE)
    rows = app.dataframe[0].value
    assert len(rows) == 40 and rows["word"].iloc[0] == "emperor"
    assert rows["% of pairs farther"].between(0, 100).all()


def test_groups_are_separated_by_each_measure():
    app = opened(PAGE, tab="Word groups")
    assert "Two words of `royalty` are closer than one of them and another word in" in texts(app)
    app.button_group(key="distributions_groups").set_value(["fruit", "animals"]).run()
    assert "Two words of `fruit`, `animals`" in texts(app)
    app.button_group(key="distributions_groups").set_value([]).run()
    assert "Choose a group or more." in texts(app)


def test_chinese_vectors_have_chinese_groups():
    app = opened(PAGE, source="wiki-zh", tab="Word groups")
    assert "水果" in app.button_group(key="distributions_groups").options


def test_a_group_of_one_word_is_told():
    app = with_file(np.random.default_rng(0).standard_normal((5, 3)), ["king", "a", "b", "c", "d"], tab="Word groups")
    shown = texts(app)
    assert "Of royalty there is one word only: no pair lies inside it." in shown
    assert "No two words of `royalty` are among these vectors" in shown


VECTORS = {
    "all equal": np.ones((7, 3)),
    "all zero": np.zeros((7, 3)),
    "one dimension": np.arange(7.0)[:, None] - 3,
    "one direction": np.array([[1.0, 2.0], [0, 0], [0, 0]]),
    "two words": np.eye(2),
}


@pytest.mark.parametrize("kind", VECTORS)
def test_odd_vectors_are_answered_without_an_undefined_number(kind):
    app = with_file(VECTORS[kind])
    shown = texts(app).lower()
    assert "nan" not in shown.split() and "traceback" not in shown
    assert "all" in shown and "pairs" in shown


def test_without_a_direction_the_cosine_is_undefined_and_says_why():
    assert "Undefined: fewer than two vectors differ from zero, so no pair has a cosine." in texts(
        with_file(VECTORS["all zero"])
    )


def test_equal_vectors_have_one_score():
    assert "All pairs of words have the same cosine, 1.00" in texts(with_file(VECTORS["all equal"]))


def test_one_word_is_refused():
    shown = texts(with_file(np.ones((1, 3))))
    assert shown.count("there is one word. Load two words or more.") == 1


def test_the_card_says_from_how_many_pairs_it_speaks():
    shown = texts(opened("", q="cat"))
    assert "The closest to `cat` is `dog` with 0.922" in shown
    assert "From 262,144 of 33,370,365 pairs." in shown


def test_overview_answers_vectors_that_no_card_can_show():
    app = with_file(np.ones((1, 3)))
    app.switch_page("pages/overview.py").run()
    assert not app.exception


def test_no_sample_shows_that_nothing_is_closer():
    from dashboard.distributions.findings import standing

    found = ac.distribution(ac.sample("glove-en"), "cosine", sampling=ac.Sampling(size=10_000, budget=1))
    assert found.sampled
    assert standing(found, 1.0).startswith("closer than every pair drawn (99.9")
    assert standing(found, 1.0).endswith(" to 100 % of all pairs)")
