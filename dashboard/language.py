"""The words that pages show: English texts, translated by gettext into the session's language."""

from __future__ import annotations

import gettext
from contextvars import ContextVar
from functools import cache
from pathlib import Path

LOCALE = Path(__file__).with_name("locale")
"""<language>/LC_MESSAGES/dashboard.mo; without one, the English text is shown as it is."""

language: ContextVar[str] = ContextVar("language", default="en")
"""The language of the session whose script is running."""


@cache
def _catalogue(name: str) -> gettext.NullTranslations:
    return gettext.translation("dashboard", LOCALE, languages=[name], fallback=True)


def _(text: str) -> str:
    """The text in the session's language."""
    return _catalogue(language.get()).gettext(text)


def plural(one: str, many: str, count: int) -> str:
    """The form of the text that fits the count, in the session's language."""
    return _catalogue(language.get()).ngettext(one, many, count)
