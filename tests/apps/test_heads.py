"""Heads, run by Streamlit without a browser: every control, every state, weights of one's own, and links in vain."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import save

import attention_core as ac
from attention_core.attention.projections import Projections
from dashboard.attention.weights import WEIGHTS, read
from tests.apps.opening import opened, texts
from tests.attending import normal

PAGE = "pages/heads.py"
TABS = {
    "Distances": "heads-distances",
    "Spread": "heads-entropy",
    "Subspaces": "heads-seen",
    "Concat and W_O": "heads-o",
    "Contributions": "heads-contributions",
    "Sharing": "heads-sharing",
}
"""By tab: a figure in it."""
pytestmark = pytest.mark.usefixtures("one_thread")


def page(app=None, source="glove-en", **link):
    """The page as a link opens it within a session."""
    app = app or opened()
    if source != "glove-en":
        app.radio(key="source").set_value(source).run()
    for name, value in link.items():
        app.query_params[name] = value
    app.switch_page(PAGE).run()
    return quiet(app)


def quiet(app):
    assert not app.exception, app.exception
    assert "nan" not in texts(app).lower().split()
    return app


def spec(app, key):
    return json.loads(app.get_by_key(key).proto.spec)


def cat(**settings):
    """What the core says of the first sample."""
    e = ac.sample("glove-en")
    chosen = ac.attention.Settings(**{"heads": 5, **settings})
    x = torch.tensor(ac.attention.sentence("the cat eats the fish", e).matrix, dtype=torch.float64)
    return ac.attention.survey(ac.attention.stages(x, chosen, chosen.projections(50, e.matrix)))


def test_the_page_opens_with_several_heads_and_says_how_far_apart_they_are():
    app, found = page(), cat()
    a, b = found.distances.pair(farthest=True)
    assert f"heads {a + 1} and {b + 1} spread their weights most differently" in texts(app)
    assert f"{found.distances.values[a, b]:.3f} apart" in texts(app)
    assert f"even weights would lie on {np.exp(found.profile.entropy.even_mean):.2f}." in texts(app)
    assert len(spec(app, "heads-maps")["data"]) == 5


def through_tabs(app):
    """Every tab of the page, opened one after the other."""
    for tab, key in TABS.items():
        app.session_state["tab"] = tab
        quiet(app.run())
        assert "cannot be shown" not in texts(app), texts(app)
        yield shown(app, key)


@pytest.mark.parametrize("source", ac.SAMPLES)
def test_every_tab_opens_for_every_sample(source):
    assert all(through_tabs(page(source=source)))


def shown(app, key):
    try:
        return app.get_by_key(key)
    except KeyError:
        return None


@pytest.mark.parametrize("projection", ["identity", "random", "orthogonal", "pca"])
@pytest.mark.parametrize("kv_heads", ["one each", "1"])
def test_every_projection_is_drawn_with_and_without_shared_keys(projection, kv_heads):
    app = page(projection=projection, kv_heads=kv_heads, tab="Sharing")
    assert ("multi-query attention (MQA)" in texts(app)) is (kv_heads == "1")
    assert "cannot be shown" not in texts(app)
    found = cat(projection=projection, kv_heads=None if kv_heads == "one each" else 1)
    a, b = found.distances.pair(farthest=True)
    assert f"heads {a + 1} and {b + 1} spread" in texts(app)


def test_heads_and_their_groups_are_chosen():
    app = page(tab="Sharing")
    app.selectbox(key="heads").set_value("10").run()
    app.selectbox(key="kv_heads").set_value("2").run()
    assert "10 query heads read 2 key and value heads, 5 each: grouped-query attention (GQA)." in texts(quiet(app))
    titles = [note["text"] for note in spec(app, "heads-maps")["layout"]["annotations"]]
    assert titles[0] == "1 · kv 1" and titles[9] == "10 · kv 2"
    assert app.dataframe[0].value["shape"].tolist() == ["50 × 50", "10 × 50", "10 × 50", "50 × 50"]
    app.selectbox(key="heads").set_value("5").run()
    assert "5 query heads, each with keys and values of its own" in texts(quiet(app))


def test_one_head_has_nothing_to_be_compared_with():
    app = page(heads="1")
    assert list(map(bool, through_tabs(app))) == [False, True, True, True, True, True]
    assert "One head sees all components" in texts(app)


def test_one_token_is_answered_in_every_tab():
    app = page(sentence_by="text", text="cat")
    assert all(through_tabs(app))
    assert "With a single token there is a single weight in each head" in texts(app)


@pytest.mark.parametrize("mask", ["causal", "padding"])
def test_what_is_masked_is_said_and_drawn_in_grey(mask):
    app = page(mask=mask)
    assert "Grey: masked." in texts(app)
    assert len(spec(app, "heads-maps")["data"]) == 10


def test_a_token_is_chosen_and_its_output_divided_among_the_heads():
    app = page(tab="Contributions", sentence_by="text", text="the king eats fish")
    app.number_input(key="heads_token").set_value(2).run()
    assert "of the output of `king`, by projection." in texts(quiet(app))
    rows = app.dataframe[0].value
    assert rows["share"].sum() == pytest.approx(1, abs=1e-9)
    app.text_area(key="text").set_value("king").run()
    assert app.number_input(key="heads_token").value == 1 and "of the output of `king`" in texts(quiet(app))


def test_only_the_last_tokens_ask():
    app = page(asking="2", mask="causal", tab="Contributions")
    assert "Over 2 queries" in texts(app) and app.number_input(key="heads_token").max == 2


@pytest.mark.parametrize("part", ["query", "key", "value"])
def test_each_matrix_has_its_subspaces(part):
    app = page(projection="random", heads_part=part, tab="Subspaces", kv_heads="1")
    assert len(spec(app, "heads-seen")["data"][0]["y"]) == (5 if part == "query" else 1)
    assert ("There is one subspace" in texts(app)) is (part != "query")


@pytest.mark.parametrize(
    ("link", "answer"),
    [
        ({"heads": "7"}, "7 heads do not divide 50 components into equal blocks."),
        ({"heads": "0"}, "A number of heads from 1 up is expected, found “0”."),
        ({"heads": "<b>"}, "found “<b>”"),
        ({"kv_heads": "3"}, "The link asks for kv_heads = `3`, which is not possible here."),
        ({"projection": "svd"}, "The link asks for projection = `svd`"),
        ({"heads_part": "output", "tab": "Subspaces"}, "The link asks for heads_part = `output`"),
        ({"tab": "Nope"}, "The link asks for tab = `Nope`"),
        ({"tab": "Contributions", "heads_token": "9"}, "The link asks for heads_token = `9`"),
        ({"sentence_by": "text", "text": ""}, "A sentence of one word or more is expected"),
        ({"sentence_by": "text", "text": "qqzx zzqx"}, "The vocabulary has none of these words: “qqzx”"),
        ({"unknown": "refuse", "sentence_by": "text", "text": "cat qqzx"}, "Words that the vocabulary lacks: “qqzx”"),
    ],
)
def test_what_is_asked_in_vain_is_answered(link, answer):
    assert answer in texts(page(**link))


def test_unknown_words_that_were_skipped_are_named():
    assert "`fysh` has no vector and is left out" in texts(page(sentence_by="text", text="the cat eats fysh"))


def test_many_tokens_are_drawn_in_cells_that_say_so():
    app = page(sentence_by="first words", first="600")
    assert "Each cell is the mean of 3 × 3 pairs of the 600 tokens." in texts(app)


def test_how_it_is_computed_and_what_is_taken_along():
    app = page(heads="10", kv_heads="5", mask="causal", source="wiki-zh")
    app.session_state["computed"] = app.session_state["along"] = True
    quiet(app.run())
    assert any(r"h=10,\quad d_k=10,\quad d_v=10" in formula.value for formula in app.latex)
    code = "\n".join(block.value for block in app.code)
    assert "ac.attention.Settings(mask='causal', heads=10, kv_heads=5)" in code and "ac.sample('wiki-zh')" in code


def test_the_card_shows_the_heads_of_a_sentence():
    app = opened()
    assert "spread their weights most differently" in texts(app) and shown(app, "card-heads-maps")


# --- files and weights of one's own


def uploaded(words, matrix):
    app = opened()
    app.session_state["_upload"] = ac.Embeddings(words, matrix, "own file")
    app.radio(key="source").set_value("file").run()
    return app


@pytest.mark.parametrize("d", [1, 7, 12])
def test_any_width_is_answered(d):
    matrix = np.random.default_rng(0).standard_normal((5, d))
    app = page(uploaded(["a", "<img src=x>", "b`", "![](http://x/y)", "c"], matrix))
    assert app.selectbox(key="heads").options == [str(h) for h in range(1, d + 1) if d % h == 0]
    assert sum(map(bool, through_tabs(app))) == (5 if d == 1 else 6)


def test_zero_vectors_have_no_cosine_and_the_page_says_so():
    matrix = [[0.0] * 4, [1.0, 2, 3, 4], [2.0, 1, 0, 0]]
    assert "cannot be shown" not in texts(page(uploaded(["z", "a", "b"], matrix), tab="Subspaces"))
    app = page(uploaded(["z", "a", "b"], matrix), score="cosine")
    assert "the cosine with a zero vector is undefined" in texts(app)


def with_weights(content, name="mine.safetensors", **link):
    app = opened()
    app.session_state[WEIGHTS.place] = read(content, name)
    return page(app, projection="own", **link)


def file(heads=4, kv_heads=2, size=50, bias=True):
    p = Projections.random(3, size, heads, kv_heads, head_size=6)
    biases = [normal(len(w), seed=i) for i, w in enumerate((p.q, p.k, p.v, p.o))] if bias else []
    p = Projections(p.q, p.k, p.v, p.o, *biases)
    names = {"q": "w_q", "k": "w_k", "v": "w_v", "o": "w_o", "q_bias": "b_q", "k_bias": "b_k", "v_bias": "b_v",
             "o_bias": "b_o"}  # fmt: skip
    return p, save({names[n]: getattr(p, n).contiguous() for n in names if getattr(p, n) is not None})


def test_weights_of_ones_own_are_used_and_stay_out_of_the_link():
    p, content = file()
    app = with_weights(content, heads="4")
    e = ac.sample("glove-en")
    x = torch.tensor(ac.attention.sentence("the cat eats the fish", e).matrix, dtype=torch.float64)
    found = ac.attention.survey(ac.attention.stages(x, ac.attention.Settings(heads=4, kv_heads=2), p))
    a, b = found.distances.pair(farthest=True)
    assert f"heads {a + 1} and {b + 1} spread" in texts(app)
    assert "mine.safetensors: Projections(q (24, 50)" in texts(app)
    assert app.selectbox(key="kv_heads").options == ["2", "1"]
    assert all(through_tabs(app)) and "mine" not in str(dict(app.query_params))


def test_the_bias_of_ones_own_weights_has_its_part():
    assert "The bars and the bias" in texts(with_weights(file()[1], heads="4", tab="Contributions"))


def test_weights_of_a_torch_module_are_taken_and_may_be_shared_further():
    module = torch.nn.MultiheadAttention(50, 5)
    app = with_weights(save(module.state_dict()), heads="5", kv_heads="1", tab="Sharing")
    assert "5 query heads read 1 key and value heads, 5 each: multi-query attention (MQA)." in texts(app)


def test_before_a_file_is_chosen_the_page_says_what_to_do():
    app = page(projection="own")
    assert "Weights of your own stay in this session; a link does not carry them." in texts(app)
    assert "cannot be shown" not in texts(app)


def test_own_weights_for_other_heads_or_vectors_are_refused_with_the_shapes():
    _p, content = file()
    app = with_weights(content, heads="5")
    assert "With 5 heads, q (heads·d, in)" in texts(app) and "mine.safetensors" in texts(app)
    assert "(..., token, 50)" in texts(with_weights(content, heads="4", source="minilm-en"))


UNFIT = {
    "a pickle": (b"\x80\x04\x95\x10", "can run code"),
    "a zip of a pickle": (b"PK\x03\x04" * 9, "can run code"),
    "nothing": (b"", "a safetensors file is expected"),
    "other names": (save({"weight": torch.ones(2, 2)}), "w_q, w_k, w_v, w_o"),
    "integers": (save({f"w_{n}": torch.ones(4, 50, dtype=torch.int32) for n in "qkv"}), "found torch.int32"),
    "eight bits": (save({f"w_{n}": torch.ones(4, 50).to(torch.float8_e4m3fn) for n in "qkv"}), "float16 or wider"),
    "NaN": (save({f"w_{n}": torch.full((4, 50), torch.nan) for n in "qkv"}), "some that are not finite"),
    "three axes": (save({f"w_{n}": torch.ones(1, 4, 50) for n in "qkv"}), "found Projections(q (1, 4, 50)"),
    "too many rows": (save({f"w_{n}": torch.ones(16_385, 2) for n in "qkv"}), "at most 16,384 are taken"),
}


@pytest.mark.parametrize(("content", "answer"), UNFIT.values(), ids=UNFIT)
def test_an_unfit_file_of_weights_is_refused(content, answer):
    with pytest.raises(ac.AttentionError) as refused:
        read(content, "mine.safetensors")
    assert answer in str(refused.value)
    app = page(projection="own")
    app.file_uploader[-1].set_value(("mine.safetensors", content, "application/octet-stream")).run()
    assert answer in texts(quiet(app)) and "This cannot be shown" in texts(app)


def test_a_file_of_weights_is_read_from_the_page():
    app = page(projection="own", heads="2")
    app.file_uploader[-1].set_value(("mine.safetensors", file()[1], "application/octet-stream")).run()
    assert "the two heads spread their weights" in texts(quiet(app))
    assert app.session_state[WEIGHTS.place].name == "mine.safetensors"
