"""Words and their vectors: the one value that everything else takes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.errors import EmbeddingsError, UnknownWordError

BLOCK = 1 << 16
"""Values that an operation widens to float64 at a time: they stay in a processor's cache."""


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Distinct words and one finite vector for each.

    Attributes:
        words: (n,) distinct strings, in file order.
        matrix: (n, d) float32, C-contiguous and read-only; made so from whatever is given.
        source: where the vectors come from, in words a reader understands.
        warnings: what the loader noticed and did about it, one sentence each.
        frequency_rank: (n,) int64, read-only: each word's place in a corpus by frequency, 1 for the most frequent; None
            where the source does not tell.

    Raises:
        EmbeddingsError: no words, a word given twice, a matrix that is not (n, d) with d >= 1, a value that is not
            finite in float32, or ranks that are not n whole numbers.

    Example:
        >>> e = Embeddings(["king", "queen"], [[3.0, 4.0], [0.0, 2.0]], source="two words")
        >>> e.matrix.shape, e.norms.tolist(), e.index("queen")
        ((2, 2), [5.0, 2.0], 1)
    """

    words: Sequence[str]
    matrix: NDArray[np.float32]
    source: str
    warnings: tuple[str, ...] = ()
    frequency_rank: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", tuple(self.words))
        object.__setattr__(self, "matrix", _read_only_float32(self.matrix, self.source))
        object.__setattr__(self, "frequency_rank", _read_only_ranks(self.frequency_rank, len(self.words), self.source))
        if len(self.words) != len(self.matrix):
            raise EmbeddingsError(
                f"{self.source}: {len(self.words):,} words were given for {len(self.matrix):,} vectors. "
                "Give one word for each row of the matrix."
            )
        if len(self._positions) != len(self.words):
            twice = next(word for i, word in enumerate(self.words) if self._positions[word] != i)
            raise EmbeddingsError(f"{self.source}: the word “{twice}” was given twice. Keep one vector for each word.")
        if not all_finite(self.matrix):
            row = int(np.argmin(np.isfinite(self.matrix).all(axis=1)))
            raise EmbeddingsError(
                f"{self.source}: row {row + 1} (“{self.words[row]}”) holds a value that is not finite in float32. "
                "Remove the row or repair its values."
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return Embeddings, (
            self.words,
            self.matrix,
            self.source,
            self.warnings,
            self.frequency_rank,
        )  # copies are read-only

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Embeddings({self.source!r}, {len(self):,} x {self.dimension})"

    @property
    def dimension(self) -> int:
        """d, the number of components of each vector."""
        return int(self.matrix.shape[1])

    @cached_property
    def _positions(self) -> dict[str, int]:
        return dict(zip(self.words, range(len(self.words)), strict=True))

    @cached_property
    def fingerprint(self) -> str:
        """sha-256 of shape, words, values and ranks, as 64 hex digits: equal when these are, to the last bit.

        What is computed from vectors is kept by their fingerprint, and some of it speaks of ranks.
        """
        digest = hashlib.sha256(f"{self.matrix.shape}".encode())
        for word in self.words:
            encoded = word.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(encoded) + encoded)
        digest.update(self.matrix.astype("<f4", copy=False).data)
        if self.frequency_rank is not None:
            digest.update(self.frequency_rank.astype("<i8", copy=False).data)
        return digest.hexdigest()

    @cached_property
    def norms(self) -> NDArray[np.float64]:
        """(n,) Euclidean lengths of the vectors, summed in float64."""
        squares = np.einsum("nd,nd->n", self.matrix, self.matrix, dtype=np.float64)
        norms: NDArray[np.float64] = np.sqrt(squares)
        norms.setflags(write=False)
        return norms

    @cached_property
    def longest(self) -> float:
        """The largest of the norms."""
        return float(self.norms.max())

    def __contains__(self, word: object) -> bool:
        return word in self._positions

    def index(self, word: str) -> int:
        """The row of a word, exactly as written.

        Raises:
            UnknownWordError: the word is not in the vocabulary; the nearest spellings are named.
        """
        try:
            return self._positions[word]
        except KeyError:
            raise UnknownWordError(word, self.nearest_spellings(word), self.source) from None

    def vector(self, word: str) -> NDArray[np.float32]:
        """(d,) float32, the read-only vector of a word; raises like `index`."""
        vector: NDArray[np.float32] = self.matrix[self.index(word)]
        return vector

    def nearest_spellings(self, word: str, limit: int = 6) -> tuple[str, ...]:
        """Vocabulary words spelled like `word`, case ignored: up to limit / 2 that continue it, then the most similar.

        Similarity is rapidfuzz's normalised Indel similarity, from 0.5 up; () when no word is like it.
        """
        from rapidfuzz import fuzz, process

        wanted = word.lower()
        longer = [i for i, other in enumerate(self._lower_words) if wanted and other.startswith(wanted)]
        longer = sorted(longer, key=lambda i: len(self.words[i]))[: limit // 2]
        similar = process.extract(wanted, self._lower_words, scorer=fuzz.ratio, limit=limit, score_cutoff=50)
        rows = dict.fromkeys([*longer, *(index for _, _, index in similar)])
        return tuple(self.words[i] for i in rows)[:limit]

    @cached_property
    def _lower_words(self) -> list[str]:
        return [word.lower() for word in self.words]

    def centred(self) -> Embeddings:
        """The vectors minus their mean, computed in float64 and stored in float32."""
        mean = self.matrix.mean(axis=0, dtype=np.float64)
        return self._derived(_rounded(np.subtract, self.matrix, mean), "centred")

    def normalised(self) -> Embeddings:
        """The vectors divided by their norms, computed in float64 and stored in float32.

        A zero vector has no direction: it stays zero, and a warning says so.
        """
        zero = self.norms == 0
        matrix = _rounded(np.divide, self.matrix, np.where(zero, 1.0, self.norms)[:, None])
        if not zero.any():
            return self._derived(matrix, "normalised")
        first = self.words[int(np.argmax(zero))]
        warning = f"{int(zero.sum()):,} zero vectors (first: “{first}”) have no direction and stay zero."
        return self._derived(matrix, "normalised", warning)

    def _derived(self, matrix: NDArray[np.float32], how: str, *warnings: str) -> Embeddings:
        values = _read_only_float32(matrix, self.source)
        return replace(self, matrix=values, source=f"{self.source}, {how}", warnings=(*self.warnings, *warnings))


def _rounded(operation: np.ufunc, matrix: NDArray[np.float32], by: NDArray[np.float64]) -> NDArray[np.float32]:
    """An operation in float64, each result rounded at once: no matrix of twice the size is held."""
    result, by = np.empty_like(matrix), np.broadcast_to(by, matrix.shape)
    step = max(1, BLOCK // matrix.shape[1])
    with np.errstate(over="ignore"):
        for start in range(0, len(matrix), step):
            rows = slice(start, start + step)
            result[rows] = operation(matrix[rows], by[rows])
    result.setflags(write=False)
    return result


def all_finite(values: NDArray[np.float32]) -> bool:
    """Whether no value is nan or infinite, as a rule in one pass; at least one value is needed.

    A sum of squares is never finite when one of its terms is not; the other way round it may only be too large.

    Example:
        >>> all_finite(np.float32([1, 2])), all_finite(np.float32([1, np.nan])), all_finite(np.float32([-np.inf, 2]))
        (True, False, False)
    """
    flat = values.reshape(-1)
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.dot(flat, flat)
    return bool(np.isfinite(total) or (np.isfinite(values.min()) and np.isfinite(values.max())))


def _read_only_float32(matrix: ArrayLike, source: str) -> NDArray[np.float32]:
    try:
        given = np.asarray(matrix)
    except ValueError:
        raise EmbeddingsError(
            f"{source}: the rows differ in length. Give each row the same count of numbers."
        ) from None
    if given.ndim != 2 or 0 in given.shape:
        raise EmbeddingsError(
            f"{source}: a matrix of shape (words, dimensions) with at least one of each is expected, "
            f"found shape {given.shape}. Give one row of numbers for each word."
        )
    if given.dtype.kind not in "fiub":
        raise EmbeddingsError(f"{source}: numbers are expected, found dtype {given.dtype}. Convert the values first.")
    with np.errstate(over="ignore"):
        values = np.ascontiguousarray(given, dtype=np.float32)
    if np.may_share_memory(values, given) and _changeable(values):
        values = values.copy()
    values.setflags(write=False)
    return values


def _read_only_ranks(ranks: ArrayLike | None, count: int, source: str) -> NDArray[np.int64] | None:
    if ranks is None:
        return None
    given = np.asarray(ranks)
    if given.shape != (count,) or given.dtype.kind not in "iu":
        raise EmbeddingsError(
            f"{source}: one whole number for each of {count:,} words is expected as frequency ranks, found shape "
            f"{given.shape} of type {given.dtype}. Give each word its place by frequency, or none."
        )
    values = given.astype(np.int64)
    values.setflags(write=False)
    return values


def _changeable(values: NDArray[np.float32]) -> bool:
    """Whether somebody else could still write into the array, or into one that it is a view of."""
    owner: object = values
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return True
        owner = owner.base
    return False
