"""Choices in the URL: widgets are bound to it, and what a link asks in vain is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Container

import streamlit as st

from dashboard.language import _
from dashboard.untrusted import quoted

TRUTHS = ("true", "false", "yes", "no", "on", "off", "1", "0", "t", "f", "y", "n")


def checked(name: str, possible: Callable[[str], bool], several: bool = False) -> None:
    """Names a value of the link that the widget of that name, drawn next, cannot take; Streamlit then drops it.

    Args:
        name: the URL's name of the choice, which is the widget's key too.
        possible: whether the widget can take a value.
        several: whether the widget takes more than one.
    """
    given = [value for value in st.query_params.get_all(name) if value]
    in_vain = [value for value in given if not possible(value)]
    if in_vain:
        message = _("The link asks for {name} = {value}, which is not possible here.")
        st.warning(message.format(name=name, value=", ".join(map(quoted, in_vain))))
    elif len(given) > 1 and not several:
        message = _("The link gives {name} more than once ({values}); one value is taken.")
        st.warning(message.format(name=name, values=", ".join(map(quoted, given))))


def one_of(options: Container[str]) -> Callable[[str], bool]:
    """Whether a value of a link is one of the options."""
    return lambda value: value in options


def between(low: float, high: float) -> Callable[[str], bool]:
    """Whether a value of a link is a number from `low` to `high`."""
    number = re.compile(r"[+-]?\d{1,12}(\.\d*)?")
    return lambda value: number.fullmatch(value) is not None and low <= float(value) <= high


def flag(value: str) -> bool:
    """Whether a value of a link is a truth value."""
    return value.lower() in TRUTHS


def anything(_value: str) -> bool:
    """For a choice whose values are answered elsewhere."""
    return True
