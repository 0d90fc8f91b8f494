"""Map, run by Streamlit without a browser: every control, every state, vectors of every poor kind."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attention_core as ac
from dashboard import cache
from tests.apps.opening import ROOT, opened, texts

PAGE = "pages/map.py"


def linked(**link):
    """The page as a link opens it."""
    return opened(PAGE, **link)


def uploaded(words, matrix, **link):
    """The page on a session's own vectors."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["_upload"] = ac.Embeddings(words, matrix, "own file")
    app.query_params["source"] = "file"
    for name, value in link.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception, app.exception
    assert "nan" not in texts(app).lower().split() and "inf" not in texts(app).lower().split()
    return app


def figure(app):
    return json.loads(app.get_by_key("map").proto.spec)


def drawn(app):
    return [int(data[0]) for data in figure(app)["data"][0]["customdata"]]


@pytest.fixture
def quick(monkeypatch):
    """Points at random in the place of t-SNE's; what it was asked for is kept."""
    asked = []

    def project(embeddings, method, dimensions, rows, options, progress):
        asked.append((len(rows), dimensions, options))
        points = np.random.default_rng(0).standard_normal((len(rows), dimensions))
        return ac.Projection(method, np.asarray(rows), points, len(embeddings), options=options)

    monkeypatch.setattr(cache.ac, "project", project)
    return asked


def test_the_map_opens_with_all_words_the_neighbours_and_three_groups():
    app = opened(PAGE)
    names = [trace["name"] for trace in figure(app)["data"]]
    measures = ["dot product", "cosine", "Euclidean distance", "additive"]
    assert names == ["words", "royalty", "fruit", "animals", *measures, "the query"]
    assert len(drawn(app)) == 8170 and "All 8,170 words are drawn." in texts(app)


def test_the_finding_is_that_of_the_core(glove):
    picture = ac.project(glove)
    kept = ac.faithfulness(glove, picture)["cosine"].overlap
    shown = texts(opened(PAGE))
    assert "These 2 axes hold 13.7 % of the variance of all 8,170 words." in shown
    assert f"Of a word's 10 closest by cosine, {kept.value:.3f} are among its 10 nearest in this picture" in shown
    assert f"95 % interval {kept.low:.3f} to {kept.high:.3f}, 500 of 8,170 words asked" in shown


def test_three_dimensions():
    app = opened(PAGE)
    app.button_group(key="map_dimensions").set_value("3").run()
    assert {trace["type"] for trace in figure(app)["data"]} == {"scatter3d"}
    assert "These 3 axes hold 19.0 % of the variance" in texts(app)
    assert "Words can be selected in two dimensions." in texts(app)


def test_fewer_words_are_a_sample_that_is_stated_and_holds_the_neighbours(glove):
    app = opened(PAGE)
    app.button_group(key="map_words").set_value("500").run()
    assert "500 of 8,170 words are drawn: the query, its 50 closest under each measure, all word groups" in texts(app)
    rows = drawn(app)
    closest = ac.compare(glove, "king", 50)
    assert len(rows) == 500 and set(closest["euclidean"].indices.tolist()) <= set(rows)
    app.number_input(key="map_seed").set_value(3).run()
    assert drawn(app) != rows
    assert drawn(app) == ac.map_rows(glove, closest, 500, seed=3).tolist()


def test_k_measures_and_groups_change_what_is_marked_and_move_no_point():
    app = opened(PAGE)
    before = figure(app)["data"][0]
    app.slider(key="k").set_value(4).run()
    app.button_group(key="measures").set_value(["cosine"]).run()
    app.multiselect(key="map_groups").set_value(["capitals"]).run()
    traces = figure(app)["data"]
    assert [trace["name"] for trace in traces] == ["words", "capitals", "cosine", "the query"]
    assert len(traces[2]["customdata"]) == 4 and traces[0] == before


def test_zooming_shows_a_part():
    app = opened(PAGE)
    whole = figure(app)["layout"]["xaxis"]["range"]
    app.toggle(key="map_near").set_value(True).run()
    low, high = figure(app)["layout"]["xaxis"]["range"]
    assert high - low < (whole[1] - whole[0]) / 2


def test_t_sne_is_asked_for_what_was_chosen(quick):
    app = linked(map_method="t-SNE", map_perplexity="50", map_distance="euclidean", map_seed="7", tsne_words="1000")
    assert quick == [(1000, 2, ac.TsneOptions(50.0, "euclidean", 7))]
    assert "1,000 of 8,170 words are drawn" in texts(app) and "variance" not in texts(app)
    app.slider(key="k").set_value(12).run()
    app.multiselect(key="map_groups").set_value([]).run()
    assert len(quick) == 1
    app.selectbox(key="q").set_value("cat").run()
    assert len(quick) == 2


def test_a_map_of_all_words_is_placed_once_for_every_query(quick):
    app = linked()
    app.radio(key="source").set_value("minilm-en").run()
    app.button_group(key="map_method").set_value("t-SNE").run()
    app.selectbox(key="q").set_value("cat").run()
    assert [n for n, *_ in quick] == [1505]


