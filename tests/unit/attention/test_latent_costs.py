"""What the forms of latent attention cost: counted by torch, by hand, and in bytes of real tensors."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_core.attention import LatentAttention, LatentConfig, latent
from attention_core.attention.latent import timing
from attention_core.attention.scaled import scaled
from attention_core.errors import AttentionError
from tests.attending import normal

pytestmark = pytest.mark.usefixtures("one_thread")
SMALL = LatentConfig(23, 3, 5, 7, 11, 6, 13)
MODELS = {
    "DeepSeek-V3": (LatentConfig(7168, 128, 1536, 512, 128, 64, 128), 61, 35_136, 2_498_560),
    "DeepSeek-V2": (LatentConfig(5120, 128, 1536, 512, 128, 64, 128), 60, 34_560, 2_457_600),
    "DeepSeek-V2-Lite": (LatentConfig(2048, 16, 0, 512, 128, 64, 128), 27, 15_552, 138_240),
}
"""Numbers for a token in all layers, cached and expanded: case 22."""


@pytest.mark.parametrize(("config", "layers", "cached", "expanded"), MODELS.values(), ids=MODELS)
def test_what_the_models_keep(config, layers, cached, expanded):
    assert (config.cached * layers, config.expanded * layers) == (cached, expanded)


def test_the_shares_of_deepseek_v3():
    v3 = MODELS["DeepSeek-V3"][0]
    assert v3.cached / v3.expanded == 0.0140625
    assert v3.cached / (2 * v3.num_heads * v3.v_head_dim) == 0.017578125
    assert v3.cached / (2 * v3.hidden_size) == pytest.approx(0.04017857142857143, rel=1e-15)
    assert 2 * 61 * v3.cached == 70_272
    assert 100_000 * 70_272 / 1e9 == 7.0272


@pytest.mark.parametrize("tokens", [1, 2, 29])
def test_operations_are_those_that_torch_counts(tokens):
    attention = LatentAttention(SMALL)
    rows, q = torch.zeros(1, tokens, 13), torch.zeros(1, 3, 1, 17)
    keys, values = attention.expanded(rows)
    runs = {
        "naive": lambda: scaled(q, *attention.expanded(rows)),
        "expanded": lambda: (attention.expanded(rows[:, :1]), scaled(q, keys, values)),
        "absorbed": lambda: attention.absorbed(q, rows),
    }
    for form, cost in latent.costs(SMALL, tokens).items():
        with FlopCounterMode(display=False) as counter:
            runs[form]()
        assert cost.operations == counter.get_total_flops(), form


def test_what_is_held_is_counted_from_tensors():
    found = latent.side_by_side(LatentAttention(SMALL, dtype=torch.float64), normal(9, 23))
    assert {form: 8 * cost.held for form, cost in latent.costs(SMALL, 9).items()} == dict(found.nbytes)


def test_every_form_is_timed_over_every_context_and_gives_one_output():
    told = []
    found = latent.decode_times(SMALL, (1, 5, 300), rounds=2, progress=lambda done, total: told.append((done, total)))
    assert found.contexts == (1, 5, 300) and found.dtype == "float32" and found.threads == 1
    for form, of in found.forms.items():
        for n, one in zip(found.contexts, of, strict=True):
            assert one.seconds > 0 and one.difference < 1e-5
            assert one.nbytes == 4 * latent.costs(SMALL, n)[form].held
    assert told == sorted(told) and all(done < total for done, total in told)


def test_what_takes_too_much_memory_is_left_out_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(timing, "ROOM", timing.needed(SMALL, 40, 4)["expanded"])
    found = latent.decode_times(SMALL, (40, 41), rounds=1)
    present = {form: [one is not None for one in of] for form, of in found.forms.items()}
    assert present == {"naive": [False, False], "expanded": [True, False], "absorbed": [True, True]}
    with pytest.raises(
        AttentionError, match=r"would take 5,200,000,000 bytes, more than the .* Choose a shorter context"
    ):
        latent.decode_times(SMALL, (100_000_000,))


def test_measuring_can_be_stopped():
    def stop(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        latent.decode_times(SMALL, (5,), progress=stop)


def of(seconds):
    return tuple(None if s is None else latent.Decoded(s, 0, 0.0) for s in seconds)


@pytest.mark.parametrize(
    ("expanded", "absorbed", "crossing"),
    [
        ((1, 2, 4, 9), (2, 3, 3, 3), (20, 30)),
        ((1, 5, 2, 9), (2, 3, 3, 3), (30, 40)),
        ((5, 5, 5, 5), (2, 3, 3, 3), None),
        ((1, 1, 1, 1), (2, 3, 3, 3), None),
        ((1, 2, None, None), (2, 3, 3, 3), None),
        ((1, 4, None, None), (2, 3, 3, 3), (10, 20)),
    ],
)
def test_the_lines_cross_where_absorbed_becomes_and_stays_the_faster(expanded, absorbed, crossing):
    forms = {"naive": of([9] * 4), "expanded": of(expanded), "absorbed": of(absorbed)}
    assert latent.Timing((10, 20, 30, 40), forms, "float32", 1).crossing == crossing


@pytest.mark.parametrize("contexts", [(), (0,), (5, -1)])
def test_contexts_that_are_none_are_refused(contexts):
    with pytest.raises(AttentionError, match="Give at least one of both"):
        latent.decode_times(SMALL, contexts)


def test_a_cache_of_no_token_costs_nothing_that_can_be_said():
    with pytest.raises(AttentionError, match="A cache of 0 tokens was asked for. Give 1 or more."):
        latent.costs(SMALL, 0)
