"""How the figures of Scaling and softmax are computed: formulas with the numbers at hand, conventions and sources."""

from __future__ import annotations

import streamlit as st

from attention_core.experiments.cost import full_matrix_bytes
from attention_core.experiments.gradients import TOKENS
from attention_core.experiments.overflow import Failure
from attention_core.experiments.saturation import Changes
from attention_core.experiments.tile_by_tile import TileByTile
from attention_core.experiments.variance import FOURTH, DotProducts
from attention_core.plots.theme import number
from dashboard.language import _
from dashboard.two_vectors.draw import tex
from dashboard.untrusted import quoted


def variance(found: DotProducts) -> None:
    """The variance and kurtosis of a sum of independent products, and what rows of a file have instead."""
    d = found.d
    st.markdown(_("For independent components of mean 0 and variance 1, variances add (Bienaymé 1853):"))
    st.latex(
        rf"\mathrm{{Var}}\Big[\sum_{{i=1}}^{{{d}}} q_i k_i\Big] = \sum_{{i=1}}^{{{d}}} 1 = {d}, \qquad "
        rf"\mathrm{{Var}}\Big[\frac{{q \cdot k}}{{\sqrt{{{d}}}}}\Big] = 1, \qquad \sqrt{{{d}}} = {tex(d**0.5)}"
    )
    if not found.rows:
        ratio = FOURTH[found.components]
        st.markdown(
            _(
                "√d_k is one standard deviation of q·k. The central limit theorem speaks of the shape alone: with "
                "E[x⁴]/σ⁴ = {ratio} the excess kurtosis is"
            ).format(ratio=f"{ratio:g}")
        )
        st.latex(rf"\frac{{{ratio:g}^2 - 3}}{{{d}}} = {tex(found.independent_kurtosis)}")
    else:
        _rows(found)
    st.markdown(
        _(
            "{size:,} pairs are drawn for each d_k, with numbers of their own (torch's generator, seed {seed}); "
            "products are summed in float32 and their statistics in float64. Standard errors are those of the delta "
            "method: the spread of what one product adds to the estimate, over √{size}. With heavy tails, as at d_k = "
            "1, the kurtosis and its error hang on the few largest products. The argument for the scale: Vaswani et "
            "al. (2017), section 3.2.1."
        ).format(size=found.size, seed=found.seed)
    )


def _rows(found: DotProducts) -> None:
    """What rows of vectors have in place of independent components."""
    st.markdown(
        _(
            "Two rows of {source} are drawn with replacement ({n:,} of {total:,} rows take part). One number, the "
            "mean of all, is subtracted from every number, and all are divided by one number, their standard "
            "deviation. Their components are neither independent nor alike; with the mean row μ and the covariance "
            "Σ, it is exactly"
        ).format(source=quoted(found.components), n=found.rows, total=found.total)
    )
    st.latex(
        rf"\mathrm{{E}}[q \cdot k] = \mu \cdot \mu = {tex(found.expected_mean)}, \qquad "
        rf"\mathrm{{Var}}[q \cdot k] = \mathrm{{tr}}(\Sigma^2) + 2\,\mu^\top \Sigma\, \mu "
        rf"= {tex(found.expected_variance)}"
    )
    st.markdown(
        _(
            "Fewer components than the vectors have are the first in an order that the seed decides, the same for "
            "all d_k."
        )
    )


