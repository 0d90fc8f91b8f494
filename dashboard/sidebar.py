"""What concerns every page: which vectors, prepared how, computed where."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.plots.theme import Style
from dashboard import cache, upload
from dashboard.language import _
from dashboard.links import between, checked, flag, one_of
from dashboard.untrusted import quoted
from dashboard.view import View

FILE = "file"
SEEDS = 10_000


def choose() -> View | None:
    """Draws the sidebar; None when an own file is wanted and there is none yet.

    Raises:
        EmbeddingsError: an uploaded file cannot be read.
    """
    source = _source()
    own = upload.own_vectors() if source == FILE else None
    if own is not None:
        upload.describe(own)
    centre, normalise = _preparation()
    device, seed = _device(), _seed()
    settings = _settings(source, centre, normalise, device, seed)
    style = Style(_, dark=st.context.theme.type == "dark")
    if own is not None:
        prepared = cache.upload(own, centre, normalise)
        return View(prepared, True, own.words[0], ac.Compute(device), seed, settings, style)
    if source == FILE:
        return None
    st.query_params.pop(FILE, None)
    prepared = cache.sample(source, centre, normalise)
    return View(prepared, False, ac.SAMPLES[source].example, ac.Compute(device), seed, settings, style)


def _source() -> str:
    options = [*ac.SAMPLES, FILE]
    checked("source", one_of(options))
    captions = [*(_(sample.label) for sample in ac.SAMPLES.values()), _("Your own embeddings")]
    return st.radio(_("Vectors"), options, captions=captions, key="source", bind="query-params")


def _preparation() -> tuple[bool, bool]:
    with st.container(horizontal=True):
        for name in ("centre", "normalise"):
            checked(name, flag)
        centre = st.toggle(
            _("Centre"), key="centre", bind="query-params", help=_("Subtract the mean of all vectors from each.")
        )
        normalise = st.toggle(
            _("Normalise"),
            key="normalise",
            bind="query-params",
            help=_("Divide each vector by its norm, after centring."),
        )
    return centre, normalise


def _device() -> str:
    devices = ac.Compute.devices()
    checked("device", one_of(devices))
    return st.selectbox(_("Compute on"), devices, key="device", bind="query-params") or devices[0]


def _seed() -> int:
    checked("seed", between(0, SEEDS))
    return int(
        st.number_input(
            _("Seed of the additive weights"),
            0,
            SEEDS,
            0,
            key="seed",
            bind="query-params",
            help=_("Additive scores need trained weights. These are random: another seed, another ranking."),
        )
    )


def _settings(source: str, centre: bool, normalise: bool, device: str, seed: int) -> dict[str, str]:
    chosen = {"source": source, "centre": centre, "normalise": normalise, "device": device, "seed": seed}
    usual = {"source": next(iter(ac.SAMPLES)), "centre": False, "normalise": False, "device": "cpu", "seed": 0}
    return {name: str(value).lower() for name, value in chosen.items() if value != usual[name]}


def announce(view: View | None) -> None:
    """Keeps the upload's mark in the link, and says when a link speaks of a file that is not here."""
    asked = st.query_params.get(FILE)
    if view is not None and not view.uploaded:
        return
    own = st.session_state.get(upload.UPLOAD)
    if own is None:
        if asked:
            st.info(
                _(
                    "This link shows an uploaded file ({file}: fingerprint and shape). Files do not travel with links: "
                    "upload the same file in the sidebar to see the same view."
                ).format(file=quoted(asked))
            )
        else:
            st.info(_("Upload your vectors in the sidebar, or choose one of the samples there."))
        return
    mark = f"{own.fingerprint[:12]}-{len(own)}x{own.dimension}"
    if asked not in (None, mark, st.session_state.get("_mark")):
        st.warning(
            _("The link shows another file ({asked}); the file here is {mark}.").format(
                asked=quoted(asked), mark=quoted(mark)
            )
        )
    st.query_params[FILE] = st.session_state["_mark"] = mark
