"""Reading files of embeddings: every module beside this one is a format and ends in LOADER."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from attention_core.embeddings import Embeddings
from attention_core.loaders.base import Choices, Contents, Limits, Loader, Progress, Source
from attention_core.loaders.base.finishing import finished
from attention_core.loaders.base.opening import File, opened
from attention_core.loaders.base.signatures import conversion, looks_like
from attention_core.loaders.base.table import check_choices
from attention_core.loaders.base.word_list import WordList, read_word_list
from attention_core.loaders.base.wording import listed

__all__ = ["LOADERS", "Choices", "Limits", "Loader", "Progress", "load"]


def _collect() -> Mapping[str, Loader]:
    modules = [import_module(f"{__name__}.{entry.name}") for entry in iter_modules(__path__) if entry.name != "base"]
    loaders = sorted((module.LOADER for module in modules), key=lambda loader: loader.name)
    return MappingProxyType({loader.name: loader for loader in loaders})


LOADERS: Mapping[str, Loader] = _collect()


def load(
    file: File,
    words: File | None = None,
    name: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    progress: Progress | None = None,
    choices: Choices = Choices(),  # noqa: B008 (frozen)
) -> Embeddings:
    r"""Read words and vectors from a file, whose format is recognised by its content.

    Args:
        file: a path, or a file opened in binary mode, which is read from its start and left open.
        words: for a file that holds vectors only: a path or binary file of words, one on each line, as a table with a
            column of words (the Embedding Projector's metadata), or as JSON.
        name: what to call the file, for one without a name of its own; its ending decides only between formats that
            both fit the content.
        limits: the most that the file may ask for.
        progress: called now and then as progress(done_bytes, total_bytes); what it raises ends the load.
        choices: how to read a text that allows more than one reading.

    Returns:
        (n, d) float32 vectors and their n distinct words, in file order; `source` is the file's name without folders
        and what it was recognised as, `warnings` what was noticed and done about it.

    Raises:
        EmbeddingsError: a file that is not recognised, damaged or too large; where, and what to do, are in the message.

    Example:
        >>> from io import BytesIO
        >>> load(BytesIO(b"2 3\nking 0.5 -0.25 1\nqueen 1 0 2\n"), name="vectors.vec")
        Embeddings('vectors.vec (word2vec text)', 2 x 3)
    """
    with opened(file, name, limits, progress) as source:
        source.listed, source.choices = words is not None, choices
        check_choices(source)
        loader = _recognised(source)
        contents = loader.read(source)
        found = _words(contents, words, loader, source)
        contents = replace(contents, warnings=(*contents.warnings, *found.warnings))
        return finished(contents, found.words, loader, source)


def _recognised(source: Source) -> Loader:
    found = [loader for loader in LOADERS.values() if loader.recognises(source)]
    if not found:
        kind, readable = looks_like(source), listed((loader.label for loader in LOADERS.values()), "or")
        remedy = conversion(kind) or f"Save the vectors in a format that can be read: {readable}"
        raise source.refusal(f"the content looks like {kind}", remedy)
    if source.listed:  # rows of numbers may begin with a number that could be a word
        found = [loader for loader in found if not loader.holds_words] or found
    # The ending only decides between loaders that both know the content.
    return next((loader for loader in found if source.name.lower().endswith(loader.extensions)), found[0])


def _words(contents: Contents, words: File | None, loader: Loader, source: Source) -> WordList:
    if words is None:
        if contents.words is None:
            raise source.refusal(
                f"the {loader.label} holds vectors only, and their words are needed",
                "Give a list of words too: one on each line, a table with a column of words, or JSON",
            )
        return WordList(list(contents.words))
    if contents.words is not None:
        raise source.refusal(
            f"a list of words was given, but the {loader.label} holds its own words", "Load it without the list"
        )
    with opened(words, None, source.limits, unnamed="list of words") as listing:
        return read_word_list(listing, len(contents.matrix))
