"""Cache size, run by Streamlit without a browser: every control, every state, bad links and configurations."""

import io
import json

import pytest
from streamlit.testing.v1 import AppTest

import attention_core as ac
from dashboard.cache_size.upload import CONFIGURATION
from dashboard.kept import _of_session
from tests.apps.opening import ROOT, opened, texts

PAGE = "pages/cache_size.py"
QWEN = {"cache_models": "Qwen2.5-72B"}


def linked(**link):
    return opened(PAGE, **link)


def bar_labels(app):
    return json.loads(app.get_by_key("cache-bars").proto.spec)["layout"]["yaxis"]["ticktext"]


def test_it_answers_before_anything_is_touched():
    app = linked()
    told = texts(app)
    assert "For 20 sequences of 32,768 tokens, and in 80 GB that hold nothing else:" in told
    assert "**DeepSeek-V3** (MLA) holds 42.891 GiB, 68.625 KiB per token, with room for 34." in told
    assert "As MHA it would hold 2.383 TiB, of which its own layout saves 98.24 %, with room for 0." in told
    assert "**Qwen2.5-72B** (GQA) holds 200 GiB, 320 KiB per token, with room for 7." in told
    assert "Trained as MLA it would hold 56.25 GiB, 71.9 % less, with room for 26." in told
    assert "Sizes were read second-hand" in told and "for Qwen2.5-72B, Llama-3.1-405B; where" in told
    assert sum("own" in label for label in bar_labels(app)) == 3


def test_what_mla_would_have_saved_a_company_with_qwen():
    told = texts(linked(**QWEN))
    assert "holds 320 KiB per token, 200 GiB for 20 sequences of 32,768 tokens." in told
    assert (
        "Trained as MLA, with a latent of 512 and a rotary key of 64, it would hold 56.25 GiB and save 143.75 GiB"
        in told
    )
    assert "A memory of 80 GB that holds nothing else has room for 7 such sequences; as MLA for 26." in told


def test_every_control_changes_the_answer():
    app = linked(**QWEN)
    app.number_input(key="cache_batch").set_value(1)
    app.select_slider(key="cache_tokens").set_value("1024")
    app.selectbox(key="cache_dtype").set_value("int4")
    app.segmented_control(key="cache_unit").set_value("GB").run()
    assert "holds 81.92 KB per token, 83.886 MB for a sequence of 1,024 tokens." in texts(app)
    app.number_input(key="cache_memory").set_value(640)
    app.number_input(key="cache_weights").set_value(145).run()
    assert "The 495 GB that the weights leave of 640 GB have room for 5,900 such sequences" in texts(app)
    app.multiselect(key="cache_gpus").set_value(["T4"]).run()
    assert "One of the memories is smaller than the weights" in texts(app)
    app.toggle(key="cache_shortcut").set_value(True).run()
    assert "Qwen2.5-72B: 2·d·L = 1,310,720 numbers per token, which is what its heads need as MHA." in texts(app)
    app.multiselect(key="cache_models").set_value(["Gemma-3-27B", "Falcon-7B"]).run()
    assert "up to 126.976 KB" not in texts(app)  # 1,024 tokens fill no window
    app.select_slider(key="cache_tokens").set_value("131072").run()
    assert "up to 126.976 KB per token" in texts(app)
    assert "Falcon-7B as GQA is undefined: 71 heads form no equal groups" in texts(app)
    assert not app.exception


def test_the_shortcut_s_departure_is_told():
    told = texts(linked(cache_models="DeepSeek-V3", cache_shortcut="true"))
    assert "2·d·L = 874,496 numbers per token; as MHA its heads need 1,998,848 (2.29 times)." in told
    assert "31,232 numbers, 3.1 % of heads × size; with the rotary key it is 35,136, 1.8 % of keys and values." in told


@pytest.mark.parametrize("tab", ["Against the context", "What fits", "Savings", "Measured", "All models"])
@pytest.mark.parametrize("models", [["DeepSeek-V3.2-Exp"], ["Falcon-7B", "Gemma-3-1B"], ["DeepSeek-R1", "GPT-2 small"]])
def test_every_tab_draws_for_every_kind_of_model(tab, models):
    app = linked(tab=tab, cache_models=models)
    assert "undefined: None" not in texts(app)


