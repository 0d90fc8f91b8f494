"""MLA, run by Streamlit without a browser: every control, every state, and links that ask in vain."""

import json

import pytest

import attention_core as ac
from attention_core.attention import LatentConfig, latent
from attention_core.kv_cache import PRESETS
from dashboard.mla.walk import STEPS
from tests.apps.opening import opened, texts

PAGE = "pages/mla.py"
MODELS = sorted({preset.name for preset in PRESETS.values() if preset.latent is not None})
OWN = "your own sizes"
TINY = {"mla_hidden": 64, "mla_heads": 2, "mla_q_rank": 0, "mla_kv_rank": 8, "mla_nope": 4, "mla_rope": 2,
        "mla_value": 4, "mla_layers": 3}  # fmt: skip


def page(**link):
    """The page as a link opens it within a session."""
    app = opened()
    for name, value in link.items():
        app.query_params[name] = str(value)
    app.switch_page(PAGE).run()
    assert not app.exception, app.exception
    assert "nan" not in texts(app).lower().split()
    return app


def spec(app, key):
    return json.loads(app.get_by_key(key).proto.spec)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_of_the_kind_is_weighed(name):
    app, model = page(mla_model=name), PRESETS[name]
    cached = model.latent.kv_lora_rank + model.latent.qk_rope_head_dim
    assert f"**{name}** keeps {cached} numbers for a token and layer" in texts(app)
    second = ", read second-hand" if model.standing == "second-hand" else ""
    assert f"Sizes{second}: {model.source}." in texts(app)
    assert f"cached: {cached} numbers, {2 * cached:,} bytes" in json.dumps(spec(app, "flow"), ensure_ascii=False)
    assert ("the indexer" in texts(app)) is bool(model.indexer_bytes)


def test_deepseek_v3_is_shown_first_with_the_figures_of_its_papers():
    assert "DeepSeek-V3** keeps 576 numbers" in texts(page())
    assert "would be 40,960, 71.1 times as many. In bfloat16, 4,096 tokens take 274.5 MiB" in texts(page())


def test_what_is_weighed_can_be_chosen():
    app = page()
    app.segmented_control(key="mla_dtype").set_value("float32").run()
    assert "In float32, 4,096 tokens take 549 MiB" in texts(app)
    app.selectbox(key="mla_tokens").set_value("1048576").run()
    assert "1,048,576 tokens take 137.3 GiB" in texts(app)


def test_sizes_of_ones_own_are_drawn():
    app = page(mla_model=OWN, **TINY)
    assert "**your own sizes** keeps 10 numbers" in texts(app) and "over 3 layers" in texts(app)
    app.number_input(key="mla_q_rank").set_value(16).run()
    assert "norm(W<sup>DQ</sup> h)<br>16" in json.dumps(spec(app, "flow"))


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"mla_rope": 3}, "qk_rope_head_dim is 3, and rotary components turn in pairs. Give an even number"),
        ({"mla_kv_rank": 65}, "kv_lora_rank is 65, more than the 64 components of the hidden state"),
        ({"mla_q_rank": 65}, "q_lora_rank is 65, more than the 64"),
        ({"mla_heads": 0}, "num_heads is 0, and a whole number of 1 or more is expected"),
        ({"mla_hidden": -64}, "hidden_size is -64"),
        ({"mla_q_rank": -1}, "q_lora_rank is -1"),
        ({"mla_layers": 0}, "0 layers were asked for. Give 1 or more."),
    ],
)
def test_impossible_sizes_are_named_and_can_be_corrected(change, answer):
    app = page(mla_model=OWN, **TINY | change)
    assert answer in texts(app)
    [(key, _)] = change.items()
    app.number_input(key=key).set_value(TINY[key]).run()
    assert "cannot be shown" not in texts(app) and "keeps 10 numbers" in texts(app)


@pytest.mark.parametrize("tab", ["Three forms", "Rotary key"])
def test_sizes_that_no_machine_holds_are_counted_and_not_allocated(tab):
    huge = dict.fromkeys(("mla_hidden", "mla_heads", "mla_kv_rank", "mla_nope"), 1_000_000)
    app = page(tab=tab, mla_model=OWN, **TINY | huge)
    if tab == "Three forms":
        assert app.dataframe[0].value["operations for a token"].max() > 1e20
        app.button(key="measure").click().run()
    assert not app.exception and "would take" in texts(app) and "smaller sizes." in texts(app)


# --- step by step


@pytest.mark.parametrize("step", STEPS)
def test_every_step_draws_the_matrices_of_a_head(step):
    app = page(mla_step=step)
    first = spec(app, "step")["data"]
    assert first and all(trace["type"] == "heatmap" for trace in first)
    app.segmented_control(key="mla_head").set_value("2").run()
    of_heads = step in ("query", "keys", "absorb", "weights", "values")
    assert (spec(app, "step")["data"] != first) is of_heads
    assert ("they differ by" in texts(app)) is (step == "absorb")


def test_the_words_of_a_sentence_are_the_hidden_states():
    app = page(sentence_by="text", text="good food is bad")
    axis = spec(app, "step")["layout"]["yaxis"]
    assert axis["ticktext"] == ["good", "food", "is", "bad"]


def test_long_sentences_are_cut_and_say_so():
    app = page(sentence_by="first words", first=30)
    assert "The first 12 of 30 tokens are drawn." in texts(app)


def test_a_sentence_of_unknown_words_is_answered_in_its_place():
    app = page(sentence_by="text", text="qqqq zzzz")
    assert "cannot be shown" in texts(app) and spec(app, "flow")


