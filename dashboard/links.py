"""Choices in the URL: widgets are bound to it, and what a link asks in vain is named."""

from __future__ import annotations

from collections.abc import Callable, Container

import streamlit as st

from dashboard.language import _
from dashboard.untrusted import quoted


def checked(name: str, possible: Callable[[str], bool], instead: str) -> None:
    """Names a value of the link that the widget of that name, drawn next, cannot take; Streamlit then drops it.

    Args:
        name: the URL's name of the choice, which is the widget's key too.
        possible: whether the widget can take a value.
        instead: what is shown in its place.
    """
    given = [value for value in st.query_params.get_all(name) if not possible(value)]
    if given:
        message = _("The link asks for {name} = {value}, which is not possible here; {instead} is shown instead.")
        st.warning(message.format(name=name, value=", ".join(quoted(value) for value in given), instead=instead))


def one_of(options: Container[str]) -> Callable[[str], bool]:
    """Whether a value of a link is one of the options."""
    return lambda value: value in options


def whole(low: int, high: int) -> Callable[[str], bool]:
    """Whether a value of a link is a whole number from `low` to `high`."""
    return lambda value: value.isascii() and value.isdigit() and low <= int(value[:12]) <= high


def flag(value: str) -> bool:
    """Whether a value of a link is a truth value."""
    return value in ("true", "false")
