"""A map as a table and as code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.export.table import table_csv, text
from attention_core.similarity.projection import Projection
from attention_core.similarity.ranking import Comparison


def map_table(
    embeddings: Embeddings,
    projection: Projection,
    comparison: Comparison,
    groups: Mapping[str, NDArray[np.int64]],
    rows: Iterable[int] | None = None,
) -> pd.DataFrame:
    """One row for each word drawn, in file order.

    Args:
        embeddings: those that were projected.
        projection: where the words lie.
        comparison: its ranks are given, from 1; empty for the query itself and beyond the top k.
        groups: by name, rows; a word's groups are joined by “; ”.
        rows: drawn rows to keep; None for all.

    Returns:
        Columns word, norm, groups, “rank, <measure>” for each measure, and x, y (and z).

    Example:
        >>> import attention_core as ac
        >>> e = ac.Embeddings(["a", "b"], [[3.0, 4.0], [0.0, 4.0]], "two words")
        >>> table = map_table(e, ac.project(e), ac.compare(e, "a", measures=["dot"]), {"both": np.array([0, 1])})
        >>> table[["word", "norm", "groups", "x"]].values.tolist(), table["rank, dot"].tolist()
        ([['a', 5.0, 'both', 1.5], ['b', 4.0, 'both', -1.5]], [<NA>, 1])
    """
    places = np.arange(len(projection)) if rows is None else projection.places(sorted(set(rows)))
    drawn = projection.rows[places]
    table = pd.DataFrame(
        {
            "word": [text(embeddings.words[row]) for row in drawn.tolist()],
            "norm": embeddings.norms[drawn],
            "groups": _joined(groups, drawn),
        }
    )
    for name, ranking in comparison.rankings.items():
        ranks = pd.array(ranking.all_ranks[drawn], dtype="Int32")
        ranks[~np.isin(drawn, ranking.indices)] = pd.NA
        table[f"rank, {name}"] = ranks
    for axis, values in zip("xyz", projection.points[places].T, strict=False):
        table[axis] = values
    return table


def _joined(groups: Mapping[str, NDArray[np.int64]], rows: NDArray[np.int64]) -> list[str]:
    names: dict[int, list[str]] = {}
    for name, members in groups.items():
        for row in members.tolist():
            names.setdefault(row, []).append(name)
    return ["; ".join(names.get(row, ())) for row in rows.tolist()]


def map_csv(table: pd.DataFrame, embeddings: Embeddings, projection: Projection, settings: Mapping[str, str]) -> bytes:
    """A table of `map_table` with the method and what it was computed from in every row, as `table_csv` writes it."""
    how = {"method": projection.method, "drawn": str(len(projection)), "words": str(projection.total)}
    return table_csv(table, embeddings, {**how, **settings})


def map_code(source: str, projection: Projection, query: str, sample: tuple[int, int], weights_seed: int) -> str:
    """Python that makes the same picture and asks how faithful it is.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en").centred()`.
        projection: its method, dimensions and options are used.
        query: the word whose 50 closest are drawn whatever the sample.
        sample: how many words were drawn at most, and the seed.
        weights_seed: of the random additive weights.
    """
    lines = ["import attention_core as ac", "", f"e = {source}"]
    rows = ""
    if len(projection) < projection.total:
        lines += [
            f"weights = ac.AdditiveWeights.random(e.dimension, e.dimension, seed={weights_seed})",
            f"closest = ac.compare(e, {query!r}, k=50, weights=weights)",
            f"rows = ac.map_rows(e, closest, limit={sample[0]}, seed={sample[1]})",
        ]
        rows = ", rows=rows"
    options = f", options=ac.{projection.options!r}" if projection.options else ""
    lines += [
        f"p = ac.project(e, {projection.method!r}, dimensions={projection.dimensions}{rows}{options})",
        "print(p.points.shape, p.explained)",
        "for name, kept in ac.faithfulness(e, p).measures.items():",
        "    print(name, kept.overlap, kept.trustworthiness)",
    ]
    return "\n".join(lines) + "\n"
