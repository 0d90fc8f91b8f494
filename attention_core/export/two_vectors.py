"""Two vectors as a table and as code."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from attention_core.embeddings import Embeddings
from attention_core.export.table import table_csv
from attention_core.similarity.pair import Move, Pair


def pair_table(pair: Pair) -> pd.DataFrame:
    """One row for each component.

    Returns:
        Columns component (from 1), a, b, product and sum (of the products so far); then, the same in every row, the
        move of b, the norms, angle in degrees, projection and the score under each measure (NaN where undefined).

    Example:
        >>> from attention_core.similarity.pair import pair
        >>> pair_table(pair([1, 2, 3, 4], [2, 0, 1, 3]))["sum"].tolist()
        [2.0, 2.0, 5.0, 17.0]
    """
    terms, move = pair.terms(), pair.move
    columns = {"component": terms.components + 1, "a": terms.a, "b": terms.b, "product": terms.products}
    same = {"factor": move.factor, "degrees": move.degrees, "shift": move.shift}
    same |= {"norm_a": pair.norm_a, "norm_b": pair.norm_b}
    known = {"angle": pair.angle, "projection": pair.projection, **pair.scores}
    return (
        pd.DataFrame({**columns, "sum": terms.running}).assign(**same, **known).astype(dict.fromkeys(known, "float64"))
    )


def pair_csv(pair: Pair, embeddings: Embeddings | None, settings: Mapping[str, str]) -> bytes:
    """The table as `table_csv` writes it.

    Args:
        pair: becomes rows.
        embeddings: those that both vectors are of; None for typed numbers.
        settings: further columns, the same in every row.
    """
    return table_csv(pair_table(pair), embeddings, settings)


def pair_code(source: str, a: str | tuple[float, ...], b: str | tuple[float, ...], pair: Pair, seed: int) -> str:
    """Python that prints the same scores, angle, products, sweeps and invariances.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en").centred()`.
        a: a word or numbers.
        b: a word or numbers, before the move.
        pair: its move is used.
        seed: of the random additive weights.
    """
    asked = [f"e.vector({given!r})" if isinstance(given, str) else repr(list(given)) for given in (a, b)]
    d, move = len(pair.a), pair.move
    moved = "" if move == Move() else f", move=ac.{move!r}"
    lines = [
        "import attention_core as ac",
        "",
        *([f"e = {source}"] if isinstance(a, str) else []),
        f"weights = ac.AdditiveWeights.random({d}, {d}, seed={seed})",
        f"g = ac.pair({asked[0]}, {asked[1]}, weights{moved})",
        "print(g.scores)",
        "print(g.angle, g.projection, g.norm_a, g.norm_b)",
        "print(g.terms().products.tolist())",
        "for law, found in ac.invariances(g).items():",
        "    print(law, {name: (one.verdict, one.change) for name, one in found.items()})",
        "curves, surfaces = ac.sweeps(g), ac.levels(g)  # what the figures draw",
    ]
    return "\n".join(lines) + "\n"
