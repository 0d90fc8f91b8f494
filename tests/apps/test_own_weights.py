"""Step by step with the reader's own projection weights."""

import pytest
import torch
from safetensors.torch import save

import attention_core as ac
from attention_core.attention.projections import Projections
from dashboard.attention.weights import WEIGHTS, read
from tests.apps.opening import opened, texts
from tests.apps.test_step_by_step import PAGE, REFUSED, drawn, page
from tests.attending import normal

pytestmark = pytest.mark.usefixtures("one_thread")


def with_weights(p, **link):
    app = opened()
    names = {"q": "w_q", "k": "w_k", "v": "w_v", "o": "w_o"}
    content = save({names[name]: getattr(p, name) for name in names})
    app.session_state[WEIGHTS.place] = read(content, "mine.safetensors")
    for name, value in {"projection": "own", "heads": "4", **link}.items():
        app.query_params[name] = value
    return app.switch_page(PAGE).run()


def test_ones_own_weights_are_seen_step_by_step_and_held_against_others():
    p = Projections(normal(24, 50), normal(12, 50, seed=1), normal(12, 50, seed=2), normal(50, 24, seed=3))
    app = with_weights(p, tab="Two settings", pinned="default")
    x = torch.tensor(ac.attention.sentence("the cat eats the fish", ac.sample("glove-en")).matrix, dtype=torch.float64)
    assert drawn(app, ac.attention.stages(x, ac.attention.Settings(heads=4, kv_heads=2), p).head(0))
    assert "The weights differ most for" in texts(app) and "mine.safetensors: Projections(q (24, 50)" in texts(app)


def test_outputs_of_another_size_have_no_nearest_words():
    p = Projections(*(normal(24, 50, seed=i) for i in range(3)), normal(7, 24))
    assert "The outputs have 7 components and the words 50" in texts(with_weights(p, tab="Words"))


def test_without_a_file_own_weights_are_asked_for():
    assert "Choose a file to go on" in texts(page(projection="own")) and REFUSED not in texts(page(projection="own"))
    assert "none were given. Choose their file" in texts(page(tab="Two settings", pinned="projection=own"))
