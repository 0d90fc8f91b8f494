"""What people judged, read from small tables: pairs with scores, analogies, and items relevant to queries."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attention_core.embeddings import Embeddings
from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.opening import File
from attention_core.loaders.base.wording import counted, quoted
from attention_core.similarity.cells import Cells, Row, decimal_of, left_out, read_cells, value


@dataclass(frozen=True)
class Table:
    """What all three have.

    Attributes:
        name: of the file, or of a bundled table.
        notes: what was noticed on reading, one sentence each.
    """

    name: str
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    def __len__(self) -> int:
        raise NotImplementedError

    @property
    def items(self) -> Iterable[tuple[str, ...]]:
        """For each thing that is judged, the words it needs."""
        raise NotImplementedError

    def covers(self, embeddings: Embeddings) -> bool:
        """Whether anything in it can be judged: all the words it needs are in the vocabulary."""
        return any((rows_of(embeddings, words) >= 0).all() for words in self.items)

    @cached_property
    def fingerprint(self) -> str:
        """sha-256 of what was read, as 64 hex digits."""
        return hashlib.sha256(repr(self).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class JudgedPairs(Table):
    """Pairs of words, and how similar people find each.

    Attributes:
        pairs: (first, second) word of each well-formed row.
        scores: what people gave it; higher is more similar.
    """

    pairs: tuple[tuple[str, str], ...]
    scores: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def items(self) -> Iterable[tuple[str, ...]]:
        """The pairs."""
        return self.pairs

    @cached_property
    def identical(self) -> int:
        """Pairs of a word with itself."""
        return sum(first.lower() == second.lower() for first, second in self.pairs)

    @cached_property
    def repeated(self) -> int:
        """Pairs that occurred before, in either order."""
        return len(self.pairs) - len({frozenset((first.lower(), second.lower())) for first, second in self.pairs})


@dataclass(frozen=True)
class Questions(Table):
    """Analogies a : b :: c : d.

    Attributes:
        words: (a, b, c, d) of each question.
        sections: the section of each; one nameless section where the table has none.
    """

    words: tuple[tuple[str, ...], ...]
    sections: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def items(self) -> Iterable[tuple[str, ...]]:
        """The questions with their answers."""
        return self.words


@dataclass(frozen=True)
class Relevance(Table):
    """Which items people want to find with a query.

    Attributes:
        gains: by query, by item: how relevant it is; 0 for one that was judged and is not.
    """

    gains: Mapping[str, Mapping[str, float]]

    def __len__(self) -> int:
        return len(self.gains)

    @property
    def items(self) -> Iterable[tuple[str, ...]]:
        """Each query with each relevant item."""
        return ((query, item) for query, items in self.gains.items() for item, gain in items.items() if gain > 0)


def rows_of(embeddings: Embeddings, words: Sequence[str]) -> NDArray[np.intp]:
    """(w,) the row of each word as it is written, else in lower case, else −1.

    Example:
        >>> e = Embeddings(["Rome", "paris"], np.eye(2), "two words")
        >>> rows_of(e, ["Rome", "Paris", "rome"]).tolist()
        [0, 1, -1]
    """
    written = (word if word in embeddings else word.lower() for word in words)
    return np.array([embeddings.index(word) if word in embeddings else -1 for word in written], dtype=np.intp)


def read_pairs(file: File, name: str | None = None) -> JudgedPairs:
    r"""A table of word, word, score: the score is the first column after the words that holds mostly numbers.

    Separated by commas, semicolons, tabs or spaces; a header is one without a number there. Decimal commas are read.
    A row without two words and a finite score is left out and told.

    Raises:
        EmbeddingsError: a file that is no such table.

    Example:
        >>> from io import BytesIO
        >>> read_pairs(BytesIO(b"king\tqueen\t8,58\nking\tcabbage\tlow\n"), "mine.tsv")
        JudgedPairs(name='mine.tsv', notes=('1 row was left out: line 2 (“low” is no number).',),
                    pairs=(('king', 'queen'),), scores=(8.58,))
    """
    found = read_cells(file, name, lambda cells: len(cells) > 2 and any(map(_numeric, cells[2:])), spaces=True)
    column = _score_column(found)
    numbers = [row.cells[column] for row in found.rows if len(row.cells) > column]
    decimal = decimal_of([cell for cell in numbers if _numeric(cell)])
    first = found.rows[0].cells
    header = len(first) > column and not _numeric(first[column]) and len(found.rows) > 1 and bool(first[column])
    pairs, scores, bad = [], [], []
    for row in found.rows[header:]:
        cell = row.cells[column] if len(row.cells) > column else ""
        score = value(cell, decimal)
        if score is None or not all(row.cells[:2]):
            bad.append((row.line, _pair_fault(row, cell, column)))
        else:
            pairs.append((row.cells[0], row.cells[1]))
            scores.append(score)
    _some(found, pairs, bad, "a pair of words and a score")
    notes = (*_headed(found, header), *_other_columns(found, header, column), *left_out("row", bad))
    return JudgedPairs(found.name, tuple(pairs), tuple(scores), notes=(*found.notes, *notes))


def read_questions(file: File, name: str | None = None) -> Questions:
    r"""A table of section, a, b, c, d, or of a, b, c, d; also word2vec's text, with “: section” above its questions.

    Raises:
        EmbeddingsError: a file that is no such table.

    Example:
        >>> from io import BytesIO
        >>> read_questions(BytesIO(b": family\nboy girl king queen\n"), "questions.txt")
        Questions(name='questions.txt', notes=(), words=(('boy', 'girl', 'king', 'queen'),), sections=('family',))
    """
    found = read_cells(file, name, lambda cells: len(cells) in (4, 5) and all(cells[-4:]), spaces=True)
    header = {cell.lower() for cell in found.rows[0].cells} <= _QUESTION_NAMES
    section, words, sections, bad = "", [], [], []
    for row in found.rows[header:]:
        if row.cells[0].startswith(":"):
            section = " ".join(row.cells).lstrip(": ")
        elif len(row.cells) in (4, 5) and all(row.cells[-4:]):
            words.append(row.cells[-4:])
            sections.append(row.cells[0] if len(row.cells) == 5 else section)
        else:
            bad.append((row.line, f"{counted(len(row.cells), 'cell')}, where four words are expected"))
    _some(found, words, bad, "four words")
    notes = (*found.notes, *_headed(found, header), *left_out("row", bad))
    return Questions(found.name, tuple(words), tuple(sections), notes=notes)


def read_relevance(file: File, name: str | None = None) -> Relevance:
    r"""A table of query, item and, if there is a third column, the item's gain (a number from 0; 1 without it).

    An item given twice for a query keeps its larger gain; a query is never relevant to itself.

    Raises:
        EmbeddingsError: a file that is no such table.

    Example:
        >>> from io import BytesIO
        >>> read_relevance(BytesIO(b"query,item\ncat,dog\ncat,horse\n"), "mine.csv").gains
        {'cat': {'dog': 1.0, 'horse': 1.0}}
    """
    found = read_cells(file, name, lambda cells: len(cells) > 1 and all(cells[:2]), spaces=False)
    first = [cell.lower() for cell in found.rows[0].cells]
    graded = [row.cells[2] for row in found.rows if len(row.cells) > 2]
    decimal = decimal_of([cell for cell in graded if _numeric(cell)])
    header = first[0] in _QUERY_NAMES or (len(first) > 2 and not _numeric(first[2]) and any(map(_numeric, graded)))
    gains: dict[str, dict[str, float]] = {}
    bad, itself, twice = [], 0, 0
    for row in found.rows[header:]:
        gain = _gain(row, decimal)
        if gain is None:
            bad.append((row.line, "a query, an item and a gain from 0 are expected"))
            continue
        query, item = row.cells[:2]
        items = gains.setdefault(query, {})
        itself += query == item
        twice += item in items
        if query != item:
            items[item] = max(gain, items.get(item, 0.0))
    _some(found, list(gains), bad, "a query and an item")
    told = [f"{counted(itself, 'row names', 'rows name')} the query itself, which is not counted."] if itself else []
    told += [f"{counted(twice, 'row repeats', 'rows repeat')} an item of its query."] if twice else []
    notes = (*found.notes, *_headed(found, header), *told, *left_out("row", bad))
    return Relevance(found.name, gains, notes=notes)


_QUESTION_NAMES = {"section", "category", "relation", "type", "answer", "a", "b", "c", "d"} | {
    f"word{space}{i}" for i in range(1, 5) for space in ("", " ", "_")
}
_QUERY_NAMES = {"query", "queries", "question", "q", "anchor"}


def _numeric(cell: str) -> bool:
    return value(cell, ",") is not None or cell.lower().lstrip("+-") in ("nan", "inf", "infinity")


def _score_column(found: Cells) -> int:
    """The first column after the two words in which most cells are numbers, else the third."""
    width = max(len(row.cells) for row in found.rows)
    for column in range(2, width):
        cells = [row.cells[column] for row in found.rows[1:] or found.rows if len(row.cells) > column]
        if 2 * sum(map(_numeric, cells)) >= max(1, len(found.rows) - 1):
            return column
    return 2


def _pair_fault(row: Row, cell: str, column: int) -> str:
    if len(row.cells) <= column:
        return f"{counted(len(row.cells), 'cell')}, where two words and a score are expected"
    if not all(row.cells[:2]):
        return "a word is missing"
    return f"{quoted(cell)} is no number" if cell else "the score is missing"


def _gain(row: Row, decimal: str) -> float | None:
    if len(row.cells) < 2 or not all(row.cells[:2]):
        return None
    gain = value(row.cells[2], decimal) if len(row.cells) > 2 else 1.0
    return gain if gain is not None and gain >= 0 else None


def _some(found: Cells, kept: Sequence[object], bad: Sequence[tuple[int, str]], wanted: str) -> None:
    if not kept:
        fault = f": line {bad[0][0]}: {bad[0][1]}" if bad else ""
        raise EmbeddingsError(
            f"{found.name}: no row holds {wanted}{fault}. Write one row for each, as in the example file."
        )


def _headed(found: Cells, header: bool) -> tuple[str, ...]:
    first = found.rows[0]
    shown = ", ".join(quoted(cell) for cell in first.cells[:5])
    return (f"Line {first.line} was taken for a header: {shown}.",) if header else ()


def _other_columns(found: Cells, header: bool, column: int) -> tuple[str, ...]:
    if max(len(row.cells) for row in found.rows) <= 3:
        return ()
    first = found.rows[0].cells
    called = quoted(first[column]) if header else f"column {column + 1}"
    return (f"The scores were taken from {called}; other columns were not read.",)
