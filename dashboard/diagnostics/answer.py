"""The answer, and how to carry it over to where the vectors are stored."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import attention_core as ac
from attention_core.export.stores import STORES, Setting
from dashboard import cache, frame
from dashboard.diagnostics import findings, inputs
from dashboard.diagnostics.findings import named
from dashboard.language import _
from dashboard.view import View


def answer(view: View) -> tuple[ac.Advice, ac.Neighbourhoods | None]:
    """The answer: from the norms alone, then from the neighbours, then with the effect of centring.

    Returns:
        The advice, and the neighbours where nobody stopped the search for them.
    """
    place = st.empty()
    given, found = _shown(view, place, None, None), None
    with frame.errors_shown():
        found = cache.neighbourhoods(view)
        given = _shown(view, place, found, None)
        if given.common_direction and given.measure is not None:
            given = _shown(view, place, found, cache.centred_hubness(view))
    return given, found


def _shown(view: View, place: DeltaGenerator, found: ac.Neighbourhoods | None, centred: ac.Hubness | None) -> ac.Advice:
    """Puts what is known so far in the place of what was known before."""
    geometry = cache.geometry(view)
    given = findings.advice(view, found, centred)
    with place.container():
        st.markdown(findings.answer(given, geometry, found))
        st.markdown("\n".join(f"- {reason}" for reason in findings.reasons(given, geometry, found, centred)))
    return given


@frame.part
def settings(view: View, advised: str) -> None:
    """How the chosen measure is set in the chosen store."""
    measure = inputs.measure(advised)
    name = inputs.store()
    setting = STORES[name][measure]
    st.code(setting.code, language=None, wrap_lines=True)  # coloured, it fails WCAG AA
    st.markdown(" ".join(_said(name, measure, setting)))
    prepared = [_(how) for how in ("centre", "normalise") if how in view.settings]
    if prepared:
        st.markdown(
            _(
                "These figures are of prepared vectors ({how}): store them so, and prepare every query in the same way."
            ).format(how=", ".join(prepared))
        )


def _said(name: str, measure: str, setting: Setting) -> list[str]:
    returned = {
        "the score": _("{store} returns the {measure} itself"),
        "minus the score": _("{store} returns minus the {measure}"),
        "1 − the score": _("{store} returns 1 − {measure}"),
        "the score squared": _("{store} returns the square of the {measure}"),
    }[setting.returned]
    closest = _("the highest number is the closest") if setting.closest == "highest" else _("the lowest is the closest")
    return [
        f"{returned.format(store=name, measure=named(measure))}; {closest}.",
        _(setting.normalisation),
        _("[Documentation]({address})").format(address=setting.source),
    ]
