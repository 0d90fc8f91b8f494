"""Rankings as a table and as code."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from attention_core.embeddings import Embeddings
from attention_core.export.table import table_csv, text
from attention_core.similarity.ranking import Comparison


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
                "word": [text(word) for word in ranking.words],
                "score": ranking.scores,
                "norm": embeddings.norms[ranking.indices],
            }
        )
        for name, ranking in comparison.rankings.items()
    ]
    return pd.concat(parts, ignore_index=True)


def ranking_csv(embeddings: Embeddings, comparison: Comparison, settings: Mapping[str, str]) -> bytes:
    """The table with the query and what it was computed from in every row, as `table_csv` writes it.

    Args:
        embeddings: those that were compared.
        comparison: its top k become rows.
        settings: further columns, the same in every row.
    """
    table = ranking_table(embeddings, comparison)
    table["query"] = comparison.query if comparison.index is not None else "(vector)"
    return table_csv(table, embeddings, settings)


def ranking_code(source: str, query: str | tuple[float, ...], comparison: Comparison, seed: int) -> str:
    """Python that prints the same rankings.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en").centred()`.
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
        f"e = {source}",
        f"c = ac.compare(e, {asked}, k={comparison.k}, measures={names!r}{weights})",
        "for name, ranking in c.rankings.items():",
        "    print(name, list(zip(ranking.words, ranking.scores.tolist())))",
    ]
    return "\n".join(lines) + "\n"
