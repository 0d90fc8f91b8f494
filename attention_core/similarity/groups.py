"""Groups of words that belong together, as data/groups.csv names them, and the words that a map shows whatever else."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache

import numpy as np

from attention_core.embeddings import Embeddings
from attention_core.samples import DATA
from attention_core.similarity.projection import Rows, sample_rows
from attention_core.similarity.ranking import Comparison


def word_groups(embeddings: Embeddings) -> Mapping[str, Rows]:
    """By name, the rows of each bundled group of which two words or more occur, spelled as they are, in file order.

    Groups are English and Chinese; a word may be in several.

    Example:
        >>> import attention_core as ac
        >>> e = ac.sample("glove-en")
        >>> groups = word_groups(e)
        >>> list(groups)[:3], [e.words[row] for row in groups["royalty"]][:3]
        (['royalty', 'fruit', 'animals'], ['king', 'prince', 'kingdom'])
    """
    found = {
        name: np.unique(np.array([embeddings.index(word) for word in words if word in embeddings], dtype=np.int64))
        for name, words in _bundled().items()
    }
    return {name: rows for name, rows in found.items() if len(rows) > 1}


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
    always = np.concatenate([query, *neighbours, *word_groups(embeddings).values()])
    return sample_rows(len(embeddings), limit, always, seed)


@cache
def _bundled() -> Mapping[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    with (DATA / "groups.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            groups[line["group"]] = (*groups.get(line["group"], ()), line["word"])
    return groups
