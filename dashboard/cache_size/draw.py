"""The figures and tables of Cache size."""

from __future__ import annotations

import streamlit as st

import attention_core as ac
from attention_core.export.kv_cache import measured_table, presets_table, sizes_code, sizes_csv, sizes_table
from attention_core.kv_cache.units import format_bytes
from attention_core.plots.kv_cache import Limit, context_lines, layout_bars
from dashboard import cache, draw, frame
from dashboard.cache_size import findings
from dashboard.cache_size.inputs import Asked
from dashboard.draw import figure
from dashboard.language import _, plural
from dashboard.view import View

MEASURED = 2_048
"""Tokens of a measurement, at most: what each attends to grows with their square, and the bytes only with them."""
WANTED = "_cache_measured"
_LOCALIZED = {
    name: st.column_config.NumberColumn(format="localized")
    for name in ("bytes in tensors", "bytes by the formula", "difference", "growth")
}


def bars(view: View, asked: Asked) -> None:
    """The cache of each model by layout."""
    drawn = layout_bars(asked.sizes, asked.family, asked.counted, view.style)
    figure(drawn, findings.alt_bars(asked.sizes, asked.family), "cache-bars")
    for name, s in asked.sizes.items():
        for layout, why in s.why.items():
            st.caption(
                _("{model} as {layout} is undefined: {why}.").format(
                    model=name, layout=ac.kv_cache.LAYOUTS[layout], why=why
                )
            )
    if sources := findings.of_sources(asked):
        st.caption(sources)
    if asked.counted:
        st.markdown(findings.of_shortcut(asked))


def limits(asked: Asked) -> list[Limit]:
    """The memory that ends lines: what the reader speaks of, and that of GPUs, less the weights; none that is full."""
    named = {format_bytes(asked.memory, "decimal"): asked.memory}
    named |= {name: ac.kv_cache.GPUS[name].memory for name in asked.gpus}
    left = {name: memory - asked.weights for name, memory in named.items()}
    minus = _(" − weights") if asked.weights else ""
    return [Limit(f"{name}{minus}", room) for name, room in left.items() if room > 0]


def lines(view: View, asked: Asked) -> None:
    """The cache against the context."""
    shown = limits(asked)
    figure(context_lines(asked.sizes, shown, asked.family, view.style), findings.alt_lines(asked), "cache-lines")
    full = 1 + len(asked.gpus) - len(shown)
    if full:
        told = plural(
            "One of the memories is smaller than the weights and is left out.",
            "{n} of the memories are smaller than the weights and are left out.",
            full,
        )
        st.caption(told.format(n=full))
    st.caption(
        _(
            "Solid: as the model is; dashed: as MLA, or as MHA where it is MLA. What programs, activations and "
            "fragments take comes on top."
        )
    )


def fits(asked: Asked) -> None:
    """How many sequences have room in each memory, and how long the sequences of the batch may be."""
    rows = []
    for limit in limits(asked):
        row: dict[str, object] = {_("memory"): limit.name, _("left for the cache"): format_bytes(limit.bytes)}
        for name, s in asked.sizes.items():
            for layout in (s.own, findings.compared_with(s)):
                if s.bytes[layout] is not None:
                    row[f"{name}, {ac.kv_cache.LAYOUTS[layout]}"] = s.fitting(limit.bytes, layout)
        rows.append(row)
    st.markdown(
        _("How many sequences of {tokens:,} tokens have room at the same time:").format(tokens=asked.workload.tokens)
    )
    st.dataframe(rows, hide_index=True, key="cache-fits")
    st.markdown(_("How long {batch:,} sequences may be, in tokens:").format(batch=asked.workload.batch))
    longest = [
        {_("memory"): limit.name} | {name: _tokens(s.longest(limit.bytes)) for name, s in asked.sizes.items()}
        for limit in limits(asked)
    ]
    st.dataframe(longest, hide_index=True, key="cache-longest")


def _tokens(count: int | None) -> str:
    return _("any: all windows are full") if count is None else f"{count:,}"


