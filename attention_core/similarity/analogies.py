"""Analogies a : b :: c : ?, answered by vector arithmetic under four methods, over all words at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import stats
from torch import Tensor

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.loaders.base.opening import File
from attention_core.similarity import arithmetic
from attention_core.similarity.arithmetic import METHODS
from attention_core.similarity.bootstrap import LEVEL, Interval, Progress
from attention_core.similarity.bundled import table
from attention_core.similarity.tables import Questions, read_questions, rows_of
from attention_core.similarity.ties import tie_keys


@dataclass(frozen=True)
class Share:
    """How many of the covered questions were answered right.

    Attributes:
        right: with the question's own three words excluded from the answers.
        right_allowed: with every word allowed.
        own: how many answers are one of the question's own words, where these are allowed.
        covered: questions that were asked: all four words are in the vocabulary, and no vector is zero.
        asked: questions in the table.
    """

    right: int
    right_allowed: int
    own: int
    covered: int
    asked: int

    @property
    def accuracy(self) -> float | None:
        """The share that is right; None where no question is covered."""
        return self.right / self.covered if self.covered else None

    @property
    def accuracy_allowed(self) -> float | None:
        """The same with every word allowed."""
        return self.right_allowed / self.covered if self.covered else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 % interval (1927) of `accuracy`."""
        return _wilson(self.right, self.covered)

    @property
    def interval_allowed(self) -> Interval | None:
        """Wilson's 95 % interval of `accuracy_allowed`."""
        return _wilson(self.right_allowed, self.covered)


@dataclass(frozen=True, eq=False)
class Answered:
    """One method's answers; `accuracy`, `covered` and the like are those of all sections together.

    Attributes:
        method: a key of `METHODS`.
        total: over all questions.
        sections: by section, in the order of the table.
        missing: words outside the vocabulary, each once.
        answers: (covered,) the rows of the answers, the question's words excluded.
        answers_allowed: (covered,) the same with every word allowed.
        why: why nothing is defined, or "".
    """

    method: str
    total: Share
    sections: Mapping[str, Share]
    missing: tuple[str, ...]
    answers: NDArray[np.intp] = field(repr=False)
    answers_allowed: NDArray[np.intp] = field(repr=False)
    why: str = ""

    @property
    def accuracy(self) -> float | None:
        """Of all covered questions, with the question's words excluded; None where none is covered."""
        return self.total.accuracy

    @property
    def covered(self) -> int:
        """Questions that were asked."""
        return self.total.covered


def analogies(
    embeddings: Embeddings,
    questions: str | File | Questions,
    compute: Compute | None = None,
    progress: Progress | None = None,
) -> dict[str, Answered]:
    """Answers questions a : b :: c : ? by the word that scores highest, and counts how often it is d.

    A word is looked up as it is written, then in lower case. Of equal scores the first word of the file wins; zero
    vectors never answer. Scores are float64. Memory is bounded, whatever the number of words and questions.

    Args:
        embeddings: n words.
        questions: "google", "relations-en", "relations-zh", a file, or what `read_questions` gives.
        compute: the device; None for the CPU.
        progress: called as progress(done, total); what it raises ends the work.

    Returns:
        By method: "3CosAdd", "3CosMul", "dot" and "euclidean".

    Raises:
        EmbeddingsError: a file that cannot be read as such a table.

    Example:
        >>> import attention_core as ac
        >>> found = analogies(ac.sample("glove-en"), "relations-en")
        >>> {method: round(answered.accuracy, 2) for method, answered in found.items()}
        {'3CosAdd': 0.82, '3CosMul': 0.78, 'dot': 0.66, 'euclidean': 0.82}
    """
    asked = table(questions, Questions, read_questions)
    rows = rows_of(embeddings, [word for words in asked.words for word in words]).reshape(-1, 4)
    covered = (rows >= 0).all(axis=1) & (embeddings.norms[rows] > 0).all(axis=1)
    best = _best(embeddings, rows[covered], compute or Compute(), progress)
    names = np.array(asked.sections)
    sections = {name: names == name for name in dict.fromkeys(asked.sections)}
    absent = {asked.words[i][j]: None for i, j in np.argwhere(rows < 0)}
    why = "" if covered.any() else "no question has all four of its words among the vectors"
    found = {}
    for method, (own_left_out, allowed) in best.items():
        own = (rows[covered, :3] == allowed[:, None]).any(axis=1)
        marks = np.stack([own_left_out == rows[covered, 3], allowed == rows[covered, 3], own])
        shares = {name: _share(marks[:, chosen[covered]], int(chosen.sum())) for name, chosen in sections.items()}
        found[method] = Answered(method, _share(marks, len(asked)), shares, tuple(absent), own_left_out, allowed, why)
    return found


