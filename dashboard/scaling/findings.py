"""Sentences that say what the experiments with scale and softmax show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attention_core.experiments.cost import Cost
from attention_core.experiments.gradients import Gradients, few_of
from attention_core.experiments.moments import Measured
from attention_core.experiments.overflow import Failure, Softmax
from attention_core.experiments.saturation import Changes
from attention_core.experiments.tile_by_tile import TileByTile
from attention_core.experiments.variance import DotProducts
from attention_core.plots.costs import FORMS
from attention_core.plots.saturation import typed
from attention_core.plots.theme import number, percent
from dashboard.language import _, plural
from dashboard.untrusted import quoted

NAMES = {"gaussian": "Gaussian", "uniform": "uniform", "rademacher": "Rademacher (±1)"}
ERRORS = 3
"""Standard errors within which a figure counts as the expected one."""


def with_error(found: Measured) -> str:
    """An estimate and its standard error.

    Example:
        >>> with_error(Measured(64.26, 0.9355))
        '64.3 ± 0.94'
    """
    return f"{number(found.value)} ± {number(found.error, 2)}"


def of_products(found: DotProducts, sweep: Mapping[int, DotProducts]) -> str:
    """The variance of one d_k, with and without the scale, and how many of all lie where they should."""
    what = (
        _("two rows of {source} drawn at random").format(source=quoted(found.components))
        if found.rows
        else _("two vectors")
    )
    told = plural(
        "The dot product of {what} with {d:,}{kind} component has the variance {variance}; divided by √d_k, {scaled}.",
        "The dot product of {what} with {d:,}{kind} components has the variance {variance}; divided by √d_k, {scaled}.",
        found.d,
    ).format(
        what=what,
        kind="" if found.rows else f" {_(NAMES[found.components])}",
        d=found.d,
        variance=with_error(found.variance),
        scaled=with_error(found.scaled_variance),
    )
    return f"{told} {_of_rows(found) if found.rows else _within(sweep)}"


def _within(sweep: Mapping[int, DotProducts]) -> str:
    near = sum(abs(one.variance.value - one.d) <= ERRORS * one.variance.error for one in sweep.values())
    sizes = list(sweep)
    told = _(
        "From {low:,} to {high:,} components, {near} of {all} variances lie within {errors} standard errors of d_k."
    )
    return told.format(low=sizes[0], high=sizes[-1], near=near, all=len(sizes), errors=ERRORS)


def _of_rows(found: DotProducts) -> str:
    told = _(
        "Independent components of mean 0 and variance 1 would give {d:,}; over all pairs of these rows it is {exact}, "
        "{ratio} times that"
    ).format(d=found.d, exact=number(found.expected_variance), ratio=number(found.expected_variance / found.d))
    if abs(found.expected_mean) > ERRORS * found.mean.error:
        told += _(", and the mean is {mean} instead of 0").format(mean=number(found.expected_mean))
    return f"{told}."


def of_kurtosis(found: DotProducts) -> str:
    """The shape of the distribution."""
    if found.kurtosis is None:
        return _("All products are equal: their kurtosis is undefined.")
    told = _(
        "Excess kurtosis, how heavy the tails are: {found}; independent components like these would give {expected}, a "
        "normal distribution 0."
    )
    return told.format(found=with_error(found.kurtosis), expected=number(found.independent_kurtosis))


def notes(found: DotProducts) -> list[str]:
    """What stands under the figures: the shape, and how rows were drawn and put on one scale."""
    told = [of_kurtosis(found)]
    if found.rows:
        told.append(
            _("{n:,} of {total:,} rows take part; their numbers are in units of their spread, less their mean.").format(
                n=found.rows, total=found.total
            )
        )
    return told


def alt_products(found: DotProducts, scaled: bool) -> str:
    """What a histogram shows, in words."""
    factor = found.d**-0.5 if scaled else 1.0
    name = _("q·k divided by √d_k") if scaled else _("q·k")
    told = _("Histogram of {name} over {size:,} pairs of {d:,} components: mean {mean}, standard deviation {deviation}")
    return told.format(
        name=name,
        size=found.size,
        d=found.d,
        mean=number(found.mean.value * factor),
        deviation=number(found.variance.value**0.5 * factor),
    )  # fmt: skip


def alt_variance(sweep: Mapping[int, DotProducts]) -> str:
    """What the variances show, in words."""
    sizes = list(sweep)
    first, last = sweep[sizes[0]], sweep[sizes[-1]]
    return _(
        "The variance of q·k goes from {low} at {first:,} to {high} at {last:,} components; divided by √d_k, from {a} "
        "to {b}"
    ).format(
        low=number(first.variance.value),
        first=first.d,
        high=number(last.variance.value),
        last=last.d,
        a=number(first.scaled_variance.value),
        b=number(last.scaled_variance.value),
    )


def of_saturation(found: Changes) -> str:
    """What a shift and a factor do to the weights."""
    before, after = found.given, found.multiplied
    if len(before.scores) == 1:
        return _("A single score has the weight 1, whatever it is: there is nothing to share, and the Jacobian is 0.")
    told = (
        _("Adding {shift} to every score changes no weight.")
        if found.moved == 0
        else _("Adding {shift} to every score changes no weight by more than {moved}, which is rounding.")
    ).format(shift=typed(found.shift), moved=number(found.moved, 2))
    multiplied = _(
        "Multiplying by {factor} takes the largest weight from {before} to {after}, and the norm of the "
        "Jacobian (the derivatives of the weights by the scores, which a gradient is multiplied by) from {open} to "
        "{closed}."
    )
    return f"{told} {multiplied}".format(
        factor=typed(found.factor),
        before=number(before.largest[0]),
        after=number(after.largest[0], 5),
        open=number(before.jacobian[0]),
        closed=number(after.jacobian[0]),
    )


def of_gradients(found: Gradients) -> str:
    """The gradient at the largest d_k with and without the scale."""
    kept, lost = found.scaled[-1], found.unscaled[-1]
    return _(
        "With {d:,} components, half of the queries get a gradient below {kept} with 1/√d_k, and below {lost} without "
        "it. The mean is {kept_mean} with it and {lost_mean} without: the largest {few} of {tokens} gradients then "
        "make up {share} of their sum (with the scale {kept_share}). The largest weight averages {largest} without the "
        "scale and {even} with it ({seeds} seeds)."
    ).format(
        d=lost.d,
        kept=number(kept.typical.value),
        lost=number(lost.typical.value),
        kept_mean=number(kept.mean.value),
        lost_mean=number(lost.mean.value),
        few=few_of(found.tokens),
        tokens=found.tokens,
        share=percent(lost.few.value),
        kept_share=percent(kept.few.value),
        largest=number(lost.largest.value),
        even=number(kept.largest.value),
        seeds=found.seeds,
    )


def of_overflow(found: Sequence[Failure]) -> str:
    """In which dtypes each form gives the softmax of these scores."""
    naive = [one for one in found if one.naive.error is None]
    shifted = [one for one in found if one.shifted.error is None]
    count = found[0].count
    if not naive:
        told = plural(
            "Exponentials taken as they come give the softmax of this {n} score in all four dtypes.",
            "Exponentials taken as they come give the softmax of these {n} scores in all four dtypes.",
            count,
        ).format(n=count)
    else:
        told = _("Exponentials taken as they come fail on these scores in {dtypes}.").format(
            dtypes=", ".join(f"{one.dtype} ({_(one.naive.why)})" for one in naive)
        )
    if shifted:
        failing = ", ".join(f"{one.dtype} ({_(one.shifted.why)})" for one in shifted)
        return told + " " + _("After the largest score is subtracted, they fail in {dtypes}.").format(dtypes=failing)
    worst = max(found, key=lambda one: one.shifted.error or 0.0)
    return told + " " + _(
        "After the largest score is subtracted, all four work; the weights are off by at most {error}, in {dtype}."
    ).format(error=number(worst.shifted.error or 0.0, 2), dtype=worst.dtype)  # fmt: skip


def outcome(found: Softmax) -> str:
    """What became of a softmax: how far off it is, or what failed."""
    if found.error is None:
        return _("fails: {why}").format(why=_(found.why))
    return _("exact") if found.error == 0 else _("off by {error}").format(error=number(found.error, 2))


def of_tiles(found: TileByTile, step: int) -> str:
    """The state after a tile, and how far the last output is from the full softmax."""
    now = found.steps[step - 1]
    told = _("After tile {step} of {all} the running maximum is {max} and the running sum {sum}").format(
        step=step, all=len(found.steps), max=typed(now.max), sum=number(now.sum, 6)
    )
    if step > 1:
        told += _("; what was summed before was multiplied by {rescale}").format(rescale=number(now.rescale, 4))
    difference = found.difference
    ends = (
        _("equals the full softmax to the last bit")
        if difference == 0
        else _("differs from the full softmax by at most {d}, in float32").format(d=number(difference, 2))
    )
    return told + ". " + _("The output after the last tile {ends}.").format(ends=ends)


def of_costs(found: Sequence[Cost]) -> str:
    """Time and memory at the longest sequence that all forms ran at, and how memory grew there."""
    whole = [cost for cost in found if not cost.left_out]
    if not whole:
        return ""
    last = whole[-1]
    parts = [
        _("{form} {ms} ms").format(form=_(FORMS[form][0]), ms=number(run.seconds * 1e3))
        + ("" if run.peak is None else _(" and {mb} MB").format(mb=number(run.peak / 1e6)))
        for form, run in last.runs.items()
    ]
    return _("At n = {n:,}: {parts}.").format(n=last.n, parts=", ".join(parts)) + _growth(whole)


def _growth(whole: Sequence[Cost]) -> str:
    """How memory grew from one length to the next at the end."""
    if len(whole) < 2:
        return ""
    before, last = whole[-2:]
    grown = {
        form: run.peak / known
        for form, run in last.runs.items()
        if run.peak is not None and (known := before.runs[form].peak)
    }
    if "full" not in grown or "tiled" not in grown:
        return ""
    told = _(" From n = {before:,} on, memory grew {full} times with the full matrix and {tiled} times tile by tile.")
    return told.format(before=before.n, full=number(grown["full"], 2), tiled=number(grown["tiled"], 2))


def not_run(found: Sequence[Cost]) -> str:
    """Which forms were left out where, and why."""
    return " ".join(
        _("n = {n:,}, {form}: {why}.").format(n=cost.n, form=_(FORMS[form][0]), why=_(why))
        for cost in found
        for form, why in cost.left_out.items()
    )
