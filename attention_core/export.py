"""What a reader takes away: tables as CSV, and the Python that reproduces a view."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from attention_core.embeddings import Embeddings
from attention_core.similarity.ranking import Comparison

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula."""


def cell(word: str) -> str:
    """The word as a CSV cell that no spreadsheet takes for a formula: such a word gets a leading apostrophe.

    Example:
        >>> cell("=1+1"), cell("king"), cell("-")
        ("'=1+1", 'king', "'-")
    """
    return f"'{word}" if word.startswith(FORMULA) else word


def ranking_table(embeddings: Embeddings, comparison: Comparison) -> pd.DataFrame:
    """One row for each neighbour under each measure.

    Args:
        embeddings: those that were compared.
        comparison: its top k become rows.

    Returns:
        Columns measure, rank, word (with “?” for half a surrogate pair, which no file can hold), score (NaN where
        undefined) and norm.

    Example:
        >>> import attention_core as ac
        >>> e = ac.sample("glove-en")
        >>> ranking_table(e, ac.compare(e, "king", k=1, measures=["dot"])).round(3).values.tolist()
        [['dot', 1, 'emperor', 27.206, 6.543]]
    """
    parts = [
        pd.DataFrame(
            {
                "measure": name,
                "rank": ranking.ranks,
                "word": [word.encode("utf-8", "replace").decode() for word in ranking.words],
                "score": ranking.scores,
                "norm": embeddings.norms[ranking.indices],
            }
        )
        for name, ranking in comparison.rankings.items()
    ]
    return pd.concat(parts, ignore_index=True)


def ranking_csv(embeddings: Embeddings, comparison: Comparison, settings: Mapping[str, str]) -> bytes:
    """The table with what it was computed from in every row, as a CSV file that spreadsheets open right.

    Args:
        embeddings: those that were compared.
        comparison: its top k become rows.
        settings: further columns, the same in every row.

    Returns:
        UTF-8 with a byte order mark (without one, spreadsheets garble Chinese); words that would be taken for
        formulas are marked by an apostrophe; scores with all their digits.
    """
    table = ranking_table(embeddings, comparison)
    table["query"] = comparison.query if comparison.index is not None else "(vector)"
    table["source"] = embeddings.source
    table["fingerprint"] = embeddings.fingerprint
    for name, value in settings.items():
        table[name] = value
    for name in table.select_dtypes(include=["object", "string"]).columns:
        table[name] = table[name].map(cell)
    return table.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def ranking_code(source: str, prepare: str, query: str | tuple[float, ...], comparison: Comparison, seed: int) -> str:
    """Python that prints the same rankings.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en")`.
        prepare: method calls that follow it, such as ".centred().normalised()", or "".
        query: a word or the numbers of a vector.
        comparison: its measures and k are used.
        seed: of the random additive weights.
    """
    names = list(comparison.rankings)
    asked = repr(query) if isinstance(query, str) else f"np.array({list(query)!r})"
    weights = ""
    if "additive" in names:
        weights = f", weights=ac.AdditiveWeights.random(e.dimension, e.dimension, seed={seed})"
    lines = [
        "import attention_core as ac",
        *([] if isinstance(query, str) else ["import numpy as np"]),
        "",
        f"e = {source}{prepare}",
        f"c = ac.compare(e, {asked}, k={comparison.k}, measures={names!r}{weights})",
        "for name, ranking in c.rankings.items():",
        "    print(name, list(zip(ranking.words, ranking.scores.tolist())))",
    ]
    return "\n".join(lines) + "\n"
