"""What the scores would be if the vectors pointed anywhere: their own norms, random directions.

The cosine c of two independent uniform directions in d dimensions, as normalised Gaussian vectors have them, is
distributed as 2B − 1 with B ~ Beta((d − 1)/2, (d − 1)/2) (for d = 1 it is ±1), whatever the norms. Scores with a
product form depend on c and the two norms alone, so that c is drawn and no vector is made. The others are scored on
Gaussian vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.embeddings import Embeddings
from attention_core.measures import Measure
from attention_core.measures.base import Floats
from attention_core.similarity.binning import Grid, counted
from attention_core.similarity.distribution import Distribution
from attention_core.similarity.pair_scores import drawn, scorer, weights_for
from attention_core.similarity.pairwise import BINS, distribution_of, nothing, population_of
from attention_core.similarity.scoring import named

SIZE = 1 << 19
"""Pairs drawn."""
VECTORS = 1 << 22
"""Values of the Gaussian vectors made, at most, where a score needs vectors."""


def random_directions(embeddings: Embeddings, measure: str, weights: Any = None, seed: int = 0) -> Distribution:
    """The distribution for vectors of the same norms that point in random directions: a sample of 524,288 pairs.

    Args:
        embeddings: n words; their norms are used, two different words' for each pair.
        measure: a key of `MEASURES`.
        weights: for a measure that needs them; None for its seeded random weights, seed 0.
        seed: of the draw.

    Returns:
        A sampled distribution whose extremes name no words (rows of −1).

    Raises:
        ScoringError: an unknown measure.

    Example:
        >>> e = Embeddings(list("abcd"), np.eye(4) * [1, 1, 2, 2], "four words")
        >>> bool(abs(random_directions(e, "cosine").mean.value) < 0.01)
        True
    """
    chosen = named(measure)
    if population_of(embeddings, chosen) == 0:
        return nothing(embeddings, chosen)
    scores = _scores(embeddings, chosen, weights, np.random.default_rng(seed))
    grid = Grid.around(scores, BINS)
    unnamed = np.full(len(scores), -1)
    return distribution_of(embeddings, chosen, counted(grid, scores, unnamed, unnamed), grid, 0.0, seed)


def _scores(embeddings: Embeddings, measure: Measure, weights: Any, rng: np.random.Generator) -> Floats:
    norms, d = embeddings.norms, embeddings.dimension
    if "undefined at zero" in measure.properties:
        norms = norms[norms > 0]
    form = measure.product_form
    if form is not None:
        first, second = (norms[rows] for rows in drawn(len(norms), SIZE, rng))
        cosines = 2 * rng.beta((d - 1) / 2, (d - 1) / 2, SIZE) - 1 if d > 1 else rng.choice([-1.0, 1.0], SIZE)
        return form(first * second * cosines, first, second)
    n = min(len(norms), max(2, VECTORS // d))
    vectors = rng.standard_normal((n, d))
    vectors *= (rng.choice(norms, n, replace=False) / np.linalg.norm(vectors, axis=1))[:, None]
    made = Embeddings([str(i) for i in range(n)], vectors.astype(np.float32), "random directions")
    return scorer(made, measure, weights_for(measure, d, weights)).scores(*drawn(n, SIZE, rng))
