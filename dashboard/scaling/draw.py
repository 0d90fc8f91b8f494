"""The figures and tables of Scaling and softmax."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

import attention_core as ac
from attention_core.experiments.cost import LENGTHS, Cost
from attention_core.experiments.gradients import Gradients
from attention_core.experiments.overflow import Failure
from attention_core.experiments.saturation import Changes, Saturation
from attention_core.experiments.tile_by_tile import TileByTile
from attention_core.experiments.variance import DotProducts
from attention_core.plots.costs import cost_lines
from attention_core.plots.dot_products import kurtosis_lines, product_histogram, variance_lines
from attention_core.plots.overflow import working_ranges
from attention_core.plots.saturation import gradient_lines, sharpness, typed, weight_bars
from attention_core.plots.theme import number
from attention_core.plots.tiles import tile_bars
from dashboard import cache, frame
from dashboard.draw import figure
from dashboard.language import _
from dashboard.progress import PATIENCE
from dashboard.scaling import findings, takeaway
from dashboard.scaling.inputs import ROWS, Changed
from dashboard.view import View

POLL = 1.0
"""Seconds between two looks at a measurement."""


def products(view: View, found: DotProducts, sweep: Mapping[int, DotProducts]) -> None:
    """Histograms without and with the scale; below them variance and kurtosis against d_k."""
    for column, scaled in zip(st.columns(2), (False, True), strict=True):
        with column:
            st.markdown(_("**With the scale 1/√d_k**") if scaled else _("**Without the scale**"))
            drawn = product_histogram(found, scaled, view.style)
            figure(drawn, findings.alt_products(found, scaled), "products-scaled" if scaled else "products")
    left, right = st.columns(2)
    with left:
        st.markdown(_("**Variance of q·k against d_k**"))
        figure(variance_lines(sweep, found.d, view.style), findings.alt_variance(sweep), "variance")
    with right:
        st.markdown(_("**Excess kurtosis of q·k against d_k**"))
        figure(kurtosis_lines(sweep, found.d, view.style), findings.of_kurtosis(found), "kurtosis")
    told = _("{size:,} pairs for each d_k, drawn with seed {seed}; bars: ± 1 standard error.")
    st.caption(" ".join([told.format(size=found.size, seed=found.seed), *findings.notes(found)]))


def weights(view: View, found: Changes) -> None:
    """The weights as given, shifted and multiplied."""
    named = {
        _("as given"): found.given.weights[0],
        _("shifted by {shift}").format(shift=typed(found.shift)): found.shifted.weights[0],
        _("multiplied by {factor}").format(factor=typed(found.factor)): found.multiplied.weights[0],
    }
    alt = _("Largest weight: {weights}").format(
        weights=", ".join(f"{name} {number(float(values.max()))}" for name, values in named.items())
    )
    figure(weight_bars(found.given.scores, named, view.style), alt, "weights")


def rows(view: View, chosen: Changed) -> dict[str, Saturation]:
    """Every row's figures as given in a table, and against the factor in a figure; what is drawn in it."""
    named = {**ROWS, _("yours"): chosen.own}
    once = [ac.experiments.saturation(scores, [1.0]) for scores in named.values()]
    table = {
        _("scores"): list(named),
        _("largest weight"): [f"{found.largest[0]:.12g}" for found in once],
        _("entropy (nats)"): [f"{found.entropy[0]:.6g}" for found in once],
        _("Jacobian, Frobenius norm"): [f"{found.jacobian[0]:.8g}" for found in once],
    }
    st.dataframe(table, hide_index=True, key="saturation-rows")
    curves = {name: ac.experiments.saturation(scores) for name, scores in named.items()}
    alt = _("Largest weight, entropy and norm of the Jacobian of {rows} against a factor from 0.01 to 100").format(
        rows=", ".join(f"({name})" for name in curves)
    )
    figure(sharpness(curves, chosen.factor, view.style), alt, "sharpness")
    return curves


def gradients(view: View, found: Gradients) -> None:
    """What reaches a query, with and without the scale."""
    st.markdown(findings.of_gradients(found))
    figure(gradient_lines(found, view.style), findings.of_gradients(found), "gradients")
    told = _("Geometric means over {seeds} seeds with 95 % intervals; {tokens} queries and keys, float64.")
    st.caption(told.format(seeds=found.seeds, tokens=found.tokens))
    takeaway.gradients(found)


