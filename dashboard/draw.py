"""Figures with their alternative text, and what the reader takes along: on every page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go
import streamlit as st

import attention_core as ac
from attention_core.plots.theme import Figure
from dashboard.language import _
from dashboard.sidebar import FILE
from dashboard.view import View

TOOLBAR = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
TOOLS = {
    "displaylogo": False,
    "displayModeBar": True,
    "modeBarButtons": [
        ["lasso2d", "select2d"],
        ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"],
        ["toImage"],
    ],
}
"""For a figure whose points can be selected."""

STEADY = {"datarevision": 0}
"""For a figure that is drawn once: Streamlit hands each to Plotly twice, as copies, whose data Plotly takes for changed
unless their revision is the same. A figure that does change is another to Streamlit, which makes its place anew."""


class _Drawn(go.Figure):  # type: ignore[misc] # plotly has no types
    """A figure that Streamlit takes as it is: it checks every value of a dictionary, and none of a `go.Figure`.

    What Streamlit would set in the layout of a figure that is clicked, and thereby have it drawn again, is set here.
    """

    def __init__(self, figure: Figure, **layout: Any) -> None:
        object.__setattr__(self, "_figure", {**figure, "layout": figure["layout"] | STEADY | layout})

    def to_dict(self) -> Figure:
        """Plotly's dictionary of data and layout, all that Streamlit asks for."""
        figure: Figure = self._figure
        return figure


def figure(drawn: Figure, alt: str, key: str) -> None:
    """A figure at full width, described in words for those who do not see it."""
    st.plotly_chart(_Drawn(drawn), theme=None, alt=alt, key=key, config=TOOLBAR)


def selectable(drawn: Figure, alt: str, key: str) -> list[dict[str, Any]]:
    """A figure in which a lasso or a box selects points; the points selected, each with its `customdata`."""
    event = st.plotly_chart(
        _Drawn(drawn, clickmode="event", dragmode="select"),
        theme=None,
        alt=alt,
        key=key,
        config=TOOLS,
        on_select="rerun",
        selection_mode=("lasso", "box"),
    )
    points: list[dict[str, Any]] = event["selection"]["points"]
    return points


def clickable(drawn: Figure, alt: str, key: str, clicked: Callable[[Any], None]) -> None:
    """A figure in which a point can be clicked; `clicked` takes its `customdata` before the page runs again."""

    def chosen() -> None:
        points = st.session_state[key]["selection"]["points"]
        if points:
            clicked(points[0]["customdata"])

    st.plotly_chart(
        _Drawn(drawn, clickmode="event+select", dragmode="pan"),
        theme=None,
        alt=alt,
        key=key,
        config=TOOLBAR,
        on_select=chosen,
        selection_mode="points",
    )


def takeaway(csv: Callable[[], bytes], name: str, code: str) -> None:
    """A table as CSV, the Python that reproduces the view, and the link.

    Args:
        csv: makes the file, when it is asked for.
        name: of the file; its first part is the button's key.
        code: Python, from `loading` on.
    """
    st.download_button(
        _("Download {name}").format(name=name),
        data=csv,
        file_name=name,
        mime="text/csv",
        on_click="ignore",
        key=f"csv-{name.partition('.')[0]}",
    )
    st.code(code, language="python")
    st.markdown(
        _(
            "The address of this page is a link to what you see: it names the vectors and every choice. "
            "An uploaded file stays here; its link asks the reader for the same file."
        )
    )


def loading(view: View) -> str:
    """The Python expression for the vectors of this view, such as `ac.sample("glove-en").centred()`."""
    name = view.settings.get("source", next(iter(ac.SAMPLES)))
    source = f"ac.load({_('your file')!r})" if name == FILE else f"ac.sample({name!r})"
    prepared = [
        f".{how}()" for how, chosen in (("centred", "centre"), ("normalised", "normalise")) if chosen in view.settings
    ]
    return source + "".join(prepared)