def savings(asked: Asked) -> None:
    """Each layout against the model's own, as a ratio and as a percentage, with its baseline named."""
    table = sizes_table(asked.sizes, asked.room)
    table["layout"] = [
        _("{layout}, own").format(layout=name) if own else name
        for name, own in zip(table["layout"], table["own"], strict=True)
    ]
    percent = st.column_config.NumberColumn(format="%.2f %%")
    count = st.column_config.NumberColumn(format="localized")
    ratio = st.column_config.NumberColumn(format="%.4g")
    unit = "GiB" if asked.family == "binary" else "GB"
    columns = {
        "model": (_("model"), None),
        "layout": (_("layout"), None),
        unit: (unit, ratio),
        "times own": (_("times the own layout"), ratio),
        "own saves": (_("the own layout saves of this"), percent),
        "would save": (_("this would save of the own"), percent),
        "sequences": (_("sequences in {memory}").format(memory=format_bytes(asked.room, "decimal")), count),
        "longest": (_("longest, tokens"), count),
        "bytes per token": (_("bytes per token"), count),
        "numbers": (_("numbers per token and layer"), count),
        "bytes": (_("bytes"), count),
    }
    table[["own saves", "would save"]] *= 100
    shown = table[list(columns)].rename(columns={name: label for name, (label, _config) in columns.items()})
    config = {label: config for label, config in columns.values() if config is not None}
    st.dataframe(shown, hide_index=True, key="cache-savings", column_config=config, height="content")
    st.caption(
        _(
            "“The own layout saves of this” takes the row's layout as 100 %; “this would save of the own” takes "
            "the model's own as 100 %. Negative: it takes more."
        )
    )


def measured(view: View, asked: Asked) -> None:
    """Bytes counted in real tensors beside those of the formula, once the reader asks for them."""
    tokens, dtype = min(asked.workload.tokens, MEASURED), asked.workload.dtype
    st.markdown(
        _(
            "For each model, tensors are allocated for one sequence of {tokens:,} tokens in as many of its first "
            "layers as fit in {limit}, and filled by a forward pass: multi-head attention, or MLA in its absorbed form "
            "over the latent. What is not cached is scaled down: the hidden state, to 64 components or those of the "
            "latent, and the query heads, to one for each head of keys or latent."
        ).format(tokens=tokens, limit=format_bytes(ac.kv_cache.Allocation().limit))
    )
    wanted = (tuple(asked.sizes), tokens, dtype)
    st.button(
        _("Measure on this machine"),
        key="cache-measure",
        on_click=st.session_state.__setitem__,
        args=(WANTED, wanted),
    )
    if st.session_state.get(WANTED) != wanted:
        return
    found = {}
    for name, s in asked.sizes.items():
        with frame.errors_shown():
            found[name] = cache.measured_cache(view, s.preset, tokens, dtype)
    if found:
        st.markdown(findings.of_measured(found))
        st.dataframe(measured_table(found), hide_index=True, key="cache-measured", column_config=_LOCALIZED)
        for name, m in found.items():
            st.caption(f"{name}: {'; '.join(m.shapes)}")


def presets(asked: Asked) -> None:
    """All models that are known here, for the workload at hand."""
    table = presets_table(ac.kv_cache.PRESETS, asked.workload)
    numbers = ("bytes per token", "bytes", "bytes as MLA")
    config = {name: st.column_config.NumberColumn(format="localized") for name in numbers}
    config["GiB"] = st.column_config.NumberColumn(format="%.4g")
    st.dataframe(table, hide_index=True, key="cache-presets", column_config=config)
    st.caption(
        _(
            "First-hand: read in what the model's makers published. Second-hand: in a library that mirrors it or a "
            "derived model's copy. Inferred: a number follows from others or was not seen."
        )
    )


def takeaway(asked: Asked) -> None:
    """The table as CSV, and Python."""
    known = [name for name in asked.sizes if name in ac.kv_cache.PRESETS]
    code = sizes_code(known, len(known) < len(asked.sizes), asked.workload)
    draw.takeaway(lambda: sizes_csv(asked.sizes, asked.room), "cache_sizes.csv", code)
