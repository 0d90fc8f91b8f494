"""Two vectors, run by Streamlit without a browser: every control, every state, and links that ask in vain."""

import json

import pytest

import attention_core as ac
from tests.apps.opening import opened, texts

PAGE = "pages/two_vectors.py"


def page(**link):
    """The page as a link opens it."""
    app = opened(PAGE, **link)
    assert "nan" not in texts(app).lower().split()
    return app


def metrics(app):
    return {metric.label: metric.value for metric in app.metric}


def spec(app, key):
    return json.loads(app.get_by_key(key).proto.spec)


@pytest.mark.parametrize("source", ac.SAMPLES)
def test_the_page_opens_with_the_example_and_its_closest_word(source):
    app = page()
    app.radio(key="source").set_value(source).run()
    e, word = ac.sample(source), ac.SAMPLES[source].example
    closest = ac.compare(e, word, 1)["cosine"].words[0]
    g = ac.pair(e.vector(word), e.vector(closest))
    assert f"`{word}` and `{closest}` enclose {g.angle:.1f}°" in texts(app)
    assert metrics(app)["cosine"] == f"{g.scores['cosine']:.4f}"
    assert len(spec(app, "terms")["data"][1]["customdata"]) == e.dimension


def test_a_second_word_can_be_chosen_and_taken_back():
    app = page()
    app.selectbox(key="q2").set_value("cat").run()
    assert "`king` and `cat` enclose" in texts(app)
    app.selectbox(key="q2").set_value(None).run()
    assert "`king` and `prince` enclose" in texts(app)


def test_an_unknown_second_word_is_answered_with_the_nearest_spellings():
    app = page(q2="princ")
    assert "“princ” is not among the words of glove-en." in texts(app)
    assert "`prince`" in [button.label for button in app.button]


def test_other_vectors_drop_a_second_word_that_they_lack():
    app = page()
    app.selectbox(key="q2").set_value("cat").run()
    app.radio(key="source").set_value("wiki-zh").run()
    assert app.selectbox(key="q2").value is None and not app.exception
    assert "`国王` and `君主` enclose" in texts(app)


def test_the_worked_example_is_one_click_away():
    app = page(scale_b="2")
    next(button for button in app.button if button.label.startswith("Worked example")).click().run()
    assert metrics(app) == {
        "angle θ": "33.95°",
        "projection of b on a": "3.104",
        "dot product": "17.00",
        "cosine": "0.8295",
        "Euclidean distance": "3.162",
        "additive": metrics(app)["additive"],
    }
    sums = [formula.value for formula in app.latex]
    assert any(r"1 \cdot 2 + 2 \cdot 0 + 3 \cdot 1" in text and "= 17" in text for text in sums)
    assert any(r"5.48 \cdot 3.74 \cdot 0.83 = 17" in text for text in sums)


@pytest.mark.parametrize(("key", "value"), [("b_y", 1.25), ("turn_b", 33.5)])
def test_a_number_can_be_typed_in_the_place_of_a_slider(key, value):
    app = page(two="plane")
    app.number_input(key=f"{key}_typed").set_value(value).run()
    assert app.slider(key=key).value == value
    app.slider(key=key).set_value(2.0).run()
    assert app.number_input(key=f"{key}_typed").value == 2.0


