"""The heads of a sentence as a table and as code."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from attention_core.attention.head_ranks import HeadRanks
from attention_core.attention.sentence import Sentence
from attention_core.attention.stages import Settings, Survey
from attention_core.embeddings import Embeddings
from attention_core.export.stages import projections_code, sentence_code, settings_code
from attention_core.export.table import table_csv, text

EXACT = 500
"""Up to so many tokens attention is computed in float64."""


def heads_table(survey: Survey, ranks: HeadRanks, token: int, word: str) -> pd.DataFrame:
    """One row for each head.

    Args:
        survey: of the heads.
        ranks: of the same heads.
        token: whose output is divided among the heads, from 0.
        word: what the token is.

    Returns:
        Columns head and kv_head (from 1), mean, lowest and highest entropy (nats) and attended distance (tokens) of the
        queries, effective rank of W_QᵀW_K and W_O·W_V, and of the head's contribution to the output of the word its
        norm, projection on the output, share of it and cosine with it; empty cells where undefined. Last one column
        for each head with the distance to it.
    """
    heads, kv_heads = survey.stages.settings.heads, survey.stages.settings.groups
    columns: dict[str, object] = {
        "head": np.arange(1, heads + 1),
        "kv_head": np.arange(heads) // (heads // kv_heads) + 1,
    }
    for name in ("entropy", "distance"):
        spread = getattr(survey.profile, name)
        columns |= {name: spread.mean, f"lowest {name}": spread.low, f"highest {name}": spread.high}
    found = survey.contributions(token)
    columns |= {
        "effective rank of scores": ranks.scores,
        "effective rank of values": ranks.values,
        "word": text(word),
        "contribution": found.norms,
        "along the output": found.along,
        "share of the output": found.shares,
        "cosine with the output": found.cosines,
    }
    columns |= {f"distance to {head + 1}": values for head, values in enumerate(survey.distances.values)}
    return pd.DataFrame(columns)


def heads_csv(table: pd.DataFrame, embeddings: Embeddings, settings: Mapping[str, str]) -> bytes:
    """A table of `heads_table` as `table_csv` writes it."""
    return table_csv(table, embeddings, settings)


def heads_code(source: str, sentence: Sentence, settings: Settings, token: int = 0, step: int = 1) -> str:
    """Python that computes the same distances, spreads, ranks, shares of variance and contributions.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en").centred()`.
        sentence: it is read again.
        settings: how it is attended to.
        token: whose output is divided among the heads, from 0.
        step: every so many words are taken for the principal axes.
    """
    lines = [
        "import torch",
        "import attention_core as ac",
        "",
        f"e = {source}",
        f"sentence = {sentence_code(sentence)}",
        f"settings = ac.attention.{settings_code(settings)}",
        f"projections = {projections_code(settings, step)}",
        f"x = torch.tensor(sentence.matrix, dtype=torch.{'float64' if len(sentence) <= EXACT else 'float32'})",
        "stages = ac.attention.stages(x, settings, projections)",
        "heads = ac.attention.survey(stages)",
        "print(heads.distances.values.round(3))",
        "print(heads.profile.entropy.mean, heads.profile.distance.mean)",
        "print(ac.attention.head_ranks(stages.projections, settings.heads).scores)",
        "print(ac.attention.head_subspaces(stages.projections, settings.heads, stages.positioned.numpy()).held)",
        f"print(heads.contributions({token}).shares)",
    ]
    return "\n".join(lines) + "\n"
