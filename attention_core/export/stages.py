"""Attention over a sentence as a table and as code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields

import pandas as pd
import torch

from attention_core.attention.sentence import Sentence
from attention_core.attention.stages import Settings, Stages
from attention_core.embeddings import Embeddings
from attention_core.export.table import table_csv, text

PAIRS = 250_000
"""Up to so many pairs, each has a row; of more, the keys with the largest weights of each query."""
LARGEST = 20


def stages_table(tokens: Sequence[str], found: Stages, number: int = 0) -> pd.DataFrame:
    """One row for each query and key of a head.

    Args:
        tokens: n words.
        found: attention over them.
        number: of the head, from 0.

    Returns:
        Columns head, query_place and key_place (from 1), query, key, score, scaled, allowed and weight (NaN where
        undefined). Of more than 250,000 pairs, the 20 largest weights of each query.

    Example:
        >>> from attention_core.attention import stages
        >>> found = stages(torch.tensor([[1.0, 0.0], [2.0, 0.0]]), Settings(scale="1"))
        >>> stages_table(["a", "b"], found)["score"].tolist()
        [1.0, 2.0, 2.0, 4.0]
    """
    head = found.head(number)
    m, n = head.weights.shape
    if m * n <= PAIRS:
        keys = torch.arange(n, device=head.q.device).expand(m, n)
    else:
        keys = head.weights.nan_to_num(nan=0).topk(LARGEST, dim=1).indices
    queries = torch.arange(m, device=head.q.device).unsqueeze(1).expand_as(keys)
    place = (queries.flatten(), keys.flatten())
    allowed = True if head.mask is None else head.mask[place].cpu().numpy()
    query_places, key_places = ((found.first + place[0]).tolist(), place[1].tolist())
    return pd.DataFrame(
        {
            "head": number + 1,
            "query_place": [i + 1 for i in query_places],
            "query": [text(tokens[i]) for i in query_places],
            "key_place": [j + 1 for j in key_places],
            "key": [text(tokens[j]) for j in key_places],
            "score": head.scores[place].cpu().numpy(),
            "scaled": head.scaled[place].cpu().numpy(),
            "allowed": allowed,
            "weight": head.weights[place].cpu().numpy(),
        }
    )


def stages_csv(
    sentence: Sentence, found: Stages, number: int, embeddings: Embeddings, settings: Mapping[str, str]
) -> bytes:
    """The table as `table_csv` writes it.

    Args:
        sentence: its tokens.
        found: attention over them.
        number: of the head, from 0.
        embeddings: whose vectors they are.
        settings: further columns, the same in every row.
    """
    return table_csv(stages_table(sentence.tokens, found, number), embeddings, settings)


def settings_code(settings: Settings) -> str:
    """The settings as Python, with what differs from the defaults.

    Example:
        >>> settings_code(Settings("cosine", mask="causal"))
        "Settings(score='cosine', mask='causal')"
    """
    given = [
        f"{field.name}={getattr(settings, field.name)!r}"
        for field in fields(settings)
        if field.default is MISSING or getattr(settings, field.name) != field.default
    ]
    return f"Settings({', '.join(given)})"


def sentence_code(sentence: Sentence) -> str:
    """The sentence as Python that reads it from `e`.

    Example:
        >>> import attention_core as ac
        >>> sentence_code(ac.attention.sentence("the cat", ac.sample("glove-en")))
        "ac.attention.sentence('the cat', e)"
    """
    if not sentence.text:
        return f"ac.attention.first_words(e, {len(sentence)})"
    how = "" if sentence.treatment == "skip" else f", {sentence.treatment!r}"
    seed = f", seed={sentence.seed}" if sentence.treatment == "random" else ""
    return f"ac.attention.sentence({sentence.text!r}, e{how}{seed})"


def projections_code(settings: Settings, step: int) -> str:
    """The weights as Python: those of the settings, or of a file of one's own.

    Example:
        >>> projections_code(Settings(projection="pca"), 1)
        'settings.projections(e.dimension, e.matrix[::1])'
    """
    if settings.projection != "own":
        return f"settings.projections(e.dimension, e.matrix[::{step}])"
    loaded = "ac.attention.projections.Projections.load('weights.safetensors')"
    return f"ac.attention.shared({loaded}, heads={settings.heads}, kv_heads={settings.groups})"


def stages_code(source: str, sentence: Sentence, settings: Settings, number: int, step: int = 1) -> str:
    """Python that prints the same weights, entropies, largest weights and output.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en").centred()`.
        sentence: it is read again.
        settings: how it is attended to.
        number: of the head, from 0.
        step: every so many words are taken for the principal axes.
    """
    weights = f", {projections_code(settings, step)}" if settings.projection in ("pca", "own") else ""
    lines = [
        "import torch",
        "import attention_core as ac",
        "from attention_core.attention.stages import Settings, made, spread, stages, strongest",
        "",
        f"e = {source}",
        f"s = {sentence_code(sentence)}",
        f"settings = {settings_code(settings)}",
        f"found = stages(torch.tensor(s.matrix, dtype=torch.float64), settings{weights})",
        f"head = found.head({number})  # q, k, v, scores, scaled, masked, weights, output",
        "print(s.tokens)",
        "print(head.weights)",
        "print(spread(found, head).entropy)",
        "for link in strongest(found, head, 5, s.tokens):",
        "    print(s.tokens[link.query], s.tokens[link.key], link.weight)",
        f'print(made(found, {number}, "scores", 0, 0).terms.products)  # term by term',
        "print(found.output)",
    ]
    return "\n".join(lines) + "\n"
