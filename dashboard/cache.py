"""One named function for each cached call of the core.

Figures are not kept: drawing one takes less than finding it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

import streamlit as st
from torch import Tensor

import attention_core as ac
from attention_core.attention.projections import Projections
from attention_core.attention.sentence import Treatment
from attention_core.attention.stages import Settings
from attention_core.similarity.levels import Levels
from attention_core.similarity.projection import PrincipalAxes, Rows, along, sample_rows
from attention_core.similarity.projection import principal_axes as axes_of
from dashboard.attention.asked import Asked
from dashboard.judgements.chosen import Chosen
from dashboard.kept import forget_private, per_source, watching
from dashboard.map.picture import Picture
from dashboard.progress import Progress
from dashboard.scaling.measuring import Measurements
from dashboard.view import View

Query: TypeAlias = str | tuple[float, ...]
EXACT = 500
"""Up to so many tokens attention is computed in float64, beyond in float32, which halves its memory."""
PRINCIPAL = 20_000
"""Principal axes are those of so many words at most, evenly spread over the file."""


@st.cache_resource(show_spinner=False, max_entries=12)
def sample(name: str, centre: bool, normalise: bool) -> ac.Embeddings:
    """A bundled sample, prepared."""
    return prepared(ac.sample(name), centre, normalise)


@st.cache_resource(
    show_spinner=False,
    scope="session",
    max_entries=2,
    hash_funcs={ac.Embeddings: lambda e: (e.fingerprint, e.source, e.warnings)},
)
def upload(embeddings: ac.Embeddings, centre: bool, normalise: bool) -> ac.Embeddings:
    """The session's own vectors, prepared."""
    return prepared(embeddings, centre, normalise)


def forget() -> None:
    """Drops the session's own vectors as prepared, and all that was derived from them."""
    upload.clear()
    forget_private()


def prepared(embeddings: ac.Embeddings, centre: bool, normalise: bool) -> ac.Embeddings:
    """The vectors centred first and normalised second, as asked."""
    centred = embeddings.centred() if centre else embeddings
    return centred.normalised() if normalise else centred


@watching("Scoring every word", holds="words")
def scored(view: View, query: Query, *, progress: Progress) -> ac.Comparison:
    """Every word scored with a query under every measure, at k = 1."""
    found: dict[str, ac.Comparison] = {}
    for family in ac.families():
        progress(len(found), len(ac.MEASURES))
        part = ac.compare(view.embeddings, query, 1, family, _weights(view), view.compute)
        found |= dict.fromkeys(family, part)
    return replace(part, rankings={name: found[name][name] for name in ac.MEASURES})


def _weights(view: View) -> ac.AdditiveWeights:
    return ac.AdditiveWeights.random(view.embeddings.dimension, view.embeddings.dimension, seed=view.seed)


def compare(view: View, query: Query, k: int, measures: tuple[str, ...]) -> ac.Comparison:
    """The rankings; every word is scored once for a query, whichever k and measures are shown."""
    return scored(view, query).top(k, measures)


@per_source(samples=64, uploads=2)
def agreed(view: View, query: Query, k: int, measures: tuple[str, ...]) -> ac.Comparison:
    """The rankings with their agreement worked out."""
    comparison = compare(view, query, k, measures)
    comparison.agreement  # noqa: B018 - computed here, so that it is kept
    return comparison


@per_source(samples=16, uploads=4)
def covering(view: View, kind: str) -> tuple[str, ...]:
    """The bundled tables of a kind in which something can be judged with these vectors."""
    bundled = [entry for entry in ac.JUDGEMENTS.values() if entry.kind.__name__ == kind]
    return tuple(entry.name for entry in bundled if entry.read().covers(view.embeddings))


@watching("Comparing scores with people's judgements")
def judged(view: View, chosen: Chosen, *, progress: Progress) -> ac.Judgements:
    """Each measure against people."""
    return ac.judge(view.embeddings, chosen.pairs, weights=_weights(view), progress=progress)


