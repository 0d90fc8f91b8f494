"""Distributions of scores as tables and as code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

import pandas as pd

from attention_core.embeddings import Embeddings
from attention_core.export.table import table_csv, text
from attention_core.similarity.distribution import Distribution
from attention_core.similarity.groups import GroupScores
from attention_core.similarity.ranking import Comparison

SHARES = (0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)


def summary_table(distributions: Mapping[str, Distribution]) -> pd.DataFrame:
    """One row for each measure that has a distribution: how many pairs, mean, variance, extremes and quantiles.

    Returns:
        Columns measure, pairs (counted), pairs in all, undefined, mean, mean low, mean high, variance,
        standard deviation, lowest, highest, and a quantile for each of `SHARES`, such as “99 %”.

    Example:
        >>> import attention_core as ac
        >>> e = ac.Embeddings(["a", "b"], [[1.0, 0.0], [1.0, 1.0]], "two words")
        >>> summary_table(ac.distributions(e, ["dot"]))[["measure", "pairs", "pairs in all", "mean"]].to_dict("list")
        {'measure': ['dot'], 'pairs': [1], 'pairs in all': [1], 'mean': [1.0]}
    """
    rows = []
    for name, found in distributions.items():
        if not found.pairs or found.lowest is None or found.highest is None:
            continue
        row: dict[str, object] = {
            "measure": name,
            "pairs": found.pairs,
            "pairs in all": found.population,
            "undefined": found.undefined,
            "mean": found.mean.value,
            "mean low": found.mean.low,
            "mean high": found.mean.high,
            "variance": found.variance,
            "standard deviation": found.deviation,
            "lowest": found.lowest.score,
            "highest": found.highest.score,
        }
        rows.append(row | {f"{100 * share:g} %": found.quantile(share).value for share in SHARES})
    return pd.DataFrame(rows)


def standing_table(comparison: Comparison, distributions: Mapping[str, Distribution]) -> pd.DataFrame:
    """Where the neighbours of a query stand among all pairs.

    Args:
        comparison: its top k become rows; undefined scores are left out.
        distributions: of the same vectors; measures without one are left out.

    Returns:
        Columns measure, rank, word, score, farther (the share of all pairs that are farther apart), farther low and
        farther high (the interval of that share).
    """
    rows = [
        (name, rank, text(word), score, *distributions[name].percentile(score))
        for name, ranking in comparison.rankings.items()
        if name in distributions and distributions[name].pairs
        for rank, word, score in zip(ranking.ranks.tolist(), ranking.words, ranking.scores.tolist(), strict=True)
        if isfinite(score)
    ]
    return pd.DataFrame(rows, columns=["measure", "rank", "word", "score", "farther", "farther low", "farther high"])


def groups_table(embeddings: Embeddings, found: Sequence[GroupScores]) -> pd.DataFrame:
    """The pairs inside groups: measure, first, second and score."""
    words = embeddings.words
    rows = [
        (scores.measure, text(words[a]), text(words[b]), score)
        for scores in found
        for a, b, score in zip(scores.first, scores.second, scores.within.tolist(), strict=True)
    ]
    return pd.DataFrame(rows, columns=["measure", "first", "second", "score"])


def distribution_csv(
    embeddings: Embeddings, distributions: Mapping[str, Distribution], settings: Mapping[str, str]
) -> bytes:
    """Every fine bin of every measure with its count, as `table_csv` writes it."""
    parts = [
        pd.DataFrame(
            {
                "measure": name,
                "from": found.edges[:-1],
                "to": found.edges[1:],
                "pairs": found.counts,
                "sampled": found.sampled,
            }
        )
        for name, found in distributions.items()
        if found.pairs
    ]
    return table_csv(pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(), embeddings, settings)


def distribution_code(source: str, measures: Sequence[str], query: str, k: int, seed: int) -> str:
    """Python that prints mean, 99 % quantile and the standing of a word's neighbours.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en").centred()`.
        measures: keys of `MEASURES`.
        query: a word.
        k: how many neighbours.
        seed: of the random additive weights.
    """
    weights = "None"
    if "additive" in measures:
        weights = f"ac.AdditiveWeights.random(e.dimension, e.dimension, seed={seed})"
    lines = [
        "import attention_core as ac",
        "",
        f"e = {source}",
        f"measures, weights = {list(measures)!r}, {weights}",
        "c = ac.compare(e, " + f"{query!r}, k={k}, measures=measures, weights=weights)",
        "for name, d in ac.distributions(e, measures, weights=weights).items():",
        "    print(name, d.pairs, d.mean.value, d.variance, d.quantile(0.99).value)",
        "    for word, score in zip(c[name].words, c[name].scores.tolist()):",
        "        print('   ', word, score, d.percentile(score))",
    ]
    return "\n".join(lines) + "\n"