def overflow(view: View, found: Sequence[Failure], scores: Sequence[float]) -> None:
    """The range of each dtype, and a table of its ends and of what becomes of the scores."""
    alt = _("eᶻ is neither 0 nor inf: {ranges}").format(
        ranges="; ".join(f"{one.dtype} {number(one.lowest, 5)} … {number(one.last, 5)}" for one in found)
    )
    figure(working_ranges(found, scores, view.style), alt, "ranges")
    lines = {
        _("largest z with a finite eᶻ"): [_written(one.last) for one in found],
        _("the next number, with eᶻ = inf"): [_written(one.first_infinite) for one in found],
        _("ln of the largest finite number"): [_written(one.log_largest) for one in found],
        _("largest z with a finite sum of {n} eᶻ").format(n=found[0].count): [_written(one.last_sum) for one in found],
        _("lowest z with eᶻ above 0"): [_written(one.lowest) for one in found],
        _("the next number down, with eᶻ = 0"): [_written(one.first_zero) for one in found],
        _("eᶻ / Σ eᶻ of the scores"): [findings.outcome(one.naive) for one in found],
        _("the same after z − max z"): [findings.outcome(one.shifted) for one in found],
    }
    table = {_("figure"): list(lines)}
    table |= {one.dtype: [values[i] for values in lines.values()] for i, one in enumerate(found)}
    st.dataframe(table, hide_index=True, height="content", key="overflow")


def _written(value: float) -> str:
    """All digits, since it is the last of them that fails."""
    return f"{value:.17g}".replace("-", "−")


def tiles(view: View, found: TileByTile, step: int) -> None:
    """The state after a tile: in figures, in a picture, and among the states after all tiles."""
    now = found.steps[step - 1]
    with st.container(horizontal=True, gap="medium", key="tile-state"):
        st.metric(_("running maximum"), typed(now.max), width="content")
        st.metric(_("running sum"), number(now.sum, 6), width="content")
        st.metric(_("rescale factor"), number(now.rescale, 4) if step > 1 else "–", width="content")
        st.metric(_("final difference"), number(found.difference, 2), width="content")
    alt = _("{state} Weights so far: {weights}").format(
        state=findings.of_tiles(found, step), weights=", ".join(number(weight) for weight in now.weights[: now.stop])
    )
    figure(tile_bars(found, step, view.style), alt, "tiles")
    table = {
        _("tile"): list(range(1, len(found.steps) + 1)),
        _("scores"): [", ".join(typed(z) for z in found.scores[one.start : one.stop]) for one in found.steps],
        _("running maximum"): [typed(one.max) for one in found.steps],
        _("rescale factor"): [number(one.rescale, 6) if i else "–" for i, one in enumerate(found.steps)],
        _("running sum"): [number(one.sum, 7) for one in found.steps],
    }
    st.dataframe(table, hide_index=True, key="tile-steps")


def costs(view: View) -> None:
    """Time and memory against the length, which are measured in the background; the figures grow with the lengths."""
    st.subheader(_("What it costs"), anchor=False)
    going_on = cache.measurements().last.running(PATIENCE)
    frame.part(_costs, POLL if going_on else None)(view, going_on)


def _costs(view: View, going_on: bool) -> None:
    run = cache.measurements().last
    if going_on != run.running():
        st.rerun()  # the page begins or ends to look every second
    found = tuple(run.found)
    if found:
        st.markdown(findings.of_costs(found))
    with st.container(horizontal=True, vertical_alignment="center"):
        if going_on:
            st.progress(run.share, _("Measuring time and memory"))
            st.button(_("Stop"), key="stop-measuring", on_click=run.stopped.set)
        else:
            if run.stopped.is_set():
                st.markdown(_("Stopped: {doing}.").format(doing=_("Measuring time and memory")))
            st.button(_("Measure again"), key="measure-again", on_click=cache.measurements().again)
    if found:
        _lines(view, found)
        told = _(
            "One head of 64 components, float32, one processor thread of the machine that runs this dashboard, each "
            "length in a process of its own; median of 3 runs in turn; memory beyond the inputs. {left_out}"
        )
        st.caption(told.format(left_out=findings.not_run(found)))
        takeaway.costs(found)
    if run.refused:
        raise run.refused


def _lines(view: View, found: Sequence[Cost]) -> None:
    n = found[-1].n
    left, right = st.columns(2)
    with left:
        figure(cost_lines(found, LENGTHS, "seconds", view.style), _alt_costs(found, "seconds"), f"seconds-{n}")
    with right:
        if any(run.peak is not None for cost in found for run in cost.runs.values()):
            figure(cost_lines(found, LENGTHS, "peak", view.style), _alt_costs(found, "peak"), f"peak-{n}")
        else:
            st.markdown(
                _("Peak memory is undefined, because this system keeps no high-water mark that can be set back.")
            )


def _alt_costs(found: Sequence[Cost], what: str) -> str:
    title = _("Time of a run against n.") if what == "seconds" else _("Peak memory against n.")
    return f"{title} {findings.of_costs(found)}"
