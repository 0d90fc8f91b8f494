"""Judgements as tables and as code."""

from __future__ import annotations

import pandas as pd

from attention_core.export.table import text
from attention_core.measures import MEASURES
from attention_core.similarity.analogies import Answered
from attention_core.similarity.judgements import Judgements
from attention_core.similarity.retrieval import METRICS, Retrieval
from attention_core.similarity.tables import JudgedPairs, Questions, Relevance, Table


def judged_table(judgements: Judgements) -> pd.DataFrame:
    """One row for each pair that was scored.

    Returns:
        Columns word1, word2, people, then for each measure its score and, as “… rank difference”, the rank given by
        people minus the rank by closeness.

    Example:
        >>> import attention_core as ac
        >>> judged_table(ac.judge(ac.sample("glove-en"), "rg65", measures=["dot"])).round(2).values.tolist()[0]
        ['gem', 'jewel', 3.94, 9.93, -21.5]
    """
    pairs = [judgements.table.pairs[i] for i in judgements.scored]
    columns: dict[str, object] = {
        "word1": [text(first) for first, _ in pairs],
        "word2": [text(second) for _, second in pairs],
        "people": judgements.human,
    }
    for name, judged in judgements.items():
        columns |= {name: judged.scores, f"{name} rank difference": judged.residuals}
    return pd.DataFrame(columns)


def answered_table(answers: dict[str, Answered]) -> pd.DataFrame:
    """One row for each section and method, and for all sections together (“all”); empty cells where none is covered.

    Example:
        >>> import attention_core as ac
        >>> table = answered_table(ac.analogies(ac.sample("glove-en"), "relations-en"))
        >>> table[["section", "method", "covered", "right"]].values.tolist()[0]
        ['all', '3CosAdd', 810, 667]
    """
    rows = []
    for method, answered in answers.items():
        for section, share in {"all": answered.total, **answered.sections}.items():
            low, high = share.interval or (None, None)
            low_allowed, high_allowed = share.interval_allowed or (None, None)
            rows.append(
                {
                    "section": text(section),
                    "method": method,
                    "asked": share.asked,
                    "covered": share.covered,
                    "right": share.right,
                    "accuracy": share.accuracy,
                    "low": low,
                    "high": high,
                    "right, own words allowed": share.right_allowed,
                    "accuracy, own words allowed": share.accuracy_allowed,
                    "low, own words allowed": low_allowed,
                    "high, own words allowed": high_allowed,
                }
            )
    return pd.DataFrame(rows)


def retrieved_table(retrieval: Retrieval) -> pd.DataFrame:
    """One row for each measure and metric, with its interval; empty cells where no query is covered.

    Example:
        >>> import attention_core as ac
        >>> table = retrieved_table(ac.retrieval(ac.sample("glove-en"), "groups-en", measures=["dot"]))
        >>> table.round(3).values.tolist()[0]
        ['dot', 'recall', 10, 176, 0.225, 0.192, 0.259]
    """
    rows = []
    for name, found in retrieval.items():
        for metric in METRICS:
            estimate = getattr(found, metric)
            low, high = (estimate and estimate.interval) or (None, None)
            value = estimate and estimate.value
            columns = {"k": retrieval.k, "queries": len(retrieval.queries), "value": value, "low": low, "high": high}
            rows.append({"measure": name, "metric": metric, **columns})
    return pd.DataFrame(rows)


def judged_code(source: str, table: str, seed: int) -> str:
    """Python that prints each measure's correlation with people.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en")`.
        table: the name of a bundled table, or of a file.
        seed: of the random additive weights.
    """
    return _code(source, f"ac.judge(e, {table!r}, weights=weights)", seed, "judged.rho, judged.interval")


def answered_code(source: str, table: str) -> str:
    """Python that prints each method's accuracy; arguments as those of `judged_code`."""
    return _code(source, f"ac.analogies(e, {table!r})", None, "judged.accuracy, judged.total.accuracy_allowed")


def retrieved_code(source: str, table: str, k: int, seed: int) -> str:
    """Python that prints each measure's recall, reciprocal rank and nDCG; arguments as those of `judged_code`."""
    printed = "judged.recall.value, judged.mrr.value, judged.ndcg.value"
    return _code(source, f"ac.retrieval(e, {table!r}, k={k}, weights=weights)", seed, printed)


def _code(source: str, call: str, seed: int | None, printed: str) -> str:
    weights = (
        [f"weights = ac.AdditiveWeights.random(e.dimension, e.dimension, seed={seed})"] if seed is not None else []
    )
    lines = [
        "import attention_core as ac",
        "",
        f"e = {source}",
        *weights,
        f"for name, judged in {call}.items():",
        f"    print(name, {printed})",
    ]
    return "\n".join(lines) + "\n"


def example(table: Table, rows: int = 12) -> bytes:
    """The first rows of a table as the CSV file that a reader may write one like.

    Example:
        >>> import attention_core as ac
        >>> print(example(ac.JUDGEMENTS["rg65"].read(), rows=1).decode())
        word1,word2,score
        gem,jewel,3.94
    """
    if isinstance(table, JudgedPairs):
        found = pd.DataFrame(table.pairs, columns=["word1", "word2"]).assign(score=table.scores)
    elif isinstance(table, Questions):
        found = pd.DataFrame(table.words, columns=["a", "b", "c", "d"])
        found.insert(0, "section", table.sections)
    else:
        gains = table.gains if isinstance(table, Relevance) else {}
        listed = [(query, item, gain) for query, items in gains.items() for item, gain in items.items()]
        found = pd.DataFrame(listed, columns=["query", "item", "gain"])
    return found.head(rows).to_csv(index=False).encode()


def summary(judgements: Judgements) -> pd.DataFrame:
    """One row for each measure: rho with its interval, and Pearson's correlation; empty where undefined.

    Example:
        >>> import attention_core as ac
        >>> summary(ac.judge(ac.sample("glove-en"), "rg65", measures=["dot"])).round(3).values.tolist()
        [['dot product', 0.509, 0.301, 0.664, 0.505, 65, 65]]
    """
    rows = []
    for name, judged in judgements.items():
        low, high = judged.interval or (None, None)
        figures = {"rho": judged.rho, "low": low, "high": high, "pearson": judged.pearson}
        rows.append({"measure": MEASURES[name].label, **figures, "covered": judged.covered, "pairs": judged.pairs})
    return pd.DataFrame(rows)
