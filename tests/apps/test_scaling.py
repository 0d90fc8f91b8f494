"""Scaling and softmax, run by Streamlit without a browser: every tab and control, and scores that are none."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import attention_core as ac
from attention_core.experiments.cost import Cost, Run
from dashboard import cache
from dashboard.scaling import draw, measuring
from tests.apps.opening import ROOT, opened, texts

PAGE = "pages/scaling.py"
FORMS = ("full", "tiled", "fused")
PRINTED = ["11.0859375", "88.5", "88.722831726074219", "709.78271289338397"]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Costs that nobody has to wait for; the lengths asked for are kept."""
    asked = []

    def cost(n, before=None, progress=None):
        asked.append(n)
        return Cost(n, {form: Run(n * i / 1e6, n * n * i) for i, form in enumerate(FORMS, 1)}, {})

    monkeypatch.setattr(cache.ac.experiments, "cost", cost)
    monkeypatch.setattr(draw, "LENGTHS", (64, 128))
    monkeypatch.setattr(measuring, "LENGTHS", (64, 128))
    cache.measurements.clear()
    return asked


def page(tab="Variance", **link):
    """A tab of the page as a link opens it within a session."""
    app = opened()
    for name, value in {"tab": tab, **link}.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception, app.exception
    assert "nan" not in texts(app).split()
    return app


def spec(app, key):
    return json.loads(app.get_by_key(key).proto.spec)


def bars(app, key):
    """By name: the heights of the bars."""
    return {trace.get("name"): trace["y"] for trace in spec(app, key)["data"] if trace["type"] == "bar"}


def closed(app, key):
    """Opens one of the two expanders at the end."""
    app.session_state[key] = True
    return app.run()


# --- variance


@pytest.mark.parametrize("kind", ["gaussian", "uniform", "rademacher"])
def test_the_variance_of_independent_components(kind):
    app = page(scaling_components=kind, scaling_pairs="1000", scaling_d="16", scaling_seed="2")
    found = ac.experiments.dot_products(16, kind, 1000, 2)
    assert f"has the variance {found.variance.value:.1f} ± {found.variance.error:.2f}; divided by √d_k" in texts(app)
    assert "From 1 to 4,096 components, 13 of 13 variances lie within 3 standard errors of d_k." in texts(app)
    assert "1,000 pairs for each d_k, drawn with seed 2" in texts(app)
    assert len(spec(app, "products")["data"]) == len(spec(app, "products-scaled")["data"]) == 2


@pytest.mark.parametrize("source", ac.SAMPLES)
def test_the_variance_of_the_vectors_themselves(source):
    app = page(scaling_components="vectors", scaling_pairs="1000")
    app.radio(key="source").set_value(source).run()
    e = ac.sample(source)
    found = ac.experiments.dot_products(app.number_input(key="scaling_d").value, e, 1000)
    ratio = found.expected_variance / found.d
    assert f"{ratio:.2f} times that" in texts(app) and f"`{source}`" in texts(app)
    assert f"{len(e):,} of {len(e):,} rows take part" in texts(app)


def test_any_length_can_be_asked_for_and_other_components_bound_it():
    app = page(scaling_pairs="1000")
    app.number_input(key="scaling_d").set_value(192).run()
    assert "with 192 Gaussian components" in texts(app)
    app.session_state["scaling_components"] = "vectors"
    app.run()
    assert not app.exception
    assert "with 50 components" in texts(app) and app.number_input(key="scaling_d").value == 50
    app.session_state["scaling_components"] = "gaussian"
    app.run()
    assert "with 50 Gaussian components" in texts(app)


def test_one_component_is_said_in_the_singular():
    assert "with 1 Gaussian component has the variance" in texts(page(scaling_d="1", scaling_pairs="1000"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("scaling_d", "5000"), ("scaling_d", "x"), ("scaling_components", "cauchy"), ("scaling_pairs", "7")],
)
def test_a_link_that_asks_in_vain_is_answered(name, value):
    assert f"The link asks for {name} = `{value}`, which is not possible here." in texts(page(**{name: value}))