def saturation(found: Changes) -> None:
    """The softmax under shift and factor, its Jacobian, and the run that gradients are followed through."""
    st.latex(r"p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}, \qquad \frac{e^{z_i + c}}{\sum_j e^{z_j + c}} = p_i, \qquad "
             r"\frac{\partial p}{\partial z} = \mathrm{diag}(p) - p p^\top")  # fmt: skip
    entropy, norms = float(found.given.entropy[0]), [float(x.jacobian[0]) for x in (found.given, found.multiplied)]
    st.latex(
        rf"H = -\sum_i p_i \ln p_i = {tex(entropy)}, \qquad "
        rf"\lVert \mathrm{{diag}}(p) - p p^\top \rVert_F = {tex(norms[0])} \;\to\; {tex(norms[1])}"
    )
    st.markdown(
        _(
            "All of it in float64. The Jacobian is that of the softmax at its input, the multiplied scores; with "
            "respect to the scores themselves it is the factor times as much. Its diagonal pᵢ(1 − pᵢ) is computed as "
            "the sum of pᵢpⱼ over the others, since 1 − pᵢ loses its digits near 1. A weight of exactly 0 is eᶻ below "
            "the smallest number."
        )
    )
    st.markdown(
        _(
            "Gradients: queries, keys and values of {tokens} tokens are standard normal numbers; the loss is the sum "
            "of all outputs times random vectors of norm 1, and torch's autograd gives each query's gradient. In one "
            "run the median and the mean over queries are taken; shown are geometric means over runs with several "
            "seeds, with Student's 95 % interval of the logarithms. Without the scale, what passes a saturated softmax "
            "is then multiplied by keys whose length grows as √d_k: most queries get nearly nothing, a few get much."
        ).format(tokens=TOKENS)
    )


def overflow(found: tuple[Failure, ...]) -> None:
    """Both forms, and how the ends were found."""
    st.latex(r"\text{naive: } \frac{e^{z_i}}{\sum_j e^{z_j}}, \qquad \text{shifted: } "
             r"\frac{e^{z_i - m}}{\sum_j e^{z_j - m}}, \quad m = \max_j z_j")  # fmt: skip
    half = found[0]
    st.markdown(
        _(
            "The ends are found, not looked up: the bits of a floating number count through the numbers of its dtype, "
            "and halving that range leaves two neighbours, of which eᶻ of one is finite and of the other is inf. In "
            "{dtype} they are {last} and {next}; the logarithm of its largest number is {log}. Every step runs in the "
            "dtype with torch; the error is the largest distance from the softmax in float64 of the scores as typed, "
            "so that rounding the scores to the dtype counts too."
        ).format(dtype=half.dtype, last=half.last, next=half.first_infinite, log=f"{half.log_largest:.6g}")
    )
    st.markdown(
        _(
            "The shift takes no exponential above e⁰ = 1 and its sum is at least 1; what underflows to 0 then is too "
            "small to matter. Overflow is not saturation: overflow gives NaN and is cured by the shift, saturation is "
            "a correct softmax that is flat, and is cured by the scale."
        )
    )


def tiles(found: TileByTile, step: int) -> None:
    """The recurrence with the numbers of a step, and how cost is measured."""
    st.latex(r"m' = \max(m, \max_j z_j), \quad \ell' = e^{m - m'} \ell + \sum_j e^{z_j - m'}, \quad "
             r"o' = \frac{e^{m - m'} \ell\, o + \sum_j e^{z_j - m'} v_j}{\ell'}")  # fmt: skip
    if step > 1:
        before, now = found.steps[step - 2], found.steps[step - 1]
        st.latex(
            rf"e^{{m - m'}} = e^{{{tex(before.max)} - {tex(now.max)}}} = {tex(now.rescale)}, \qquad \ell' = "
            rf"{tex(now.rescale)} \cdot {tex(before.sum)} + {tex(now.sum - now.rescale * before.sum)} = {tex(now.sum)}"
        )
    st.markdown(
        _(
            "`ac.attention.online_softmax` in float32 (Milakov and Gimelshein 2018; Dao et al. 2022). The values are "
            "the unit vectors, so that the output is the row of weights. The last output is exact up to rounding: it "
            "differs by {difference} from the full softmax in float32, and by {error} from the one in float64; ε of "
            "float32 is 1.19e−7."
        ).format(difference=number(found.difference, 2), error=number(found.error, 2))
    )
    n = 8_192
    st.markdown(
        _(
            "Cost: `ac.attention.scaled` makes scores and weights, 2·4·n² bytes in float32, {bytes:,} at n = {n:,}; "
            "tiles of 512 keys hold one block of scores; the fused kernel is "
            "`torch.nn.functional.scaled_dot_product_attention`. Peak memory is Linux's high-water mark of the "
            "process, set back before each run. A form is left out where a run would take more than a quarter of the "
            "free memory or, by the length before, more than three seconds. What was measured is kept for all readers "
            "while the dashboard runs; other work on the machine lengthens times."
        ).format(bytes=full_matrix_bytes(n), n=n)
    )
