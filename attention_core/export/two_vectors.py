"""Two vectors as a table and as code."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from attention_core.embeddings import Embeddings
from attention_core.export.table import table_csv
from attention_core.similarity.geometry import Geometry, Move


def pair_table(geometry: Geometry) -> pd.DataFrame:
    """One row for each component.

    Returns:
        Columns component (from 1), a, b, product and sum (of the products so far); then, the same in every row, the
        move of b, the norms, angle in degrees, projection and the score under each measure (NaN where undefined).

    Example:
        >>> from attention_core.similarity.geometry import geometry
        >>> pair_table(geometry([1, 2, 3, 4], [2, 0, 1, 3]))["sum"].tolist()
        [2.0, 2.0, 5.0, 17.0]
    """
    terms, move = geometry.terms(), geometry.move
    columns = {"component": terms.components + 1, "a": terms.a, "b": terms.b, "product": terms.products}
    same = {"factor": move.factor, "degrees": move.degrees, "shift": move.shift}
    same |= {"norm_a": geometry.norm_a, "norm_b": geometry.norm_b}
    known = {"angle": geometry.angle, "projection": geometry.projection, **geometry.scores}
    return (
        pd.DataFrame({**columns, "sum": terms.running}).assign(**same, **known).astype(dict.fromkeys(known, "float64"))
    )


def pair_csv(geometry: Geometry, embeddings: Embeddings | None, settings: Mapping[str, str]) -> bytes:
    """The table as `table_csv` writes it.

    Args:
        geometry: becomes rows.
        embeddings: those that both vectors are of; None for typed numbers.
        settings: further columns, the same in every row.
    """
    return table_csv(pair_table(geometry), embeddings, settings)


def pair_code(
    source: str, a: str | tuple[float, ...], b: str | tuple[float, ...], geometry: Geometry, seed: int
) -> str:
    """Python that prints the same scores, angle, products, sweeps and invariances.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en").centred()`.
        a: a word or numbers.
        b: a word or numbers, before the move.
        geometry: its move is used.
        seed: of the random additive weights.
    """
    asked = [f"e.vector({given!r})" if isinstance(given, str) else repr(list(given)) for given in (a, b)]
    d, move = len(geometry.a), geometry.move
    moved = "" if move == Move() else f", move=ac.{move!r}"
    lines = [
        "import attention_core as ac",
        "",
        *([f"e = {source}"] if isinstance(a, str) else []),
        f"weights = ac.AdditiveWeights.random({d}, {d}, seed={seed})",
        f"g = ac.geometry({asked[0]}, {asked[1]}, weights{moved})",
        "print(g.scores)",
        "print(g.angle, g.projection, g.norm_a, g.norm_b)",
        "print(g.terms().products.tolist())",
        "for law, found in ac.invariances(g).items():",
        "    print(law, {name: (one.verdict, one.change) for name, one in found.items()})",
        "curves, surfaces = ac.sweeps(g), ac.levels(g)  # what the figures draw",
    ]
    return "\n".join(lines) + "\n"
