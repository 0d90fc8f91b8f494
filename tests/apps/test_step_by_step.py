"""Step by step without a browser: every control, every state, bad links and bad input."""

import json

import pytest
import torch

import attention_core as ac
from attention_core.attention.stages import MASKS, PAIRS, POSITIONS, PROJECTIONS, SCALES, SIZED
from tests.apps.opening import opened, texts

pytestmark = pytest.mark.usefixtures("one_thread")
PAGE = "pages/step_by_step.py"
TABS = ["Spread", "Row as a sum", "Words", "Word order", "Two settings", "Numbers"]
PRONOUN = "the animal did not cross the street because it was too tired"
REFUSED = "This cannot be shown"


def page(**link):
    return opened(PAGE, **link)


def spec(app, key):
    return json.loads(app.get_by_key(key).proto.spec)


def cells(app):
    """The numbers of the large map, by row and column, as they are told on hover."""
    return {(i, j): said for i, j, said in spec(app, "map-of-stage")["data"][-1]["customdata"]}


def attended(text, **settings):
    e = ac.sample("glove-en")
    x = torch.tensor(ac.attention.sentence(text, e).matrix, dtype=torch.float64)
    chosen = ac.attention.Settings(**settings)
    return ac.attention.stages(x, chosen, chosen.projections(e.dimension, e.matrix))


def test_the_map_shows_the_weights_of_the_first_sample():
    found = attended("the cat eats the fish").head(0).weights
    assert cells(page()) == {(i, j): repr(float(found[i, j])) for i in range(5) for j in range(5)}


def test_the_largest_weights_stand_in_a_table():
    words = ["the", "cat", "eats", "fish"]
    found = attended(" ".join(words)).head(0).weights.flatten()
    said = texts(page(sentence_by="text", text=" ".join(words)))
    for at in found.argsort(descending=True)[:10].tolist():
        line = f"| `{at // 4 + 1} {words[at // 4]}` | `{at % 4 + 1} {words[at % 4]}` | {float(found[at]):.4g} |"
        assert line in said


@pytest.mark.parametrize(
    ("name", "option"),
    [
        *(("score", score) for score in ac.MEASURES),
        *(("scale", scale) for scale in [*SCALES, "free"]),
        *(("projection", projection) for projection in PROJECTIONS if projection != "own"),
        *(("positions", positions) for positions in POSITIONS),
    ],
)
def test_every_choice_draws_the_page(name, option):
    app = page()
    app.selectbox(key=name).set_value(option).run()
    assert not app.exception and REFUSED not in texts(app)
    if name == "scale":
        return
    found = attended("the cat eats the fish", **{name: option}).head(0)
    assert drawn(app, found)


def drawn(app, head):
    """Whether the map shows the weights of that head."""
    shown = cells(app)
    return all(
        shown[i, j] == ("masked" if head.mask is not None and not head.mask[i, j] else repr(float(weight)))
        for i, row in enumerate(head.weights)
        for j, weight in enumerate(row)
    )


@pytest.mark.parametrize("names", [[mask] for mask in MASKS] + [["window", "causal", "padding"]])
def test_masks_are_chosen_and_combined(names):
    app = page(mask_padding="4")
    app.get_by_key("mask").set_value(names).run()
    sizes = {name: "4" if name == "padding" else "2" for name in SIZED}
    mask = "+".join(f"{name}:{sizes[name]}" if name in sizes else name for name in sorted(names))
    assert drawn(app, attended("the cat eats the fish", mask=mask).head(0))


@pytest.mark.parametrize("stage", ["X", "X + P", "Q", "K", "V", *PAIRS, "A·V", "joined", "output"])
def test_every_stage_is_drawn_with_what_made_a_number(stage):
    app = page(stage=stage, heads="5", head="3", positions="sinusoidal", mask="causal", cell_row="2", cell_column="4")
    assert REFUSED not in texts(app)
    assert (2 - 1, 4 - 1) in cells(app)
    if stage not in ("X", "X + P"):
        assert len(spec(app, "cell-terms")["data"]) == 2


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize(
    "link",
    [
        {"source": "wiki-zh", "mask": "block", "projection": "pca"},
        {"source": "minilm-en", "score": "cosine", "asking": "2", "mask": "causal", "align": "top-left"},
        {"sentence_by": "first words", "first": "1"},
    ],
    ids=["zh", "two ask", "one token"],
)
def test_every_tab_is_drawn(tab, link):
    app = page(tab=tab, **link)
    assert REFUSED not in texts(app) and "nan" not in texts(app).lower().split()


