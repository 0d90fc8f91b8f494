"""The figures and tables of MLA."""

from __future__ import annotations

import streamlit as st

from attention_core.attention import Sentence, latent
from attention_core.attention.latent.room import ROOM
from attention_core.export.latent import cost_csv, cost_table, latent_code, low_rank_code, low_rank_csv
from attention_core.plots.latent import (
    LABELS,
    against_context,
    decode_lines,
    folding_errors,
    low_rank_lines,
    singular_values,
)
from attention_core.plots.latent_flow import latent_flow
from attention_core.plots.theme import number
from dashboard import draw
from dashboard.draw import figure
from dashboard.language import _, plural
from dashboard.mla import cached, findings
from dashboard.mla.inputs import Asked
from dashboard.view import View

CONTEXTS = tuple(4**i for i in range(2, 11))
"""Tokens at which costs are drawn: 16 to 1,048,576."""
TIMED = (64, 128, 256, 512, 1024, 2048, 4096)
DISTANCES = (0, 1, 2, 5, 10, 20, 50, 100, 1_000, 10_000)
ASKED = "_mla_timed"


def flow(view: View, asked: Asked) -> None:
    """The way of one token, and where the sizes are from."""
    figure(latent_flow(asked.config, asked.itemsize, view.style), findings.alt_flow(asked), "flow")
    st.caption(findings.notes(asked))


def forms(view: View, asked: Asked) -> None:
    """What each form holds, reads and computes, at the chosen context and over all."""
    costs, config = latent.costs(asked.config, asked.tokens), asked.config
    rows = {
        _("form"): [_(LABELS[form]) for form in costs],
        _("cache of a layer"): [findings.size(cost.held * asked.itemsize) for cost in costs.values()],
        _("numbers held"): _column([cost.held for cost in costs.values()]),
        _("numbers read at least"): _column([cost.moved for cost in costs.values()]),
        _("operations for a token"): _column([cost.operations for cost in costs.values()]),
    }
    columns = {name: st.column_config.NumberColumn(format="localized") for name in list(rows)[2:]}
    st.dataframe(rows, hide_index=True, column_config=columns, key="forms")
    at = {n: latent.costs(config, n) for n in CONTEXTS}
    left, right = st.columns(2)
    with left:
        held = {form: [at[n][form].held * asked.itemsize for n in CONTEXTS] for form in latent.FORMS}
        alt = _("Bytes that the cache of a layer holds in each form, against the tokens in it")
        figure(against_context(CONTEXTS, held, _("bytes of a layer’s cache"), view.style), alt, "held")
    with right:
        operations = {form: [at[n][form].operations for n in CONTEXTS] for form in latent.FORMS}
        alt = _("Operations for a decoded token in each form, against the tokens in the cache")
        figure(against_context(CONTEXTS, operations, _("operations for a token"), view.style), alt, "operations")


def _column(counts: list[int]) -> list[int] | list[float]:
    """Counts as a table takes them, which has no whole numbers from 2⁶³ on."""
    return counts if max(counts) < 1 << 63 else [float(count) for count in counts]


def times(view: View, asked: Asked) -> latent.Timing | None:
    """The button that measures, and what it measured; None where nothing was."""
    key = f"{asked.config}"
    wanted = st.session_state.setdefault(ASKED, set())
    if key not in wanted:
        st.button(
            _("Measure on this machine"),
            key="measure",
            on_click=wanted.add,
            args=(key,),
            help=_("Decodes a token over up to {n:,} cached ones in each form, five times.").format(n=TIMED[-1]),
        )
        return None
    timing = cached.decode_times(view, asked.config, TIMED)
    st.markdown(findings.of_times(timing))
    figure(decode_lines(timing, view.style), findings.of_times(timing), "times")
    differences = [one.difference for of in timing.forms.values() for one in of if one is not None]
    left_out = [
        f"{_(LABELS[form])}: {n:,}"
        for form, of in timing.forms.items()
        for n, one in zip(timing.contexts, of, strict=True)
        if one is None
    ]
    note = _(
        "{dtype}, {threads} on {device}, medians of {rounds} rounds in turns, from query and latent to the heads' "
        "values; other work on this machine shows in them. Outputs differ by at most {difference} of the largest value."
    ).format(
        dtype=timing.dtype,
        threads=plural("{n} thread", "{n} threads", timing.threads).format(n=timing.threads),
        device=view.compute.device,
        rounds=latent.timing.ROUNDS,
        difference=number(max(differences), 2),
    )
    if left_out:
        note += " " + _("Not measured, since it takes more than {room}: {what}.").format(
            room=findings.size(ROOM), what=", ".join(left_out)
        )
    st.caption(note)
    return timing


def low_rank(view: View, found: latent.LowRank, rank: int) -> None:
    """Errors and singular values side by side."""
    left, right = st.columns(2)
    with left:
        figure(low_rank_lines(found, rank, view.style), findings.alt_low_rank(found), "low-rank")
        st.caption(findings.moved(found, rank))
    with right:
        alt = _("Singular values of keys and values, as shares of the largest")
        figure(singular_values(found, rank, view.style), alt, "singular")


def folding(view: View, asked: Asked) -> None:
    """Why the rotary key is a part of its own."""
    found = latent.commuting(asked.config, DISTANCES)
    st.markdown(findings.of_folding(found))
    figure(folding_errors(found, view.style), findings.of_folding(found), "folding")
    st.caption(
        _(
            "Root mean square over {pairs} random queries and latents of the chosen sizes, in float64; errors of "
            "exactly 0 are drawn at the lower edge. Folded anew for every distance, the scores are right again (to "
            "{exact}), but then each cached token needs a query of its own, as costly as making its key."
        ).format(pairs=found.pairs, exact=number(max(found.exact), 2))
    )


def take_costs(view: View, asked: Asked, timing: latent.Timing | None) -> None:
    """Costs as CSV and Python."""
    settings = {"model": asked.name, "dtype": asked.dtype, **view.settings}
    table = cost_table(asked.config, CONTEXTS, asked.itemsize, timing)
    code = latent_code(asked.config, asked.tokens)
    draw.takeaway(lambda: cost_csv(table, asked.config, settings), "mla.csv", code)


def take_low_rank(view: View, found: latent.LowRank, sentence: Sentence | None, heads: int, seed: int) -> None:
    """Errors as CSV and Python."""
    settings = {"heads": str(heads), "seed": str(seed), **view.settings}
    if sentence is not None:
        settings["sentence"] = sentence.text or _("first {n} words").format(n=len(sentence))
    every = 1 + (len(view.embeddings) - 1) // cached.VECTORS
    code = low_rank_code(draw.loading(view), found.kept // 2, heads, seed, every, sentence)
    draw.takeaway(lambda: low_rank_csv(found, view.embeddings, settings), "low_rank.csv", code)
