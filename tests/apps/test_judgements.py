"""Human judgements, run by Streamlit without a browser: every control, every state, and tables of one's own."""

import json

import pytest

import attention_core as ac
from dashboard import kept
from dashboard.judgements.chosen import Chosen
from tests.apps.opening import opened, texts

PAGE = "pages/judgements.py"
TABS = ["Judgements", "Analogies", "Retrieval"]


def page(tab="Judgements", source=None, **link):
    """The page at a tab, as a link opens it, with the vectors that are chosen then."""
    app = opened(PAGE, tab=tab, **link)
    if source:
        app.radio(key="source").set_value(source).run()
    assert not app.exception, app.exception
    return app


def spec(app, key):
    return json.loads(app.get_by_key(key).proto.spec)


def give(app, key, content, name="mine.csv"):
    """Uploads a table of one's own."""
    app.button_group(key=key).set_value("own").run()
    app.get_by_key(f"{key}-0").set_value((name, content, "text/csv"))
    app.run()
    assert not app.exception, app.exception
    return app


# --- judged pairs


def test_the_finding_is_that_of_the_core():
    shown = texts(opened(PAGE))
    assert "Cosine agrees best with people on 353 pairs: ρ = 0.503 (0.411 to 0.593)." in shown
    assert "It beats dot product by 0.037 (0.002 to 0.074) and Euclidean distance by 0.040 (0.001 to 0.081)." in shown
    assert "353 of 353 pairs are covered. People's scores run from 0.23 to 10." in shown
    assert "1 pair is of a word with itself, and counts. 2 pairs occur again, and counts." in shown
    assert "The additive weights are untrained (seed 0)" in shown


def test_another_table_is_judged():
    app = opened(PAGE)
    app.button_group(key="judged").set_value("rg65").run()
    assert "Euclidean distance agrees best with people on 65 pairs: ρ = 0.613" in texts(app)
    assert "No difference from dot product can be told: 0.104, interval −0.017 to 0.224." in texts(app)


def test_unit_vectors_do_exactly_as_well_by_every_measure():
    app = opened(PAGE)
    app.radio(key="source").set_value("minilm-en").run()
    assert "Cosine and Euclidean distance do exactly as well." in texts(app)


@pytest.mark.parametrize("measure", ac.MEASURES)
def test_the_scatter_is_of_the_measure_that_was_chosen(measure):
    app = opened(PAGE)
    app.button_group(key="judged_by").set_value(measure).run()
    assert ac.MEASURES[measure].label in spec(app, "judged-scores")["layout"]["yaxis"]["title"]["text"]


def test_another_seed_changes_the_additive_measure_alone():
    app = opened(PAGE)
    before = texts(app)
    app.number_input(key="seed").set_value(3).run()
    assert "untrained (seed 3)" in texts(app) and before.split("\n")[2] in texts(app)
    weights = ac.AdditiveWeights.random(50, 50, seed=3)
    rho = ac.judge(ac.sample("glove-en"), "wordsim353", ["additive"], weights)["additive"].rho
    assert rho in [x for trace in spec(app, "correlations")["data"] for x in trace["x"]]


def test_vectors_that_no_bundled_table_covers_are_told_what_to_do():
    app = opened(PAGE)
    app.radio(key="source").set_value("wiki-zh").run()
    assert "No bundled table of this kind covers these vectors (`wordsim353` 0 / 353, `rg65` 0 / 65)" in texts(app)
    app.radio(key="source").set_value("glove-en").run()
    assert not app.exception


def test_a_table_that_other_vectors_lack_gives_way():
    app = page("Analogies")
    app.radio(key="source").set_value("wiki-zh").run()
    assert not app.exception and "Answered right of 512 questions: 3CosAdd 79.3 %" in texts(app)
    app.radio(key="source").set_value("glove-en").run()
    assert not app.exception and "Answered right of" in texts(app)


# --- a table of one's own


def test_a_table_of_ones_own_is_judged_and_its_notes_are_shown():
    content = "w1;w2;score\ntiger;cat;7,35\nbook;paper;7,46\nking;cabbage;0,23\nmoney;xyzzy;9\nbad;row;nan\n"
    app = give(opened(PAGE), "judged", content.encode())
    shown = texts(app)
    assert "mine.csv: 4 read." in shown and "1 row was left out: line 6 (“nan” is no number)." in shown
    assert "Resampling only 3 understates how uncertain the estimates are" in shown
    assert "3 of 4 pairs are covered." in shown and "Not among the vectors: `xyzzy`." in shown
    assert "`mine.csv`" not in shown and "nan" not in shown.lower().replace("“nan”", "").split()


def test_a_chinese_table_is_judged_on_chinese_vectors():
    content = "国王,女王,9\n河流,国王,1\n医生,护士,8\n苹果,水果,7\n".encode("gb18030")
    app = opened(PAGE)
    app.radio(key="source").set_value("wiki-zh").run()
    app = give(app, "judged", content)
    assert "The text was read as GB18030." in texts(app)
    assert "pairs: ρ =" in texts(app)


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (b"qqx,qqy,5\nqqz,qqw,4\n", "Undefined, because no pair has both of its words among the vectors."),
        (
            b"king,queen,5\nxx,yy,3\n",
            "Undefined, because a correlation needs three pairs or more, and 1 can be scored.",
        ),
        (b"king,queen,5\ncat,dog,5\nriver,bank,5\n", "Undefined, because people gave all 3 pairs the same score."),
        (b"king queen\n", "mine.csv: no line could be read as a row of this table"),
        (b"", "mine.csv: the file is empty"),
        (b'king,queen,1\n"cat,dog,2\n', "the record that begins on line 2 cannot be taken apart"),
    ],
)
def test_a_table_that_says_nothing_is_answered(content, answer):
    app = give(opened(PAGE), "judged", content)
    assert answer in texts(app)
    assert "nan" not in texts(app).lower().split()


