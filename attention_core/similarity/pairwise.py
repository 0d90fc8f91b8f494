"""All pairs of words, or a stated sample of them, scored and counted.

Measures that can be read off one product q·k are counted over all pairs as long as that stays within a budget. The
others (the additive score, for which (a, b) and (b, a) differ), and larger vocabularies, are counted over pairs drawn
at random with replacement, unless there are fewer pairs than would be drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError
from attention_core.measures import MEASURES, Measure
from attention_core.measures.base import Floats
from attention_core.similarity.binning import Counted, Grid
from attention_core.similarity.counting import Counter, Progress
from attention_core.similarity.distribution import Distribution
from attention_core.similarity.lanes import lanes_of
from attention_core.similarity.pair_scores import Drawn, Exact, drawn, listed, products, scorer, weights_for
from attention_core.similarity.scoring import named

BINS = 8_192
LOOKED_AT = 1 << 15
"""Pairs drawn to find the range of the bins."""
STEP = 1 << 16
"""Pairs of a sample scored at a time."""


@dataclass(frozen=True)
class Sampling:
    """When pairs are drawn, and how many.

    Attributes:
        size: pairs drawn where not all are counted: a million know any share to 0.1 percentage points.
        budget: pairs x (dimensions + 300) up to which all are counted: about 3 seconds on two cores.
        seed: of the draw.
    """

    size: int = 1 << 20
    budget: float = 4e11
    seed: int = 0

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ScoringError(
                f"A sample has at least one pair, and a size of {self.size} was given. Choose 1 or more."
            )

    def takes_all(self, words: int, dimension: int) -> bool:
        """Whether all pairs of so many words are within the budget."""
        return words * (words - 1) / 2 * (dimension + 300) <= self.budget


def distribution(
    embeddings: Embeddings,
    measure: str,
    bins: int = BINS,
    weights: object = None,
    sampling: Sampling | None = None,
    progress: Progress | None = None,
) -> Distribution:
    """How the scores of all pairs of different words are distributed; see `distributions`.

    Example:
        >>> import attention_core as ac
        >>> cosines = distribution(ac.sample("glove-en"), "cosine")
        >>> f"{cosines.pairs:,} pairs, mean {cosines.mean.value:.3f}, deviation {cosines.deviation:.3f}"
        '33,370,365 pairs, mean 0.223, deviation 0.188'
        >>> f"{100 * cosines.percentile(0.62).value:.1f} % of the pairs are farther apart than 0.62"
        '98.1 % of the pairs are farther apart than 0.62'
    """
    return distributions(embeddings, [measure], bins, weights, sampling, progress)[measure]


def distributions(
    embeddings: Embeddings,
    measures: Sequence[str] | None = None,
    bins: int = BINS,
    weights: object = None,
    sampling: Sampling | None = None,
    progress: Progress | None = None,
) -> dict[str, Distribution]:
    """How the scores of all pairs of different words are distributed under each measure, from one product.

    Every pair is counted once ((a, b) and (b, a) where the measure is not symmetric), or a sample is drawn, and the
    result says which. The product is float32 where that is exact enough for the bins, else float64 (see `lanes`).

    Args:
        embeddings: n words.
        measures: keys of `MEASURES`; None for all.
        bins: how many equal bins are laid over twice the range that some pairs drawn at random reach.
        weights: for the measures that need them; None for their seeded random weights, seed 0.
        sampling: when to draw pairs, and how many; None for the defaults.
        progress: called with pairs (done, total).

    Returns:
        By measure. Pairs with a zero vector have no cosine: they are told, not counted; where no pair is left, `why`
        says so.

    Raises:
        ScoringError: fewer than two words, an unknown measure, too few or too many bins.
    """
    chosen = [named(name) for name in (MEASURES if measures is None else measures)]
    require_pairs(embeddings)
    if not 16 <= bins <= 32_000:
        raise ScoringError(f"From 16 to 32,000 bins can be counted, and {bins:,} were asked for. Choose such a number.")
    own = {measure.name: weights_for(measure, embeddings.dimension, weights) for measure in chosen}
    job = _Job(embeddings, bins, own, sampling or Sampling(), progress)
    found: dict[str, Distribution] = {}
    for family in families([measure.name for measure in chosen]):
        found |= job.run([MEASURES[name] for name in family])
    return {measure.name: found[measure.name] for measure in chosen}


def require_pairs(embeddings: Embeddings) -> None:
    """Raises ScoringError for a single word."""
    if len(embeddings) < 2:
        raise ScoringError("A distribution is one of pairs of words, and there is one word. Load two words or more.")


def families(measures: Sequence[str] | None = None) -> tuple[tuple[str, ...], ...]:
    """The measures that are counted in one pass: those of one product together, each other by itself.

    Example:
        >>> families()
        (('dot', 'cosine', 'euclidean'), ('additive',))
    """
    names = list(MEASURES) if measures is None else measures
    shared = tuple(name for name in names if MEASURES[name].product_form)
    alone = [(name,) for name in names if not MEASURES[name].product_form]
    return (shared, *alone) if shared else tuple(alone)


@dataclass(frozen=True, eq=False)
class _Job:
    embeddings: Embeddings
    bins: int
    weights: Mapping[str, object]
    sampling: Sampling
    progress: Progress | None

    def run(self, family: Sequence[Measure]) -> dict[str, Distribution]:
        """Of measures that share a product, or of one."""
        empty = {m.name: nothing(self.embeddings, m) for m in family if population_of(self.embeddings, m) == 0}
        measures = [measure for measure in family if measure.name not in empty]
        if not measures:
            return empty
        exact = {m.name: scorer(self.embeddings, m, self.weights[m.name], self._alive) for m in measures}
        seen = self._seen(measures, exact)
        grids = {name: Grid.around(scores, self.bins) for name, scores in seen.items()}
        n, d = len(self.embeddings), self.embeddings.dimension
        whole = measures[0].product_form is not None and self.sampling.takes_all(n, d)
        lanes = lanes_of(self.embeddings, measures, grids, seen, ("float32", "float64") if whole else ("float64",))
        counter = Counter(self.embeddings, grids, lanes, exact, self.progress)
        seed = None
        if whole:
            counted = counter.all_pairs()
        else:
            ordered = not all("symmetric" in measure.properties for measure in measures)
            total = n * (n - 1) // (1 if ordered else 2)
            seed = None if total <= self.sampling.size else self.sampling.seed
            blocks = self._drawn() if seed is not None else listed(n, ordered, STEP)
            counted = counter.given(blocks, min(total, self.sampling.size))
        rounding = {name: lanes[name].rounding if name in lanes else exact[name].rounding for name in exact}
        return empty | {
            m.name: distribution_of(self.embeddings, m, counted[m.name], grids[m.name], rounding[m.name], seed)
            for m in measures
        }

    def _alive(self) -> None:
        """Lets a reader stop what is done before the first pair is counted."""
        if self.progress:
            self.progress(0, 1)

    def _seen(self, measures: Sequence[Measure], exact: Mapping[str, Exact]) -> dict[str, Floats]:
        """Scores of some pairs of words with a direction, or of any if there are no two such words."""
        rows = np.flatnonzero(self.embeddings.norms)
        rows = rows if len(rows) > 1 else np.arange(len(self.embeddings))
        places = drawn(len(rows), LOOKED_AT, np.random.default_rng(0))
        first, second = rows[places.first], rows[places.second]
        if measures[0].product_form is None:
            return {name: scored.scores(first, second) for name, scored in exact.items()}
        product, norms = products(self.embeddings, first, second), self.embeddings.norms
        return {m.name: m.product_form(product, norms[first], norms[second]) for m in measures if m.product_form}

    def _drawn(self) -> Iterator[Drawn]:
        rng = np.random.default_rng(self.sampling.seed)
        for start in range(0, self.sampling.size, STEP):
            yield drawn(len(self.embeddings), min(STEP, self.sampling.size - start), rng)


def _words(embeddings: Embeddings, measure: Measure) -> int:
    """How many words have a score with others."""
    everywhere = "undefined at zero" not in measure.properties
    return len(embeddings) if everywhere else int(np.count_nonzero(embeddings.norms))


def _among(words: int, measure: Measure) -> int:
    """How many pairs of so many words the measure tells apart."""
    return words * (words - 1) // (2 if "symmetric" in measure.properties else 1)


def population_of(embeddings: Embeddings, measure: Measure) -> int:
    """How many pairs of different words have a score."""
    return _among(_words(embeddings, measure), measure)


def nothing(embeddings: Embeddings, measure: Measure) -> Distribution:
    """For vectors of which no pair that was looked at has a score."""
    population = population_of(embeddings, measure)
    why = f"fewer than two vectors differ from zero, so no pair has a {measure.label}"
    if population:
        why = f"all pairs drawn hold a zero vector, so none of them has a {measure.label}"
    none, undefined = np.empty(0, dtype=np.int64), _among(len(embeddings), measure) - population
    return Distribution(measure.name, np.zeros(1), none, population, undefined, None, None, None, 0.0, why)


def distribution_of(
    embeddings: Embeddings, measure: Measure, counted: Counted, grid: Grid, rounding: float, seed: int | None
) -> Distribution:
    """What was counted, without the empty bins at both ends; the outer edges are the lowest and the highest score."""
    low, high = counted.lowest, counted.highest
    if low is None or high is None:
        return nothing(embeddings, measure)
    used = np.flatnonzero(counted.counts)
    edges = np.concatenate([[-np.inf], grid.edges, [np.inf]])[used[0] : used[-1] + 2]
    edges[0], edges[-1] = low.score, high.score
    edges = np.clip(edges, low.score, high.score)  # whose rounding may pass the bin's other end
    counts, population = counted.counts[used[0] : used[-1] + 1], population_of(embeddings, measure)
    undefined = _among(len(embeddings), measure) - population
    return Distribution(measure.name, edges, counts, population, undefined, seed, low, high, rounding)
