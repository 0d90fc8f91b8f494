"""The products that make up a dot product, one by one."""

from __future__ import annotations

from typing import Any

from attention_core.plots.plane import A, B
from attention_core.plots.theme import Figure, Style, figure, measure_colour, room
from attention_core.similarity.pair import Terms

NAMED = 8
"""Up to so many products, each is written below its bar."""


def term_bars(
    terms: Terms, style: Style = Style(), height: int = 380, counted: str = "component", title: str = "product aᵢbᵢ"
) -> Figure:
    """Below a bar for each product aᵢbᵢ, above their sum so far, which ends at the dot product.

    Args:
        terms: in the order in which they are drawn.
        style: what it is drawn with.
        height: in pixels.
        counted: what there is one product of.
        title: of the products.
    """
    n, text = len(terms.products), style.text
    places = list(range(1, n + 1))
    rows = zip(terms.components.tolist(), terms.a.tolist(), terms.b.tolist(), strict=True)
    shared: dict[str, Any] = {
        "x": places,
        "customdata": [[i + 1, a, b, product, total] for (i, a, b), product, total in
                       zip(rows, terms.products.tolist(), terms.running.tolist(), strict=True)],
        "hovertemplate": f"{text(counted)} %{{customdata[0]}}<br>%{{customdata[1]}} × %{{customdata[2]}} = "
        f"%{{customdata[3]}}<br>{text('sum so far')} %{{customdata[4]}}<extra></extra>",
    }  # fmt: skip
    bars = {"type": "bar", "y": terms.products, "yaxis": "y2", **shared}
    bars["marker"] = {"color": [A if product >= 0 else B for product in terms.products], "line": {"width": 0}}
    line = {"type": "scatter", "mode": "lines+markers" if n <= 60 else "lines", "y": terms.running, **shared}
    colour = measure_colour("dot")
    line |= {
        "line": {"color": colour, "width": 2.5, "shape": "hv"},
        "marker": {"color": colour, "size": 5, "opacity": 1},
    }
    return figure(
        [line, bars],
        style,
        height=height,
        margin=room(left=46, right=16, bottom=42),
        xaxis=_places(terms, counted, text),
        yaxis={"title": {"text": text("sum so far")}, "domain": [0.56, 1], "zeroline": True},
        yaxis2={"title": {"text": text(title)}, "domain": [0, 0.5], "zeroline": True, "anchor": "x",
                "gridcolor": "rgba(138, 143, 152, 0.25)", "fixedrange": True, "automargin": True},
        bargap=0.15 if n <= 100 else 0,
    )  # fmt: skip


def _places(terms: Terms, counted: str, text: Any) -> dict[str, Any]:
    n = len(terms.products)
    axis: dict[str, Any] = {"anchor": "y2", "showgrid": False, "range": [0.4, n + 0.6]}
    if n > NAMED:
        return {**axis, "title": {"text": text(f"the {{n:,}} {counted}s, largest product first").format(n=n)}}
    written = [
        f"{a:.3g}<br>× {b:.3g}".replace("-", "−") for a, b in zip(terms.a.tolist(), terms.b.tolist(), strict=True)
    ]
    return {**axis, "title": {"text": text(f"{counted} by {counted}")},
            "tickvals": list(range(1, n + 1)), "ticktext": written}  # fmt: skip