def test_words_of_a_table_are_not_taken_for_markup():
    evil = "![](http://x/y.png),<script>alert(1)</script>,5\nking,queen,4\ncat,dog,3\nriver,stone,1\n"
    app = give(opened(PAGE), "judged", evil.encode(), name="![](http://x).csv")
    assert "Not among the vectors: `![](http://x/y.png)`, `<script>alert(1)</script>`." in texts(app)


def test_a_table_stays_while_other_pages_are_visited():
    app = give(opened(PAGE), "judged", b"tiger,cat,7\nbook,paper,8\nking,cabbage,1\n")
    app.switch_page("pages/rankings.py").run()
    app.switch_page(PAGE).run()
    assert "mine.csv: 3 read." in texts(app)


def test_a_link_to_a_table_of_ones_own_asks_for_it():
    assert "A table of your own stays in this session; a link does not carry it." in texts(page(judged="own"))


def test_what_is_computed_from_a_table_of_ones_own_stays_in_the_session():
    table = ac.JUDGEMENTS["rg65"].read()
    own, bundled = Chosen(table, own=True), Chosen(table, own=False)
    assert repr(own) != repr(bundled)
    assert kept._of_session(("judged", (own,))) and not kept._of_session(("judged", (bundled, 10)))


# --- analogies


def test_the_shares_are_those_of_the_core():
    shown = texts(page("Analogies"))
    assert "Answered right of 3,412 questions: 3CosAdd 52.7 % (51.0 to 54.4 %), Euclidean distance 52.6 %" in shown
    assert "3CosAdd answers 32.2 % right: in 51 % of the questions it then gives one of them." in shown
    assert "`queen` (3CosAdd, 3CosMul, Euclidean distance) and `emperor` (dot product)" in shown
    assert "The table expects `queen`, as 3CosAdd, 3CosMul and Euclidean distance answer." in shown


def test_chinese_does_not_give_the_queen_and_the_page_says_so():
    app = page("Analogies", source="wiki-zh")
    assert "The table expects `女王`, which no method gives first and 0 of 4 have among their five." in texts(app)


def test_an_analogy_of_ones_own():
    app = page("Analogies")
    for name, word in zip("abc", ("France", "paris", "italy"), strict=True):
        app.text_input(key=f"analogy_{name}").set_value(word)
    app.run()
    assert "`rome` (3CosAdd" in texts(app)


def test_an_unknown_word_of_an_analogy_is_answered_and_the_rest_stays():
    app = page("Analogies")
    app.text_input(key="analogy_b").set_value("kingg").run()
    assert "“kingg” is not among the words of glove-en. Nearest spellings: king" in texts(app)
    assert "Answered right of 3,412 questions" in texts(app)


def test_own_words_may_be_allowed_in_the_sections():
    app = page("Analogies", questions="relations-en")
    before = spec(app, "sections")["data"][0]["x"]
    app.toggle(key="own_words").set_value(True).run()
    assert spec(app, "sections")["data"][0]["x"] != before


def test_questions_of_ones_own():
    app = give(page("Analogies"), "questions", b": mine\nman king woman queen\nboy girl son daughter\n")
    assert "mine.csv: 2 read." in texts(app) and "Answered right of 2 questions" in texts(app)


def test_questions_that_are_not_covered_are_undefined():
    app = give(page("Analogies"), "questions", b"qqx,qqy,qqz,qqw\n")
    assert "Undefined, because no question has all four of its words among the vectors." in texts(app)


# --- retrieval


def test_what_is_found_is_that_of_the_core():
    app = page("Retrieval")
    assert "Cosine has the highest nDCG@10 over 176 queries: 0.341 (0.301 to 0.381)." in texts(app)
    app.slider(key="k").set_value(5).run()
    assert "nDCG@5" in texts(app)


def test_relevant_items_of_ones_own():
    content = b"query,item,gain\nking,queen,3\nking,prince,1\ncat,dog,2\ncat,xyzzy,1\n"
    app = give(page("Retrieval"), "relevance", content)
    assert "mine.csv: 2 read." in texts(app) and "over 2 queries" in texts(app)
    assert "Not among the vectors: `xyzzy`." in texts(app)


def test_queries_that_are_not_covered_are_undefined():
    app = give(page("Retrieval"), "relevance", b"query,item\nxyzzy,king\n")
    assert "Undefined, because no query has itself and a relevant item among the vectors." in texts(app)


# --- links and states


@pytest.mark.parametrize(
    ("tab", "name", "value"),
    [
        ("Judgements", "judged", "simlex"),
        ("Judgements", "judged_by", "manhattan"),
        ("Analogies", "questions", "relations-zh"),
        ("Analogies", "own_words", "perhaps"),
        ("Retrieval", "relevance", "groups-zh"),
        ("Retrieval", "k", "500"),
        ("Judgements", "tab", "Nope"),
    ],
)
def test_what_a_link_asks_in_vain_is_named(tab, name, value):
    app = page(**{"tab": tab, name: value})
    assert f"The link asks for {name} = `{value}`, which is not possible here." in texts(app)


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("source", ac.SAMPLES)
def test_every_tab_renders_for_every_sample(tab, source):
    app = page(tab, source=source)
    assert "This cannot be shown" not in texts(app)
    assert not {"nan", "inf"} & set(texts(app).lower().split())


def test_the_card_says_what_it_can():
    app = opened()
    assert "Cosine agrees best with people on 353 pairs" in texts(app)
    app.radio(key="source").set_value("wiki-zh").run()
    assert "No bundled judgement of similarity covers these vectors" in texts(app)
    assert "Answered right of 512 questions" in texts(app)
