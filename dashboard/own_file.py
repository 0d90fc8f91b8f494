"""A small file of the reader's own, of which the session keeps what was read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.upload import release

T = TypeVar("T")


@dataclass(frozen=True)
class OwnFile(Generic[T]):
    """One of them, by a name of its own."""

    name: str

    @property
    def place(self) -> str:
        """Where the session keeps what was read last."""
        return f"_{self.name}"

    def found(self) -> T | None:
        """What was read last; None as long as nothing was."""
        found: T | None = st.session_state.get(self.place)
        return found

    def box(self, label: str, megabytes: int, read: Callable[[UploadedFile], T], note: str | None = None) -> None:
        """Draws the uploader, and reads what is put into it.

        A file that was read leaves the uploader, and its bytes leave the server's memory; one that `read` refuses stays
        there, under what it raises.
        """
        turn = f"{self.place}_turn"
        key = f"{self.name}-{st.session_state.setdefault(turn, 0)}"
        file = st.file_uploader(label, key=key, max_upload_size=megabytes, help=note)
        if file is not None:
            st.session_state[self.place] = read(file)
            st.session_state[turn] += 1
            release(file)
            st.rerun()
