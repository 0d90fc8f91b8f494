"""The words that a map shows whatever else."""

from __future__ import annotations

import numpy as np

from attention_core.embeddings import Embeddings
from attention_core.similarity.groups import word_groups
from attention_core.similarity.projection import Rows, sample_rows
from attention_core.similarity.ranking import Comparison


def map_rows(embeddings: Embeddings, comparison: Comparison, limit: int, seed: int = 0) -> Rows:
    """The rows to draw where not all can be: the query, its top k, the groups, and a seeded sample of the others.

    Args:
        embeddings: n words.
        comparison: its query, where it is a word, and the top k of each of its measures are drawn.
        limit: how many rows at most, though never fewer than must be there.
        seed: of the sample.

    Returns:
        (m,) distinct rows in file order; all of them where n <= limit.

    Example:
        >>> import attention_core as ac
        >>> e = ac.sample("glove-en")
        >>> rows = map_rows(e, ac.compare(e, "king"), limit=1000)
        >>> len(rows), e.index("throne") in rows
        (1000, True)
    """
    query = [] if comparison.index is None else [comparison.index]
    neighbours = [ranking.indices for ranking in comparison.rankings.values()]
    groups = [group for group in word_groups(embeddings).values() if len(group.rows) > 1]
    always = np.concatenate([query, *neighbours, *(group.rows for group in groups)])
    return sample_rows(len(embeddings), limit, always, seed)