@watching("Answering analogies")
def answered(view: View, chosen: Chosen, *, progress: Progress) -> dict[str, ac.Answered]:
    """Each method's answers."""
    return ac.analogies(view.embeddings, chosen.questions, view.compute, progress)


@per_source(samples=64, uploads=8)
def analogy(view: View, a: str, b: str, c: str) -> dict[str, list[tuple[str, float]]]:
    """The five best answers to one analogy."""
    return ac.analogy(view.embeddings, a, b, c, 5, view.compute)


@watching("Looking for what is relevant")
def retrieved(view: View, chosen: Chosen, k: int, *, progress: Progress) -> ac.Retrieval:
    """How well each measure finds what is relevant."""
    return ac.retrieval(view.embeddings, chosen.relevance, k, None, _weights(view), progress)


@watching("Measuring norms and directions")
def geometry(view: View, progress: Progress) -> ac.Geometry:
    """Norms and mean cosines."""
    return ac.geometry(view.embeddings, progress)


@watching("Finding the closest words of all words")
def neighbourhoods(view: View, progress: Progress) -> ac.Neighbourhoods:
    """The ten closest words of all words, or of a sample, with what is read off them."""
    found = ac.neighbourhoods(view.embeddings, compute=view.compute, progress=progress)
    found.hubness, found.overlap  # noqa: B018 - computed here, so that they are kept
    return found


@watching("Finding the closest words after centring")
def centred_hubness(view: View, progress: Progress) -> ac.Hubness:
    """Hubness by cosine of the centred vectors."""
    centred = view.embeddings.centred()
    return ac.neighbourhoods(centred, 10, ("cosine",), compute=view.compute, progress=progress).hubness["cosine"]


@watching("Comparing pairs of words")
def cosines(view: View, progress: Progress) -> ac.Cosines:
    """The cosines of pairs before and after centring."""
    return ac.cosines(view.embeddings, progress=progress)


@watching("Finding principal components")
def spectrum(view: View, progress: Progress) -> ac.Spectrum:
    """The principal components' variances."""
    progress(0, 1)
    return ac.spectrum(view.embeddings)


@watching("Looking for duplicates")
def duplicates(view: View, progress: Progress) -> ac.Duplicates:
    """Twins, near-duplicates and zero vectors."""
    progress(0, 1)
    return ac.duplicates(neighbourhoods(view))


@watching("Finding the axes of most variance")
def principal_axes(view: View, *, progress: Progress) -> PrincipalAxes:
    """The first three axes of all vectors."""
    return axes_of(view.embeddings, progress)


@per_source(samples=32, uploads=4)
def _drawn(view: View, picture: Picture) -> Rows:
    """The rows of a picture, with the fifty closest words under every measure in it, so that no k moves a point."""
    if not picture.query:
        return sample_rows(len(view.embeddings), picture.limit)
    closest = compare(view, picture.query, 50, tuple(ac.MEASURES))
    return ac.map_rows(view.embeddings, closest, picture.limit, picture.seed)


@watching("Placing the words by t-SNE")
def _placed(view: View, picture: Picture, *, progress: Progress) -> ac.Projection:
    rows = _drawn(view, picture)
    return ac.project(view.embeddings, "t-sne", picture.dimensions, rows, picture.options, progress)


def projection(view: View, picture: Picture) -> ac.Projection:
    """Where the words lie."""
    if picture.options is not None:
        return _placed(view, picture)
    return along(principal_axes(view), view.embeddings, picture.dimensions, _drawn(view, picture))


@watching("Comparing the picture with the space")
def faithfulness(view: View, picture: Picture, *, progress: Progress) -> ac.Faithfulness:
    """What a picture keeps of the neighbours under each measure without weights."""
    return ac.faithfulness(view.embeddings, projection(view, picture), progress=progress)


def distributions(view: View, measures: tuple[str, ...]) -> dict[str, ac.Distribution]:
    """How the scores of all pairs are distributed under measures that share a product, or under one."""
    return _distributions(view if "additive" in measures else replace(view, seed=0), measures)


