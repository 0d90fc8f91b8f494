"""How much of the space a picture keeps: whether neighbours in one are neighbours in the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError
from attention_core.measures import MEASURES, Measure
from attention_core.similarity.projection import Projection, Rows, sample_rows
from attention_core.similarity.scoring import named
from attention_core.similarity.ties import tie_keys

Floats = NDArray[np.float64]

ASKED = 500
"""Words that are asked for their neighbours: trustworthiness is then known to about ± 0.01."""
SCORES = 1 << 20
"""Scores kept at a time: 8 MiB for each measure."""
WIDENED = 1 << 21
"""Components widened to float64 at a time: 16 MiB."""


@dataclass(frozen=True)
class Estimate:
    """A mean over words, with its 95 % interval; both ends are the value where every word was asked.

    Attributes:
        value: the mean over the words asked.
        low, high: value ± 1.96 standard errors, corrected for the finite number of words; None for a single word.
    """

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Kept:
    """What a picture keeps of one measure's neighbours.

    Attributes:
        overlap: how many of a word's k closest are among its k nearest in the picture, from 0 to k; None where
            undefined.
        trustworthiness: in [0, 1], 1 when no word is near in the picture that is not near in the space, and about 0.5
            for points at random (Venna and Kaski 2001); None where undefined.
        asked: how many words were asked.
        why: why both are undefined, or which words could not be asked, or "".
    """

    overlap: Estimate | None
    trustworthiness: Estimate | None
    asked: int
    why: str = ""


@dataclass(frozen=True)
class Faithfulness:
    """How faithful a picture is; `faithfulness["cosine"]` speaks of one measure.

    Attributes:
        k: how many neighbours were compared: those asked for, or fewer than half of the words drawn.
        drawn: m, the words in the picture; both kinds of neighbours are sought among these.
        measures: by measure, what is kept.
    """

    k: int
    drawn: int
    measures: Mapping[str, Kept]

    def __getitem__(self, measure: str) -> Kept:
        return self.measures[measure]

    @property
    def by_chance(self) -> float:
        """The overlap that a picture of points at random has on average: k²/(m − 1)."""
        return self.k**2 / max(1, self.drawn - 1)


def faithfulness(
    embeddings: Embeddings,
    projection: Projection,
    measures: Sequence[str] | None = None,
    k: int = 10,
    asked: Sequence[int] | Rows | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Faithfulness:
    """Whether a word's neighbours in the picture are its neighbours by each measure, among the words drawn.

    Each word asked is ranked against all words drawn, in float64, ties in file order. Trustworthiness is
    1 − 2/(mk(2m − 3k − 1))·ΣΣ(r − k) over the picture's neighbours whose rank r in the space is beyond k: that of
    scikit-learn where all words are asked, which also compares them under one distance only.

    Args:
        embeddings: those that were projected.
        projection: the picture.
        measures: keys of `MEASURES`, with their random weights of seed 0 where they need some; None for those that
            need none.
        k: how many neighbours.
        asked: drawn rows, a random sample of all that are drawn; None for 500 of them, or all where there are fewer.
        progress: called with (done, total) scores under each measure; may raise to stop.

    Raises:
        ScoringError: k < 1, an unknown measure, or rows that are not drawn.

    Example:
        >>> import attention_core as ac
        >>> e = ac.Embeddings(["a", "b", "c", "d"], [[0, 0, 9], [1, 0, 8], [4, 0, 7], [6, 1, 0]], "four words")
        >>> kept = faithfulness(e, ac.project(e), ["euclidean"], k=1)["euclidean"]
        >>> kept.overlap.value, kept.trustworthiness.value
        (1.0, 1.0)
    """
    if k < 1:
        raise ScoringError(f"k is the number of neighbours to compare, and {k} was given. Choose 1 or more.")
    m = len(projection)
    chosen = [named(name) for name in (_without_weights() if measures is None else measures)]
    k = min(k, (m - 1) // 2)
    spread = bool(np.ptp(projection.points, axis=0).any())
    if not k or not spread:
        why = "all points lie in one place" if not spread else "with two words any picture keeps every neighbour"
        return Faithfulness(k, m, {measure.name: Kept(None, None, 0, why) for measure in chosen})
    places = _places(projection, asked)
    kept: dict[str, list[Floats]] = {measure.name: [] for measure in chosen}
    step = max(1, SCORES // m)
    for start in range(0, len(places), step):
        some = places[start : start + step]
        report = partial(_report, progress, start * m, len(some), len(places) * m)
        near = _nearest(projection.points, some, k)
        for measure, scores in _scores(embeddings, projection, some, chosen, report):
            kept[measure.name].append(_ranks(measure, scores, some, near))
    return Faithfulness(k, m, {name: _kept(np.concatenate(ranks), k, m) for name, ranks in kept.items()})


def nearest_in_picture(projection: Projection, row: int, k: int) -> Rows:
    """The rows of the k other words drawn nearest to a row that is drawn, nearest first, ties in file order."""
    [near] = _nearest(projection.points, _places(projection, [row]), min(k, len(projection) - 1))
    found: Rows = projection.rows[near]
    return found


def _report(progress: Callable[[int, int], None] | None, before: int, asked: int, total: int, words: int) -> None:
    """`words` of all words drawn have been scored with those that are asked now."""
    if progress is not None:
        progress(before + asked * words, total)


def _without_weights() -> list[str]:
    return [name for name, measure in MEASURES.items() if not measure.needs_weights]


def _places(projection: Projection, asked: Sequence[int] | Rows | None) -> NDArray[np.intp]:
    if asked is None:
        return sample_rows(len(projection), ASKED).astype(np.intp)
    places = projection.places(asked)
    if not len(places) or len(places) != len(np.asarray(asked)):
        raise ScoringError("Only words in the picture can be asked, and others or none were given. Give drawn rows.")
    return places


def _nearest(points: Floats, places: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    """(q, k) positions of the points nearest to each of these, itself left out."""
    distances = np.zeros((len(places), len(points)))
    for axis in points.T / (np.abs(points).max() or 1):
        distances += (axis[places, None] - axis) ** 2
    distances[np.arange(len(places)), places] = np.inf
    farthest = np.partition(distances, k - 1, axis=1)[:, k - 1]
    found = np.empty((len(places), k), dtype=np.intp)
    for own, row, most in zip(found, distances, farthest, strict=True):
        near = np.flatnonzero(row <= most)  # k of them, and more where the last ones tie
        own[:] = near[np.argsort(row[near], kind="stable")[:k]]
    return found


def _scores(
    embeddings: Embeddings,
    projection: Projection,
    places: NDArray[np.intp],
    measures: Sequence[Measure],
    report: Callable[[int], None],
) -> list[tuple[Measure, Floats]]:
    """By measure: (q, m) float64 scores of some of the words drawn with all of them, widened block by block."""
    d = embeddings.dimension
    weights = {m.name: m.random_weights(d, d, 0) for m in measures if m.random_weights}
    queries = torch.from_numpy(embeddings.matrix[projection.rows[places]].astype(np.float64))
    step = max(1, WIDENED // d)
    blocks: dict[str, list[torch.Tensor]] = {measure.name: [] for measure in measures}
    for start in range(0, len(projection), step):
        report(start)
        keys = torch.from_numpy(embeddings.matrix[projection.rows[start : start + step]].astype(np.float64))
        for measure in measures:
            blocks[measure.name].append(measure(queries, keys, weights.get(measure.name)))
    norms = embeddings.norms[projection.rows]
    found = []
    for measure in measures:
        scores = torch.cat(blocks[measure.name], dim=1).numpy()
        floor = measure.zero_below(norms[places][:, None], norms) if measure.zero_below else 0.0
        found.append((measure, tie_keys(scores, floor)))
    return found


def _ranks(measure: Measure, scores: Floats, places: NDArray[np.intp], near: NDArray[np.intp]) -> Floats:
    """(q, k) ranks from 1, under the measure, of the picture's neighbours; NaN for a word without defined scores."""
    farness = np.where(np.isnan(scores), np.inf, scores if measure.best == "lowest" else -scores)
    undefined = np.isinf(farness).all(axis=1)
    rows = np.arange(len(places))
    farness[rows, places] = np.nan  # never counted
    ranks = np.empty(near.shape)
    for column, found in enumerate(near.T):
        own = farness[rows, found][:, None]
        ranks[:, column] = np.count_nonzero(farness < own, axis=1) + 1
        for row in np.flatnonzero(np.count_nonzero(farness == own, axis=1) > 1):
            ranks[row, column] += np.count_nonzero(farness[row, : found[row]] == own[row])
    ranks[undefined] = np.nan
    return ranks


def _kept(ranks: Floats, k: int, m: int) -> Kept:
    defined = ranks[~np.isnan(ranks).any(axis=1)]
    lost = len(ranks) - len(defined)
    if not len(defined):
        return Kept(None, None, 0, "the words asked are zero vectors, which have no neighbours by it")
    overlap = (defined <= k).sum(axis=1)
    trust = 1 - 2 / (k * (2 * m - 3 * k - 1)) * np.maximum(0, defined - k).sum(axis=1)
    why = f"zero vectors have no neighbours by it and are not asked: {lost:,} here" if lost else ""
    share = len(ranks) / m
    return Kept(_estimate(overlap, share, k), _estimate(trust, share, 1), len(defined), why)


def _estimate(values: Floats, share: float, most: float) -> Estimate:
    """The mean of values from 0 to `most`; `share` is the part of all words asked (Cochran 1977, section 2.6)."""
    mean = float(values.mean())
    if share == 1:
        return Estimate(mean, mean, mean)
    if len(values) < 2:
        return Estimate(mean, None, None)
    error = 1.96 * float(values.std(ddof=1)) * float(np.sqrt((1 - share) / len(values)))
    return Estimate(mean, max(0.0, mean - error), min(most, mean + error))
