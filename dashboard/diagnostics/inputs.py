"""The choices of Diagnostics: which measure is carried over, and to where."""

from __future__ import annotations

from attention_core.export.stores import STORES
from dashboard.diagnostics.findings import named
from dashboard.inputs import one_of_few
from dashboard.language import _

ADVISED = "advised"


def measure(advised: str) -> str:
    """The measure to carry over: the advised one unless another is chosen."""
    label = _("Measure to carry over (advised: {measure})").format(measure=named(advised))
    chosen = one_of_few("diagnostics_measure", label, [ADVISED, *next(iter(STORES.values()))])
    return advised if chosen == ADVISED else chosen


def store() -> str:
    """Where the vectors are stored."""
    return one_of_few("store", _("Where the vectors are stored"), list(STORES))