def test_a_cell_is_explained_from_score_to_weight():
    app = page(cell_row="2", cell_column="5")
    head = attended("the cat eats the fish").head(0)
    said = texts(app)
    assert "`cat` asks, `fish` answers" in said
    assert f"score {float(head.scores[1, 4]):.4f}" in said and f"makes it {float(head.weights[1, 4]):.6f}" in said


def test_a_masked_cell_is_called_masked():
    said = texts(page(mask="causal", cell_row="1", cell_column="5"))
    assert "it is masked, so the weight is exactly 0" in said and "Grey: masked, 10 of 25 pairs" in said


# --- sentences


def test_a_typed_sentence_names_unknown_words():
    app = page(sentence_by="text", text="The catt eats!")
    said = texts(app)
    assert "`catt` has no vector and is left out (nearest spellings:" in said
    assert "Punctuation without a vector is left out: `!`" in said
    app.segmented_control(key="unknown").set_value("random").run()
    assert "given a random vector" in texts(app) and len(cells(app)) == 9
    app.segmented_control(key="unknown").set_value("refuse").run()
    assert REFUSED in texts(app) and "“catt” (nearest spellings:" in texts(app)


def test_another_seed_gives_unknown_words_other_vectors():
    one, other = (cells(page(sentence_by="text", text="the catt", unknown="random", unknown_seed=s)) for s in "12")
    assert one != other


def test_chinese_without_spaces_is_cut_into_words():
    app = page(source="wiki-zh", sentence_by="text", text="苹果公司生产手机")
    assert spec(app, "map-of-stage")["data"][0]["x"] == ["1 苹果", "2 公司", "3 生产", "4 手机"]


def test_a_sentence_of_other_vectors_gives_way():
    app = page(sentence=PRONOUN, cell_row="12", cell_column="12")
    app.radio(key="source").set_value("wiki-zh").run()
    assert not app.exception and not app.warning
    assert len(cells(app)) == 9


# --- word order


def test_word_order_is_invisible_without_positions_and_seen_with_them():
    app = page(source="wiki-zh", tab="Word order")
    assert "猫 吃 鱼  →  鱼 吃 猫" in texts(app) and "Word order is invisible" in texts(app)
    app.selectbox(key="positions").set_value("sinusoidal").run()
    assert "Word order shows, by positions" in texts(app)
    app.number_input(key="swap_second").set_value(1).run()
    assert "Word order is invisible" in texts(app)


# --- two settings


def test_settings_are_pinned_and_compared():
    app = page(tab="Two settings", mask="causal")
    app.get_by_key("pin").click().run()
    assert app.text_input(key="pinned").value == "mask=causal"
    assert "Both settings give the same weights" in texts(app)
    app.get_by_key("mask").set_value([]).run()
    assert "The weights differ most for" in texts(app)
    now, pinned, difference = (
        json.loads(app.get_by_key(f"two-{key}").proto.spec)["data"] for key in ("now", "pinned", "difference")
    )
    assert (now[0]["zmax"], len(pinned), len(difference)) == (pinned[0]["zmax"], 2, 1)


@pytest.mark.parametrize(
    ("pinned", "said"),
    [
        ("mask=future", "no mask “future”"),
        ("hello", "“hello” is not a setting"),
        ("heads=3", "3 heads do not divide 50 components"),
        ("queries=2", "Let as many tokens ask in both"),
    ],
)
def test_what_cannot_be_pinned_is_refused_in_its_place(pinned, said):
    app = page(tab="Two settings", pinned=pinned)
    assert said in texts(app) and len(cells(app)) == 25


