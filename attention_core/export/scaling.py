"""Experiments with scale and softmax as tables and as code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from attention_core.experiments.cost import Cost
from attention_core.experiments.gradients import Gradients
from attention_core.experiments.overflow import Failure
from attention_core.experiments.saturation import Saturation
from attention_core.experiments.tile_by_tile import TileByTile
from attention_core.experiments.variance import DotProducts

IMPORT = ["import attention_core as ac", ""]


def products_table(found: Mapping[int, DotProducts]) -> pd.DataFrame:
    """One row for each d_k.

    Returns:
        Columns components, d_k, pairs, seed, mean, variance and kurtosis, each with its standard error, the expected
        mean and variance, the variance after division by √d_k, and the kurtosis of independent components.

    Example:
        >>> from attention_core.experiments.variance import sweep
        >>> products_table(sweep("uniform", size=100))[["d_k", "expected variance"]].values[:2].tolist()
        [[1.0, 1.0], [2.0, 2.0]]
    """
    rows = [
        {
            "components": one.components,
            "d_k": d,
            "pairs": one.size,
            "seed": one.seed,
            "mean": one.mean.value,
            "mean error": one.mean.error,
            "expected mean": one.expected_mean,
            "variance": one.variance.value,
            "variance error": one.variance.error,
            "expected variance": one.expected_variance,
            "scaled variance": one.scaled_variance.value,
            "kurtosis": None if one.kurtosis is None else one.kurtosis.value,
            "kurtosis error": None if one.kurtosis is None else one.kurtosis.error,
            "independent kurtosis": one.independent_kurtosis,
        }
        for d, one in found.items()
    ]
    return pd.DataFrame(rows)


def products_code(source: str | None, components: str, d: int, size: int, seed: int) -> str:
    """Python that prints mean, variance and kurtosis for one d_k and the variance for all.

    Args:
        source: an expression that loads the vectors whose rows are drawn; None for independent components.
        components: their distribution, where there is no source.
        d: a d_k.
        size: pairs.
        seed: of the draw.
    """
    drawn = repr(components) if source is None else "e"
    lines = [
        *IMPORT,
        *([] if source is None else [f"e = {source}"]),
        f"found = ac.experiments.dot_products({d}, {drawn}, size={size}, seed={seed})",
        "print(found.mean, found.variance, found.kurtosis)",
        f"for d, one in ac.experiments.sweep({drawn}, size={size}, seed={seed}).items():",
        "    print(d, one.variance.value, one.variance.error, one.expected_variance, one.variance.value / d)",
    ]
    return "\n".join(lines) + "\n"


def saturation_table(rows: Mapping[str, Saturation]) -> pd.DataFrame:
    """One row for each row of scores and factor: scores, factor, largest weight, entropy, jacobian.

    Example:
        >>> from attention_core.experiments.saturation import saturation
        >>> saturation_table({"1, 2, 3": saturation([1, 2, 3], [1.0])}).round(4).values.tolist()
        [['1, 2, 3', 1.0, 0.6652, 0.8324, 0.3894]]
    """
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "scores": name,
                    "factor": found.factors,
                    "largest weight": found.largest,
                    "entropy": found.entropy,
                    "jacobian": found.jacobian,
                }
            )
            for name, found in rows.items()
        ],
        ignore_index=True,
    )


def saturation_code(scores: Sequence[float], factor: float, shift: float) -> str:
    """Python that prints the weights as given, shifted and multiplied, and the gradients with and without 1/√d_k."""
    lines = [
        *IMPORT,
        f"scores = {list(scores)!r}",
        f"for factor, shift in ((1.0, 0.0), (1.0, {shift!r}), ({factor!r}, 0.0)):",
        "    found = ac.experiments.saturation(scores, [factor], shift)",
        "    print(factor, shift, found.weights[0].tolist(), found.entropy[0], found.jacobian[0])",
        "found = ac.experiments.gradients()",
        "for scaled, unscaled in zip(found.scaled, found.unscaled):",
        "    print(scaled.d, scaled.typical, unscaled.typical)",
    ]
    return "\n".join(lines) + "\n"


def gradients_table(found: Gradients) -> pd.DataFrame:
    """One row for each d_k and scale: what reaches the typical query and the mean, with the intervals' ends."""
    rows = []
    for name, points in (("1/sqrt(d_k)", found.scaled), ("1", found.unscaled)):
        for point in points:
            row: dict[str, object] = {"d_k": point.d, "scale": name, "tokens": found.tokens, "seeds": found.seeds}
            for measure in ("typical", "mean", "few", "largest"):
                value, low, high = getattr(point, measure)
                row |= {measure: value, f"{measure} low": low, f"{measure} high": high}
            rows.append(row)
    return pd.DataFrame(rows)