def own(words, matrix):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["_upload"] = ac.Embeddings(words, matrix, "own file")
    app.query_params["source"] = "file"
    app.run()
    for name, value in {"scaling_components": "vectors", "scaling_pairs": "1000"}.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    assert not app.exception, app.exception
    return app


@pytest.mark.parametrize("shape", [(1, 4), (3, 1), (2, 7)])
def test_an_upload_of_few_numbers(shape):
    app = own([f"w{i}" for i in range(shape[0])], np.random.default_rng(0).standard_normal(shape))
    said = "variance" if shape != (3, 1) else "1 component has the variance"
    assert said in texts(app) and "`own file`" in texts(app) and "nan" not in texts(app).split()


def test_an_upload_of_equal_numbers_is_refused():
    app = own(["a", "b"], np.ones((2, 3)))
    assert "All numbers of own file are equal, so that they have no variance." in texts(app)


# --- saturation


@pytest.mark.parametrize(
    ("row", "largest"), [("1, 2, 3", 0.66524096), ("10, 11, 12", 0.66524096), ("10, 20, 30", 0.9999546)]
)
def test_a_row_is_shown_as_given_shifted_and_multiplied(row, largest):
    app = page("Saturation", scaling_row=row)
    found = bars(app, "weights")
    assert list(found) == ["as given", "shifted by 9", "multiplied by 10"]
    assert max(found["as given"]) == pytest.approx(largest, abs=1e-8)
    assert max(found["shifted by 9"]) == pytest.approx(largest, abs=1e-8)
    assert max(found["multiplied by 10"]) >= 0.9999546 - 1e-8


def test_shift_and_factor_are_sliders():
    app = page("Saturation")
    app.slider(key="scaling_shift").set_value(-50.0).run()
    app.slider(key="scaling_factor").set_value(0.1).run()
    assert list(bars(app, "weights")) == ["as given", "shifted by −50", "multiplied by 0.1"]
    assert "Adding −50 to every score changes no weight." in texts(app)
    assert "takes the largest weight from 0.665 to 0.36717" in texts(app)


def test_the_readers_own_scores_are_a_row():
    app = page("Saturation", scaling_row="own", scaling_scores="4 4")
    assert bars(app, "weights")["as given"] == [0.5, 0.5]
    table = app.dataframe[-1].value
    assert table["largest weight"].tolist()[:3] == ["0.665240955775", "0.665240955775", "0.99995460007"]
    assert table["Jacobian, Frobenius norm"].tolist() == ["0.38938977", "0.38938977", "9.0792646e-05", "0.5"]
    assert "half of the queries get a gradient below" in texts(app)


def test_a_single_score_is_no_choice():
    app = page("Saturation", scaling_row="own", scaling_scores="5")
    assert "A single score has the weight 1, whatever it is" in texts(app)


# --- overflow


def test_where_each_dtype_fails():
    app = page("Overflow", scaling_scores="100, 101, 102")
    shown, table = texts(app), app.dataframe[-1].value.set_index("figure")
    for dtype in ("float16", "bfloat16", "float32"):
        assert f"{dtype} (an exponential is inf, and inf/inf is NaN)" in shown
    assert "all four work" in shown
    assert table.loc["largest z with a finite eᶻ"].tolist() == PRINTED
    assert table.loc["the next number down, with eᶻ = 0", "float16"] == "−17.34375"
    assert table.loc["the same after z − max z", "float16"].startswith("off by")


def test_scores_that_no_dtype_minds():
    assert "as they come give the softmax of these 2 scores in all four dtypes" in texts(
        page("Overflow", scaling_scores="1 2")
    )


def test_scores_beyond_half_precision_are_not_cured_by_the_shift():
    app = page("Overflow", scaling_scores="70000, 1")
    assert "they fail in float16 (a score is beyond the largest number)" in texts(app)


# --- online softmax


