"""Bytes counted in real tensors, what a cache gives back, and what is refused before anything is allocated."""

from dataclasses import replace

import pytest
import torch

import attention_core as ac
from attention_core.attention import LatentAttention, LatentConfig, latent, multi_head, rotary, scaled
from attention_core.attention.masks import sliding_window
from attention_core.kv_cache import (
    FORMATS,
    PRESETS,
    Allocation,
    ModelPreset,
    Part,
    Workload,
    forward,
    measure,
    measured,
    sizes,
)
from attention_core.kv_cache.layer_cache import LayerCache
from attention_core.kv_cache.storage import restored, stored
from tests.attending import DEVICES

pytestmark = pytest.mark.usefixtures("one_thread")
ODD = ModelPreset("odd sizes", 96, 6, 3, 7, 5, (3, None, 11))


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize("name", ["DeepSeek-V3", "DeepSeek-V3.2-Exp", "Gemma-3-1B", "gpt-oss-20b", "GPT-2 small"])
def test_tensors_take_what_the_formula_says(name, dtype):
    m = measure(PRESETS[name], tokens=13, batch=2, dtype=dtype)
    assert m.counted == m.formula and 0 < m.layers <= m.sizes.preset.layers
    assert m.layers < m.sizes.preset.layers or m.counted == m.whole == sizes(PRESETS[name], 13, 2, dtype).total


@pytest.mark.parametrize("layout", ["mha", "gqa", "mqa", "mla", "expanded"])
def test_every_layout_is_allocated_as_it_is_sized(layout):
    m = measure(PRESETS["DeepSeek-V2-Lite"], 11, allocation=Allocation(layout))
    assert m.layout == layout and m.counted == m.formula == m.whole


@pytest.mark.parametrize("dtype", ["float32", "float8", "int4"])
def test_windows_and_odd_sizes_are_held_as_they_are_counted(dtype):
    m = measure(ODD, 17, 2, dtype, Allocation(block=5))
    vector = {"float32": (28, 20), "float8": (7, 5), "int4": (4, 3)}[dtype]
    assert m.counted == m.whole == 2 * (3 + 17 + 11) * 3 * sum(vector)


def test_layers_are_left_out_until_the_rest_fits():
    m = measure(PRESETS["Qwen2.5-72B"], 16, allocation=Allocation(limit=10 * 65_536 + 1))
    assert m.layers == 10 and m.counted == m.formula == 10 * 65_536 and m.whole == 80 * 65_536


@pytest.mark.parametrize("device", DEVICES)
def test_the_process_grows_by_about_what_the_tensors_take(device):
    m = measure(PRESETS["Qwen2.5-72B"], 512, allocation=Allocation(limit=32 << 20, device=device))
    assert m.grown is None or m.grown == pytest.approx(m.counted, rel=0.25)


# --- what comes back


@pytest.mark.parametrize("block", [1, 4, 29])
@pytest.mark.parametrize("window", [None, 1, 3, 8, 29, 50])
def test_attention_through_the_cache_is_attention_without(window, block):
    """In float32, where nothing is rounded: the ring of a window loses none that is still seen."""
    preset, tokens = ModelPreset("any", 64, 3, 3, 8, 6, (window,)), 29
    layout = sizes(preset, 1).layouts["mha"]
    layer = forward.layer(preset, layout, seed=1)
    x = torch.randn(2, tokens, layer.hidden, generator=torch.Generator().manual_seed(2))
    cache = LayerCache(layout, Workload(tokens, 2, "float32"), window)
    out = torch.cat([layer(x[:, i : i + block], cache) for i in range(0, tokens, block)], dim=1)

    def turned(q, k, v, mask):
        places = torch.arange(tokens)
        return scaled(rotary.rotate(q, places), rotary.rotate(k, places), v, mask)

    mask = sliding_window(tokens, tokens, window or tokens)
    whole = multi_head(x, layer.projections, 3, mask=mask, attention=turned).output
    assert cache.length == tokens and cache.slots == min(window or tokens, tokens)
    torch.testing.assert_close(out, whole, rtol=0, atol=2e-6)  # float32: sums of 64 products of about 1


@torch.no_grad()
@pytest.mark.parametrize("layout", ["mla", "expanded"])
@pytest.mark.parametrize("window", [None, 7])
def test_mla_through_the_cache_is_mla_without_in_any_blocks(layout, window):
    """The plain form, which makes keys and values of every latent and keeps nothing."""
    preset, tokens = replace(PRESETS["DeepSeek-V2-Lite"], windows=(window,)), 23
    kept = sizes(preset, 1).layouts[layout]
    layer = forward.layer(preset, kept, seed=1)
    assert isinstance(layer.attention, LatentAttention)
    x = torch.randn(1, tokens, layer.hidden, generator=torch.Generator().manual_seed(2))
    whole = layer.attention(x, mask=sliding_window(tokens, tokens, window or tokens)).output
    for block in (23, 5):
        cache = LayerCache(kept, Workload(tokens, 1, "float32"), window)
        out = torch.cat([layer(x[:, i : i + block], cache) for i in range(0, tokens, block)], dim=1)
        torch.testing.assert_close(out, whole, rtol=0, atol=1e-5)  # float32: sums over 576 components