def test_t_sne_that_does_not_finish_is_answered(monkeypatch):
    def project(*_):
        raise ac.ScoringError("t-SNE ended with code -9 before it was done: no message. Draw fewer words, or use PCA.")

    monkeypatch.setattr(cache.ac, "project", project)
    app = linked(map_method="t-SNE", map_seed="9")
    assert "t-SNE ended with code -9" in texts(app)
    app.button_group(key="map_method").set_value("PCA").run()
    assert "t-SNE ended" not in texts(app) and len(drawn(app)) == 8170


def test_the_groups_are_those_of_the_language():
    app = opened(PAGE)
    app.radio(key="source").set_value("wiki-zh").run()
    assert app.multiselect(key="map_groups").value == ["王室", "水果", "动物"]
    assert any("君主" in note["text"] for note in figure(app)["layout"]["annotations"])
    app.radio(key="source").set_value("glove-en").run()
    assert app.multiselect(key="map_groups").value == ["royalty", "fruit", "animals"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("map_method", "umap"),
        ("map_dimensions", "4"),
        ("map_words", "20000"),
        ("map_seed", "-1"),
        ("map_groups", "水果"),
        ("map_near", "maybe"),
    ],
)
def test_what_a_link_asks_in_vain_is_named(name, value):
    app = linked(**{name: value, "map_words": value if name == "map_words" else "500"})
    assert f"The link asks for {name} = `{value}`, which is not possible here." in texts(app)


def test_how_it_is_computed_and_what_to_take_along():
    shown = opened(PAGE)
    for key in ("computed", "along"):
        shown.session_state[key] = True
    shown.run()
    assert not shown.exception
    assert "eigenvectors of the covariance" in texts(shown) and "Venna and Kaski 2001" in texts(shown)
    assert any("ac.project(e, 'pca', dimensions=2)" in block.value for block in shown.code)


WORDS = [f"w{i}" for i in range(30)]
NUMBERS = np.random.default_rng(0).standard_normal((30, 4))


def test_an_own_file_without_groups_has_no_groups_to_choose():
    app = uploaded(WORDS, NUMBERS)
    assert "All 30 words are drawn." in texts(app)
    with pytest.raises(KeyError):
        app.multiselect(key="map_groups")
    assert "30 of 30 words asked" in texts(app)


@pytest.mark.parametrize(
    ("words", "matrix", "answer"),
    [
        (["a"], [[1.0, 2.0]], "A map needs two words or more, and own file holds one."),
        (
            ["a", "b"],
            [[1.0, 2.0], [2.0, 1.0]],
            "is undefined, because with two words any picture keeps every neighbour",
        ),
        (WORDS, NUMBERS[:, :1], "These 2 axes hold 100 % of the variance of all 30 words. The vectors fill only 1 of"),
        (WORDS, np.ones((30, 4)), "The share of variance is undefined, because all 30 vectors are equal"),
        (WORDS, np.zeros((30, 4)), "How faithful the picture is, is undefined, because all points lie in one place."),
        (["<b>", "![](x)", "=1", "国王", ""], NUMBERS[:5], "All 5 words are drawn."),
    ],
    ids=["one word", "two words", "one dimension", "all equal", "all zero", "strange words"],
)
@pytest.mark.parametrize("dimensions", ["2", "3"])
def test_poor_vectors_are_answered(words, matrix, answer, dimensions):
    app = uploaded(words, matrix, map_dimensions=dimensions)
    assert answer.replace("These 2", f"These {dimensions}") in texts(app)


@pytest.mark.parametrize(
    ("words", "matrix", "answer"),
    [
        (["a", "b"], [[1.0, 2.0], [2.0, 1.0]], "t-SNE takes 4 to 2,000 words here, and 2 were given."),
        (WORDS, np.ones((30, 4)), "All 30 vectors are equal, so that t-SNE has nothing to tell apart."),
        (WORDS, np.zeros((30, 4)), "t-SNE takes 4 to 2,000 words here, and 0 were given."),
    ],
    ids=["two words", "all equal", "all zero"],
)
def test_poor_vectors_are_answered_under_t_sne(words, matrix, answer):
    assert answer in texts(uploaded(words, matrix, map_method="t-SNE"))


def test_a_zero_vector_is_left_out_of_t_sne_and_the_page_says_so():
    matrix = NUMBERS.copy()
    matrix[0] = 0
    app = uploaded(WORDS, matrix, map_method="t-SNE")
    assert "Zero vectors have no cosine and are left out: 1 here." in texts(app)
    assert len(drawn(app)) == 29


def test_a_perplexity_that_fewer_words_do_not_allow_gives_way(quick):
    app = linked(map_method="t-SNE", map_perplexity="100", map_seed="11", tsne_words="500")
    app.session_state["_upload"] = ac.Embeddings(WORDS, NUMBERS, "own file")
    app.radio(key="source").set_value("file").run()
    assert not app.exception
    assert quick[-1] == (30, 2, ac.TsneOptions(5.0, "cosine", 11))


def test_overview_has_a_small_map():
    app = opened()
    assert len(drawn(app)) == 1000
    assert "1,000 words asked" in texts(app)
