"""From what a caller gives, a path or a binary file, to a `Source`."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

from attention_core.errors import EmbeddingsError
from attention_core.loaders.base.excerpt import excerpt
from attention_core.loaders.base.limits import Limits, Progress
from attention_core.loaders.base.source import Source
from attention_core.loaders.base.unpacking import unpacked
from attention_core.loaders.base.wording import file_name

File: TypeAlias = str | os.PathLike[str] | BinaryIO


@contextmanager
def opened(
    given: File, name: str | None, limits: Limits, progress: Progress | None = None, unnamed: str = "file"
) -> Iterator[Source]:
    """A `Source` over a path, which is closed afterwards, or over a binary file, which is read from its start.

    A compressed file is unpacked first. A binary file without a name of its own is called `name`, or else `unnamed`.

    Raises:
        EmbeddingsError: a path that cannot be opened, a text-mode file, an empty or too large file, a damaged archive.
    """
    if isinstance(given, str | os.PathLike):
        shown = file_name(name or Path(given).name)
        try:
            file = open(given, "rb")  # noqa: SIM115 (closed below)
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or "not a path"
            raise EmbeddingsError(f"{shown}: the file cannot be opened ({reason}). Check the path.") from None
        with file, unpacked(Source(file, shown, limits, progress)) as source:
            source.path = None if source.packing else Path(given)
            with _with_excerpt(source):
                yield source
        return
    label = name or getattr(given, "name", None)
    shown = file_name(label) if isinstance(label, str) and label else unnamed
    if not isinstance(given.read(0), bytes):
        raise EmbeddingsError(f'{shown}: the file was opened as text. Open it as bytes, with mode "rb".')
    if not given.seekable():
        given = io.BytesIO(given.read(limits.bytes + 1))
    with unpacked(Source(given, shown, limits, progress)) as source, _with_excerpt(source):
        yield source


@contextmanager
def _with_excerpt(source: Source) -> Iterator[None]:
    """Adds to a refusal of this file the lines it speaks of."""
    try:
        yield
    except EmbeddingsError as error:
        if not error.excerpt and str(error).startswith(f"{source.name}: "):
            error.excerpt = excerpt(source, error)
        raise
