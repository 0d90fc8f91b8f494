"""Configurations of every family, as their makers write them, give the model that is known; and what is noted."""

import io
import json

import pytest

import attention_core as ac
from attention_core.kv_cache import PRESETS, read_config, sizes

LLAMA = {"model_type": "llama", "hidden_size": 16384, "num_hidden_layers": 126, "num_attention_heads": 128,
         "num_key_value_heads": 8, "torch_dtype": "bfloat16", "architectures": ["LlamaForCausalLM"]}  # fmt: skip
DEEPSEEK = {"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128,
            "num_key_value_heads": 128, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64, "v_head_dim": 128, "num_nextn_predict_layers": 1}  # fmt: skip
GEMMA3 = {"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3",
          "vision_config": {"hidden_size": 1152},
          "text_config": {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text",
                          "num_hidden_layers": 34, "sliding_window": 1024}}  # fmt: skip
QWEN = {"model_type": "qwen2", "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64,
        "num_key_value_heads": 8, "sliding_window": 131072, "use_sliding_window": False,
        "max_window_layers": 70}  # fmt: skip
FAMILIES = {
    "Llama-3.1-405B": LLAMA,
    "Qwen2.5-72B": QWEN,
    "Qwen3-4B": {"model_type": "qwen3", "hidden_size": 2560, "num_hidden_layers": 36, "num_attention_heads": 32,
                 "num_key_value_heads": 8, "head_dim": 128, "use_sliding_window": False, "sliding_window": None},
    "Mistral-7B-v0.1": {"model_type": "mistral", "hidden_size": 4096, "num_hidden_layers": 32, "sliding_window": 4096,
                        "num_attention_heads": 32, "num_key_value_heads": 8, "max_position_embeddings": 32768},
    "Mistral-7B-v0.3": {"model_type": "mistral", "hidden_size": 4096, "num_hidden_layers": 32, "sliding_window": None,
                        "num_attention_heads": 32, "num_key_value_heads": 8},
    "Gemma-2-9B": {"model_type": "gemma2", "hidden_size": 3584, "num_hidden_layers": 42, "num_attention_heads": 16,
                   "num_key_value_heads": 8, "head_dim": 256, "sliding_window": 4096},
    "Gemma-3-4B": GEMMA3,
    "DeepSeek-V3": DEEPSEEK,
    "DeepSeek-V2-Lite": {**DEEPSEEK, "model_type": "deepseek_v2", "hidden_size": 2048, "num_hidden_layers": 27,
                         "num_attention_heads": 16, "num_key_value_heads": 16, "q_lora_rank": None},
    "DeepSeek-V3.2-Exp": {**DEEPSEEK, "index_head_dim": 128, "index_n_heads": 64, "index_topk": 2048},
    "gpt-oss-20b": {"model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64,
                    "num_key_value_heads": 8, "head_dim": 64, "sliding_window": 128,
                    "layer_types": ["sliding_attention", "full_attention"] * 12},
    "Phi-2": {"model_type": "phi", "hidden_size": 2560, "num_hidden_layers": 32, "num_attention_heads": 32,
              "num_key_value_heads": 32},
    "Phi-3-mini-4k": {"model_type": "phi3", "hidden_size": 3072, "num_hidden_layers": 32, "num_attention_heads": 32,
                      "num_key_value_heads": 32, "sliding_window": 2047, "max_position_embeddings": 4096},
    "Falcon-7B": {"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71,
                  "multi_query": True, "new_decoder_architecture": False},
    "Falcon-40B": {"model_type": "falcon", "hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128,
                   "num_kv_heads": 8, "new_decoder_architecture": True, "multi_query": True},
    "GPT-2 small": {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_ctx": 1024},
    "Kimi-K2-Instruct": {**DEEPSEEK, "model_type": "kimi_k2", "num_attention_heads": 64, "num_key_value_heads": 64},
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_a_configuration_gives_the_model_that_is_known(name):
    found, known = read_config(FAMILIES[name]).preset, PRESETS[name]
    for field in ("hidden", "heads", "kv_heads", "qk_head_dim", "v_head_dim", "windows", "latent", "indexer_bytes"):
        assert getattr(found, field) == getattr(known, field), field
    assert found.own and sizes(found, 5000, 3).bytes == sizes(known, 5000, 3).bytes


def test_older_and_other_names_mean_the_same():
    deepseek_own = {"dim": 7168, "n_layers": 61, "n_heads": 128, "q_lora_rank": 1536, "kv_lora_rank": 512,
                    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "dtype": "fp8"}  # fmt: skip
    assert sizes(read_config(deepseek_own).preset, 1).total == 70_272
    meta_own = {"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8}
    assert sizes(read_config(meta_own).preset, 1).total == 131_072
    old_falcon = {"model_type": "RefinedWeb", "hidden_size": 8192, "n_layer": 60, "n_head": 128, "n_head_kv": 8}
    assert sizes(read_config(old_falcon).preset, 1).total == 122_880


def test_what_is_missing_is_filled_as_transformers_does_and_named():
    notes = read_config(GEMMA3).notes
    assert "The model that writes text is described in text_config." in notes
    for field, value in (("num_attention_heads", 8), ("num_key_value_heads", 4), ("head_dim", 256)):
        assert f"{field} is missing; {value} is what transformers takes for gemma3_text." in notes
    no_kv = read_config({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4})
    assert no_kv.preset.kv_heads == 4 and any("key and value heads is missing" in note for note in no_kv.notes)


def test_early_copies_of_405b_are_noticed():
    [note] = [note for note in read_config({**LLAMA, "num_key_value_heads": 16}).notes if "Llama-3.1-405B" in note]
    assert "0.5 times as large" in note and "8 key and value heads, this configuration 16" in note
    assert not [note for note in read_config(LLAMA).notes if "Check which" in note]


def test_another_family_s_model_of_the_same_shape_is_no_warning():
    """Phi-3 medium has the layers, heads and hidden size of Llama 2 13B, with keys and values of its own."""
    medium = {"model_type": "phi3", "hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40,
              "num_key_value_heads": 10}  # fmt: skip
    assert not read_config(medium).notes
    assert "Llama-2-13B has the same" in "".join(read_config({**medium, "model_type": "llama"}).notes)


def test_head_sizes_of_their_own_further_layers_and_windows_are_noted():
    notes = "\n".join(read_config(FAMILIES["Qwen3-4B"]).notes)
    assert "A head has 128 components, not the hidden size over the heads, 2560/32 = 80." in notes
    assert "One layer more, to predict further tokens: not counted." in "\n".join(read_config(DEEPSEEK).notes)
    short = {**FAMILIES["Mistral-7B-v0.1"], "max_position_embeddings": 2048}
    assert "these windows leave nothing out" in "\n".join(read_config(short).notes)


def test_windows_that_are_switched_on_begin_at_their_layer():
    found = read_config({**QWEN, "use_sliding_window": True, "sliding_window": 4096}).preset
    assert found.windows == (None,) * 70 + (4096,) * 10


def test_layers_of_other_kinds_are_left_out_and_named():
    kinds = ["linear_attention"] * 3 + ["full_attention"]
    hybrid = {"model_type": "qwen3_next", "hidden_size": 2048, "num_hidden_layers": 12, "num_attention_heads": 16,
              "num_key_value_heads": 2, "head_dim": 256, "layer_types": kinds * 3}  # fmt: skip
    found = read_config(hybrid)
    assert found.preset.layers == 3 and any("9 of 12 layers are linear_attention" in note for note in found.notes)
    chunked = {**LLAMA, "layer_types": ["chunked_attention", "full_attention"] * 63, "attention_chunk_size": 8192}
    assert read_config(chunked).preset.window_counts == {8192: 63, None: 63}
    shared = read_config({**LLAMA, "num_kv_shared_layers": 26})
    assert shared.preset.layers == 100 and any("last 26 layers" in note for note in shared.notes)


def test_falcon_s_switch_outweighs_a_number():
    found = read_config({**FAMILIES["Falcon-7B"], "num_kv_heads": 71})
    assert found.preset.kv_heads == 1 and any("not 71" in note for note in found.notes)


def test_a_file_a_path_and_a_mark_at_its_beginning(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA), encoding="utf-8-sig")
    with path.open("rb") as file:
        assert read_config(file, "mine").preset.name == "mine"
    assert read_config(path) == read_config(str(path)) == read_config(io.BytesIO(path.read_bytes()))


def test_the_window_rules_and_defaults_are_those_of_transformers():
    import transformers

    shapes = {"hidden_size": 1024, "num_hidden_layers": 13, "num_attention_heads": 16, "num_key_value_heads": 2}
    for kind in ("gemma2", "gemma3_text", "gpt_oss", "cohere2", "llama4_text", "qwen2", "qwen3", "olmo3", "exaone4"):
        theirs = transformers.AutoConfig.for_model(kind, **shapes)
        given = {"model_type": kind, **shapes}
        given |= {name: getattr(theirs, name) for name in ("sliding_window",) if getattr(theirs, name, None)}
        mine = read_config(given).preset
        slides = [kind in ("sliding_attention", "chunked_attention") for kind in theirs.layer_types]
        assert [window is not None for window in mine.windows] == slides, kind
        assert mine.qk_head_dim == (getattr(theirs, "head_dim", None) or 64), kind


NOT_ONE = {
    "empty": (b"", "not JSON"),
    "no JSON": (b"hello", "not JSON in line 1"),
    "broken": (b'{"hidden_size": 4096,\n "num_hidden_layers": }', "not JSON in line 2"),
    "a pickle": (b"\x80\x04\x95\x10\x00", "not JSON"),
    "an image": (b"\x89PNG\r\n\x1a\n\x00", "not JSON"),
    "a list": (b"[1, 2]", "JSON object was expected, found a list"),
    "null": (b"null", "found a NoneType"),
    "nested without end": (b"[" * 200_000, "not JSON"),
    "a number without end": (b'{"hidden_size": ' + b"9" * 10_000 + b"}", "not JSON"),
    "of a tokenizer": (b'{"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>"}', "has no num_hidden_layers"),
    "an empty object": (b"{}", "no field"),
    "a field given twice": (b'{"hidden_size": 4096, "hidden_size": 8192}', "hidden_size is given twice"),
    "too large": (b" " * 4_000_001, "more than 4 MB"),
}


@pytest.mark.parametrize(("content", "told"), NOT_ONE.values(), ids=NOT_ONE)
def test_what_is_no_configuration_is_refused(content, told):
    with pytest.raises(ac.CacheError, match=told):
        read_config(io.BytesIO(content))


IMPOSSIBLE = {
    "a text for a number": ({"hidden_size": "4096"}, 'hidden_size is "4096"; .* Write it without quotation marks'),
    "a fraction": ({"num_hidden_layers": 12.5}, "num_hidden_layers is 12.5"),
    "a truth value": ({"num_attention_heads": True}, "num_attention_heads is True"),
    "zero layers": ({"num_hidden_layers": 0}, "num_hidden_layers is 0"),
    "negative heads": ({"num_key_value_heads": -8}, "num_key_value_heads is -8"),
    "absurd layers": ({"num_hidden_layers": 10**30}, "num_hidden_layers is 1000"),
    "not a number": ({"hidden_size": float("nan")}, "hidden_size is nan"),
    "a list of heads": ({"num_key_value_heads": [8, 4]}, r"num_key_value_heads is \[8, 4\]"),
    "no heads": ({"num_attention_heads": None}, "has no num_attention_heads"),
    "heads that form no groups": ({"num_key_value_heads": 7}, "cannot share 7"),
    "two names that differ": ({"n_layer": 12}, "num_hidden_layers = 126 and n_layer = 12"),
    "no size of a head": ({"hidden_size": 16383}, "no multiple of 128 heads"),
    "more layers than any model has": ({"num_hidden_layers": 10_001}, "from 1 to 10,000 is expected"),
    "kinds of layers that are numbers": ({"layer_types": [1] * 126}, "no name of a kind of layers"),
    "too few kinds of layers": ({"layer_types": ["full_attention"]}, "1 entries for 126 layers"),
    "sliding layers without a window": ({"layer_types": ["sliding_attention"] * 126}, "no sliding_window"),
    "no layer with a cache": ({"layer_types": ["mamba"] * 126}, "No layer of the configuration keeps keys"),
    "a switch that is a word": ({"use_sliding_window": "no"}, 'use_sliding_window is "no"'),
    "a latent without rotary size": ({"kv_lora_rank": 512}, "no qk_nope_head_dim"),
    "an odd rotary size": ({**DEEPSEEK, "qk_rope_head_dim": 63}, "rotary part of 63"),
    "a rank above the hidden size": ({**DEEPSEEK, "kv_lora_rank": 10_000}, "larger than the hidden state"),
    "an encoder and a decoder": ({"is_encoder_decoder": True}, "second cache"),
    "an encoder": ({"architectures": ["BertForMaskedLM"]}, "BertForMaskedLM is an encoder"),
}


@pytest.mark.parametrize(("change", "told"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_and_contradictory_configurations_are_refused_by_name(change, told):
    with pytest.raises(ac.CacheError, match=told) as refused:
        read_config({**LLAMA, **change})
    assert len(str(refused.value)) < 400


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ac.CacheError, match=r"gone\.json cannot be opened"):
        read_config(tmp_path / "gone.json")
