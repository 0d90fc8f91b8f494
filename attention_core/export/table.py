"""Tables as CSV files that spreadsheets open right."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from attention_core.embeddings import Embeddings

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula."""


def cell(word: str) -> str:
    """The word as a CSV cell that no spreadsheet takes for a formula: such a word gets a leading apostrophe.

    Example:
        >>> cell("=1+1"), cell("king"), cell("-")
        ("'=1+1", 'king', "'-")
    """
    return f"'{word}" if word.startswith(FORMULA) else word


def table_csv(table: pd.DataFrame, embeddings: Embeddings | None, settings: Mapping[str, str]) -> bytes:
    """The table with what it was computed from in every row.

    Args:
        table: words in it may be anything.
        embeddings: those that it speaks of; their source and fingerprint become columns; None for figures of none.
        settings: further columns, the same in every row.

    Returns:
        UTF-8 with a byte order mark (without one, spreadsheets garble Chinese); words that would be taken for
        formulas are marked by an apostrophe, half a surrogate pair becomes “?”; numbers with all their digits.
    """
    table = table.copy()
    known = {} if embeddings is None else {"source": embeddings.source, "fingerprint": embeddings.fingerprint}
    for name, value in {**known, **settings}.items():
        table[name] = value
    for name in table.select_dtypes(include=["object", "string"]).columns:
        table[name] = [cell(text(value)) if isinstance(value, str) else value for value in table[name]]
    return table.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def text(word: str) -> str:
    """The word with “?” for half a surrogate pair, which no file can hold."""
    return word.encode("utf-8", "replace").decode()
