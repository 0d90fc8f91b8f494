"""How well each measure agrees with what people think of pairs of words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.loaders.base.opening import File
from attention_core.measures import MEASURES, Measure
from attention_core.similarity.bootstrap import Floats, Interval, Margin, Progress, interval, margins, spearman
from attention_core.similarity.bundled import table
from attention_core.similarity.hidden_sums import default_weights
from attention_core.similarity.rescoring import Scorer
from attention_core.similarity.scoring import named
from attention_core.similarity.tables import JudgedPairs, read_pairs, rows_of
from attention_core.similarity.ties import tie_keys

BLOCK = 1 << 20
"""Components widened to float64 at a time."""


@dataclass(frozen=True, eq=False)
class Judged:
    """One measure against people; what is undefined is None, with the reason.

    Attributes:
        measure: a key of `MEASURES`.
        rho: Spearman's rank correlation of people's scores with the closeness (a distance counts negatively).
        interval: the central 95 % of rho on 2,000 resamples of the pairs, those without any order left out.
        pearson: the linear correlation.
        pairs: well-formed pairs of the table.
        covered: those of which both words are in the vocabulary and neither vector is zero.
        missing: words outside the vocabulary, each once, in the order of the table.
        scores: (covered,) as the measure defines them.
        residuals: (covered,) the rank that people give a pair minus the rank by closeness, 1 the most similar and ties
            averaged: positive where the measure puts a pair closer than people do.
        why: why something is undefined, or "".
    """

    measure: str
    rho: float | None
    interval: Interval | None
    pearson: float | None
    pairs: int
    covered: int
    missing: tuple[str, ...]
    scores: Floats = field(repr=False)
    residuals: Floats = field(repr=False)
    why: str = ""


@dataclass(frozen=True, eq=False)
class Judgements(Mapping[str, Judged]):
    """By measure: how it agrees with people; all measures on the same pairs.

    Attributes:
        table: what people judged.
        scored: (covered,) which pairs of the table were scored.
        zero: how many pairs were left out since a vector is zero.
        measures: the figures.
        margins: the difference in rho of every two measures, on the same resamples; the larger first.
    """

    table: JudgedPairs = field(repr=False)
    scored: NDArray[np.intp] = field(repr=False)
    zero: int
    measures: Mapping[str, Judged]
    margins: tuple[Margin, ...]

    def __getitem__(self, measure: str) -> Judged:
        return self.measures[measure]

    def __iter__(self) -> Iterator[str]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    @property
    def human(self) -> Floats:
        """(covered,) what people gave the scored pairs."""
        return np.array(self.table.scores)[self.scored]


def judge(
    embeddings: Embeddings,
    pairs: str | File | JudgedPairs,
    measures: Sequence[str] | None = None,
    weights: object = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Judgements:
    """Correlates each measure's scores of pairs of words with people's.

    A word is looked up as it is written, then in lower case. Repeated pairs and pairs of a word with itself count as
    the table has them. Scores tie when they agree to 12 significant digits. The first word of a pair is the query.

    Args:
        embeddings: n words.
        pairs: "wordsim353", "rg65", a CSV or TSV file of word, word, score, or what `read_pairs` gives.
        measures: keys of `MEASURES`; None for all.
        weights: for the measures that need them; None for their seeded random weights, seed 0.
        seed: of the resamples.
        progress: called as progress(done, total); what it raises ends the work.

    Returns:
        By measure. Correlations are None below three covered pairs, or where all scores or all judgements are equal.

    Raises:
        EmbeddingsError: a file that cannot be read as such a table.
        ScoringError: an unknown measure, or weights that do not fit.

    Example:
        >>> import attention_core as ac
        >>> found = judge(ac.sample("glove-en"), "rg65", measures=["dot", "cosine"])
        >>> round(found["cosine"].rho, 3), round(found["dot"].rho, 3), found["cosine"].covered
        (0.594, 0.509, 65)
    """
    judged = table(pairs, JudgedPairs, read_pairs)
    chosen = [named(name) for name in (MEASURES if measures is None else measures)]
    rows = np.stack([rows_of(embeddings, words) for words in zip(*judged.pairs, strict=True)], axis=1)  # (pairs, 2)
    known = (rows >= 0).all(axis=1)
    zero = known & (embeddings.norms[rows] == 0).any(axis=1)
    scored = np.flatnonzero(known & ~zero)
    human = np.array(judged.scores)[scored]
    scores = {m.name: _scores(embeddings, rows[scored], m, weights) for m in chosen}
    closeness = [_closeness(m, scores[m.name], embeddings.norms[rows[scored]]) for m in chosen]
    reasons = [_undefined(human, keys, m) for m, keys in zip(chosen, closeness, strict=True)]
    estimates = [None if why else _rho(human, keys) for why, keys in zip(reasons, closeness, strict=True)]
    resampled = np.full((1, len(chosen)), np.nan)
    if any(estimate is not None for estimate in estimates):
        resampled = spearman(human, np.stack(closeness), seed, progress)
    shared = len(judged), len(scored), _missing(judged, rows)
    figures = {
        m.name: Judged(
            m.name,
            estimates[i],
            None if reasons[i] else interval(resampled[:, i]),
            None if reasons[i] else _pearson(human, scores[m.name], m),
            *shared,
            scores[m.name],
            stats.rankdata(-human) - stats.rankdata(-closeness[i]),
            reasons[i],
        )
        for i, m in enumerate(chosen)
    }
    names = [m.name for m in chosen]
    return Judgements(judged, scored, int(zero.sum()), figures, margins(names, estimates, resampled))


def _scores(embeddings: Embeddings, rows: NDArray[np.intp], measure: Measure, weights: object) -> Floats:
    """(pairs,) float64, each pair by the measure itself."""
    own = weights if weights is not None else default_weights(measure, embeddings.dimension)
    scorer = Scorer(measure, own if measure.needs_weights else None, Compute())
    step = max(1, BLOCK // embeddings.dimension)
    blocks = [np.empty(0)]
    for start in range(0, len(rows), step):
        first, second = (embeddings.matrix[rows[start : start + step, i]] for i in (0, 1))
        blocks.append(scorer(first.astype(np.float64), second[:, None])[:, 0])
    return np.concatenate(blocks)


def _closeness(measure: Measure, scores: Floats, norms: Floats) -> Floats:
    """Tie keys, higher where closer."""
    floor = measure.zero_below(norms[:, 0], norms[:, 1]) if measure.zero_below else 0.0
    keys = tie_keys(scores, floor)
    return -keys if measure.best == "lowest" else keys


def _undefined(human: Floats, closeness: Floats, measure: Measure) -> str:
    if not len(human):
        return "no pair has both of its words among the vectors"
    if len(human) < 3:
        return f"a correlation needs three pairs or more, and {len(human)} can be scored"
    if np.ptp(human) == 0:
        return f"people gave all {len(human):,} pairs the same score"
    return f"all {len(human):,} pairs have the same {measure.label}" if np.ptp(closeness) == 0 else ""


def _rho(human: Floats, closeness: Floats) -> float:
    return float(np.corrcoef(stats.rankdata(human), stats.rankdata(closeness))[0, 1])


def _pearson(human: Floats, scores: Floats, measure: Measure) -> float:
    found = float(np.corrcoef(human, scores / np.abs(scores).max())[0, 1])  # squares of huge scores overflow
    return -found if measure.best == "lowest" else found


def _missing(judged: JudgedPairs, rows: NDArray[np.intp]) -> tuple[str, ...]:
    absent = {judged.pairs[i][j]: None for i, j in np.argwhere(rows < 0)}
    return tuple(absent)