@pytest.mark.parametrize(("key", "value"), [("a_x", -3.0), ("a_y", 5.0), ("b_x", 0.0), ("b_y", -4.5)])
def test_points_of_the_plane_are_moved_by_sliders(key, value):
    app = page(two="plane")
    app.slider(key=key).set_value(value).run()
    at = {"a_x": 4.0, "a_y": 1.0, "b_x": 1.5, "b_y": 3.0, key: value}
    dot = at["a_x"] * at["b_x"] + at["a_y"] * at["b_y"]
    assert metrics(app)["dot product"].replace("−", "-") == f"{dot:.{4 - len(str(int(abs(dot))))}f}"


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        (("0 0 0", "1 2 3"), "a is a zero vector, which has no direction: angle and cosine are undefined."),
        (("1 2 3", "0 0 0"), "b is a zero vector"),
        (("0 0", "0, 0"), "a and b are zero vectors"),
        (("1 2 3", "1 2 3"), "a and b are one vector: angle and distance are 0"),
        (("1 2 3", "2 4 6"), "Parallel vectors lie in many planes"),
    ],
)
@pytest.mark.parametrize("tab", ["Level curves", "When b moves", "Invariance"])
def test_what_is_undefined_says_why(pair, says, tab):
    app = page(two="numbers", vec_a=pair[0], vec_b=pair[1], tab=tab)
    assert says in texts(app) and "cannot be shown" not in texts(app)
    zero = "zero vector" in says
    assert (metrics(app)["cosine"] == "undefined") is zero


@pytest.mark.parametrize(
    ("vec_a", "answer"),
    [
        ("", "Vector a has 0 numbers, and 2 to 8 are expected."),
        ("5", "Vector a has 1 numbers"),
        ("1 2 3 4 5 6 7 8 9", "Vector a has 9 numbers"),
        ("1 two", "Number 2 of Vector a is “two”"),
        ("nan 1", "Number 1 of a is nan"),
        ("1e300 1", "Number 1 of a is 1e+300"),
        ("1 2 3", "a has 3 components, b 4"),
        ("<img src=x>, 1", "is not a number"),
    ],
)
def test_numbers_that_make_no_vector_are_answered(vec_a, answer):
    assert answer in texts(page(two="numbers", vec_a=vec_a))


@pytest.mark.parametrize(("key", "value"), [("scale_b", 2.0), ("turn_b", 45.0), ("shift_b", 0.5)])
def test_a_move_is_told_and_drawn(key, value):
    app = page()
    app.slider(key=key).set_value(value).run()
    move = ac.Move(**{{"scale_b": "factor", "turn_b": "degrees", "shift_b": "shift"}[key]: value})
    e = ac.sample("glove-en")
    g = ac.pair(e.vector("king"), e.vector("prince"), move=move)
    assert "The move of b changes dot product 22.5 →" in texts(app)
    assert float(metrics(app)["dot product"].replace("−", "-")) == pytest.approx(g.scores["dot"], abs=0.005)
    assert "b before the move" in json.dumps(spec(app, "plane"))


def test_the_tab_of_moves_has_a_figure_for_each_and_marks_the_present():
    app = page(tab="When b moves", scale_b="2.5")
    points = [t for t in spec(app, "sweep-factor")["data"] if t["mode"] == "markers+text"]
    assert [point["x"] for point in points] == [[2.5]] * len(ac.MEASURES)
    assert spec(app, "sweep-degrees") and spec(app, "sweep-shift")


def test_the_invariance_tables_say_what_each_measure_keeps():
    app = page(tab="Invariance")
    kept = {}
    for table in (element.value for element in app.markdown if element.value.startswith("| ")):
        head, _rule, *rows = table.splitlines()
        kept[head.split(" | ")[0].strip("| ")] = ["unchanged" in row for row in rows]
    assert {what.partition(" by ")[0]: cells for what, cells in kept.items()} == {
        "b scaled": [False, True, False, False],
        "both turned": [True, True, True, False],
        "both shifted": [False, False, True, False],
        "a and b swapped": [True, True, True, False],
    }
    assert "| dot product | 22.5 → 45.0 | changed by 22.5 |" in texts(app)


def test_what_stays_by_accident_is_not_called_a_law():
    app = page(two="numbers", vec_a="1 0", vec_b="0 3", tab="Invariance")
    [row] = [row for row in texts(app).splitlines() if row.startswith("| dot product | 0 → 0 | **unchanged**")][:1]
    assert row.endswith(", for these two, not in general |")


def test_a_zero_query_has_one_dot_product_everywhere():
    assert "All points of the plane score alike." in texts(page(two="numbers", vec_a="0 0", vec_b="1 2"))


