"""The bundled tables of judgements, described as data; provenance and licences are in data/README.md."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from types import MappingProxyType
from typing import TypeVar

from attention_core.errors import AttentionCoreError
from attention_core.loaders.base.opening import File
from attention_core.samples import DATA
from attention_core.similarity.tables import (
    JudgedPairs,
    Questions,
    Relevance,
    Table,
    read_pairs,
    read_questions,
)

T = TypeVar("T", bound=Table)


@dataclass(frozen=True)
class Bundled:
    """One bundled table.

    Attributes:
        name: its key in `JUDGEMENTS`.
        kind: what it holds.
        label: what it is, for readers.
        read: reads it.
    """

    name: str
    kind: type[Table]
    label: str
    read: Callable[[], Table]


NO_TOPIC = {"antonyms", "articles", "function", "polysemy", "文章例子"}
"""Groups whose words belong together for another reason than their subject."""


def questions_of_pairs(language: str) -> Questions:
    """Analogies from pairs.csv: any two pairs of one relation, in both orders, ask for the second word of the second.

    Example:
        >>> questions = questions_of_pairs("zh")
        >>> len(questions), questions.words[0]
        (512, ('巴黎', '法国', '柏林', '德国'))
    """
    relations = defaultdict(list)
    for row in _rows("pairs.csv", language):
        relations[row["relation"]].append((row["word1"], row["word2"]))
    found = {relation: [(*a, *b) for a, b in permutations(pairs, 2)] for relation, pairs in relations.items()}
    sections = tuple(relation for relation, words in found.items() for _ in words)
    return Questions(f"relations-{language}", tuple(words for each in found.values() for words in each), sections)


def relevance_of_groups(language: str) -> Relevance:
    """Relevance from groups.csv: every word of a subject asks for the other words of its subjects.

    Example:
        >>> list(relevance_of_groups("en").gains["king"])[:3]
        ['queen', 'prince', 'princess']
    """
    groups = defaultdict(list)
    for row in _rows("groups.csv", language):
        if row["group"] not in NO_TOPIC:
            groups[row["group"]].append(row["word"])
    gains: dict[str, dict[str, float]] = defaultdict(dict)
    for words in groups.values():
        for query, item in permutations(words, 2):
            gains[query][item] = 1.0
    return Relevance(f"groups-{language}", dict(gains))


def _rows(file: str, language: str) -> list[dict[str, str]]:
    with (DATA / file).open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines) if row["lang"] == language]


def _file(name: str, file: str, read: Callable[[File, str], T]) -> Callable[[], T]:
    def table() -> T:
        with (DATA / "judgements" / file).open("rb") as content:
            return read(content, name)

    return cache(table)


JUDGEMENTS: Mapping[str, Bundled] = MappingProxyType(
    {
        entry.name: entry
        for entry in (
            Bundled(
                "wordsim353",
                JudgedPairs,
                "WordSim-353 (Finkelstein et al. 2002), relatedness from 0 to 10",
                _file("wordsim353", "wordsim353.csv", read_pairs),
            ),
            Bundled(
                "rg65",
                JudgedPairs,
                "RG-65 (Rubenstein and Goodenough 1965), similarity of meaning from 0 to 4",
                _file("rg65", "rg65.csv", read_pairs),
            ),
            Bundled(
                "google",
                Questions,
                "Analogies of word2vec (Mikolov et al. 2013), 3,412 of 19,544",
                _file("google", "analogies_google.csv", read_questions),
            ),
            *(
                Bundled(
                    f"relations-{language}",
                    Questions,
                    f"Capitals and genders, {name}",
                    cache(lambda language=language: questions_of_pairs(language)),
                )
                for language, name in (("en", "English"), ("zh", "Chinese"))
            ),
            *(
                Bundled(
                    f"groups-{language}",
                    Relevance,
                    f"Words of one subject are relevant to each other, {name}",
                    cache(lambda language=language: relevance_of_groups(language)),
                )
                for language, name in (("en", "English"), ("zh", "Chinese"))
            ),
        )
    }
)


def table(given: str | File | Table, kind: type[T], read: Callable[[File], T]) -> T:
    """A table as given, the bundled one of that name, or the one in a file.

    Raises:
        AttentionCoreError: a bundled table of another kind.
        EmbeddingsError: a file that cannot be read as this kind.

    Example:
        >>> len(table("rg65", JudgedPairs, read_pairs))
        65
    """
    if isinstance(given, str) and given in JUDGEMENTS:
        given = JUDGEMENTS[given].read()
    if isinstance(given, kind):
        return given
    if isinstance(given, Table):
        fitting = [name for name, entry in JUDGEMENTS.items() if entry.kind is kind]
        raise AttentionCoreError(
            f"“{given.name}” is a table of another kind than is judged here. "
            f"Choose one of {', '.join(fitting)}, or give a file."
        )
    return read(given)
