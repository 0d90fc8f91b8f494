"""Which measure to use for these vectors, and the figures that decide it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from attention_core.samples import Training
from attention_core.similarity.geometry import Geometry
from attention_core.similarity.hubness import Hubness
from attention_core.similarity.neighbourhoods import Neighbourhoods

SAME_NORMS = 1e-3
"""Spread of the norms, as a part of their median, up to which they count as equal."""
SAME_LISTS = 0.95
"""Overlap of dot product and cosine from which the choice hardly matters."""
EVEN = 1.0
"""Skewness of N_k up to which neighbours are spread evenly enough for training alone to decide."""
HUBBY = 2.0
"""Beyond that, training decides as long as N_k is at most this many times as skewed as under the evenest measure."""
COMMON = 0.1
"""Mean cosine from which the vectors share a direction that is worth taking out."""
GAIN = 0.9
"""Centring pays for neighbours when it brings the skewness by cosine down to this part or less."""

Rule = Literal["no neighbours", "any", "trained with", "evenest", "not yet"]


@dataclass(frozen=True)
class Advice:
    """An answer, and the rule that gave it.

    Attributes:
        measure: a key of `MEASURES`; None where no measure tells any two words apart.
        rule: "any": norms are equal or the lists are the same, so the choice does not matter; "trained with": what the
            vectors were trained with, and nothing speaks against it; "evenest": the measure whose neighbours are
            spread most evenly over the words; "not yet": the norms alone, before neighbours are known.
        training: what is known of the training.
        against_training: the measure the training used, where the advice differs from it.
        common_direction: whether the vectors share a direction (a mean cosine of 0.1 or more).
        centre: whether to subtract the mean vector first; None where its effect was not measured.
        as_even: the measures whose skewness a sample does not tell from that of `measure`: their intervals overlap.
    """

    measure: str | None
    rule: Rule
    training: Training | None
    against_training: str | None
    common_direction: bool
    centre: bool | None
    as_even: tuple[str, ...] = ()


def advice(
    geometry: Geometry,
    found: Neighbourhoods | None = None,
    centred: Hubness | None = None,
    training: Training | None = None,
) -> Advice:
    """Which measure to use.

    Even neighbourhoods are no proof of good ones: judgements of people on these words are (`ac.judge`).

    Args:
        geometry: the norms and mean cosines.
        found: lists of neighbours under dot, cosine and Euclidean; None while they are not known.
        centred: N_k by cosine of the centred vectors; None where it is not known.
        training: what the vectors were trained with; None where the source does not tell.

    Example:
        >>> import attention_core as ac
        >>> e = ac.sample("minilm-en")
        >>> found = advice(ac.geometry(e), training=ac.SAMPLES["minilm-en"].training)
        >>> found.measure, found.rule
        ('cosine', 'any')
    """
    common = geometry.anisotropy is not None and geometry.anisotropy >= COMMON
    measure, rule = _choice(geometry, found, training)
    against = training.measure if training and rule == "evenest" and measure != training.measure else None
    hubs = found.hubness if found else {}
    others = [name for name in hubs if measure in hubs and name != measure]
    as_even = tuple(name for name in others if measure and not told_apart(hubs[name], hubs[measure]))
    return Advice(measure, rule, training, against, common, _centre(found, centred), as_even)


def _choice(geometry: Geometry, found: Neighbourhoods | None, training: Training | None) -> tuple[str | None, Rule]:
    trained = training.measure if training else None
    if len(geometry.norms) < 2 or geometry.anisotropy is None:
        return None, "no neighbours"
    overlap = found.overlap.get(("dot", "cosine")) if found else None
    shared = None if overlap is None else overlap.mean
    if geometry.spread <= SAME_NORMS if shared is None else shared >= SAME_LISTS:
        return trained or "cosine", "any"
    skews = skewness(found) if found else {}
    if not skews:
        return trained or "cosine", "trained with" if trained and training and training.alike else "not yet"
    evenest = min(skews, key=lambda name: skews[name])
    if trained in skews and skews[trained] <= max(EVEN, HUBBY * skews[evenest]):
        return trained, "trained with"
    return evenest, "evenest"


def skewness(found: Neighbourhoods) -> dict[str, float]:
    """By measure, where it is defined: the skewness of N_k."""
    hubs: dict[str, Hubness] = dict(found.hubness)
    return {name: hub.skewness for name, hub in hubs.items() if hub.skewness is not None}


def told_apart(a: Hubness, b: Hubness) -> bool:
    """Whether two skewnesses differ by more than a sample leaves open; exact ones always do."""
    if a.interval is None or b.interval is None:
        return True
    return a.interval.low > b.interval.high or b.interval.low > a.interval.high


def _centre(found: Neighbourhoods | None, centred: Hubness | None) -> bool | None:
    if found is None or centred is None:
        return None
    before, after = skewness(found).get("cosine"), centred.skewness
    if before is None or after is None:
        return None
    return after <= GAIN * before and told_apart(found.hubness["cosine"], centred)