def test_every_measure_has_its_level_curves():
    app = page()
    for name in ac.MEASURES:
        assert spec(app, f"levels-{name}")["data"][0]["type"] == "contour"
    assert "**cosine** · b scores 0.824" in texts(app)


@pytest.mark.parametrize("source", ["glove-en", "wiki-zh"])
def test_what_is_taken_along_names_the_word_and_its_vectors(source):
    app = page()
    app.radio(key="source").set_value(source).run()
    app.session_state["along"] = True
    app.run()
    code = "\n".join(block.value for block in app.code)
    assert f"e.vector('{ac.SAMPLES[source].example}')" in code and f"ac.sample('{source}')" in code


def test_how_it_is_computed_has_the_present_numbers_in_full():
    app = page(two="numbers")
    app.session_state["computed"] = True
    app.run()
    assert any("0.829515062006253" in formula.value for formula in app.latex)


@pytest.mark.parametrize(
    ("name", "value"),
    [("two", "three"), ("scale_b", "5"), ("turn_b", "181"), ("shift_b", "x"), ("tab", "Nope")],
)
def test_what_a_link_asks_in_vain_is_named(name, value):
    assert f"The link asks for {name} = `{value}`, which is not possible here." in texts(page(**{name: value}))


def test_the_card_names_the_query_and_its_closest_word():
    app = opened(q="cat")
    assert "`cat` and `dog` enclose 22.8°" in texts(app)


# --- own files

TABS = ("Level curves", "When b moves", "Invariance")


def own(words, matrix, **link):
    app = opened()
    app.session_state["_upload"] = ac.Embeddings(words, matrix, "own file")
    app.radio(key="source").set_value("file").run()
    for name, value in link.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception, app.exception
    assert "cannot be shown" not in texts(app) and "nan" not in texts(app).lower().split()
    return app


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize(
    ("words", "matrix", "says"),
    [
        (["alone"], [[1.0, 2.0, 3.0]], "`alone` and `alone` are one vector: angle and distance are 0"),
        (["a", "b"], [[2.0], [-3.0]], "enclose 180°"),
        (["a", "zero"], [[1.0, 2.0], [0.0, 0.0]], "b is a zero vector"),
        (["zero", "a"], [[0.0, 0.0], [1.0, 2.0]], "a is a zero vector"),
        (["zero", "zero too"], [[0.0, 0.0], [0.0, 0.0]], "a and b are zero vectors"),
        (["a", "b", "c"], [[1.0, 2.0]] * 3, "`a` and `b` are one vector"),
        (["![](http://x/y.png)", "<b>"], [[1.0, 2.0], [2.0, 1.0]], "`![](http://x/y.png)` and `<b>` enclose 36.9°"),
    ],
    ids=["one word", "one component", "a zero", "a zero query", "all zero", "all equal", "markup"],
)
def test_any_file_is_answered(words, matrix, says, tab):
    assert says in texts(own(words, matrix, tab=tab))


@pytest.mark.parametrize(
    ("tab", "says"), [(TABS[0], "Undefined"), (TABS[1], "Turning is undefined"), (TABS[2], "Turn")]
)
def test_one_component_leaves_no_plane_and_the_page_says_why(tab, says):
    app = own(["a", "b"], [[2.0], [-3.0]], tab=tab, turn_b="30")
    assert f"{says}" in texts(app) and "lie on a line, and no plane is spanned" in texts(app)
    assert app.slider(key="turn_b").disabled


def test_among_very_many_words_the_second_is_typed():
    words = [f"w{i}" for i in range(10_001)]
    matrix = [[i % 97, i % 89, 1.0] for i in range(10_001)]
    app = own(words, matrix)
    app.text_input(key="q2").set_value("w77").run()
    assert "`w0` and `w77` enclose" in texts(app)
    app.text_input(key="q2").set_value("").run()
    assert not app.exception and "`w0` and `w8633`" in texts(app)
