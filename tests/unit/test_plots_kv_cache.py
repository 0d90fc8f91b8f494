"""The figures of the KV cache: valid for Plotly, drawn from the sizes given, inked for their ground, safe."""

import math

import plotly.graph_objects as go
import pytest

from attention_core.kv_cache import PRESETS, sizes
from attention_core.plots.kv_cache import LONGEST, Limit, context_lines, layout_bars, short_bytes
from attention_core.plots.theme import Style
from tests.unit.test_plots import EVIL, texts

NAMES = ("DeepSeek-V3", "DeepSeek-V3.2-Exp", "Gemma-3-27B", "Falcon-7B", "Qwen2.5-72B", "Phi-2")
LIMITS = [Limit("80 GB", 80 * 10**9), Limit("H100", 81_559 << 20), Limit(EVIL, 24_564 << 20)]


def found(tokens=32_768, batch=20, dtype="bfloat16", names=NAMES):
    return {name: sizes(PRESETS[name], tokens, batch, dtype) for name in names}


DRAWN = {
    "bars": lambda sizes_, style: layout_bars(sizes_, style=style),
    "bars with the shortcut": lambda sizes_, style: layout_bars(sizes_, "decimal", True, style),
    "lines": lambda sizes_, style: context_lines(sizes_, LIMITS, style=style),
    "lines alone": lambda sizes_, style: context_lines(sizes_, [], "decimal", style),
}
WORKLOADS = {"usual": (32_768, 20, "bfloat16"), "least": (1, 1, "int4"), "most": (1 << 20, 100_000, "float32")}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS)
@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_a_figure_is_valid_and_inked_for_its_ground(draw, workload, dark):
    style = Style(dark=dark)
    figure = go.Figure(draw(found(*workload), style))
    assert figure.layout.font.color == style.ink
    assert not any(word in ("nan", "inf") for text in texts(figure.to_dict()) for word in text.lower().split())


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_a_name_is_shown_as_it_is_and_never_interpreted(draw):
    figure = draw({EVIL: sizes(PRESETS["Qwen2.5-72B"], 100)}, Style())
    shown = list(texts(figure))
    assert not any("<img" in text for text in shown) and any("&lt;b&gt;" in text for text in shown)


def test_words_are_translated():
    figure = layout_bars(found(names=["Falcon-7B"]), style=Style(text=lambda text: f"«{text}»"))
    shown = "\n".join(texts(figure))
    for word in ("«keys»", "«MHA»", "«own»", "«undefined»"):
        assert word in shown


def test_each_bar_is_made_of_what_its_layout_keeps():
    s = found(names=["DeepSeek-V3.2-Exp"])["DeepSeek-V3.2-Exp"]
    figure = layout_bars({"it": s})
    heights = {}
    for trace in figure["data"]:
        if trace["type"] == "bar":
            for y, x in zip(trace["y"], trace["x"], strict=True):
                heights[y] = heights.get(y, 0) + x
    labels = figure["layout"]["yaxis"]["ticktext"]
    assert [labels[y].strip() for y in sorted(heights)] == ["MHA", "GQA", "MQA", "<b>MLA, own</b>", "MLA, K and V kept"]
    assert [heights[y] * 2**40 for y in sorted(heights)] == pytest.approx(list(s.bytes.values()))
    assert {trace["name"] for trace in figure["data"] if trace["type"] == "bar"} == {
        "keys", "values", "latent", "rotary key", "indexer keys"
    }  # fmt: skip


def test_a_layout_that_does_not_exist_says_so_and_why():
    figure = layout_bars(found(names=["Falcon-7B"]))
    totals = next(trace for trace in figure["data"] if trace["type"] == "scatter")
    at = totals["text"].index(" undefined")
    assert "71 heads" in totals["customdata"][at][0]


def test_the_shortcut_ignores_windows_and_heads():
    figure = layout_bars(found(100, 1, names=["Gemma-3-27B"]), counted=True)
    shortcut = next(trace for trace in figure["data"] if trace["name"] == "by the shortcut")
    assert shortcut["customdata"][0][2] == f"{2 * 2 * 5376 * 62 * 100:,}"


def test_lines_go_through_the_sizes_and_bend_where_windows_fill():
    s = found(batch=1, names=["Gemma-3-27B"])["Gemma-3-27B"]
    own = next(trace for trace in context_lines({"it": s}, [])["data"] if trace.get("name") == "it")
    assert own["x"][0] == 256 and own["x"][-1] == LONGEST and 1024 in own["x"]
    for x, y in zip(own["x"], own["y"], strict=True):
        assert y * 2**30 == pytest.approx(2 * 2 * 16 * 128 * (10 * x + 52 * min(x, 1024)))


def test_a_short_context_is_inside_the_figure():
    figure = context_lines(found(3, 1, names=["Phi-2"]), [])
    assert figure["layout"]["xaxis"]["range"][0] == pytest.approx(math.log10(3))


def test_limits_too_close_for_a_name_each_share_one():
    names = next(t for t in context_lines(found(), LIMITS[:2])["data"] if t["mode"] == "text")
    assert names["text"] == [" 80 GB, H100"]
    apart = [LIMITS[0], Limit("huge", 80 * 10**12)]
    names = next(t for t in context_lines(found(), apart)["data"] if t["mode"] == "text")
    assert names["text"] == [" 80 GB", " huge"]


def test_bytes_have_three_digits():
    assert short_bytes(0) == "0 bytes" and short_bytes(82_463_372_083) == "76.8 GiB"