@watching("Counting the scores of all pairs")
def _distributions(view: View, measures: tuple[str, ...], *, progress: Progress) -> dict[str, ac.Distribution]:
    return ac.distributions(view.embeddings, measures, weights=_weights(view), progress=progress)


@per_source(samples=16, uploads=4)
def some_distributions(view: View, measures: tuple[str, ...], size: int) -> dict[str, ac.Distribution]:
    """The same from a few pairs."""
    return ac.distributions(view.embeddings, measures, weights=_weights(view), sampling=ac.Sampling(size, budget=0))


@per_source(samples=32, uploads=8)
def random_directions(view: View, measure: str) -> ac.Distribution:
    """The distribution for vectors of the same norms in random directions."""
    return ac.random_directions(view.embeddings, measure, _weights(view))


@per_source(samples=64, uploads=8)
def group_scores(view: View, measure: str, groups: tuple[str, ...]) -> ac.GroupScores:
    """The scores inside word groups and between them and other words."""
    known = ac.word_groups(view.embeddings)
    words = [known[name].words for name in groups]
    return ac.group_scores(view.embeddings, words, measure, _weights(view))


def closest_word(view: View, query: str) -> str:
    """The word with the highest cosine to a word; by distance where a zero vector leaves it undefined; itself alone."""
    comparison = compare(view, query, 1, ("cosine", "euclidean"))
    found = (*comparison["cosine"].words, *comparison["euclidean"].words, query)
    return found[0]


@per_source(samples=128, uploads=32)
def pair(view: View, a: Query, b: Query, move: ac.Move) -> ac.Pair:
    """Two vectors, each a word's or typed, with a move of the second."""
    first, second = (view.embeddings.vector(given) if isinstance(given, str) else given for given in (a, b))
    return ac.pair(first, second, ac.AdditiveWeights.random(len(first), len(first), seed=view.seed), move)


@per_source(samples=32, uploads=8)
def levels(view: View, a: Query, b: Query, move: ac.Move) -> Levels | None:
    """The surfaces of the scores with the first vector."""
    return ac.levels(pair(view, a, b, move))


@per_source(samples=64, uploads=8)
def sentence(view: View, text: str, unknown: Treatment, seed: int) -> ac.attention.Sentence:
    """A text as tokens; the nearest spellings of unknown words take longest."""
    return ac.attention.sentence(text, view.embeddings, unknown, seed)


@per_source(samples=32, uploads=4)
def _projections(view: View, settings: Settings) -> Projections:
    return settings.projections(view.embeddings.dimension, view.embeddings.matrix[:: principal_step(view)])


def principal_step(view: View) -> int:
    """Principal axes are those of every so many words."""
    return 1 + len(view.embeddings) // PRINCIPAL


def vectors(view: View, sentence: ac.attention.Sentence) -> Tensor:
    """The vectors of a sentence, where they are computed with."""
    return view.compute.tensor(sentence.matrix, "float64" if len(sentence) <= EXACT else "float32")


def projections(view: View, asked: Asked) -> Projections:
    """The weights that the settings ask for.

    Raises:
        AttentionError: heads that do not fit, or weights of the reader's own where there are none.
    """
    settings = asked.settings
    kind = Settings(
        projection=settings.projection, seed=settings.seed, heads=settings.heads, kv_heads=settings.kv_heads
    )
    return asked.projections or _projections(view, kind)


@watching("Filling caches with real tensors")
def measured_cache(
    view: View, preset: ac.kv_cache.ModelPreset, tokens: int, dtype: str, *, progress: Progress
) -> ac.kv_cache.Measured:
    """The cache of one sequence in a model's first layers, counted."""
    allocation = ac.kv_cache.Allocation(device=view.compute.device)
    return ac.kv_cache.measure(preset, tokens, 1, dtype, allocation, progress)


@st.cache_resource(show_spinner=False)
def measurements() -> Measurements:
    """What attention costs on this machine, for all readers."""
    return Measurements()