def overflow_table(failures: Sequence[Failure]) -> pd.DataFrame:
    """One row for each dtype: where its exponential ends, and what both forms make of the scores.

    Example:
        >>> from attention_core.experiments.overflow import overflow
        >>> overflow_table(overflow([12, 1]))[["dtype", "largest z", "naive"]].values[0].tolist()
        ['float16', 11.0859375, 'an exponential is inf, and inf/inf is NaN']
    """
    return pd.DataFrame(
        [
            {
                "dtype": one.dtype,
                "largest z": one.last,
                "first z with exp(z) = inf": one.first_infinite,
                "ln of the largest number": one.log_largest,
                "scores summed": one.count,
                "largest z with a finite sum": one.last_sum,
                "lowest z": one.lowest,
                "first z with exp(z) = 0": one.first_zero,
                "naive": one.naive.why,
                "naive error": one.naive.error,
                "shifted": one.shifted.why,
                "shifted error": one.shifted.error,
            }
            for one in failures
        ]
    )


def overflow_code(scores: Sequence[float]) -> str:
    """Python that prints where each dtype fails and what both forms make of the scores."""
    lines = [
        *IMPORT,
        f"for one in ac.experiments.overflow({list(scores)!r}):",
        "    print(one.dtype, one.last, one.first_infinite, one.last_sum, one.lowest)",
        "    print('  ', one.naive.weights, one.naive.why)",
        "    print('  ', one.shifted.weights, one.shifted.error)",
    ]
    return "\n".join(lines) + "\n"


def tiles_table(found: TileByTile) -> pd.DataFrame:
    """One row for each score and tile: tile, from, to, max, rescale, sum, score, output so far, full softmax."""
    rows = [
        {
            "tile": number,
            "from": step.start + 1,
            "to": step.stop,
            "max": step.max,
            "rescale": step.rescale,
            "sum": step.sum,
            "score": score,
            "output so far": weight,
            "full softmax": full,
        }
        for number, step in enumerate(found.steps, 1)
        for score, weight, full in zip(found.scores, step.weights, found.full, strict=True)
    ]
    return pd.DataFrame(rows)


def tiles_code(scores: Sequence[float], tile: int, lengths: Sequence[int]) -> str:
    """Python that prints every tile's state and the difference, and measures time and memory at some lengths."""
    lines = [
        *IMPORT,
        f"found = ac.experiments.tile_by_tile({list(scores)!r}, tile={tile})",
        "for step in found.steps:",
        "    print(step.start, step.stop, step.max, step.rescale, step.sum, step.weights)",
        "print(found.difference, found.error)",
        "before = None",
        f"for n in {list(lengths)!r}:",
        "    before = ac.experiments.cost(n, before)",
        "    print(before)",
    ]
    return "\n".join(lines) + "\n"


def costs_table(costs: Sequence[Cost]) -> pd.DataFrame:
    """One row for each length and form: n, form, seconds, peak bytes, and why it was left out."""
    rows = [
        {"n": cost.n, "form": form, "seconds": run.seconds, "peak bytes": run.peak, "left out": ""}
        for cost in costs
        for form, run in cost.runs.items()
    ]
    rows += [{"n": cost.n, "form": form, "left out": why} for cost in costs for form, why in cost.left_out.items()]
    return pd.DataFrame(rows, columns=["n", "form", "seconds", "peak bytes", "left out"])