def analogy(
    embeddings: Embeddings, a: str, b: str, c: str, k: int = 5, compute: Compute | None = None
) -> dict[str, list[tuple[str, float]]]:
    """The k best answers to a : b :: c : ? under each method, a, b and c themselves left out.

    Args:
        embeddings: n words.
        a: a word, looked up as written, then in lower case.
        b: what a is to it.
        c: a word like a.
        k: how many answers to give; fewer when there are no more words.
        compute: the device; None for the CPU.

    Returns:
        By method, (word, score), best first, ties in the order of the file; the score of "euclidean" is the distance
        ‖x − (b − a + c)‖, lower is better. Zero vectors never answer; none is given when a, b or c is one.

    Raises:
        UnknownWordError: a word that is not in the vocabulary.

    Example:
        >>> import attention_core as ac
        >>> found = analogy(ac.sample("glove-en"), "man", "king", "woman", k=1)
        >>> {method: answers[0][0] for method, answers in found.items()}
        {'3CosAdd': 'queen', '3CosMul': 'queen', 'dot': 'emperor', 'euclidean': 'queen'}
    """
    rows = rows_of(embeddings, [a, b, c])
    for row, word in zip(rows, (a, b, c), strict=True):
        if row < 0:
            embeddings.index(word)  # which refuses it
    if not (embeddings.norms[rows] > 0).all():
        return {method: [] for method in METHODS}
    parts = [block.scores for block in arithmetic.blocks(embeddings, rows[None], compute or Compute())]
    found = {}
    for method in METHODS:
        values = np.concatenate([Compute.array(scores[method])[0] for scores in parts])
        values[rows] = -np.inf
        candidates = np.flatnonzero(np.isfinite(values))
        order = candidates[np.argsort(-tie_keys(values[candidates]), kind="stable")][:k]
        shown = _distances(embeddings, rows, order) if method == "euclidean" else values[order]
        found[method] = [(embeddings.words[i], float(score)) for i, score in zip(order, shown, strict=True)]
    return found


def _distances(embeddings: Embeddings, rows: NDArray[np.intp], order: NDArray[np.intp]) -> NDArray[np.float64]:
    a, b, c = embeddings.matrix[rows].astype(np.float64)
    distances: NDArray[np.float64] = np.linalg.norm(embeddings.matrix[order] - (b - a + c), axis=1)
    return distances


def _best(
    embeddings: Embeddings, rows: NDArray[np.intp], compute: Compute, progress: Progress | None
) -> dict[str, NDArray[np.intp]]:
    """By method, (2, q) rows of the answers: the question's words excluded, and every word allowed."""
    highest = {method: np.full((2, len(rows)), -np.inf) for method in METHODS}
    answers = {method: np.zeros((2, len(rows)), dtype=np.intp) for method in METHODS}
    total = arithmetic.count(embeddings, len(rows))
    for done, block in enumerate(arithmetic.blocks(embeddings, rows, compute), 1):
        start, chosen = block.words.start, block.questions
        own = torch.from_numpy(rows[chosen, :3] - start).to(compute.device)
        for method, values in block.scores.items():
            for variant in (1, 0):
                if variant == 0:
                    _leave_out(values, own)
                top, at = (compute.array(found) for found in values.max(dim=1))
                better = top > highest[method][variant, chosen]  # of equals the first stays
                highest[method][variant, chosen][better] = top[better]
                answers[method][variant, chosen][better] = start + at[better]
        if progress is not None:
            progress(done, total)
    return answers


def _leave_out(values: Tensor, own: Tensor) -> None:
    """Marks the question's own words (q, 3) among these words as never the best."""
    inside = (own >= 0) & (own < values.shape[1])
    question, which = inside.nonzero(as_tuple=True)
    values[question, own[question, which]] = -torch.inf


def _share(marks: NDArray[np.bool_], asked: int) -> Share:
    right, right_allowed, own = (int(count) for count in marks.sum(axis=1))
    return Share(right, right_allowed, own, marks.shape[1], asked)


def _wilson(right: int, covered: int) -> Interval | None:
    if not covered:
        return None
    found: Any = stats.binomtest(right, covered).proportion_ci(LEVEL, method="wilson")
    return float(found.low), float(found.high)


def sections_of(answered: Answered) -> Sequence[str]:
    """The sections in which a question was asked."""
    return [name for name, share in answered.sections.items() if share.covered]
