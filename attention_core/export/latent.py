"""Latent attention as tables and as code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

import pandas as pd

from attention_core.attention.latent.config import LatentConfig
from attention_core.attention.latent.costs import costs
from attention_core.attention.latent.low_rank import LowRank
from attention_core.attention.latent.timing import Timing
from attention_core.attention.sentence import Sentence
from attention_core.embeddings import Embeddings
from attention_core.export.stages import sentence_code
from attention_core.export.table import table_csv

TOKENS = 256
"""Of a sentence, the first so many attend through latents of all sizes."""


def cost_table(config: LatentConfig, contexts: Sequence[int], itemsize: int, timing: Timing | None) -> pd.DataFrame:
    """One row for each form and context.

    Args:
        config: the sizes.
        contexts: tokens in the cache.
        itemsize: bytes of a cached number.
        timing: what was measured, at contexts of its own; None for nothing.

    Returns:
        Columns tokens, form, numbers_held, bytes_held, numbers_moved, operations, and milliseconds (in float32, NaN
        where not measured).

    Example:
        >>> table = cost_table(LatentConfig(7168, 128, 1536, 512, 128, 64, 128), [1], 2, None)
        >>> table[["form", "bytes_held"]].values.tolist()
        [['naive', 1152], ['expanded', 81920], ['absorbed', 1152]]
    """
    measured = {} if timing is None else {
        (n, form): 1e3 * one.seconds
        for form, of in timing.forms.items() for n, one in zip(timing.contexts, of, strict=True) if one is not None
    }  # fmt: skip
    every = sorted({*contexts, *(n for n, _ in measured)})
    rows = [
        [n, form, cost.held, cost.held * itemsize, cost.moved, cost.operations, measured.get((n, form), float("nan"))]
        for n in every
        for form, cost in costs(config, n).items()
    ]
    columns = ["tokens", "form", "numbers_held", "bytes_held", "numbers_moved", "operations", "milliseconds"]
    return pd.DataFrame(rows, columns=columns)


def cost_csv(table: pd.DataFrame, config: LatentConfig, settings: Mapping[str, str]) -> bytes:
    """The table with the sizes in every row, as `table_csv` writes it.

    Args:
        table: of `cost_table`.
        config: the sizes.
        settings: further columns, the same in every row.
    """
    sizes = {field.name: str(getattr(config, field.name)) for field in fields(config) if field.name != "yarn"}
    return table_csv(table, None, {**sizes, **settings})


def low_rank_table(found: LowRank) -> pd.DataFrame:
    """One row for each way and size of the latent.

    Returns:
        Columns rank, latent (“weights” or “vectors”: what it was fitted to), singular_value (of that number),
        keys_and_values_error, attention_error, weight_moved, and numbers_without (that keys and values would take).
    """
    errors = (found.projected, found.attended, found.moved)
    rows = [
        [r, way, float(found.singular[way][r - 1]), *(of[way][i] for of in errors), found.kept]
        for way in found.attended
        for i, r in enumerate(found.ranks)
    ]
    columns = ["rank", "latent", "singular_value", "keys_and_values_error", "attention_error", "weight_moved"]
    return pd.DataFrame(rows, columns=[*columns, "numbers_without"])


def low_rank_csv(found: LowRank, embeddings: Embeddings, settings: Mapping[str, str]) -> bytes:
    """The table as `table_csv` writes it.

    Args:
        found: becomes rows.
        embeddings: the vectors.
        settings: further columns, the same in every row.
    """
    return table_csv(low_rank_table(found), embeddings, settings)


def latent_code(config: LatentConfig, tokens: int) -> str:
    """Python that counts and measures the three forms.

    Args:
        config: the sizes.
        tokens: in the cache.
    """
    given = ", ".join(f"{field.name}={getattr(config, field.name)!r}" for field in fields(config)[:7])
    lines = [
        "import torch",
        "import attention_core as ac",
        "from attention_core.attention import LatentAttention, LatentCache, LatentConfig, latent",
        "",
        f"config = LatentConfig({given})",
        "print(config.cached, config.expanded)  # numbers for a token and layer",
        f"print(latent.costs(config, tokens={tokens}))",
        "",
        "small = LatentConfig(64, 4, 24, 16, 8, 4, 8)  # the whole layer, small enough for any machine",
        "attention = LatentAttention(small, dtype=torch.float64)  # or latent.load(file, config, prefix)",
        "x = torch.randn(1, 9, 64, dtype=torch.float64)",
        "cache = LatentCache(small, batch=1, capacity=9, like=x)",
        "first = attention.prefill(x[:, :8], cache).output",
        "last = attention.decode(x[:, 8:], cache).output  # absorbed",
        "print(torch.allclose(torch.cat([first, last], dim=1), attention(x).output))",
    ]
    return "\n".join(lines) + "\n"


def low_rank_code(source: str, width: int, heads: int, seed: int, every: int, sentence: Sentence | None = None) -> str:
    """Python that prints the errors of attention over one sentence, or the bundled ones, by size of the latent.

    Args:
        source: an expression that loads the vectors, such as `ac.sample("glove-en")`.
        width: components of all heads.
        heads: how many.
        seed: of the random weights.
        every: every so-manieth vector is fitted to.
        sentence: it is read again; None for the bundled ones.
    """
    each = "ac.attention.sentence(one.text, e)" if sentence is None else sentence_code(sentence)
    over = f"[{each} for one in ac.attention.sentences(e)]" if sentence is None else f"[{each}]"
    lines = [
        "import torch",
        "import attention_core as ac",
        "from attention_core.attention import latent",
        "from attention_core.attention.projections import Projections",
        "",
        f"e = {source}",
        f"x = [torch.tensor(one.matrix[:{TOKENS}]) for one in {over}]",
        f"weights = Projections.random({seed}, e.dimension, heads={heads}, head_size={width // heads})",
        f"found = latent.low_rank(x, torch.tensor(e.matrix[::{every}]), weights, heads={heads})",
        "print(found.ranks)",
        "print(found.attended['vectors'])",
    ]
    return "\n".join(lines) + "\n"
