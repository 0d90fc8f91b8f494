"""Everything about one set of vectors that decides between measures, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from attention_core.compute import Compute
from attention_core.embeddings import Embeddings
from attention_core.similarity.blocks import Progress
from attention_core.similarity.duplicates import Duplicates, duplicates
from attention_core.similarity.geometry import Geometry, geometry
from attention_core.similarity.hubness import Hubness
from attention_core.similarity.neighbourhoods import Budget, Neighbourhoods, Overlap, neighbourhoods
from attention_core.similarity.spectrum import Spectrum, spectrum


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """The parts are of one kind each; the properties are what is asked for most.

    Attributes:
        source: where the vectors come from.
        geometry: norms and mean cosines, over all words.
        neighbourhoods: the lists of the k closest words, of all words or a stated sample.
        spectrum: the principal components.
        duplicates: twins, near-duplicates and zero vectors.
    """

    source: str
    geometry: Geometry = field(repr=False)
    neighbourhoods: Neighbourhoods = field(repr=False)
    spectrum: Spectrum = field(repr=False)
    duplicates: Duplicates = field(repr=False)

    @property
    def norms(self) -> NDArray[np.float64]:
        """(n,) Euclidean lengths."""
        return self.geometry.norms

    @property
    def norm_vs_rank(self) -> float | None:
        """Spearman's rho of norms and frequency ranks; None where undefined, `geometry.why` says why."""
        return self.geometry.norm_vs_rank

    @property
    def anisotropy(self) -> float | None:
        """The mean cosine of all pairs of different words, exact; None with fewer than two directions."""
        return self.geometry.anisotropy

    @property
    def anisotropy_centred(self) -> float | None:
        """The same after centring."""
        return self.geometry.anisotropy_centred

    @property
    def hubness(self) -> Mapping[str, Hubness]:
        """By measure: `.skewness`, `.counts`, `.hubs`, `.antihubs`."""
        return self.neighbourhoods.hubness

    @property
    def overlap(self) -> Mapping[tuple[str, str], Overlap]:
        """By pair of measures: the mean share of common words in their lists."""
        return self.neighbourhoods.overlap


def diagnostics(
    embeddings: Embeddings,
    k: int = 10,
    measures: Sequence[str] | None = None,
    budget: Budget = Budget(),  # noqa: B008 (frozen)
    compute: Compute | None = None,
    progress: Progress | None = None,
) -> Diagnostics:
    """Norms, anisotropy, hubness, overlap of the measures, principal components and duplicates.

    Args:
        embeddings: n words.
        k: the length of the lists of neighbours.
        measures: keys of `MEASURES`; None for those without weights.
        budget: when to ask a sample of the words for their neighbours; its seed holds for every sample.
        compute: the device; None for the CPU.
        progress: called as progress(done, total) while neighbours are found; what it raises ends the work.

    Raises:
        ScoringError: k < 1, or an unknown measure.

    Example:
        >>> import attention_core as ac
        >>> d = diagnostics(ac.sample("glove-en"))
        >>> round(d.norm_vs_rank, 2), round(d.anisotropy, 3), round(d.hubness["dot"].skewness, 2)
        (-0.29, 0.223, 9.19)
        >>> d.hubness["dot"].hubs[0]
        Hub(word='you', lists=603)
    """
    found = neighbourhoods(embeddings, k, measures, budget, compute, progress)
    return Diagnostics(
        embeddings.source, geometry(embeddings), found, spectrum(embeddings, budget.seed), duplicates(found)
    )
