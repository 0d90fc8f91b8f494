"""The flow of one token through multi-head latent attention, with the shapes of a configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attention_core.attention.latent.config import LatentConfig
from attention_core.plots.theme import MUTED, OKABE_ITO, Figure, Style, figure, number

LEFT, RIGHT, MIDDLE = 1.0, 3.0, 2.0
"""Where the columns stand: queries at the left, keys and values at the right, what both make in the middle."""
WIDTH, HEIGHT = 1.82, 0.66
"""Of a box; rows are 1 apart."""
KEPT = OKABE_ITO[1]
"""The colour of what is cached."""


@dataclass(frozen=True)
class Box:
    """A vector or matrix on its way.

    Attributes:
        x, y: its middle, rows counted downwards.
        lines: what stands in it: a formula and a shape.
        meaning: what it is, on hover.
        look: “plain”, “cached”, or “unneeded” for what the absorbed form never makes.
        width: of the box.
    """

    x: float
    y: float
    lines: tuple[str, str]
    meaning: str
    look: str = "plain"
    width: float = WIDTH


def latent_flow(config: LatentConfig, itemsize: int, style: Style = Style()) -> Figure:
    """Boxes for what a token becomes, from h to the output, in the absorbed form; what is cached is filled and weighed.

    Args:
        config: whose shapes are written.
        itemsize: bytes of a number in the cache.
        style: what it is drawn with.
    """
    boxes = _boxes(config, itemsize, style)
    shapes = [_rectangle(box, style) for box in boxes]
    texts = [
        {
            "x": box.x,
            "y": box.y,
            "text": "<br>".join(box.lines),
            "showarrow": False,
            "font": {"size": 14 if box.look != "note" else 13},
        }
        for box in boxes
    ]
    hover = {
        "type": "scatter",
        "mode": "markers",
        "x": [box.x for box in boxes],
        "y": [box.y for box in boxes],
        "marker": {"size": 34, "opacity": 0, "symbol": "square"},
        "customdata": [box.meaning for box in boxes],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    hidden = {"visible": False, "fixedrange": True}
    return figure(
        [hover],
        style,
        height=620,
        xaxis={**hidden, "range": [0, 4]},
        yaxis={**hidden, "range": [6.5, -0.45]},
        shapes=shapes,
        annotations=[*_arrows(config, style), *texts],
    )


def _boxes(config: LatentConfig, itemsize: int, style: Style) -> list[Box]:
    t = style.text
    heads, rank, rope = config.num_heads, config.kv_lora_rank, config.qk_rope_head_dim
    nope, v, hidden = config.qk_nope_head_dim, config.v_head_dim, config.hidden_size
    kept = f"{config.cached * itemsize:,}"
    queries = [Box(LEFT, 1, ("c<sup>Q</sup> = norm(W<sup>DQ</sup> h)", f"{config.q_lora_rank:,}"),
                   t("the query's latent, not cached"))] if config.q_lora_rank else []  # fmt: skip
    return [
        Box(MIDDLE, 0, ("h", f"{hidden:,}"), t("the hidden state of one token")),
        *queries,
        Box(LEFT, 2, ("q<sup>C</sup>, q<sup>R</sup> ↻", f"{heads} × ({nope} + {rope})"),
            t("each head's query: without position, and rotary (turned)")),
        Box(RIGHT, 1, ("[c; k<sup>R</sup>] = W<sup>DKV</sup> h", f"{rank} + {rope}"),
            t("one matrix makes latent and rotary key")),
        Box(RIGHT - 0.31, 2, ("c = norm(·)", f"{rank}"), t("the latent after its norm, cached for all heads"),
            "cached", 1.2),
        Box(RIGHT + 0.61, 2, ("k<sup>R</sup> ↻", f"{rope}"), t("one rotary key for all heads, turned and cached"),
            "cached", 0.6),
        Box(LEFT, 3, ("q̃ = W<sup>UK⊤</sup> q<sup>C</sup>", f"{heads} × {rank}"),
            t("absorbed: W^UK goes into the query, which meets the latent itself")),
        Box(RIGHT + 0.12, 3, ("k<sup>C</sup>, v = W<sup>UKV</sup> c", f"{heads} × ({nope} + {v})"),
            t("what the naive form makes of every cached latent; never made here"), "unneeded", 1.58),
        Box(MIDDLE, 4, ("a = softmax(s (q̃·c + q<sup>R</sup>·k<sup>R</sup>))", f"{heads} × n"),
            t("each head's weights over n cached tokens; s = 1/√{d} = {scale}").format(
                d=config.qk_head_dim, scale=number(config.scale, 4)), width=2.6),
        Box(MIDDLE, 5, ("o = W<sup>UV</sup> Σ a c", f"{heads} × {v}"),
            t("absorbed: latents are mixed first, W^UV makes each head's value of the mixture"), width=2.5),
        Box(MIDDLE, 6, ("u = W<sup>O</sup> [o]", f"{hidden:,}"), t("heads joined and projected")),
        Box(RIGHT, 2.49, (t("cached: {n} numbers, {bytes} bytes").format(n=config.cached, bytes=kept), ""),
            t("for one token and layer"), "note"),
    ]  # fmt: skip


def _rectangle(box: Box, style: Style) -> dict[str, Any]:
    colours = {"cached": KEPT, "plain": style.ink, "unneeded": MUTED, "note": "rgba(0, 0, 0, 0)"}
    fill = "rgba(230, 159, 0, 0.3)" if box.look == "cached" else "rgba(0, 0, 0, 0)"
    return {
        "type": "rect",
        "x0": box.x - box.width / 2,
        "x1": box.x + box.width / 2,
        "y0": box.y - HEIGHT / 2,
        "y1": box.y + HEIGHT / 2,
        "line": {
            "color": colours[box.look],
            "width": 2.5 if box.look == "cached" else 1,
            "dash": "dot" if box.look == "unneeded" else "solid",
        },
        "fillcolor": fill,
        "layer": "below",
    }


def _arrows(config: LatentConfig, style: Style) -> list[dict[str, Any]]:
    """From the lower edge of one row to the upper edge of another."""
    first = 1 if config.q_lora_rank else 2
    ways = [
        (MIDDLE - 0.4, 0, LEFT, first),
        *([(LEFT, 1, LEFT, 2)] if config.q_lora_rank else []),
        (MIDDLE + 0.4, 0, RIGHT, 1),
        (RIGHT - 0.3, 1, RIGHT - 0.3, 2),
        (RIGHT + 0.62, 1, RIGHT + 0.62, 2),
        (LEFT, 2, LEFT, 3),
        (LEFT, 3, MIDDLE - 0.6, 4),
        (MIDDLE, 4, MIDDLE, 5),
        (MIDDLE, 5, MIDDLE, 6),
    ]
    arrows = [_arrow(x0, y0 + HEIGHT / 2, x1, y1 - HEIGHT / 2, style.ink) for x0, y0, x1, y1 in ways]
    left = RIGHT - WIDTH / 2
    past = [_arrow(left + 0.1, 2 + HEIGHT / 2, left + 0.02, 4 - HEIGHT / 2, KEPT, 2.5)]
    return [*arrows, *past]


def _arrow(x0: float, y0: float, x1: float, y1: float, colour: str, width: float = 1.2) -> dict[str, Any]:
    return {
        "x": x1, "y": y1, "ax": x0, "ay": y0, "axref": "x", "ayref": "y", "xref": "x", "yref": "y", "text": "",
        "showarrow": True, "arrowhead": 2, "arrowsize": 1, "arrowwidth": width, "arrowcolor": colour,
    }  # fmt: skip