PART = Part("keys", 1, 200)
BOUNDS = {"float32": 0.0, "bfloat16": 2**-8, "float16": 2**-11, "float8": 2**-4}
"""Half a unit in the last place, as a share of the value."""


@pytest.mark.parametrize("dtype", BOUNDS)
def test_what_is_stored_comes_back_to_half_a_unit_of_its_format(dtype):
    values = torch.randn(3, 5, 200, generator=torch.Generator().manual_seed(0))
    back = restored(stored(values, PART, FORMATS[dtype]), PART, FORMATS[dtype])
    smallest = 2**-10 if dtype == "float8" else 1e-7  # below it float8 has no digits left
    assert ((back - values).abs() <= BOUNDS[dtype] * values.abs() + smallest).all()


def test_four_bits_keep_sixteen_numbers():
    values = torch.arange(-8, 8) * 0.5
    part = Part("keys", 1, 16)
    assert restored(stored(values, part, FORMATS["int4"]), part, FORMATS["int4"]).tolist() == values.tolist()
    assert restored(stored(torch.tensor([9.0, -9.0, 0.3]), Part("keys", 1, 3), FORMATS["int4"]), Part("keys", 1, 3),
                    FORMATS["int4"]).tolist() == [3.5, -4.0, 0.5]  # fmt: skip


@pytest.mark.parametrize(("part", "taken"), [(Part("latent", 1, 512), 528), (Part("indexer keys", 1, 132, True), 132)])
def test_scales_follow_the_numbers_they_belong_to(part, taken):
    size = 512 if part.name == "latent" else 128
    values = torch.randn(7, size, generator=torch.Generator().manual_seed(0)) * torch.logspace(-6, 6, 7).unsqueeze(-1)
    held = stored(values, part, FORMATS["flashmla"])
    back = restored(held, part, FORMATS["flashmla"])
    largest = values.reshape(7, -1, 128).abs().amax(dim=-1).repeat_interleave(128, dim=-1)
    assert held.shape == (7, taken) and held.dtype == torch.uint8
    assert ((back - values).abs() <= 2**-4 * values.abs() + largest / 448 * 2**-9).all()


# --- what is refused


def test_what_one_layer_takes_is_refused_with_its_figure_before_anything_is_allocated(monkeypatch):
    monkeypatch.setattr(measured, "LayerCache", lambda *args: pytest.fail("allocated"))
    with pytest.raises(
        ac.CacheError, match=r"takes 72 GiB for 2,048 × 32,768 tokens \(4\.289 TiB in all\), and 16 MiB may"
    ):
        measure(PRESETS["DeepSeek-V3"], 32_768, 2048)


def test_half_of_the_free_memory_is_the_most(monkeypatch):
    monkeypatch.setattr(measured, "available", lambda device: 1 << 20)
    with pytest.raises(ac.CacheError, match="and 512 KiB may be allocated here"):
        measure(PRESETS["Llama-2-7B"], 1000, allocation=Allocation(limit=1 << 40))
    assert measure(PRESETS["DeepSeek-V3"], 100, allocation=Allocation(limit=1 << 40)).layers == 4


@pytest.mark.parametrize(("tokens", "batch"), [(0, 1), (-3, 1), (5, 0)])
def test_nothing_is_not_measured(tokens, batch):
    with pytest.raises(ac.CacheError):
        measure(PRESETS["DeepSeek-V3"], tokens, batch)


@pytest.mark.parametrize("wanted", [{"limit": 0}, {"limit": -5}, {"block": 0}, {"block": -1}])
def test_nothing_is_not_allocated(wanted):
    with pytest.raises(ac.CacheError, match="Give 1 or more of both"):
        Allocation(**wanted)


@pytest.mark.parametrize("device", ["cuda:99", "abacus"])
def test_a_device_that_is_not_there_is_named(device):
    with pytest.raises(ac.ComputeError, match=f"The device “{device}” was asked for"):
        Allocation(device=device)
    with pytest.raises(ac.ComputeError, match=f"The device “{device}” was asked for"):
        latent.decode_times(LatentConfig(8, 1, 0, 4, 2, 2, 2), [3], device=device)


def test_a_layout_that_the_model_cannot_have_is_not_measured():
    with pytest.raises(ac.CacheError, match="71 heads"):
        measure(PRESETS["Falcon-7B"], 5, allocation=Allocation("gqa"))


def test_progress_is_reported_and_may_end_the_work():
    reports = []
    measure(PRESETS["GPT-2 small"], 40, allocation=Allocation(block=8), progress=lambda *report: reports.append(report))
    assert reports == sorted(reports) and {total for _, total in reports} == {40 * 12} and len(reports) == 5 * 12

    def stop(done, total):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        measure(PRESETS["GPT-2 small"], 40, progress=stop)