def test_tables_say_what_fits_and_what_is_saved():
    fits, longest = (frame.value for frame in linked(tab="What fits", **QWEN).dataframe)
    assert fits["Qwen2.5-72B, GQA"].tolist() == [7, 2, 7, 17] and fits["Qwen2.5-72B, MLA"].tolist() == [26, 8, 28, 63]
    assert longest["Qwen2.5-72B"].tolist() == ["12,207", "3,930", "13,049", "29,337"]
    _, longest = (frame.value for frame in linked(tab="What fits", cache_models="Mistral-7B-v0.1").dataframe)
    assert "any: all windows are full" in longest["Mistral-7B-v0.1"].tolist()
    [savings] = linked(tab="Savings", **QWEN).dataframe
    assert savings.value["layout"].tolist() == ["MHA", "GQA, own", "MQA", "MLA"]
    [presets] = linked(tab="All models").dataframe
    assert len(presets.value) == len(ac.kv_cache.PRESETS)


def test_measuring_waits_for_its_button_and_counts_what_the_formula_says(monkeypatch):
    app = linked(tab="Measured", cache_models="GPT-2 small", cache_tokens="32")
    assert "agree to the byte" not in texts(app)
    app.button(key="cache-measure").click().run()
    assert "Tensors and formula agree to the byte for GPT-2 small." in texts(app)
    assert app.dataframe[0].value["bytes in tensors"].tolist() == [32 * 36_864]
    app.select_slider(key="cache_tokens").set_value("64").run()
    assert "agree to the byte" not in texts(app)


def test_what_does_not_fit_the_machine_is_refused_with_its_figure(monkeypatch):
    monkeypatch.setattr("attention_core.kv_cache.measured.available", lambda device: 4096)
    app = linked(tab="Measured", cache_models="Phi-2", cache_tokens="48")
    app.button(key="cache-measure").click().run()
    assert "One layer of Phi-2 takes 480 KiB" in texts(app) and "2 KiB may be allocated here" in texts(app)


IN_VAIN = [("cache_models", "DeepSeek-V9"), ("cache_models", "config.json"), ("cache_models", "<b>"),
           ("cache_tokens", "5"), ("cache_tokens", "-1"), ("cache_tokens", "2097152"), ("cache_batch", "0"),
           ("cache_batch", "nan"), ("cache_batch", "99999999999999999999"), ("cache_dtype", "float128"),
           ("cache_memory", "-80"), ("cache_weights", "-1"), ("cache_gpus", "Abacus"), ("cache_unit", "KB"),
           ("cache_shortcut", "perhaps")]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), IN_VAIN)
def test_a_link_that_asks_in_vain_is_named(name, value):
    told = texts(linked(**{name: value}))
    assert f"The link asks for {name} = `{value}`, which is not possible here." in told and "holds" in told


def test_no_model_says_what_to_do():
    app = linked()
    app.multiselect(key="cache_models").set_value([]).run()
    assert "No model is chosen. Choose one or more." in texts(app)


def test_weights_that_take_all_memory_leave_no_room():
    told = texts(linked(cache_weights="80", **QWEN))
    assert "The weights take all of the 80 GB, and no cache has room." in told


def with_configuration(content, **link):
    """The page in a session that has read a configuration."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state[CONFIGURATION.place] = ac.kv_cache.read_config(
        io.BytesIO(json.dumps(content).encode()), "your configuration"
    )
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    app.switch_page(PAGE).run()
    assert not app.exception, app.exception
    return app


MINE = {"model_type": "<img src=x>", "hidden_size": 512, "num_hidden_layers": 6, "num_attention_heads": 8,
        "num_key_value_heads": 2}  # fmt: skip


def test_one_s_own_configuration_is_a_model_as_any_other():
    app = with_configuration(MINE, cache_models="config.json", tab="Measured", cache_tokens="16", computed="true")
    assert "**config.json** (GQA) holds 3 KiB per token" in texts(app)
    assert "Read: 6 layers, 8 query heads, 2 key and value heads of 64, GQA." in texts(app)
    app.button(key="cache-measure").click().run()
    assert "agree to the byte for config.json" in texts(app)
    assert app.multiselect(key="cache_models").options[0] == "config.json"


def test_what_is_measured_of_one_s_own_model_stays_in_the_session():
    own = ac.kv_cache.read_config(MINE).preset
    assert _of_session((own, 16, "bfloat16")) and not _of_session((ac.kv_cache.PRESETS["Phi-2"], 16, "bfloat16"))


def test_the_card_says_what_a_token_takes():
    told = texts(opened())
    assert "**DeepSeek-V3** holds 68.625 KiB per token; the same heads as MHA would hold 3.81 MiB (56.9 times" in told
