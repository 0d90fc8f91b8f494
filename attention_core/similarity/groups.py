"""Groups of words that belong together, and whether a measure brings them together."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.errors import ScoringError
from attention_core.measures import Measure
from attention_core.measures.base import Floats
from attention_core.samples import DATA
from attention_core.similarity.binning import Rows
from attention_core.similarity.distribution import Estimate
from attention_core.similarity.pair_scores import scorer, weights_for
from attention_core.similarity.scoring import named

OTHERS = 20_000
"""Words outside a group that it is compared with, at most: all of them, or so many drawn at random."""


@dataclass(frozen=True)
class WordGroup:
    """A group of data/groups.csv, as far as the vectors know its words.

    Attributes:
        name: such as “royalty”.
        words: those that the vectors know.
        missing: the others.
        rows: (m,) their rows, in file order.
    """

    name: str
    words: tuple[str, ...]
    missing: tuple[str, ...]
    rows: NDArray[np.int64] = field(repr=False, compare=False)


@dataclass(frozen=True, eq=False)
class GroupScores:
    """The scores inside groups of words, and between them and all other words.

    Attributes:
        measure: a key of `MEASURES`.
        first, second: (m,) rows of the pairs inside a group.
        within: (m,) float64 their scores.
        outward: scores of a word of a group with a word of none, undefined ones left out.
        others: how many words of no group were compared with.
        outside: how many there are.
        seed: of their draw; None where all were compared.
        separation: the share of (inside, outward) pairs of pairs in which the inside one is closer, ties counting half:
            0.5 says that the measure does not see the groups, 1 that it separates them; with the 95 % interval where
            other words were drawn. None where there is no pair of one kind.
    """

    measure: str
    first: Rows = field(repr=False)
    second: Rows = field(repr=False)
    within: Floats = field(repr=False)
    outward: Floats = field(repr=False)
    others: int
    outside: int
    seed: int | None
    separation: Estimate | None


def word_groups(embeddings: Embeddings) -> Mapping[str, WordGroup]:
    """The groups of data/groups.csv in the language of which most words are known; those with a known word.

    Example:
        >>> import attention_core as ac
        >>> word_groups(ac.sample("glove-en"))["royalty"].words[:3]
        ('king', 'queen', 'prince')
    """
    languages: dict[str, dict[str, list[str]]] = {}
    with open(DATA / "groups.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            languages.setdefault(row["lang"], {}).setdefault(row["group"], []).append(row["word"])
    known = {
        language: sum(word in embeddings for words in groups.values() for word in words)
        for language, groups in languages.items()
    }
    found = {
        name: WordGroup(
            name,
            tuple(word for word in words if word in embeddings),
            tuple(word for word in words if word not in embeddings),
            np.sort(np.array([embeddings.index(word) for word in words if word in embeddings], dtype=np.int64)),
        )
        for name, words in languages[max(known, key=lambda language: known[language])].items()
    }
    return {name: group for name, group in found.items() if group.words}


def group_scores(
    embeddings: Embeddings,
    groups: Sequence[Sequence[str]],
    measure: str,
    weights: object = None,
    seed: int = 0,
) -> GroupScores:
    """Scores of every two words of one group, and of every group word with every word of no group.

    Args:
        embeddings: n words.
        groups: words that belong together; a group of one word has no pair inside.
        measure: a key of `MEASURES`; where it is not symmetric, the earlier word of a pair is its query.
        weights: for a measure that needs them; None for its seeded random weights, seed 0.
        seed: of the draw of other words, where there are more than 20,000.

    Raises:
        UnknownWordError: a word that is not in the vocabulary.
        ScoringError: an unknown measure, or no group.

    Example:
        >>> import attention_core as ac
        >>> e = ac.sample("glove-en")
        >>> found = group_scores(e, [word_groups(e)["royalty"].words], "cosine")
        >>> len(found.within), f"{found.separation.value:.2f}"
        (45, '1.00')
    """
    chosen = named(measure)
    if not groups:
        raise ScoringError("No group of words was given. Give one or more.")
    rows = [np.array([embeddings.index(word) for word in group], dtype=np.intp) for group in groups]
    members = np.unique(np.concatenate(rows))
    outside = np.setdiff1d(np.arange(len(embeddings)), members)
    drawn = len(outside) > OTHERS
    others = np.sort(np.random.default_rng(seed).choice(outside, OTHERS, replace=False)) if drawn else outside
    pairs = [np.triu_indices(len(group), 1) for group in rows]
    first = np.concatenate([group[i] for group, (i, _) in zip(rows, pairs, strict=True)])
    second = np.concatenate([group[j] for group, (_, j) in zip(rows, pairs, strict=True)])
    used = np.union1d(members, others)
    some = Embeddings([embeddings.words[row] for row in used], embeddings.matrix[used], embeddings.source)
    exact = scorer(some, chosen, weights_for(chosen, embeddings.dimension, weights))

    def scores(queries: Rows, keys: Rows) -> Floats:
        return exact.scores(np.searchsorted(used, queries), np.searchsorted(used, keys))

    within = scores(first, second)
    outward = scores(np.repeat(members, len(others)), np.tile(others, len(members)))
    kept, outward = np.isfinite(within), outward.reshape(len(members), len(others))
    return GroupScores(
        measure,
        first[kept],
        second[kept],
        within[kept],
        outward[np.isfinite(outward)],
        len(others),
        len(outside),
        seed if drawn else None,
        _separation(chosen, within[kept], outward, drawn),
    )


def _separation(measure: Measure, within: Floats, outward: Floats, drawn: bool) -> Estimate | None:
    """From where each outward score stands among those inside: the drawn words are independent of each other."""
    outward = outward[:, np.isfinite(outward).any(axis=0)]
    outward = outward[np.isfinite(outward).all(axis=1)]
    if not len(within) or not outward.size:
        return None
    ordered = np.sort(within)
    below = np.searchsorted(ordered, outward, side="left") + np.searchsorted(ordered, outward, side="right")
    shares = below.mean(axis=0) / (2 * len(within))  # of the inside pairs, below each other word's outward ones
    shares = shares if measure.best == "lowest" else 1 - shares
    value = float(shares.mean())
    error = 1.96 * float(shares.std(ddof=1)) / len(shares) ** 0.5 if drawn else 0.0
    return Estimate(value, max(0.0, value - error), min(1.0, value + error))
