"""One look for every figure: colours, numbers and labels, readable on light and dark grounds."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias
from unicodedata import east_asian_width

from plotly.colors import get_colorscale

from attention_core.measures import MEASURES

Figure: TypeAlias = dict[str, Any]
"""Plotly's data and layout as plain values, which `plotly.graph_objects.Figure` takes. Plotly's own objects check every
value, at twenty times the cost of drawing; the tests check every figure against its schema instead."""


@dataclass(frozen=True)
class Style:
    """What a figure is drawn with: a translator of its words, and the ground it stands on.

    Attributes:
        text: translates one English text.
        dark: whether the ground is dark.
    """

    text: Callable[[str], str] = str
    dark: bool = False

    @property
    def ink(self) -> str:
        """The colour of text: above 7 : 1 on either ground."""
        return "#E6E8EC" if self.dark else "#31333F"

    @property
    def ground(self) -> str:
        """The colour of the page behind a figure."""
        return "#171614" if self.dark else "#FFFFFF"


OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
"""Okabe and Ito (2008): distinguishable in all common forms of colour blindness; one per measure, by its place."""

WORDS = (
    "#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377", "#EE7733", "#009988", "#9970AB", "#997700",
    "#5566EE", "#99BB66", "#DD99CC", "#B04A2F", "#77AADD", "#6A8A82",
)  # fmt: skip
"""For words that are followed from one column to another (Tol's bright scheme, lengthened)."""

MUTED = "#8A8F98"
"""What is there only for comparison."""

GRID = "rgba(138, 143, 152, 0.25)"
SIGNED, SEQUENTIAL = (get_colorscale(name) for name in ("puor", "cividis"))


def measure_colour(name: str) -> str:
    """The colour of a measure: its position in the whole registry, whichever measures are shown."""
    return OKABE_ITO[list(MEASURES).index(name) % len(OKABE_ITO)]


JOINERS = "\u200c\u200d"
"""Zero-width (non-)joiners, which Persian, Hindi and emoji need inside words."""


def printable(word: str) -> str:
    r"""The word with signs for what has no shape of its own: “␣” for control characters, “(empty)” for no word.

    Example:
        >>> printable("a\tb"), printable("")
        ('a␣b', '(empty)')
    """
    if word.isprintable():
        return word or "(empty)"
    return "".join(c if c.isprintable() or c in JOINERS else "␣" for c in word)


def label(word: str, length: int = 24) -> str:
    """A word as a figure may show it: shortened, without control characters, and escaped for Plotly's HTML.

    Example:
        >>> label("<img src=x onerror=alert(1)>")
        '&lt;img src=x onerror=aler…'
    """
    whole = printable(word)
    short = whole if len(whole) <= length else whole[: length - 1] + "…"
    return html.escape(short, quote=False)


LETTER, WIDE_LETTER = 7.0, 13.0
"""Pixels of a letter, and of a Chinese character."""


def extent(*labels: str) -> float:
    """About how many pixels the widest of some labels takes.

    Example:
        >>> extent("a", "the"), extent("&lt;"), extent("猫")
        (21.0, 7.0, 13.0)
    """
    wide = (sum(WIDE_LETTER if east_asian_width(c) in "WF" else LETTER for c in html.unescape(t)) for t in labels)
    return max(wide, default=0.0)


def room(left: float = 8, right: float = 8, top: float = 8, bottom: float = 8) -> dict[str, float]:
    """Margins, in pixels, for what stands beside a figure's axes: Plotly widens those that fall short.

    It measures what it has drawn and then draws all of it again, so that a figure with room enough takes half the time.
    """
    return {"l": left, "r": right, "t": top, "b": bottom}


def number(value: float, digits: int = 3) -> str:
    """A number to 3 significant digits, thousands separated, with a true minus sign.

    Example:
        >>> [number(x) for x in (27.2056, 0.8237, -3.1, 12345.6, 1.5e-7, 0.0)]
        ['27.2', '0.824', '−3.10', '12,300', '1.50e−7', '0']
    """
    if value == 0:
        return "0"
    size = abs(value)
    rounded = f"{value:.{digits - 1}e}"
    mantissa, _, exponent = rounded.partition("e")
    if 1e-3 <= size < 1e6:
        decimals = max(0, digits - 1 - int(exponent))
        return f"{float(rounded):,.{decimals}f}".replace("-", "−")
    return f"{mantissa}e{int(exponent)}".replace("-", "−")


def percent(share: float) -> str:
    """A share in whole percent, never rounded to 0 or 100 unless it is.

    Example:
        >>> percent(0.8934), percent(0.9999), percent(1.0)
        ('89 %', '> 99 %', '100 %')
    """
    if 0 < share <= 0.005:
        return "< 1 %"
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{100 * share:.0f} %"


def side_axis(places: list[int], texts: list[str], span: list[float]) -> dict[str, Any]:
    """A second vertical axis at the right, whose labels the figure makes room for."""
    return {
        "overlaying": "y",
        "side": "right",
        "range": span,
        "tickvals": places,
        "ticktext": texts,
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
    }


def figure(traces: list[dict[str, Any]], style: Style, height: int, **layout: Any) -> Figure:
    """A figure with thin grids, tight margins and no legend unless asked for.

    What holds for all axes is said of each: Plotly takes a template for another one, and draws all anew, whenever it is
    handed the same figure twice, as Streamlit does.
    """
    axis = {"gridcolor": GRID, "zeroline": False, "fixedrange": True, "automargin": True}
    axes = {
        name: axis | given
        for name, given in ({"xaxis": {}, "yaxis": {}} | layout).items()
        if name.startswith(("xaxis", "yaxis"))
    }
    base: dict[str, Any] = {
        "font": {"family": "'Source Sans', 'Source Sans Pro', sans-serif", "size": 13, "color": style.ink},
        "height": height,
        "margin": room(),
        "showlegend": False,
        "dragmode": False,
        "hoverlabel": {"align": "left"},
        "paper_bgcolor": "rgba(0, 0, 0, 0)",
        "plot_bgcolor": "rgba(0, 0, 0, 0)",
    }
    return {"data": traces, "layout": base | layout | axes}
