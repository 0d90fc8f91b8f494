"""What Human judgements asks: which table, whose columns may be the reader's own, and an analogy of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

import attention_core as ac
from attention_core.export.judgements import example
from attention_core.similarity.cells import SMALL
from attention_core.similarity.tables import (
    JudgedPairs,
    Questions,
    Relevance,
    Table,
    read_pairs,
    read_questions,
    read_relevance,
)
from dashboard import cache
from dashboard.inputs import one_of_few
from dashboard.judgements.chosen import Chosen
from dashboard.language import _
from dashboard.links import anything, checked, flag
from dashboard.own_file import OwnFile
from dashboard.untrusted import quoted
from dashboard.view import View

OWN = "own"


@dataclass(frozen=True)
class Kind:
    """A kind of table.

    Attributes:
        key: its name in the URL.
        label: what a reader chooses, in English.
        columns: what its file holds, in English.
        table: what it is read as.
        read: reads a file.
        example: the bundled table that the example file is cut from.
    """

    key: str
    label: str
    columns: str
    table: type[Table]
    read: Callable[..., Table]
    example: str


PAIRS = Kind(
    "judged",
    "Judged pairs",
    "word1, word2, score; higher is more similar, on any scale",
    JudgedPairs,
    read_pairs,
    "rg65",
)
QUESTIONS = Kind(
    "questions",
    "Analogies",
    "section, a, b, c, d, or a, b, c, d without sections",
    Questions,
    read_questions,
    "relations-en",
)
RELEVANCE = Kind(
    "relevance",
    "Relevant items",
    "query, item and, if you like, gain; queries and items are words of the vectors",
    Relevance,
    read_relevance,
    "groups-en",
)


def table(view: View, kind: Kind) -> Chosen | None:
    """The table to judge by: a bundled one that covers some of these vectors, or the reader's own; None before it.

    Raises:
        EmbeddingsError: the reader's file is no such table.
    """
    covering = cache.covering(view, kind.table.__name__)
    options = [*covering, OWN]
    name = one_of_few(kind.key, _(kind.label), options)
    if name != OWN:
        st.caption(_(ac.JUDGEMENTS[name].label) + ".")
        return Chosen(ac.JUDGEMENTS[name].read(), own=False)
    if not covering:
        _say_none_covers(kind)
    own = _own(kind)
    return None if own is None else Chosen(own, own=True)


def _say_none_covers(kind: Kind) -> None:
    bundled = [entry for entry in ac.JUDGEMENTS.values() if entry.kind is kind.table]
    counts = ", ".join(f"{quoted(entry.name)} 0 / {len(entry.read()):,}" for entry in bundled)
    sentence = _(
        "No bundled table of this kind covers these vectors ({counts}). Give one of your own, or see the other tabs."
    )
    st.info(sentence.format(counts=counts))


def _own(kind: Kind) -> Table | None:
    """Draws the uploader of a table; the session's own table of that kind, or None as long as there is none."""
    place = OwnFile[Table](kind.key)
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        place.box(
            _("A table of your own: {columns}").format(columns=_(kind.columns)),
            SMALL.bytes // 1_000_000,
            lambda file: kind.read(file, file.name),
            _(
                "Cells separated by commas, semicolons or tabs; in UTF-8, UTF-16 or GB18030; up to {rows:,} rows."
            ).format(rows=SMALL.rows),
        )
    with right:
        st.download_button(
            _("An example file"),
            data=lambda: example(ac.JUDGEMENTS[kind.example].read()),
            file_name=f"{kind.key}.csv",
            mime="text/csv",
            on_click="ignore",
            key=f"example-{kind.key}",
        )
    own = place.found()
    if own is None:
        st.info(_("A table of your own stays in this session; a link does not carry it. Choose a file to go on."))
    else:
        st.text(_("{name}: {n:,} read.").format(name=own.name, n=len(own)))
        for note in own.notes:
            st.text(note)
    return own


def analogy(view: View) -> tuple[str, ...]:
    """a, b and c of a : b :: c : ?

    Raises:
        ScoringError: a word that is not among the vectors; the nearest spellings are named.
    """
    st.markdown(f"**{_('An analogy of your own')}**")
    known = view.embeddings
    usual = next((words for words in EXAMPLES if all(word in known for word in words)), (view.example,) * 3)
    before = st.session_state.setdefault("_analogy_words", known.words)
    moved = before is not known.words
    st.session_state["_analogy_words"] = known.words
    found = []
    columns = st.columns([1, 1, 1], vertical_alignment="bottom")
    for name, word, shown, column in zip("abc", usual, ("a", _("is to b as"), _("c is to")), columns, strict=True):
        key = f"analogy_{name}"
        checked(key, anything)
        if moved and st.session_state.get(key) not in known:
            st.session_state[key] = word  # the reader chose other vectors, which lack the last word
        with column:
            found.append(
                st.text_input(shown, word, max_chars=200, key=key, bind="query-params", persist_state="session") or ""
            )
    for word in found:
        if word not in known and word.lower() not in known:
            nearest = known.nearest_spellings(word)
            like = f" Nearest spellings: {', '.join(nearest)}." if nearest else ""
            raise ac.ScoringError(f"“{word}” is not among the words of {known.source}.{like} Choose one of its words.")
    return tuple(found)


EXAMPLES = (("man", "king", "woman"), ("男人", "国王", "女人"))
"""Where to start."""


def measure() -> str:
    """The measure whose scores are set against people's."""
    return one_of_few("judged_by", _("Measure"), list(ac.MEASURES), "cosine")


def allowed() -> bool:
    """Whether the figure of sections takes a question's own words for answers."""
    checked("own_words", flag)
    return st.toggle(
        _("Allow a question's own words as answers"), key="own_words", bind="query-params", persist_state="session"
    )
