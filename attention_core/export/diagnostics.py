"""What the diagnostics say of each word, as a table and as code."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from attention_core.embeddings import Embeddings
from attention_core.export.table import table_csv, text
from attention_core.similarity.neighbourhoods import Neighbourhoods


def diagnostics_table(embeddings: Embeddings, found: Neighbourhoods) -> pd.DataFrame:
    """One row for each word, in the order of the file.

    Args:
        embeddings: n words.
        found: their neighbours.

    Returns:
        Columns word, frequency_rank (where the source tells), norm, and for each measure the number of lists that the
        word is in, of as many query words as `asked` says.

    Example:
        >>> import attention_core as ac
        >>> e = ac.Embeddings(["a", "b", "c"], [[1, 0], [0, 2], [3, 1]], "three words")
        >>> diagnostics_table(e, ac.neighbourhoods(e, k=1))[["word", "lists_dot"]].values.tolist()
        [['a', 1], ['b', 0], ['c', 2]]
    """
    columns: dict[str, object] = {"word": [text(word) for word in embeddings.words]}
    if embeddings.frequency_rank is not None:
        columns["frequency_rank"] = embeddings.frequency_rank
    columns["norm"] = embeddings.norms
    columns |= {f"lists_{name}": hub.counts for name, hub in found.hubness.items()}
    columns["asked"] = np.full(len(embeddings), len(found.asked))
    return pd.DataFrame(columns)


def diagnostics_csv(embeddings: Embeddings, found: Neighbourhoods, settings: Mapping[str, str]) -> bytes:
    """The table, as `table_csv` writes it, with k in every row.

    Args:
        embeddings: n words.
        found: their neighbours.
        settings: further columns, the same in every row.
    """
    return table_csv(diagnostics_table(embeddings, found), embeddings, {"k": str(found.k), **settings})


def diagnostics_code(source: str) -> str:
    """Python that prints the figures of the page.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en").centred()`.
    """
    lines = [
        "import attention_core as ac",
        "",
        f"e = {source}",
        "d = ac.diagnostics(e)",
        'print("norm against frequency rank", d.norm_vs_rank)',
        'print("mean cosine of two words", d.anisotropy, "centred", d.anisotropy_centred)',
        'print("effective dimension", d.spectrum.effective_dimension)',
        "for name, hub in d.hubness.items():",
        "    print(name, hub.skewness, hub.antihub_share, hub.hubs[:5])",
        "for (a, b), overlap in d.overlap.items():",
        "    print(a, b, overlap.mean)",
    ]
    return "\n".join(lines) + "\n"
