"""The session's own file: uploading, reading with progress, and what was read."""

from __future__ import annotations

import gc

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

import attention_core as ac
from dashboard import cache
from dashboard.language import _
from dashboard.untrusted import quoted

FIRST = 5
"""Words of an upload that are shown with their norms."""
UPLOAD, TURN, REFUSED = "_upload", "_upload_turn", "_upload_refused"


def limits() -> ac.Limits:
    """What an upload may weigh and hold."""
    return ac.Limits(bytes=st.get_option("server.maxUploadSize") * 1_000_000, rows=500_000, dimensions=4_096)


def own_vectors() -> ac.Embeddings | None:
    """Draws the uploader; the session's vectors, or None as long as there are none.

    A file that was read leaves the uploader, and with it its bytes leave the server's memory; the vectors stay with
    the session until another file replaces them.

    Raises:
        EmbeddingsError: the file that stands in the uploader cannot be read.
    """
    bound = limits()
    st.caption(
        _("At most {megabytes} MB, {rows:,} rows and {dimensions:,} dimensions.").format(
            megabytes=bound.bytes // 1_000_000, rows=bound.rows, dimensions=bound.dimensions
        )
    )
    turn = st.session_state.setdefault(TURN, 0)
    megabytes = bound.bytes // 1_000_000
    formats = _("Read are {formats}, also in a gzip or zip file.").format(
        formats=", ".join(loader.label for loader in ac.LOADERS.values())
    )
    vectors = st.file_uploader(_("Vectors"), key=f"vectors-{turn}", max_upload_size=megabytes, help=formats)
    words = st.file_uploader(_("Words, if they are in a second file"), key=f"words-{turn}", max_upload_size=megabytes)
    st.download_button(
        _("A small example file"), data=example, file_name="example.vec", mime="text/plain", on_click="ignore"
    )
    choices = _choices()
    if vectors is not None:
        _read(vectors, words, choices)
    elif words is not None:
        st.caption(_("The words wait for the file with their vectors."))
    return st.session_state.get(UPLOAD)


def _choices() -> ac.Choices:
    """How to read a file that allows more than one reading."""
    as_found = _("As recognised")
    headers = {as_found: None, _("Line 1 is a header"): True, _("Line 1 is a row"): False}
    separators = {as_found: None, _("Comma"): ",", _("Semicolon"): ";", _("Tab"): "\t"}
    with st.expander(_("How to read it")):
        st.caption(_("For a text that was recognised otherwise than it was meant: choose here, then choose the file."))
        header = st.selectbox(_("First line"), headers, key="file_header")
        separator = st.selectbox(_("Separator"), separators, key="file_separator")
        word = st.text_input(_("Column of words"), key="file_word", placeholder=as_found)
        vectors = st.text_input(
            _("Columns of the vectors, with commas between"), key="file_vectors", placeholder=as_found
        )
    names = tuple(name.strip() for name in vectors.split(",") if name.strip())
    return ac.Choices(headers[header], separators[separator], word.strip() or None, names or None)


def _read(vectors: UploadedFile, words: UploadedFile | None, choices: ac.Choices) -> None:
    tried = (vectors.file_id, words.file_id if words else "", choices)
    refused = st.session_state.get(REFUSED)
    if refused and refused[0] == tried:
        raise refused[1]
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, _("Reading the file"))
        st.button(_("Stop"), key="stop-reading", on_click=_put_away, args=(vectors, words))
    total = max(1, vectors.size)
    try:
        embeddings = ac.load(
            vectors,
            words=words,
            name=vectors.name,
            limits=limits(),
            progress=lambda done, _all: bar.progress(min(1.0, done / total), _("Reading the file")),
            choices=choices,
        )
    except ac.EmbeddingsError as error:
        st.session_state[REFUSED] = (tried, error)
        raise
    finally:
        place.empty()
    st.session_state[UPLOAD] = embeddings
    cache.forget()
    _put_away(vectors, words)
    st.rerun()


def _put_away(vectors: UploadedFile, words: UploadedFile | None) -> None:
    """Empties the uploader."""
    st.session_state[TURN] += 1
    release(vectors, words)


def release(*files: UploadedFile | None) -> None:
    """Frees the bytes of files, which Streamlit would keep as long as the session, and what reading left behind."""
    context = get_script_run_ctx()
    if context is None or not isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        return
    for file in files:
        if file is not None:
            context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
    gc.collect()


def example() -> bytes:
    """A word2vec text file: the first hundred words of glove-en."""
    e = ac.sample("glove-en")
    lines = [f"100 {e.dimension}"]
    lines += [f"{e.words[i]} {' '.join(map(repr, e.matrix[i].tolist()))}" for i in range(100)]
    return ("\n".join(lines) + "\n").encode()


def describe(embeddings: ac.Embeddings) -> None:
    """What was recognised and read, its first words, and what the loader noticed about it."""
    st.markdown(
        _("Read: {source}, {n:,} words, {d} dimensions").format(
            source=quoted(embeddings.source, 60), n=len(embeddings), d=embeddings.dimension
        )
    )
    shown = slice(0, FIRST)
    rows = {_("word"): embeddings.words[shown], _("norm"): embeddings.norms[shown]}
    st.dataframe(
        rows,
        hide_index=True,
        key="first-words",
        column_config={_("norm"): st.column_config.NumberColumn(format="%.3g")},
    )
    for warning in embeddings.warnings:
        with st.container(border=True):
            st.text(warning)