# --- bad input


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"sentence_by": "text", "text": " "}, "one word or more is expected, found nothing"),
        ({"sentence_by": "text", "text": "qqqq wwww"}, "none of these words: “qqqq”"),
        (
            {"heads": "3"},
            "3 heads do not divide 50 components into equal blocks. Choose a number of heads that divides",
        ),
        ({"heads": "two"}, "found “two”"),
        ({"heads": "0"}, "found “0”"),
        ({"heads": "²"}, "found “²”"),
        ({"heads": "2", "positions": "rope"}, "heads of an even size"),
    ],
)
def test_what_cannot_be_attended_to_is_refused_with_what_to_do(link, said):
    app = page(**link)
    assert REFUSED in texts(app) and said in texts(app)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("score", "manhattan"), ("scale", "2"), ("mask", "future"), ("positions", "alibi"), ("projection", "learnt"),
        ("sentence", "hello"), ("temperature", "0"), ("asking", "0"), ("cell_row", "99"), ("stage", "Z"),
        ("sentence_by", "voice"), ("unknown", "keep"),
    ],
)  # fmt: skip
def test_what_a_link_asks_in_vain_is_named(name, value):
    app = page(**{name: value})
    assert any(f"{name} = `{value}`" in warning.value for warning in app.warning)
    assert REFUSED not in texts(app)


# --- long sentences


def test_beyond_500_tokens_the_map_is_drawn_in_blocks_and_says_so():
    app = page(sentence_by="first words", first="1200", mask="causal", tab="Numbers")
    assert "1,200 × 1,200 numbers are drawn in blocks of 3 × 3, each by its max" in texts(app)
    assert len(spec(app, "map-of-stage")["data"][0]["y"]) == 400
    assert "this is the chosen row" in texts(app)
    app.segmented_control(key="pooling").set_value("mean").run()
    assert "each by its mean" in texts(app)


def test_the_most_tokens_still_work():
    app = page(sentence_by="first words", first="4096", heads="2")
    assert not app.exception and "4,096 × 4,096 numbers are drawn in blocks of 9 × 9" in texts(app)


# --- what is taken along


def test_the_page_ends_with_formulas_and_code():
    app = page(computed="true", along="true")
    for key in ("computed", "along"):
        app.session_state[key] = True
    app.run()
    assert any("ac.attention.sentence('the cat eats the fish', e)" in block.value for block in app.code)
    assert any(r"W_Q^\top" in formula.value for formula in app.latex)


def test_the_overview_shows_the_attention_map_of_a_sentence_with_the_query():
    names = spec(opened(q="queen"), "card-attention")["data"][0]["x"]
    assert names == ["1 the", "2 king", "3 and", "4 the", "5 queen", "6 ruled", "7 the", "8 kingdom"]


# --- the session's own vectors

OWN = b"<b>x</b> 1 0 0 0\n![](http://x/y.png) 0 1 0 0\n=1+1 0 0 1 0\n:red[a] 0 0 0 0\n`a 1 1 1 1\n"


def uploaded(**link):
    app = opened(PAGE, source="file", **link)
    return app.file_uploader[0].upload("own.txt", OWN, "text/plain").run()


@pytest.mark.parametrize("tab", TABS)
def test_own_vectors_without_a_known_sentence_start_with_their_first_words(tab):
    app = uploaded(tab=tab)
    assert not app.exception and REFUSED not in texts(app)
    assert spec(app, "map-of-stage")["data"][0]["x"][0] == "1 &lt;b&gt;x&lt;/b&gt;"


@pytest.mark.parametrize("tab", TABS)
def test_the_cosine_with_a_zero_vector_is_said_to_be_undefined(tab):
    app = uploaded(tab=tab, score="cosine", cell_row="4", cell_column="1")
    said = texts(app)
    assert not app.exception and "undefined, because a zero vector has no direction" in said
    assert "nan" not in said.lower().split() and cells(app)[3, 0] == "undefined"


def test_a_bar_in_a_word_does_not_part_a_table():
    app = opened(PAGE, source="file").file_uploader[0].upload("own.txt", b"a|b 1 0\n`|c 0 1\n", "text/plain").run()
    assert "| `1 a\\|b` | `` 2 `\\|c `` |" in texts(app) and not app.exception