def test_the_state_after_each_tile(quick):
    app = page("Online softmax", scaling_scores="1, 3, 2", scaling_tile="1")
    assert "After tile 1 of 3 the running maximum is 1 and the running sum 1.00000." in texts(app)
    app.slider(key="scaling_step").set_value(2).run()
    assert "what was summed before was multiplied by 0.1353" in texts(app)
    assert {m.label: m.value for m in app.metric}["running sum"] == "1.13534"
    assert bars(app, "tiles")["output so far"] == pytest.approx([0.1192, 0.8808, 0], abs=1e-4)
    assert bars(app, "tiles")["full softmax"] == pytest.approx([0.0900, 0.6652, 0.2447], abs=1e-4)
    assert quick == [64, 128]


def test_fewer_scores_bound_tile_and_step():
    app = page("Online softmax", scaling_tile="2", scaling_step="6")
    assert "After tile 6 of 6" in texts(app)
    app.text_input(key="scaling_scores").set_value("1, 2, 3").run()
    assert not app.exception and "After tile 2 of 2" in texts(app)
    app.text_input(key="scaling_scores").set_value("7").run()
    assert not app.exception and "After tile 1 of 1 the running maximum is 7" in texts(app)
    assert "equals the full softmax to the last bit" in texts(app)


def test_costs_are_told_where_all_forms_ran():
    app = page("Online softmax")
    assert "At n = 128: full matrix 0.128 ms and 0.0164 MB, tile by tile 0.256 ms" in texts(app)
    assert "memory grew 4.0 times with the full matrix" in texts(app)
    assert len(spec(app, "seconds-128")["data"]) == len(spec(app, "peak-128")["data"]) == 3


def test_where_memory_is_not_told_the_page_says_why(monkeypatch):
    without = Cost(64, {"tiled": Run(0.1, None)}, {"full": "would take too long", "fused": "too"})
    monkeypatch.setattr(cache.ac.experiments, "cost", lambda *_: without)
    monkeypatch.setattr(measuring, "LENGTHS", (32,))
    app = page("Online softmax")
    assert "Peak memory is undefined, because" in texts(app)
    assert "n = 64, full matrix: would take too long." in texts(app)


# --- all tabs


@pytest.mark.parametrize("tab", ["Saturation", "Overflow", "Online softmax"])
@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("", "A row of 1 to 64 scores is expected, and 0 were given"),
        ("king, queen", "Number 1 of your scores is “king”, which is not a number"),
        ("1, inf", "Score 2 is inf, and scores from −1,000,000 to 1,000,000 are expected"),
        ("nan", "Score 1 is nan"),
        ("1e7", "Score 1 is 1e+07"),
        (" ".join(["1"] * 65), "and 65 were given"),
    ],
)
def test_scores_that_are_none_are_answered(tab, typed, answer):
    app = opened()
    app.query_params["tab"] = tab
    app.switch_page(PAGE).run()
    app.text_input(key="scaling_scores").set_value(typed).run()
    assert not app.exception and answer in texts(app)


@pytest.mark.parametrize(
    ("tab", "formula", "code"),
    [
        ("Variance", r"\sqrt{64} = 8", "ac.experiments.dot_products(64, 'gaussian', size=1000, seed=0)"),
        ("Saturation", r"= 0.38939 \;\to\; 9.07926 \cdot 10^{-5}", "ac.experiments.gradients()"),
        ("Overflow", r"\text{shifted: }", "ac.experiments.overflow([2.0, 5.0,"),
        ("Online softmax", r"e^{8 - 12} = 0.0183156", "tile=4)"),
    ],
)
def test_how_it_is_computed_and_what_is_taken_along(tab, formula, code):
    app = closed(closed(page(tab, scaling_pairs="1000", scaling_step="2"), "computed"), "along")
    assert any(formula in one.value for one in app.latex), [one.value for one in app.latex]
    assert any(code in one.value for one in app.code)


def test_the_card_tells_the_variance_of_the_vectors():
    app = opened()
    assert "The dot product of two rows of `glove-en` drawn at random with 50 components" in texts(app)
    assert app.get_by_key("card-variance") is not None