# --- three forms


def test_the_three_forms_are_counted_side_by_side():
    app = page(tab="Three forms")
    [table] = [frame.value for frame in app.dataframe]
    costs = latent.costs(LatentConfig(7168, 128, 1536, 512, 128, 64, 128), 4096)
    assert table["operations for a token"].tolist() == [cost.operations for cost in costs.values()]
    assert table["cache of a layer"].tolist() == ["4.5 MiB", "320 MiB", "4.5 MiB"]
    assert "117 times fewer operations than the naive one" in texts(app)
    assert len(spec(app, "held")["data"]) == len(spec(app, "operations")["data"]) == 3


def test_times_are_measured_when_asked_for():
    app = page(tab="Three forms", mla_model=OWN, **TINY)
    app.button(key="measure").click().run()
    assert not app.exception and "On this machine a token over 4,096 cached ones takes" in texts(app)
    assert len(spec(app, "times")["data"]) == 3 and "medians of 5 rounds" in texts(app)
    assert not [button for button in app.button if button.key == "measure"]
    app.session_state["along"] = True
    app.run()
    assert "LatentConfig(hidden_size=64, num_heads=2" in "\n".join(block.value for block in app.code)


# --- low rank and rotary key


@pytest.mark.parametrize("source", ac.SAMPLES)
def test_attention_is_squeezed_for_every_sample(source):
    app = page(tab="Low rank")
    app.radio(key="source").set_value(source).run()
    d = ac.sample(source).dimension
    kept = 2 * min(d, 256)
    assert f"in place of {kept} for keys and values" in texts(app)
    assert len(spec(app, "low-rank")["data"]) == 2


def test_the_size_of_the_latent_heads_and_seed_can_be_chosen():
    app = page(tab="Low rank")
    app.select_slider(key="mla_rank").set_value("50").run()
    assert "A latent of 50 numbers in place of 100" in texts(app) and "by 0 % when it is fitted" not in texts(app)
    before = spec(app, "low-rank")["data"][0]["y"]
    app.segmented_control(key="mla_split").set_value("5").run()
    app.number_input(key="mla_seed").set_value(1).run()
    assert spec(app, "low-rank")["data"][0]["y"] != before


def test_attention_over_a_sentence_of_ones_own_is_squeezed():
    app = page(tab="Low rank", mla_over="one sentence", sentence_by="text", text="good food is bad qqqq")
    assert "Attention over one sentence (4 tokens) is then off by" in texts(app) and "`qqqq` has no vector" in texts(
        app
    )
    before = spec(app, "low-rank")["data"][0]["y"]
    app.text_area(key="text").set_value("the river bank was steep").run()
    assert "(5 tokens)" in texts(app) and spec(app, "low-rank")["data"][0]["y"] != before
    app.session_state["along"] = True
    app.run()
    assert "[ac.attention.sentence('the river bank was steep', e)]" in "".join(block.value for block in app.code)


def test_a_turn_in_between_cannot_be_folded():
    app = page(tab="Rotary key")
    assert "Folded into the query, the matrix that makes keys of latents gives the same scores" in texts(app)
    between = next(t for t in spec(app, "folding")["data"] if t["name"] == "turned between")
    assert len(between["y"]) == 10


@pytest.mark.parametrize("tab", ["Step by step", "Three forms", "Low rank", "Rotary key"])
def test_how_it_is_computed_and_what_is_taken_along_open_on_every_tab(tab):
    app = page(tab=tab)
    app.session_state["computed"] = app.session_state["along"] = True
    app.run()
    assert not app.exception and "cannot be shown" not in texts(app)
    assert any("128" in formula.value for formula in app.latex) and "0.135234" in texts(app)
    code = "\n".join(block.value for block in app.code)
    assert ("low_rank" if tab == "Low rank" else "latent.costs") in code


@pytest.mark.parametrize(
    ("name", "value"),
    [("mla_model", "GPT-9"), ("mla_dtype", "int3"), ("mla_tokens", "17"), ("mla_step", "x"), ("mla_head", "3"),
     ("tab", "Nope")],
)  # fmt: skip
def test_what_a_link_asks_in_vain_is_named(name, value):
    assert f"The link asks for {name} = `{value}`, which is not possible here." in texts(page(**{name: value}))


def test_the_card_names_a_latent_of_these_vectors():
    assert "of 1,634 of these vectors, 64 numbers each, pass through a latent of 33" in texts(opened())


# --- own files


@pytest.mark.parametrize("tab", ["Step by step", "Three forms", "Low rank", "Rotary key"])
@pytest.mark.parametrize(
    ("words", "matrix"),
    [
        (["alone"], [[1.0, 2.0, 3.0]]),
        (["a", "b"], [[2.0], [-3.0]]),
        (["zero", "zero too"], [[0.0, 0.0], [0.0, 0.0]]),
        (["![](http://x/y.png)", "<b>"], [[1.0, 2.0], [2.0, 1.0]]),
    ],
    ids=["one word", "one component", "all zero", "markup"],
)
def test_any_file_is_answered(words, matrix, tab):
    app = opened()
    app.session_state["_upload"] = ac.Embeddings(words, matrix, "own file")
    app.radio(key="source").set_value("file").run()
    app.query_params["tab"] = tab
    app.switch_page(PAGE).run()
    assert not app.exception, app.exception
    assert "cannot be shown" not in texts(app) and "nan" not in texts(app).lower().split()
